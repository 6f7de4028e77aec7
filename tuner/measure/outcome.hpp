#pragma once
/// What came of one configuration that was tried.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/measure/conditions.hpp"

namespace clgauss::tune {

/// Every configuration tried leaves one of these; nothing is clamped and nothing is skipped in
/// silence.
enum class Status {
  ok,
  constraint,    // the parameters do not belong together
  build_error,   // the kernel does not compile
  device_limit,  // the device does not allow it
  launch_error,  // the driver refused or failed to run it
  wrong_result,  // it ran, and the result is wrong
  timeout        // it takes longer than was allowed
};

/// "ok", "constraint", ..: as in the rows.
[[nodiscard]] std::string_view status_name(Status status);
/// Empty for any other word.
[[nodiscard]] std::optional<Status> parse_status(std::string_view name);
/// The word of the T4 format of the auto-tuning community: correct, constraints, compile, runtime,
/// correctness, timeout.
[[nodiscard]] std::string_view t4_invalidity(Status status);

struct Outcome {
  Status status = Status::ok;
  std::string detail;            // why not ok
  std::vector<double> times_ns;  // one a repetition, in the order they were taken; empty unless ok
  /// beside times_ns, where that is known: the round in which each was taken, from 1, ascending,
  /// and the machine's state behind it
  std::vector<std::size_t> rounds = {};
  std::vector<Conditions> conditions = {};
};

/// Calls `measure`, and turns what one configuration may fail by into an outcome: BuildError,
/// DeviceLimit, OutOfMemory and errors of OpenCL. Other errors pass, and so does the loss of the
/// device, after which no configuration could run.
[[nodiscard]] Outcome guarded(const std::function<Outcome()>& measure);

}  // namespace clgauss::tune
