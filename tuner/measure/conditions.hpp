#pragma once
/// What a machine says of its own state while it is measured: clocks, temperature, power.

#include <clgauss/context.hpp>
#include <memory>
#include <string>

namespace clgauss::tune {

/// 0 where the machine does not say.
struct Conditions {
  double clock_mhz = 0, memory_clock_mhz = 0, temperature_c = 0, power_w = 0;
};

/// Reads the conditions of a context's device: of a GPU from NVML, if that is installed and knows
/// the device, of a CPU from /proc and /sys. A reading takes up to a millisecond.
class Sensors {
 public:
  explicit Sensors(const Context& context);
  ~Sensors();
  Sensors(const Sensors&) = delete;
  Sensors& operator=(const Sensors&) = delete;

  [[nodiscard]] Conditions read() const;

 private:
  class Nvml;
  std::unique_ptr<Nvml> nvml_;  // null where it does not know the device
  bool cpu_;
};

/// The host in a line: its processor, the cores that this process may use, its kernel. No name that
/// tells whose it is.
[[nodiscard]] std::string host_text();

}  // namespace clgauss::tune
