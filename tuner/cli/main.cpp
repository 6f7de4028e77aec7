#include "tuner/cli/commands.hpp"

int main(int argc, char** argv) {
  using namespace clgauss::tune;
  const clgauss::cli::Program program{
      "clgauss-tune",
      "clgauss-tune measures what the work-group size does to an OpenCL device, and tunes clgauss "
      "for it.",
      {{"replay", "run searches on a fully recorded space, without a device", run_replay},
       {"search", "search for the fastest parameters of a kernel on a device", run_search}},
      "Environment:\n"
      "  CLGAUSS_DEVICE      the device when --device is not given\n"
      "  CLGAUSS_KERNEL_DIR  read the .cl files from this folder\n"
      "\nExit codes: 0 ok, 2 usage, 3 bad file, 4 no or ambiguous device, 5 OpenCL failure, 6 out "
      "of memory,\n"
      "            130 interrupted\n"};
  return clgauss::cli::run_program(program, argc, argv);
}
