#include "kernels/refinement/refine.hpp"

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <clgauss/lab/kernel_trials.hpp>
#include <clgauss/lab/launch.hpp>
#include <cmath>
#include <limits>

#include "constants.hpp"
#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/known_answers.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_common.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

cl::Buffer doubles(Context& context, std::span<const double> values) {
  cl::Buffer buffer = context.allocate(values.size_bytes(), kKnownAnswer);
  upload_values(context, buffer, RealType::f64, values);
  return buffer;
}

void require(bool right, const char* what) {
  if (!right) throw WrongAnswer(what);
}

/// Tests numbers that f32 cannot represent, ties among them, in 3 rows of 19 numbers, the last of
/// which fill only part of a vector.
void require_demoted(Context& context, const RefineKernels& kernels) {
  constexpr Index kRows = 3, kColumns = 19, kLd = 21;
  Matrix a(kRows, kColumns);
  for (Index i = 0; i < kRows; ++i)
    for (Index j = 0; j < kColumns; ++j) {
      const double tie = 1 + static_cast<double>(2 * j + 1) * 0x1p-24;
      a(i, j) = (j % 2 == 0 ? 1 : -1) * (tie + (static_cast<double>(i) - 1) * 0x1p-50);
    }
  const MatrixView from = to_device(context, RealType::f64, a, kColumns, kKnownAnswer),
                   to{context.allocate(kRows * kLd * sizeof(float), kKnownAnswer), 0, kLd};
  context.queue().enqueueFillBuffer(to.buffer, cl_float{7}, 0, kRows * kLd * sizeof(float));
  kernels.demote(context.queue(), from, to, kRows, kColumns);
  const Values c = download(context.queue(), to.buffer, RealType::f32, kRows * kLd);
  for (Index i = 0; i < kRows; ++i)
    for (Index j = 0; j < kLd; ++j) {
      const double expected = j < kColumns ? static_cast<double>(static_cast<float>(a(i, j))) : 7;
      require(c[i * kLd + j] == expected, "demote: a number is not rounded to f32");
    }
}

/// The worst quotient, the largest r and the largest d are in three different rows. One row has r =
/// d = 0. A second run has a NaN.
void require_judged(Context& context, const RefineKernels& kernels) {
  constexpr Index kN = 301;
  const cl::CommandQueue& queue = context.queue();
  Values r(kN), d(kN), x(kN);
  for (Index i = 0; i < kN; ++i) {
    r[i] = (i % 2 == 0 ? -1 : 1) * std::ldexp(1.0 + static_cast<double>(i) * 0x1p-9, -180);
    d[i] = 0x1p-100;
    x[i] = std::ldexp(static_cast<double>(i) - 7, -170);
  }
  r[5] = d[5] = 0;
  d[17] = 0x1p-130;
  r[77] = -0x1.5p-170;
  d[200] = 0x1p-90;
  const cl::Buffer on_device_d = doubles(context, d), on_device_x = doubles(context, x),
                   next = context.allocate(kN * sizeof(double), kKnownAnswer),
                   b = context.allocate(kN * sizeof(float), kKnownAnswer);
  kernels.judge(queue, kN, doubles(context, r), on_device_d, b);
  const Quality quality = kernels.quality(queue);
  require(quality.componentwise == std::abs(r[17]) / d[17] &&
              quality.normwise == std::abs(r[77]) / d[200],
          "judge: another quality");
  const Values scaled = download(queue, b, RealType::f32, kN);
  kernels.correct(queue, kN, on_device_x, b, next);
  const Values corrected = download(queue, next, RealType::f64, kN);
  for (Index i = 0; i < kN; ++i) {
    const double expected = static_cast<double>(static_cast<float>(std::ldexp(r[i], 170)));
    require(scaled[i] == expected, "judge: r is not scaled to f32");
    require(corrected[i] == x[i] + std::ldexp(expected, -170), "correct: another x");
  }
  r[300] = std::numeric_limits<double>::quiet_NaN();
  kernels.judge(queue, kN, doubles(context, r), on_device_d, b);
  require(!std::isfinite(kernels.quality(queue).componentwise), "judge: a NaN is ignored");
}

