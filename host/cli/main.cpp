#include "cli/commands.hpp"

int main(int argc, char** argv) {
  using namespace clgauss::cli;
  using enum ExitCode;
  const Program program{
      "clgauss",
      "solve dense linear systems on every OpenCL device",
      "clgauss solves dense linear systems on every OpenCL device.",
      {{"solve", "solve A x = b from a file and prove the answer with a residual", solve_table,
        run_solve},
       {"lstsq", "solve least squares, or for the least x, where A is not square", lstsq_table,
        run_lstsq},
       {"invert", "compute the inverse of a matrix and check A X - I", invert_table, run_invert},
       {"det", "compute the determinant of a matrix, as sign and logarithm", det_table, run_det},
       {"cond", "estimate the condition of a matrix", cond_table, run_cond},
       {"devices", "list the OpenCL devices and what the LCM rule says for each", devices_table,
        run_devices},
       {"warm", "build all kernels that solves will need, and keep them", warm_table, run_warm},
       {"rule", "compute the LCM rule for any numbers, without a device", rule_table, run_rule},
       {"generate", "write a test system", generate_table, run_generate}},
      "solve",
      {{"CLGAUSS_DEVICE", "the device when --device is not given"},
       {"CLGAUSS_KERNEL_DIR", "read the .cl files from this folder"},
       {"CLGAUSS_CACHE=off", "do not keep built kernels on disk"},
       {"CLGAUSS_TUNED=off", "do not take up what clgauss-tune auto stored, nor what is shipped"},
       {"CLGAUSS_BUILDS=serial",
        "build kernels one after the other, for a driver that cannot build several at once"},
       {"CLGAUSS_TRANSFERS=mapped",
        "how large arrays reach the device: mapped, pinned or pageable, instead of what suits it"},
       {"CLGAUSS_KERNEL_FAULTS=lu_small=build,trsv=wrong",
        "let these kernel files not build, or leave wrong numbers, to see what happens"},
       {"NO_COLOR=1", "no colours on a terminal"}},
      {ok, usage, bad_file, no_device, opencl, out_of_memory, singular, inaccurate, doubtful,
       interrupted}};
  return run_program(program, argc, argv);
}
