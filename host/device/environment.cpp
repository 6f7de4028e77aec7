#include <sched.h>

#include <clgauss/device.hpp>
#include <cstdlib>

namespace clgauss {

namespace {

/// Whether the process may run on the cores 0 .. count - 1, however many they are, and on no other.
bool has_first_cores() {
  cpu_set_t allowed;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return false;
  for (int core = 0, count = CPU_COUNT(&allowed); core < count; ++core)
    if (!CPU_ISSET(core, &allowed)) return false;
  return true;
}

}  // namespace

void set_driver_environment() {
  if (has_first_cores()) setenv("POCL_AFFINITY", "1", 0);
}

}  // namespace clgauss
