#include "tuner/measure/array_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <cmath>
#include <vector>

#include "tuner/measure/work_groups.hpp"

namespace clgauss::tune {

namespace {

/// Writes are told apart by integers 1 .. 61, small enough for exact partial sums.
constexpr float kMostWritten = 61;

/// The range by which writes are checked: its partial sums are small integers.
GroupedRange checking_range(const DeviceProfile& device) {
  return {std::min<std::size_t>(device.max_work_group_size, 256), 1024};
}

}  // namespace

std::size_t largest_array_size(const DeviceProfile& device) {
  constexpr std::size_t kDocumentSize = 12288, kStep = 1024;
  const std::uint64_t bytes = std::min(device.max_alloc_bytes, device.global_mem_bytes / 2);
  std::size_t size = kDocumentSize;
  while (size > kStep && size * size * sizeof(float) > bytes) size -= kStep;
  return size;
}

ArrayBench::ArrayBench(Context& context, std::size_t size, const TimingOptions& options)
    : context_(context), size_(size), options_(options) {
  data_ = context.allocate(size * size * sizeof(float), fmt::format("an array of {0} x {0}", size));
}

double ArrayBench::bytes() const { return static_cast<double>(size_ * size_ * sizeof(float)); }

/// The initialisation loop of the document, in pieces, with the sums of what is written.
void ArrayBench::fill() {
  if (holds_document_) return;
  constexpr std::size_t kPiece = 1U << 22U;
  const std::size_t count = size_ * size_;
  const auto total = static_cast<float>(count);
  std::vector<float> piece(std::min(kPiece, count));
  expected_sum_ = expected_magnitude_ = 0;
  for (std::size_t first = 0; first < count; first += kPiece) {
    const std::size_t here = std::min(kPiece, count - first);
    for (std::size_t at = 0; at < here; ++at) {
      const std::size_t quarter = (first + at) % 4, i = first + at - quarter;
      const float rising = static_cast<float>(i) / total;
      const float falling = (total - static_cast<float>(i) - 1) / total;
      const float value = quarter == 0   ? 1 + falling
                          : quarter == 2 ? 1 + 3 * falling
                                         : 1 - 2 * rising;
      piece[at] = value;
      expected_sum_ += static_cast<double>(value);
      expected_magnitude_ += std::abs(static_cast<double>(value));
    }
    context_.queue().enqueueWriteBuffer(data_, CL_TRUE, first * sizeof(float), here * sizeof(float),
                                        piece.data());
  }
  holds_document_ = true;
}

Kernel ArrayBench::kernel(const char* name, unsigned width) {
  return context_.programs().kernel("bandwidth.cl", name,
                                    {{"ELEMENT_WIDTH", std::to_string(width)}});
}

/// Arguments for the first `height` rows, and room for the partial sums.
void ArrayBench::prepare(Kernel& kernel, const ArrayAccess& access, std::size_t height) {
  kernel.set_arguments(data_, static_cast<cl_uint>(height),
                       static_cast<cl_uint>(size_ / access.width));
  if (access.write)
    kernel.set_arguments_from(3, cl_float{value_});
  else
    kernel.set_arguments_from(3, partials_);
}

void ArrayBench::run(const Kernel& kernel, const GroupedRange& range) {
  enqueue_kernel(context_.queue(), kernel, cl::NDRange(range.local * range.groups),
                 cl::NDRange(range.local));
}

double ArrayBench::sum_of_partials(const GroupedRange& range) {
  std::vector<float> partials(range.local * range.groups);
  context_.queue().enqueueReadBuffer(partials_, CL_TRUE, 0, partials.size() * sizeof(float),
                                     partials.data());
  double sum = 0;
  for (const float partial : partials) sum += static_cast<double>(partial);
  return sum;
}

/// Why the sum that was just computed is wrong; empty if it is right: |sum - expected| <= m u (sum
/// of magnitudes), where each work-item added up to m numbers in f32 and u = 2^-24.
std::string ArrayBench::fault_of_sum(const ArrayAccess& access, const GroupedRange& range) {
  const std::size_t lines = access.by_columns ? size_ / access.width : size_;
  const std::size_t length = access.by_columns ? size_ : size_ / access.width;
  const auto per_item = static_cast<double>(groups_for(lines, range.groups) *
                                            groups_for(length, range.local) * access.width);
  const double bound = per_item * 0x1p-24 * expected_magnitude_;
  const double sum = sum_of_partials(range);
  if (std::abs(sum - expected_sum_) <= bound) return {};
  return fmt::format("the sum is {:.9g}, not {:.9g} +- {:.2g}", sum, expected_sum_, bound);
}

/// Whether every element is `value_`, of which the last write made all of them.
std::string ArrayBench::fault_of_write() {
  const GroupedRange range = checking_range(context_.profile());
  Kernel sum = kernel("sum_rows", 1);
  prepare(sum, {}, size_);
  run(sum, range);
  const double found = sum_of_partials(range);
  const double expected = static_cast<double>(size_ * size_) * static_cast<double>(value_);
  if (found == expected) return {};
  return fmt::format("the elements written sum to {:.9g}, not {:.9g}", found, expected);
}

/// `second` is held: a kernel does not hold its arguments, and partial sums may move.
Prepared ArrayBench::timed(const Kernel& kernel, const GroupedRange& range, double expected_s,
                           const cl::Buffer& second) {
  return repeated(options_, expected_s, [this, kernel, range, second](std::size_t passes) {
    for (std::size_t p = 0; p < passes; ++p) run(kernel, range);
    context_.queue().finish();
  });
}

Prepared ArrayBench::walk(const ArrayAccess& access, const GroupedRange& range) {
  if (access.width > 1 && size_ % access.width != 0)
    return {{Status::constraint, fmt::format("{} is no multiple of {}", size_, access.width), {}}};
  Kernel walking = kernel(access.kernel(), access.width);
  require_group(context_.profile(), walking, {range.local, 1});
  const GroupedRange checking = checking_range(context_.profile());
  hold_partials(std::max(range.local * range.groups, checking.local * checking.groups));
  if (access.write)
    value_ = value_ < kMostWritten ? value_ + 1 : 1;  // not what the array holds
  else
    fill();

  // A few rows tell how long all of them will take.
  const std::size_t few = std::max<std::size_t>(1, size_ / 64);
  if (access.write) holds_document_ = false;
  const auto run_rows = [&](std::size_t rows) {
    prepare(walking, access, rows);
    return time_once([&] {
      run(walking, range);
      context_.queue().finish();
    });
  };
  run_rows(1);  // some drivers compile only now
  const double expected_s = run_rows(few) * static_cast<double>(size_) / static_cast<double>(few);
  if (!(expected_s <= options_.timeout_s)) return {too_slow(expected_s)};
  const double once_s = run_rows(size_);
  const std::string fault = access.write ? fault_of_write() : fault_of_sum(access, range);
  if (!fault.empty()) return {{Status::wrong_result, fault, {}}};
  Prepared walk = timed(walking, range, once_s, partials_);
  if (!access.write || !walk.timed_ns) return walk;
  return {{},
          [this, timed_ns = std::move(walk.timed_ns)] {
            holds_document_ = false;
            return timed_ns();
          },
          walk.expected_s};
}

Prepared ArrayBench::arithmetic(const GroupedRange& range) {
  Kernel counting = kernel("arithmetic", 1);
  require_group(context_.profile(), counting, {range.local, 1});
  hold_partials(range.local * range.groups);
  prepare(counting, {}, size_);
  const double once_s = time_once([&] {
    run(counting, range);
    context_.queue().finish();
  });
  if (!(once_s <= options_.timeout_s)) return {too_slow(once_s)};
  const double sum = sum_of_partials(range), expected = static_cast<double>(size_ * size_);
  if (sum != expected)
    return {{Status::wrong_result,
             fmt::format("{:.9g} elements were counted, not {:.9g}", sum, expected),
             {}}};
  return timed(counting, range, once_s, partials_);
}

/// Room for so many partial sums.
void ArrayBench::hold_partials(std::size_t partials) {
  if (partials <= partials_held_) return;
  partials_ = context_.allocate(partials * sizeof(float), "the partial sums");
  partials_held_ = partials;
}

/// Whether the first `bytes` of `copy` are those of the array.
bool ArrayBench::is_copy(const cl::Buffer& copy, std::size_t bytes) const {
  constexpr std::size_t kPiece = 1U << 24U;
  std::vector<char> here(std::min(kPiece, bytes)), there(here.size());
  for (std::size_t first = 0; first < bytes; first += kPiece) {
    const std::size_t count = std::min(kPiece, bytes - first);
    context_.queue().enqueueReadBuffer(data_, CL_TRUE, first, count, here.data());
    context_.queue().enqueueReadBuffer(copy, CL_TRUE, first, count, there.data());
    if (!std::equal(here.begin(), here.begin() + static_cast<std::ptrdiff_t>(count), there.begin()))
      return false;
  }
  return true;
}

Prepared ArrayBench::empty(const GroupedRange& range) {
  Kernel nothing = kernel("empty_kernel", 1);
  require_group(context_.profile(), nothing, {range.local, 1});
  hold_partials(range.local * range.groups);
  nothing.set_arguments(partials_, cl_uint{4});
  const double once_s = time_once([&] {
    run(nothing, range);
    context_.queue().finish();
  });
  return timed(nothing, range, std::min(once_s, options_.timeout_s), partials_);
}

Prepared ArrayBench::copy() {
  const std::size_t half = size_ * size_ / 8;  // in float4
  if (half == 0) return {{Status::constraint, "nothing to copy", {}}};
  fill();
  Kernel copying = kernel("copy_elements", 4);
  const std::size_t local = std::min<std::size_t>(copying.work_group_limit, 256);
  const cl::Buffer to = context_.allocate(half * sizeof(cl_float4), "the copy");
  copying.set_arguments(data_, to, cl_ulong{half});
  const GroupedRange range{local, groups_for(half, local)};
  const double once_s = time_once([&] {
    run(copying, range);
    context_.queue().finish();
  });
  if (!is_copy(to, half * sizeof(cl_float4)))
    return {{Status::wrong_result, "the copy differs from the array", {}}};
  return timed(copying, range, once_s, to);
}

}  // namespace clgauss::tune
