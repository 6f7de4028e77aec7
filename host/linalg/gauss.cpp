#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <clgauss/error.hpp>
#include <clgauss/gauss.hpp>
#include <cmath>
#include <deque>
#include <limits>

#include "opencl_error.hpp"

namespace clgauss {

namespace {

/// Work-items of the one work-group that searches a column for its pivot: enough to hide the
/// latency of the strided reads, few enough for every device.
constexpr std::size_t kPivotGroup = 256;

std::size_t bytes_of(RealType type) { return type == RealType::f32 ? 4 : 8; }

/// The kernels of cl/gauss.cl, built for one type.
struct GaussKernels {
  Kernel pivot, swap, fwd_pre, fwd, bwd_prepare, bwd, diagonal;

  GaussKernels(ProgramStore& programs, RealType type) {
    const auto kernel = [&](const char* name) {
      return programs.kernel("gauss.cl", name, gauss_defines(type));
    };
    pivot = kernel("gauss_pivot");
    swap = kernel("gauss_swap");
    fwd_pre = kernel("gauss_fwd_pre");
    fwd = kernel("gauss_fwd");
    bwd_prepare = kernel("gauss_bwd_prepare");
    bwd = kernel("gauss_bwd");
    diagonal = kernel("gauss_diagonal");
  }
};

/// What lies on the device: the augmented matrix [A | B], n-by-(n + nrhs), and what the elimination
/// makes of it.
struct GaussBuffers {
  cl_ulong n, nrhs, ld;
  cl::Buffer augmented, x, diagonal, pivots;

  GaussBuffers(const DeviceContext& context, const System& system, RealType type)
      : n(system.a.rows()), nrhs(system.b.cols()), ld(n + nrhs) {
    const std::uint64_t element = bytes_of(type);
    const std::string what = fmt::format("the {} system of n = {} with {} right-hand side{}",
                                         real_type_name(type), n, nrhs, nrhs == 1 ? "" : "s");
    context.require_memory((n * ld + n * nrhs + n) * element + n * sizeof(cl_ulong), what);
    augmented = context.allocate(n * ld * element, what);
    x = context.allocate(n * nrhs * element, what);
    diagonal = context.allocate(n * element, what);
    pivots = context.allocate(n * sizeof(cl_ulong), what);
  }
};

/// Tells how far the queue has come, by markers after every 64th part of the steps. Looking at a
/// marker does not wait.
class QueueProgress {
 public:
  QueueProgress(cl::CommandQueue queue, const ProgressCallback& callback, const char* what,
                Index steps)
      : queue_(std::move(queue)),
        callback_(callback),
        what_(what),
        steps_(steps),
        stride_(steps / 64 + 1) {}

  void step_enqueued(Index step) {
    if (!callback_ || step % stride_ != 0) return;
    cl::Event marker;
    queue_.enqueueMarkerWithWaitList(nullptr, &marker);
    queue_.flush();
    marks_.push_back(
        {std::move(marker), static_cast<double>(step + 1) / static_cast<double>(steps_)});
    while (!marks_.empty() &&
           marks_.front().event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE)
      report();
  }

  /// Waits for the queue, reporting on the way.
  void finish() {
    while (!marks_.empty()) {
      marks_.front().event.wait();
      report();
    }
    queue_.finish();
  }

 private:
  struct Mark {
    cl::Event event;
    double share;
  };

  void report() {
    callback_(what_, marks_.front().share);
    marks_.pop_front();
  }

