#pragma once
/// Adds pauses to StarPU's threads, which poll for work without pause. Where the devices are the
/// host's own cores, polling takes more of their time than the kernels get (measured on two ranks
/// on two cores: 1.1 s of 1.7).

#include <starpu_scheduler.h>

namespace clgauss {

/// The StarPU policy that sorts a worker's tasks by priority and fetches their data to its device
/// in advance.
inline constexpr const char* kPolicy = "dmdas";

/// The same policy, with a pause whenever a worker has nothing to do.
[[nodiscard]] starpu_sched_policy* resting_policy();

/// From now on, StarPU's MPI thread pauses when no message has arrived for a while.
void let_mpi_thread_rest();

}  // namespace clgauss
