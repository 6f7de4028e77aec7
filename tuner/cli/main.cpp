#include "tuner/cli/commands.hpp"

int main(int argc, char** argv) {
  using namespace clgauss::tune;
  const clgauss::cli::Program program{
      "clgauss-tune",
      "clgauss-tune measures what the work-group size does to an OpenCL device, and tunes clgauss "
      "for it.",
      {{"sweep", "time a kernel against the work-group size", run_sweep},
       {"outliers", "time it against n: the driver's work-group size against the LCM rule's",
        run_outliers},
       {"rules", "compare the rules for the work-group size with the measured best", run_rules},
       {"reproduce", "run the matrix products and memory walks of the source documents again",
        run_reproduce},
       {"report", "one HTML page with figures and verdict from the rows of all experiments",
        run_report},
       {"auto", "tune what clgauss uses on a device, and store it", run_auto},
       {"show", "what is tuned for a device", run_show},
       {"export", "write the tuned numbers of a device to a file", run_export},
       {"import", "add an exported file to the user's store", run_import},
       {"search", "search for the fastest parameters of a kernel on a device", run_search},
       {"replay", "run searches on a fully recorded space, without a device", run_replay}},
      "Environment:\n"
      "  CLGAUSS_DEVICE      the device when --device is not given\n"
      "  CLGAUSS_KERNEL_DIR  read the .cl files from this folder\n"
      "  XDG_DATA_HOME       tuned numbers lie in clgauss/tuned below it (default ~/.local/share)\n"
      "\nExit codes: 0 ok, 2 usage, 3 bad file, 4 no or ambiguous device, 5 OpenCL failure, 6 out "
      "of memory,\n"
      "            130 interrupted\n"};
  return clgauss::cli::run_program(program, argc, argv);
}