  cl::CommandQueue queue_;
  const ProgressCallback& callback_;
  const char* what_;
  Index steps_;
  Index stride_;
  std::deque<Mark> marks_;
};

/// Seconds since the last call, or since construction.
class LapTimer {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

void check_shapes(const System& system) {
  if (system.a.rows() != system.a.cols())
    throw DimensionError(fmt::format("A is {} x {}, not square", system.a.rows(), system.a.cols()));
  if (system.b.rows() != system.a.rows())
    throw DimensionError(fmt::format("b has {} rows, A has {}", system.b.rows(), system.a.rows()));
}

/// A finite number that f32 would turn into an infinity would make the answer meaningless without a
/// word.
void check_f32_range(const Matrix& matrix, const char* name) {
  constexpr double kLargest = std::numeric_limits<float>::max();
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j)
      if (std::isfinite(matrix(i, j)) && std::abs(matrix(i, j)) > kLargest)
        throw ValueError(
            fmt::format("{}({}, {}) = {:g} does not fit f32; use --type f64 on a device with fp64, "
                        "or scale the system",
                        name, i + 1, j + 1, matrix(i, j)));
}

template <typename Real>
void upload(const cl::CommandQueue& queue, const GaussBuffers& buffers, const System& system) {
  const std::size_t bytes = buffers.n * buffers.ld * sizeof(Real);
  // Mapped, not written: the numbers are converted on their way into the driver's own memory,
  // without a second host copy.
  auto* mapped = static_cast<Real*>(
      queue.enqueueMapBuffer(buffers.augmented, CL_TRUE, CL_MAP_WRITE_INVALIDATE_REGION, 0, bytes));
  Real* out = mapped;
  const auto to_real = [](double value) { return static_cast<Real>(value); };
  for (Index i = 0; i < buffers.n; ++i) {
    out = std::ranges::transform(system.a.row(i), out, to_real).out;
    out = std::ranges::transform(system.b.row(i), out, to_real).out;
  }
  queue.enqueueUnmapMemObject(buffers.augmented, mapped);
  queue.finish();
}

/// `count` elements of the device as doubles.
template <typename Real>
std::vector<double> download(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index count) {
  std::vector<Real> values(count);
  if (count > 0) queue.enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(Real), values.data());
  return {values.begin(), values.end()};
}

/// Turns [A | B] into [U | L^-1 P B].
void eliminate(Launcher& launcher, GaussKernels& kernels, const GaussBuffers& d,
               const GaussOptions& options, QueueProgress& progress) {
  const bool fixed = options.ndrange == NdRangeMode::fixed;
  const std::size_t group =
      std::min({kPivotGroup, kernels.pivot.work_group_limit, std::size_t{d.n}});
  const auto from = [](Index start, Index end) { return range_1d(end - start, start); };

  kernels.pivot.set_arguments(d.augmented, d.ld, d.n, cl_ulong{0}, d.pivots,
                              cl::Local(group * bytes_of(options.type)),
                              cl::Local(group * sizeof(cl_ulong)));
  kernels.swap.set_arguments(d.augmented, d.ld, cl_ulong{0}, d.pivots);
  kernels.fwd_pre.set_arguments(d.augmented, d.ld, cl_ulong{0});
  kernels.fwd.set_arguments(d.augmented, d.ld, cl_ulong{0});

  for (cl_ulong k = 0; k + 1 < d.n; ++k) {
    if (options.pivoting == Pivoting::partial) {
      kernels.pivot.handle.setArg(3, k);
      launcher.launch_group(kernels.pivot, group);  // pivots[k] = arg max |A(i, k)|, i >= k
      kernels.swap.handle.setArg(2, k);
      launcher.launch(kernels.swap,
                      fixed ? range_1d(d.ld) : from(k, d.ld));  // A(k, :) <-> A(pivots[k], :)
    }
    kernels.fwd_pre.handle.setArg(2, k);
    launcher.launch(kernels.fwd_pre,
                    fixed ? range_1d(d.n) : from(k + 1, d.n));  // A(i, k) /= A(k, k)
    kernels.fwd.handle.setArg(2, k);
    launcher.launch(kernels.fwd, fixed ? range_2d({d.ld, d.n})  // A(i, j) -= A(k, j) A(i, k)
                                       : range_2d({d.ld - k - 1, d.n - k - 1}, {k + 1, k + 1}));
    progress.step_enqueued(k);
  }
}

/// Solves U X = (the right-hand sides as eliminate() left them).
void substitute(Launcher& launcher, GaussKernels& kernels, const GaussBuffers& d,
                const GaussOptions& options, QueueProgress& progress) {
  const bool fixed = options.ndrange == NdRangeMode::fixed;
  kernels.bwd_prepare.set_arguments(d.augmented, d.ld, d.n, cl_ulong{0}, d.x, d.nrhs);
  kernels.bwd.set_arguments(d.augmented, d.ld, d.n, cl_ulong{0}, d.x, d.nrhs);
  for (cl_ulong k = d.n; k-- > 0;) {
    kernels.bwd_prepare.handle.setArg(3, k);
    launcher.launch(kernels.bwd_prepare, range_1d(d.nrhs));  // x(k) = b(k) / A(k, k)
    kernels.bwd.handle.setArg(3, k);
    launcher.launch(kernels.bwd,
                    range_2d({fixed ? d.n : k, d.nrhs}));  // b(i) -= x(k) A(i, k), i < k
    progress.step_enqueued(d.n - 1 - k);
  }
}

template <typename Real>
void read_results(const cl::CommandQueue& queue, const GaussBuffers& d, const GaussOptions& options,
                  GaussResult& result) {
  result.x = Matrix(d.n, d.nrhs, download<Real>(queue, d.x, d.n * d.nrhs));
  result.pivots = download<Real>(queue, d.diagonal, d.n);
  const auto bad =
      std::ranges::find_if(result.pivots, [](double p) { return p == 0 || !std::isfinite(p); });
  if (bad != result.pivots.end())
    result.failed_column = static_cast<Index>(bad - result.pivots.begin());
  if (options.pivoting == Pivoting::none) return;
  std::vector<cl_ulong> rows(d.n - 1);  // the last step has one row to choose from
  if (!rows.empty())
    queue.enqueueReadBuffer(d.pivots, CL_TRUE, 0, rows.size() * sizeof(cl_ulong), rows.data());
  for (Index k = 0; k < rows.size(); ++k) result.row_exchanges += rows[k] != k ? 1 : 0;
}

template <typename Real>
GaussResult gauss_solve_in(DeviceContext& context, Launcher& launcher, const System& system,
                           const GaussOptions& options, const ProgressCallback& callback) {
  GaussResult result;
  LapTimer timer;
  GaussKernels kernels(context.programs(), options.type);
  result.times.build = timer.lap();

  const cl::CommandQueue& queue = context.queue();
  const GaussBuffers buffers(context, system, options.type);
  upload<Real>(queue, buffers, system);
  result.times.upload = timer.lap();

  QueueProgress forward(queue, callback, "elimination", buffers.n);
  eliminate(launcher, kernels, buffers, options, forward);
  forward.finish();
  result.times.forward = timer.lap();

  QueueProgress backward(queue, callback, "substitution", buffers.n);
  substitute(launcher, kernels, buffers, options, backward);
  backward.finish();
  result.times.backward = timer.lap();

  kernels.diagonal.set_arguments(buffers.augmented, buffers.ld, buffers.diagonal);
  launcher.launch(kernels.diagonal, range_1d(buffers.n));
  read_results<Real>(queue, buffers, options, result);
  result.times.download = timer.lap();
  return result;
}

}  // namespace

const char* real_type_name(RealType type) { return type == RealType::f32 ? "f32" : "f64"; }

Defines gauss_defines(RealType type) { return {{"REAL_BITS", std::to_string(8 * bytes_of(type))}}; }

double unit_roundoff(RealType type) { return type == RealType::f32 ? 0x1p-24 : 0x1p-53; }

GaussResult gauss_solve(DeviceContext& context, Launcher& launcher, const System& system,
                        const GaussOptions& options, const ProgressCallback& progress) {
  check_shapes(system);
  if (system.a.rows() == 0) return {Matrix(0, system.b.cols()), {}, 0, {}, {}};
  if (options.type == RealType::f32) {
    check_f32_range(system.a, "A");
    check_f32_range(system.b, "b");
  }
  return translate_opencl_errors([&] {
    return options.type == RealType::f32
               ? gauss_solve_in<float>(context, launcher, system, options, progress)
               : gauss_solve_in<double>(context, launcher, system, options, progress);
  });
}

}  // namespace clgauss
