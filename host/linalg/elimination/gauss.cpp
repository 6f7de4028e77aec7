#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <clgauss/lab/gauss.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>

#include "kernels/common/variants.hpp"
#include "lap_timer.hpp"
#include "launch/queue_progress.hpp"
#include "linalg/lu/pivots.hpp"
#include "matrix/scaling.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

/// Work-items of the single work-group that searches a column for its pivot. They suffice to hide
/// the latency of the strided reads, and every device allows that many.
constexpr std::size_t kPivotGroup = 256;

/// The kernels of cl/elimination/gauss.cl and cl/common/diagonal.cl, built for one type.
struct GaussKernels {
  Kernel pivot, swap, fwd_pre, fwd, bwd_prepare, bwd, diagonal;

  GaussKernels(ProgramStore& programs, RealType type) {
    const Defines defines = real_defines(type);
    const auto kernel = [&](const char* name) {
      return programs.kernel("gauss.cl", name, defines);
    };
    pivot = kernel("gauss_pivot");
    swap = kernel("gauss_swap");
    fwd_pre = kernel("gauss_fwd_pre");
    fwd = kernel("gauss_fwd");
    bwd_prepare = kernel("gauss_bwd_prepare");
    bwd = kernel("gauss_bwd");
    diagonal = programs.kernel("diagonal.cl", "diagonal", defines);
  }
};

/// The device's buffers: the augmented matrix [A | B], n-by-(n + nrhs), and what elimination
/// computes from it.
struct GaussBuffers {
  cl_ulong n = 0, nrhs = 0, ld = 0;
  cl::Buffer augmented, x, diagonal, pivots;

  GaussBuffers() = default;
  GaussBuffers(const Context& context, const System& system, RealType type)
      : n(system.a.rows()), nrhs(system.b.cols()), ld(n + nrhs) {
    const std::uint64_t element = bytes_of(type);
    const std::string what = system_text(size_of(system), type);
    context.require_memory((n * ld + n * nrhs + n) * element + n * sizeof(cl_ulong), what);
    augmented = context.allocate(n * ld * element, what);
    x = context.allocate(n * nrhs * element, what);
    diagonal = context.allocate(n * element, what);
    pivots = context.allocate(n * sizeof(cl_ulong), what);
  }
};

/// Work-items of the pivot search.
std::size_t pivot_group(const GaussKernels& kernels) {
  return std::min(kPivotGroup, kernels.pivot.work_group_limit);
}

/// The arguments of all kernels, for step `k`.
void bind(GaussKernels& kernels, const GaussBuffers& d, RealType type, cl_ulong k) {
  const std::size_t group = pivot_group(kernels);
  kernels.pivot.set_arguments(d.augmented, d.ld, d.n, k, d.pivots,
                              cl::Local(group * bytes_of(type)),
                              cl::Local(group * sizeof(cl_ulong)));
  kernels.swap.set_arguments(d.augmented, d.ld, k, d.pivots);
  kernels.fwd_pre.set_arguments(d.augmented, d.ld, k, d.n);
  kernels.fwd.set_arguments(d.augmented, d.ld, k);
  kernels.bwd_prepare.set_arguments(d.augmented, d.ld, d.n, k, d.x, d.nrhs);
  kernels.bwd.set_arguments(d.augmented, d.ld, d.n, k, d.x, d.nrhs);
  kernels.diagonal.set_arguments(d.augmented, d.ld, d.n, d.diagonal);
}

/// Launches every kernel once, before the upload. PoCL compiles a kernel for a work-group size at
/// the first launch with that size. Otherwise that compilation would count as elimination time.
void launch_first(const cl::CommandQueue& queue, const DeviceProfile& device,
                  const Launcher& launcher, GaussKernels& kernels, const GaussBuffers& d,
                  const GaussOptions& options) {
  Launcher unrecorded(device, queue, launcher.policy(), launcher.split(), launcher.longest());
  bind(kernels, d, options.type, d.n - 1);  // the last step: it exchanges and eliminates nothing
  const auto launch = [&](const Kernel& kernel, NdRange range) {
    unrecorded.launch(kernel, range);
    if (options.ndrange == NdRangeMode::fixed) return;
    range.offset[0] = 1;  // PoCL compiles separately for ranges with an offset
    --range.size[0];
    unrecorded.launch(kernel, range);
  };
  if (options.pivoting == Pivoting::partial) {
    unrecorded.launch_group(kernels.pivot, pivot_group(kernels));
    launch(kernels.swap, range_1d(d.ld));
  }
  launch(kernels.fwd_pre, range_1d(d.n));
  launch(kernels.fwd, range_2d({d.ld, d.n}));
  unrecorded.launch(kernels.bwd_prepare, range_1d(d.nrhs));
  unrecorded.launch(kernels.bwd, range_2d({d.n, d.nrhs}));
  unrecorded.launch(kernels.diagonal, range_1d(d.n));
  queue.finish();
}

