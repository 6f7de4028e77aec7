#pragma once
/// How the solving commands open their device.

#include <clgauss/context.hpp>
#include <clgauss/io.hpp>
#include <clgauss/lab/kernel_trials.hpp>
#include <future>
#include <optional>
#include <string>
#include <vector>

namespace clgauss::cli {

/// What reports say about a device that is closed already.
struct UsedDevice {
  DeviceProfile profile;
  Transfers transfers;
  std::vector<KernelVerdict> kernels;
};

/// A device that is opened in a thread of its own while the system is read.
class OpeningContext {
 public:
  /// Opens the device that `spec` names. Later kernel builds are reported to `progress`, which must
  /// outlive this object. Unless `quiet`, a message on stderr says if built kernels cannot be
  /// cached.
  OpeningContext(const std::string& spec, const ContextOptions& options,
                 const ProgressCallback& progress, bool quiet);

  /// Returns read(progress), called while the device is being opened. If opening the device fails
  /// meanwhile, `progress` throws its exception, which ends a long read early. If read() throws, an
  /// exception of opening the device takes precedence.
  template <typename Read>
  auto beside(const Read& read) {
    const ProgressCallback reading = [this](std::string_view what, double fraction) {
      throw_if_failed();
      progress_(what, fraction);
    };
    try {
      return read(reading);
    } catch (...) {  // rethrown below, unless opening the device threw too
      (void)take();
      throw;
    }
  }

  /// Waits for the device. Throws the exception of a failed opening.
  [[nodiscard]] Context& take();

  /// Closes the device, which must have been taken.
  UsedDevice close();

 private:
  void throw_if_failed();

  const ProgressCallback& progress_;
  std::optional<Context> context_;
  std::future<Context> opening_;  // the last member: its destructor waits for the thread
};

}  // namespace clgauss::cli
