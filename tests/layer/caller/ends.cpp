#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cases.hpp"
#include "machine.hpp"

namespace caller {

void run_short(cl_device_id device) {
  const Machine on(device);
  const cl_kernel kernel = on.kernel("slow", kLong);
  for (int i = 0; i < 20; ++i) {
    require(launch(on, kernel, {1, {0, 0, 0}, {kLong, 1, 1}}), "launch");
    clFinish(on.queue);
  }
  clReleaseKernel(kernel);
}

[[noreturn]] void end_early(const std::string& how, cl_device_id device) {
  Machine on(device);
  const cl_kernel kernel = on.kernel("axpy", kLong);
  for (int i = 0; i < kLaunches; ++i)
    require(launch(on, kernel, {1, {0, 0, 0}, {kLong, 1, 1}}), "launch");
  std::printf("answer %016llx\n", static_cast<unsigned long long>(on.answer()));
  std::fflush(stdout);
  if (how == "crash") std::abort();
  if (how == "fork") {
    const pid_t child = fork();
    if (child == 0) std::exit(3);  // not _exit(): what the layer registered runs
    int status = 0;
    waitpid(child, &status, 0);
    std::printf("child ended with %d\n", WEXITSTATUS(status));
  }
  std::exit(0);  // nothing is released
}

}  // namespace caller
