#pragma once
/// Rest for StarPU's threads, which ask without pause whether there is something to do. Where the
/// devices are the host's own cores that takes more of these than the kernels get (measured: two
/// ranks on two cores, 1.1 s of 1.7).

#include <starpu_scheduler.h>

namespace clgauss {

/// StarPU's policy that brings a worker's tasks into the order of their priorities, and what they
/// need to its device meanwhile.
inline constexpr const char* kPolicy = "dmdas";

/// The same with a pause where a worker has nothing to do.
[[nodiscard]] starpu_sched_policy* resting_policy();

/// From now on StarPU's thread for MPI pauses where no message has come for a while.
void let_mpi_thread_rest();

}  // namespace clgauss
