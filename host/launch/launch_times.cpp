#include "launch/launch_times.hpp"

namespace clgauss {

namespace {

thread_local LaunchTimes* current = nullptr;

}  // namespace

LaunchTimes::LaunchTimes() { current = this; }
LaunchTimes::~LaunchTimes() { current = nullptr; }

std::vector<LaunchTimes::Launch> LaunchTimes::launches() const {
  std::vector<Launch> all;
  for (const auto& [kernel, event] : events_)
    all.push_back({kernel, event.getProfilingInfo<CL_PROFILING_COMMAND_START>(),
                   event.getProfilingInfo<CL_PROFILING_COMMAND_END>()});
  return all;
}

cl::Event* LaunchTimes::next(const std::string& kernel) {
  return current == nullptr ? nullptr : &current->events_.emplace_back(kernel, cl::Event()).second;
}

}  // namespace clgauss
