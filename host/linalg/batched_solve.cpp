// solve_batched(): the batch in chunks through the device, every answer checked on the host.

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/batched.hpp>
#include <clgauss/error.hpp>
#include <cmath>
#include <limits>

#include "linalg/transfer.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

/// Bytes of matrices on the device at once: more does not make it faster, and the host holds a copy while they travel.
constexpr std::uint64_t kChunkBytes = std::uint64_t{1} << 30;

void check_shapes(const BatchedSystem& system) {
  const auto& [a, b, vectors] = system;
  if (a.rows != a.cols)
    throw DimensionError(
        fmt::format("the systems of the batch are {} x {}, not square", a.rows, a.cols));
  if (b.count != a.count || b.rows != a.rows)
    throw DimensionError(
        fmt::format("b is {} x {} x {}, which does not belong to {} systems of n = {}", b.count,
                    b.rows, b.cols, a.count, a.rows));
  if (a.values.size() != a.count * a.rows * a.cols || b.values.size() != b.count * b.rows * b.cols)
    throw DimensionError("the batch holds other numbers of values than its shapes say");
}

void check_f32_range(const Batch& batch, const char* name) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  const auto bad = std::ranges::find_if(
      batch.values, [](double v) { return std::isfinite(v) && std::abs(v) > kLargest; });
  if (bad == batch.values.end()) return;
  const auto at = static_cast<Index>(bad - batch.values.begin());
  throw ValueError(fmt::format(
      "{}[{}, {}, {}] = {:g} does not fit f32; use --type f64 on a device with fp64, "
      "or scale the system",
      name, at / (batch.rows * batch.cols), at / batch.cols % batch.rows, at % batch.cols, *bad));
}

/// Systems that go through the device at once.
Index chunk_of(const DeviceProfile& device, const BatchedSystem& system, RealType type,
               Index wanted) {
  const auto& [a, b, vectors] = system;
  const std::uint64_t limit =
      std::min({kChunkBytes, device.max_alloc_bytes, device.global_mem_bytes / 4});
  const Index numbers = std::max(a.rows * a.cols, b.rows * b.cols);
  const Index fitting = std::max<Index>(1, limit / (numbers * bytes_of(type)));
  return std::min(a.count, wanted != 0 ? std::min(wanted, fitting) : fitting);
}

/// Buffers for one chunk after the other.
class Chunks {
 public:
  Chunks(DeviceContext& context, RealType type, const BatchedSystem& system, Index chunk)
      : context_(context), type_(type), system_(system) {
    const auto buffer = [&](Index numbers, const char* what) {
      return context.allocate(numbers * bytes_of(type), what);
    };
    const Index n = system.a.rows, nrhs = system.b.cols;
    a_ = {buffer(chunk * n * n, "the matrices of a batch"), 0, n, n * n};
    b_ = {buffer(chunk * n * nrhs, "the right-hand sides of a batch"), 0, nrhs, n * nrhs};
    info_ = context.allocate(chunk * sizeof(cl_int), "the outcomes of a batch");
  }

  /// Systems [first, first + count), into `solution`.
  void run(BatchedLu& lu, Index first, Index count, BatchedSolution& solution) {
    LapTimer timer;
    const cl::CommandQueue& queue = context_.queue();
    const Index nrhs = system_.b.cols;
    upload(a_, system_.a, first, count);
    upload(b_, system_.b, first, count);
    solution.times.upload += timer.lap();
    lu.factor_and_solve(a_, b_, nrhs, count, info_);
    queue.finish();
    solution.times.forward += timer.lap();
    const auto x = download(queue, b_.buffer, type_, count * b_.stride);
    std::ranges::copy(x,
                      solution.x.values.begin() + static_cast<std::ptrdiff_t>(first * b_.stride));
    std::vector<cl_int> info(count);
    queue.enqueueReadBuffer(info_, CL_TRUE, 0, count * sizeof(cl_int), info.data());
    solution.times.download += timer.lap();
    for (Index s = 0; s < count; ++s)
      if (info[s] != 0) {
        solution.singular.push_back(first + s);
        solution.failed_columns.push_back(
            checked_failed_column(static_cast<Index>(info[s]) - 1, system_.a.rows));
      }
  }

 private:
  void upload(const BatchView& view, const Batch& batch, Index first, Index count) const {
    upload_values(context_.queue(), view.buffer, type_,
                  std::span(batch.values).subspan(first * view.stride, count * view.stride));
  }

  DeviceContext& context_;
  RealType type_;
  const BatchedSystem& system_;
  BatchView a_, b_;
  cl::Buffer info_;
};

/// The worst residual of the systems that are not singular; a NaN is worse than any number.
void check_answers(const BatchedSystem& system, BatchedSolution& solution) {
  const double eps = unit_roundoff(solution.type);
  auto singular = solution.singular.begin();
  for (Index s = 0; s < system.a.count; ++s) {
    if (singular != solution.singular.end() && *singular == s) {
      ++singular;
      continue;
    }
    const Residual residual =
        compute_residual(system.a.rows, system.b.cols, system.a.matrix(s), system.b.matrix(s),
                         std::as_const(solution.x).matrix(s), eps);
    const bool worse = !solution.worst_system || !(residual.scaled <= solution.worst.scaled);
    if (worse && !std::isnan(solution.worst.scaled)) {
      solution.worst = residual;
      solution.worst_system = s;
    }
  }
}

SolveStatus status_of(const BatchedSolution& solution, double bound) {
  if (!solution.singular.empty()) return SolveStatus::singular;
  return solution.worst.scaled <= bound ? SolveStatus::ok : SolveStatus::inaccurate;
}

}  // namespace

BatchedSolution solve_batched(DeviceContext& context, const BatchedSystem& system,
                              const BatchedOptions& options, const ProgressCallback& progress) {
  check_shapes(system);
  BatchedSolution solution;
  solution.type = choose_type(context.profile(), options.type);
  if (solution.type == RealType::f32) {
    check_f32_range(system.a, "A");
    check_f32_range(system.b, "b");
  }
  LapTimer timer;
  BatchedLu lu(context, solution.type, system.a.rows, options.lu);
  lu.prepare(system.b.cols);
  solution.kernel = lu.kernel_name();
  solution.times.build = timer.lap();

  const Index batch = system.a.count;
  solution.x = {batch, system.b.rows, system.b.cols, Values(system.b.values.size(), 0.0)};
  translate_opencl_errors([&] {
    const Index chunk = chunk_of(context.profile(), system, solution.type, options.chunk);
    Chunks chunks(context, solution.type, system, chunk);
    for (Index first = 0; first < batch; first += chunk) {
      if (progress) progress("solving", static_cast<double>(first) / static_cast<double>(batch));
      chunks.run(lu, first, std::min(chunk, batch - first), solution);
    }
  });
  check_answers(system, solution);
  solution.status = status_of(solution, options.max_scaled_residual);
  return solution;
}

}  // namespace clgauss
