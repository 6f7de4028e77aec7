#pragma once
/// How the commands that solve open their device.

#include <clgauss/context.hpp>
#include <clgauss/io.hpp>
#include <clgauss/lab/kernel_trials.hpp>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace clgauss::cli {

/// What is told of a device that was given back.
struct UsedDevice {
  DeviceProfile profile;
  Transfers transfers;
  std::vector<KernelVerdict> kernels;
};

/// A device that is opened on a thread of its own, while the system is read.
class OpeningContext {
 public:
  /// The device that `spec` names. What is built later is told to `progress`, which must live as
  /// long; that built kernels cannot be kept is said on stderr, unless `quiet`.
  OpeningContext(const std::string& spec, const ContextOptions& options,
                 const ProgressCallback& progress, bool quiet);

  /// What read() returns, given the progress to report to, and then the device. What opening it
  /// threw comes before what reading threw, and ends a long reading.
  template <typename Read>
  auto beside(const Read& read) {
    const ProgressCallback reading = [this](std::string_view what, double fraction) {
      throw_if_failed();
      progress_(what, fraction);
    };
    try {
      return read(reading);
    } catch (...) {  // whatever reading threw: it goes on where opening throws nothing
      (void)take();
      throw;
    }
  }

  /// Waits for it. Throws what opening it threw.
  [[nodiscard]] Context& take();

  /// Gives the device back, which was taken.
  UsedDevice close();

 private:
  void throw_if_failed();

  const ProgressCallback& progress_;
  std::optional<Context> context_;
  std::future<Context> opening_;  // the last member: its end waits for the thread
};

}  // namespace clgauss::cli
