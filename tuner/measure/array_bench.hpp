#pragma once
/// Reads and writes of a square array of floats, walked as Tutubalin (2007) does, each checked
/// before it is timed.

#include <clgauss/context.hpp>
#include <string>

#include "tuner/measure/timing.hpp"

namespace clgauss::tune {

/// How the array is walked.
struct ArrayAccess {
  bool write = false;
  bool by_columns = false;
  unsigned width = 1;  // floats of one access: 1 or 4

  [[nodiscard]] const char* kernel() const {
    if (write) return by_columns ? "write_columns" : "write_rows";
    return by_columns ? "sum_columns" : "sum_rows";
  }
};

/// Groups of work-items: one dimension.
struct GroupedRange {
  std::size_t local = 0, groups = 0;
};

/// The largest side up to 12288 whose array fits one allocation and half the device's memory; a
/// multiple of 1024.
[[nodiscard]] std::size_t largest_array_size(const DeviceProfile& device);

/// The array on the device, with the document's numbers: around 1, their sum size^2 + 3 but for
/// rounding. What it prepares shares the array, interleaved with writes too: the numbers are
/// checked then, and are of no account afterwards.
class ArrayBench {
 public:
  /// Throws OutOfMemory if the array does not fit.
  ArrayBench(Context& context, std::size_t size, const TimingOptions& options);

  [[nodiscard]] double bytes() const;

  /// One walk over the array.
  [[nodiscard]] Prepared walk(const ArrayAccess& access, const GroupedRange& range);
  /// The walk by rows without its reads: every element adds 1.
  [[nodiscard]] Prepared arithmetic(const GroupedRange& range);
  /// The launch without the walk.
  [[nodiscard]] Prepared empty(const GroupedRange& range);
  /// Half of the array copied elsewhere: reads half of the bytes and writes as many.
  [[nodiscard]] Prepared copy();

 private:
  void fill();
  [[nodiscard]] Kernel kernel(const char* name, unsigned width);
  void prepare(Kernel& kernel, const ArrayAccess& access, std::size_t height);
  void run(const Kernel& kernel, const GroupedRange& range);
  void hold_partials(std::size_t partials);
  [[nodiscard]] double sum_of_partials(const GroupedRange& range);
  [[nodiscard]] std::string fault_of_sum(const ArrayAccess& access, const GroupedRange& range);
  [[nodiscard]] std::string fault_of_write();
  [[nodiscard]] bool is_copy(const cl::Buffer& copy, std::size_t bytes) const;
  [[nodiscard]] Prepared timed(const Kernel& kernel, const GroupedRange& range, double expected_s,
                               const cl::Buffer& second);

  Context& context_;
  std::size_t size_;
  TimingOptions options_;
  cl::Buffer data_, partials_;
  std::size_t partials_held_ = 0;
  bool holds_document_ = false;  // not overwritten
  float value_ = 1;              // of the next write
  double expected_sum_ = 0, expected_magnitude_ = 0;
};

}  // namespace clgauss::tune
