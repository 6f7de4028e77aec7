#include "cli/commands.hpp"
#include "command_line/environment_variables.hpp"

namespace {

constexpr std::string_view kSummary =
    "A solve tells on standard error what it did:\n"
    "  system    n, the right-hand sides, the type of the factors and the method\n"
    "  device    where it ran\n"
    "  kernels   those that were skipped, and why\n"
    "  refined   corrections of x, with residuals in a type wider than the factors', and the "
    "backward error after each\n"
    "  time      seconds, and the parts of at least 1 % of them\n"
    "  estimate  how accurate x is, estimated. rcond = 1 / (||A|| ||A^-1||) in the 1-norm: an "
    "error "
    "in A or b grows at most by 1 / rcond on its way to x. forward error: a bound of "
    "||x - x_true|| / ||x||, largest elements; 1e-9 leaves 9 correct digits\n"
    "  proven    with --certify: bounds of x's error that count every rounding error\n"
    "  residual  how well x solves the equations, computed from A and b as they were given: "
    "backward "
    "error ||b - A x|| / (||A|| ||x|| + ||b||), and the same divided by n eps, the scaled "
    "residual, "
    "which must not exceed --max-residual. A small residual does not make x accurate where rcond "
    "is "
    "small\n"
    "  WARNING   fewer than 3 digits of x can be relied on; --strict makes it exit code 9\n"
    "  MISSED    the accuracy asked for was not reached: exit code 8\n"
    "  OVERFLOW  numbers left the range of the type: exit code 8\n"
    "  SINGULAR, INDEFINITE  there is no answer, or none by this method: exit code 7\n"
    "docs/accuracy.md says more, and the report of --json has all numbers.";

}  // namespace

int main(int argc, char** argv) {
  using namespace clgauss::cli;
  using enum ExitCode;
  const Program program{
      "clgauss",
      "solve dense linear systems on every OpenCL device",
      "clgauss solves dense linear systems on every OpenCL device.",
      {{"solve", "solve A x = b from a file and check the answer by its residual", solve_table,
        run_solve},
       {"lstsq", "solve least squares, or for the least x, where A is not square", lstsq_table,
        run_lstsq},
       {"invert", "compute the inverse of a matrix and check A X - I", invert_table, run_invert},
       {"det", "compute the determinant of a matrix, as sign and logarithm", det_table, run_det},
       {"cond", "estimate the condition of a matrix", cond_table, run_cond},
       {"inertia", "count the eigenvalues of a symmetric matrix above and below 0", inertia_table,
        run_inertia},
       {"devices", "list the OpenCL devices and what the LCM rule says for each", devices_table,
        run_devices},
       {"warm", "build all kernels that solves will need, and keep them", warm_table, run_warm},
       {"run", "run a program that calls LAPACK, with its large systems on a device", run_table,
        run_run},
       {"rule", "compute the LCM rule for any numbers, without a device", rule_table, run_rule},
       {"generate", "write a test system", generate_table, run_generate}},
      "solve",
      environment_variables(
          {{"STARPU_HOME", "of --devices: the folder of StarPU's own files"},
           {"CLGAUSS_LAPACK=off|force",
            "of `clgauss run`: leave every call of LAPACK where it was, or take every one to the "
            "device"},
           {"CLGAUSS_LAPACK_MIN_N", "of `clgauss run`, as --min-n"},
           {"CLGAUSS_LAPACK_REPORT, CLGAUSS_LAPACK_LOG",
            "of `clgauss run`: files, as --report and --log; - is standard error"},
           {"OMP_NUM_THREADS, OPENBLAS_NUM_THREADS, MKL_NUM_THREADS, OPENBLAS_CORETYPE",
            "read by a program's own LAPACK: where they change, `clgauss run` measures anew which "
            "is faster"},
           {"LD_PRELOAD", "of `clgauss run`, which adds libclgauss_lapack.so"},
           {"POCL_MAX_PTHREAD_COUNT",
            "read by PoCL: its threads; of several ranks on a machine each sets its share"},
           {"OMPI_COMM_WORLD_SIZE, PMI_SIZE", "set by mpirun: how many ranks solve together"},
           {"OMPI_COMM_WORLD_LOCAL_SIZE, MPI_LOCALNRANKS",
            "set by mpirun: how many of them share this machine's cores"}}),
      {ok, usage, bad_file, no_device, opencl, out_of_memory, singular, inaccurate, doubtful,
       interrupted},
      {},
      {{{"summary", "estimate", "residual", "rcond", "warning"}, kSummary, "trust"}}};
  return run_program(program, argc, argv);
}
