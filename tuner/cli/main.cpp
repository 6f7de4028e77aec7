#include "command_line/environment_variables.hpp"
#include "tuner/cli/commands.hpp"
#include "tuner/measure/cpu_matmul.hpp"

int main(int argc, char** argv) {
  using namespace clgauss::tune;
  using enum clgauss::cli::ExitCode;
  const clgauss::cli::Program program{
      "clgauss-tune",
      "measure work-group sizes, and tune clgauss for a device",
      "clgauss-tune measures what the work-group size does to an OpenCL device, and tunes clgauss "
      "for it.",
      {{"sweep", "time a kernel against the work-group size", sweep_table, run_sweep},
       {"outliers", "time it against n: the driver's size against the LCM rule's", outliers_table,
        run_outliers},
       {"rules", "compare the rules for the size with the measured best", rules_table, run_rules},
       {"explain", "predict what each work-group size takes, and say why", explain_table,
        run_explain},
       {"laboratory", "run all experiments on a device within a given time", laboratory_table,
        run_laboratory},
       {"reproduce", "run the experiments of the source documents again", reproduce_table,
        run_reproduce},
       {"report", "one HTML page with figures from the rows of all experiments", report_table,
        run_report},
       {"report-device", "self-tests and speeds of a device, as one JSON", report_device_table,
        run_report_device},
       {"auto", "tune what clgauss uses on a device, and store it", auto_table, run_auto},
       {"show", "what is tuned for a device", show_table, run_show},
       {"export", "write the tuned numbers of a device to a file", export_table, run_export},
       {"import", "add an exported file to the user's store", import_table, run_import},
       {"kernel", "tune any OpenCL kernel: work-group size and parameters", kernel_table,
        run_kernel},
       {"watch", "run an OpenCL program, and report its work-group sizes", watch_table, run_watch},
       {"search", "search for the fastest parameters of a kernel", search_table, run_search},
       {"replay", "run searches on a recorded space, without a device", replay_table, run_replay}},
      "",
      clgauss::cli::environment_variables(
          {{"OPENCL_LAYERS=libclgauss_layer.so",
            "read by the OpenCL loader: run any program as watch does"},
           {"CLGAUSS_LAYER_REPAIR=1", "of a program that is watched: as watch --repair"},
           {"CLGAUSS_LAYER_JSON", "likewise, the file of watch --json"},
           {"CLGAUSS_LAYER_EXPLAIN", "likewise, the kernel of watch --explain"}}),
      {ok, usage, bad_file, no_device, opencl, out_of_memory, interrupted},
      has_openblas() ? "with OpenBLAS" : "without OpenBLAS"};
  return clgauss::cli::run_program(program, argc, argv);
}