KernelBuild build() {
  return {refine_variant().name, refine_variant().file, real_defines(RealType::f64)};
}

}  // namespace

void require_refine_kernels(Context& context) {
  const RefineKernels kernels(context, RefineKernels::Untried{});
  require_demoted(context, kernels);
  require_judged(context, kernels);
}

const KernelVariant& refine_variant() {
  static const KernelVariant variant{
      .name = "refine",
      .file = "refine.cl",
      .parameters = {},
      .lacks = lacks_fp64,
      .ask = [](Context& context, RealType) { (void)RefineKernels(context); }};
  return variant;
}

Variants refine_variants() {
  static const std::array all{&refine_variant()};
  return all;
}

bool Quality::accepted(Index n) const {
  return normwise <= kEps * static_cast<double>(std::max<Index>(n, 1));
}

Underflow::Underflow(Index n)
    : small(0), slack(std::numeric_limits<double>::min() * static_cast<double>(n + 1)) {
  small = slack / kEps;
}

RefineKernels::RefineKernels(Context& context) {
  if (!context.trials().passes(build(), [&] { require_refine_kernels(context); }))
    throw NoUsableKernel(context.trials().reasons({build().name}));
  *this = RefineKernels(context, Untried{});
}

RefineKernels::RefineKernels(Context& context, Untried)
    : quality_(context.allocate(4 * sizeof(double), "the quality of x")) {
  const auto kernel = [&](const char* name) {
    return context.programs().kernel(build().file, name, build().defines);
  };
  demote_ = kernel("demote");
  judge_ = kernel("judge");
  correct_ = kernel("correct");
}

void RefineKernels::demote(const cl::CommandQueue& queue, const MatrixView& a, const MatrixView& c,
                           Index rows, Index columns) const {
  constexpr cl_uint kWidth = 8, kLocal = 32;  // elements per work-item; work-items per group
  Kernel kernel = demote_;
  cl_uint index = 0;
  pass_view(kernel, index, a);
  pass_view(kernel, index, c);
  kernel.set_arguments_from(index, static_cast<cl_uint>(columns));
  const std::size_t groups = ceil_div(static_cast<cl_uint>(columns), kWidth * kLocal);
  enqueue_kernel(queue, kernel, cl::NDRange(groups * kLocal, rows), cl::NDRange(kLocal, 1));
}

void RefineKernels::judge(const cl::CommandQueue& queue, Index n, const cl::Buffer& r,
                          const cl::Buffer& d, const cl::Buffer& b) const {
  constexpr std::size_t kLocal = 128;
  const Underflow underflow(n);
  Kernel kernel = judge_;
  kernel.set_arguments(r, d, static_cast<cl_uint>(n), underflow.small, underflow.slack, quality_,
                       b);
  launch_groups(queue, kernel, 1, kLocal);
}

Quality RefineKernels::quality(const cl::CommandQueue& queue) const {
  std::array<double, 3> found{};
  queue.enqueueReadBuffer(quality_, CL_TRUE, 0, sizeof found, found.data());
  return {found[0], found[1] == 0 ? 0 : found[1] / found[2]};
}

void RefineKernels::correct(const cl::CommandQueue& queue, Index n, const cl::Buffer& x,
                            const cl::Buffer& b, const cl::Buffer& next) const {
  constexpr cl_uint kLocal = 64;
  Kernel kernel = correct_;
  const auto count = static_cast<cl_uint>(n);
  kernel.set_arguments(x, b, quality_, next, count);
  launch_groups(queue, kernel, ceil_div(count, kLocal), kLocal);
}

}  // namespace clgauss
