#include "cli/commands.hpp"

int main(int argc, char** argv) {
  using namespace clgauss::cli;
  const Program program{
      "clgauss",
      "clgauss solves dense linear systems on every OpenCL device.",
      {{"solve", "solve A x = b from a file and prove the answer with a residual", run_solve},
       {"devices", "list the OpenCL devices and what the LCM rule says for each", run_devices},
       {"rule", "compute the LCM rule for any numbers, without a device", run_rule},
       {"generate", "write a test system", run_generate}},
      "Examples:\n"
      "  clgauss devices\n"
      "  clgauss solve data/systems/random_1012.txt\n"
      "  clgauss solve A.mtx --rhs b.mtx -o x.mtx --json report.json\n"
      "\nEnvironment:\n"
      "  CLGAUSS_DEVICE      the device when --device is not given\n"
      "  CLGAUSS_KERNEL_DIR  read the .cl files from this folder\n"
      "  CLGAUSS_CACHE=off   do not keep built kernels on disk\n"
      "  CLGAUSS_TUNED=off   do not take up what clgauss-tune auto stored, nor what is shipped\n"
      "  CLGAUSS_BUILDS=serial  build kernels one after the other, for a driver that cannot build "
      "several at once\n"
      "  CLGAUSS_KERNEL_FAULTS=lu_small=build,trsv=wrong\n"
      "                      let these kernel files not build, or leave wrong numbers, to see what "
      "happens\n"
      "\nExit codes: 0 ok, 2 usage, 3 bad file, 4 no or ambiguous device, 5 OpenCL failure, 6 out "
      "of memory,\n"
      "            7 singular, 8 solved but not as accurately as asked, or no answer in the range "
      "of "
      "the type,\n"
      "            130 interrupted\n"};
  return run_program(program, argc, argv);
}