/// Turns [A | B] into [U | L^-1 P B].
void eliminate(Launcher& launcher, GaussKernels& kernels, const GaussBuffers& d,
               const GaussOptions& options, QueueProgress& progress) {
  const bool fixed = options.ndrange == NdRangeMode::fixed;
  const std::size_t group = pivot_group(kernels);
  const auto from = [](Index start, Index end) { return range_1d(end - start, start); };

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

/// Solves U X = Y, where eliminate() left Y = L^-1 P B.
void substitute(Launcher& launcher, GaussKernels& kernels, const GaussBuffers& d,
                const GaussOptions& options, QueueProgress& progress) {
  const bool fixed = options.ndrange == NdRangeMode::fixed;
  for (cl_ulong k = d.n; k-- > 0;) {
    kernels.bwd_prepare.handle.setArg(3, k);
    launcher.launch(kernels.bwd_prepare, range_1d(d.nrhs));  // x(k) = b(k) / A(k, k)
    kernels.bwd.handle.setArg(3, k);
    launcher.launch(kernels.bwd,
                    range_2d({fixed ? d.n : k, d.nrhs}));  // b(i) -= x(k) A(i, k), i < k
    progress.step_enqueued(d.n - 1 - k);
  }
}

void read_results(const cl::CommandQueue& queue, const GaussBuffers& d, const GaussOptions& options,
                  EliminationResult& result) {
  result.x = Matrix(d.n, d.nrhs, download(queue, d.x, options.type, d.n * d.nrhs));
  result.pivots = download_diagonal(queue, {d.augmented, 0, d.ld}, d.diagonal, options.type, d.n);
  // The last step has only one candidate row.
  const Index steps = options.pivoting == Pivoting::partial ? d.n - 1 : 0;
  judge_pivots(result,
               read_twice([&] { return read_pivots<cl_ulong>(queue, d.pivots, steps, d.n); }));
}

EliminationResult eliminate_and_substitute(Context& context, Launcher& launcher,
                                           const System& system, const GaussOptions& options,
                                           const ProgressCallback& callback) {
  EliminationResult result;
  result.pivoting = options.pivoting;
  LapTimer timer;
  if (callback) callback("building the kernels", 0);
  GaussKernels kernels(context.programs(), options.type);
  const cl::CommandQueue& queue = context.queue();
  GaussBuffers buffers(context, system, options.type);
  launch_first(queue, context.profile(), launcher, kernels, buffers, options);
  result.times.build = timer.lap();

  const Scaling scaling = scaling_for(system, options.type);
  upload_rows(context, buffers.augmented, buffers.ld, options.type,
              {scaled_matrix(system, scaling), scaled_right_hand_sides(system, scaling)});
  result.times.upload = timer.lap();

  QueueProgress forward(queue, callback, "elimination", buffers.n);
  eliminate(launcher, kernels, buffers, options, forward);
  forward.finish();
  result.times.forward = timer.lap();

  QueueProgress backward(queue, callback, "substitution", buffers.n);
  substitute(launcher, kernels, buffers, options, backward);
  backward.finish();
  result.times.backward = timer.lap();

  launcher.launch(kernels.diagonal, range_1d(buffers.n));
  read_results(queue, buffers, options, result);
  scale_back(scaling, result);
  result.times.download = timer.lap();

  buffers = {};
  result.times.free = timer.lap();
  return result;
}

}  // namespace

EliminationResult gauss_solve(Context& context, Launcher& launcher, const System& system,
                              const GaussOptions& options, const ProgressCallback& progress) {
  check_shapes(system);
  if (system.a.rows() == 0) return empty_result(system, options.pivoting);
  return translate_opencl_errors(
      [&] { return eliminate_and_substitute(context, launcher, system, options, progress); });
}

Variants gauss_variants() {
  static const KernelVariant variant{
      .name = "gauss",
      .file = "gauss.cl",
      .parameters = {{.name = "LOCAL",  // work-group size; 0 = left to the driver
                      .least = 0,
                      .most = 1 << 20,
                      .usual = [](const Setting&) { return 0; },
                      .macro = false},
                     {.name = "SPLIT",  // a SplitMode
                      .least = 0,
                      .most = static_cast<int>(SplitMode::tall),
                      .usual = [](const Setting&) { return 0; },
                      .macro = false}},
      .lacks = lacks_nothing,
      .ask = [](Context& context, RealType type) {
        require_gauss_kernels(context, type, {WorkGroupPolicy::Rule::lcm});
      }};
  static const std::array list{&variant};
  return list;
}

void require_gauss_kernels(Context& context, RealType type, const WorkGroupPolicy& policy,
                           std::size_t longest) {
  const KernelVariant& variant = *gauss_variants().front();
  const KernelBuild build{variant.name, variant.file, real_defines(type)};
  const bool works = context.trials().passes(build, [&] {
    Matrix a = generate_matrix("random", 37, 1);
    a(0, 0) = 0;
    const System system{a, row_sums(a)};
    Launcher launcher(context.profile(), context.queue(), policy, SplitMode::automatic, longest);
    const EliminationResult result = gauss_solve(context, launcher, system, {type});
    const double error = compute_residual(system, result.x, unit_roundoff(type)).scaled;
    if (!(error <= kScaledResidualBound))
      throw WrongAnswer(fmt::format("wrong answer: the scaled residual is {:.3g}", error));
  });
  if (!works)
    throw NoUsableKernel("the kernels of the elimination do not work on " + context.profile().name +
                         ": " + context.trials().reasons({build.name}));
}

}  // namespace clgauss
