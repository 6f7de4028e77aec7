#include "distributed/resting.hpp"

#include <mpi.h>
#include <starpu.h>

#include <atomic>
#include <chrono>
#include <clgauss/error.hpp>
#include <clgauss/export.hpp>
#include <string_view>
#include <thread>
#include <utility>

#include "operating_system.hpp"

namespace clgauss {

namespace {

// Each poll takes a core from a kernel. Two ranks on two cores, n = 8192: 7.0 s with pauses of 50
// us, 5.5 s with pauses of 400 us.
constexpr std::chrono::microseconds kPause(400);

std::atomic<bool> mpi_thread_rests = false;

starpu_task* (*pop_task)(unsigned) = nullptr;  // of kPolicy

starpu_task* pop_task_or_rest(unsigned context) {
  starpu_task* const task = pop_task(context);
  if (task == nullptr) {
    starpu_worker_relax_on();  // lets other threads access the worker
    std::this_thread::sleep_for(kPause);
    starpu_worker_relax_off();
  }
  return task;
}

}  // namespace

starpu_sched_policy* resting_policy() {
  static starpu_sched_policy policy = [] {
    for (starpu_sched_policy** known = starpu_sched_get_predefined_policies(); *known != nullptr;
         ++known)
      if (std::string_view((*known)->policy_name) == kPolicy) {
        starpu_sched_policy made = **known;
        pop_task = std::exchange(made.pop_task, pop_task_or_rest);
        return made;
      }
    throw UsageError(std::string("this StarPU does not have the policy ") + kPolicy);
  }();
  return &policy;
}

void let_mpi_thread_rest() { mpi_thread_rests = true; }

}  // namespace clgauss

/// Overrides MPI_Test through MPI's profiling interface. StarPU's thread calls it for all its
/// pending requests in turn, without pause.
extern "C" CLGAUSS_EXPORT int MPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
  constexpr int kInVain = 100, kBetweenRests = 8;  // calls: several rounds; part of a round
  thread_local const bool is_starpu = clgauss::operating_system::thread_name() == "MPI";
  thread_local int in_vain = 0;
  const int result = PMPI_Test(request, flag, status);
  if (!is_starpu || !clgauss::mpi_thread_rests) return result;
  in_vain = *flag != 0 ? 0 : in_vain + 1;
  if (in_vain < kInVain) return result;
  in_vain = kInVain - kBetweenRests;
  std::this_thread::sleep_for(clgauss::kPause);
  return result;
}
