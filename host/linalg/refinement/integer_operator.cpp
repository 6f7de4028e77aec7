#include "linalg/refinement/integer_operator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <clgauss/error.hpp>

#include "lap_timer.hpp"
#include "matrix/transfer.hpp"
#include "matrix/transposed.hpp"

namespace clgauss {

namespace {

constexpr const char* kOperatorSpace = "A in f64, for residuals";
/// Below this n, the host's cores are faster than a few launches.
constexpr Index kLeastInteger = 512;
constexpr Index kRowsToMeasure = 128;
/// Residuals in a typical refinement: one of the first x, and one after each of two corrections.
constexpr double kResiduals = 3;

/// Why the host's cores should compute a few residuals of `system`. Empty if the device is faster.
std::string why_host(Context& context, const System& system) {
  const Index n = system.a.rows(), rows = std::min(n, kRowsToMeasure);
  const double all = static_cast<double>(n) / static_cast<double>(rows);
  const IntegerResidual kernel(context);
  const System some{
      Matrix(rows, n, {system.a.values().begin(), system.a.values().begin() + rows * n}),
      Matrix(rows, 1)};
  HostOperator host(some);
  const Matrix x(n, 1, Values(n, 1.0));
  Matrix r(rows, 1), d(rows, 1);
  const IntegerResidual::Operands on_device{
      {context.allocate(rows * n * sizeof(double), kOperatorSpace), 0, n},
      context.allocate(n * sizeof(double), kOperatorSpace),
      context.allocate(rows * sizeof(double), kOperatorSpace),
      n,
      1};
  upload_values(context, on_device.x, RealType::f64, x.values());
  upload_values(context, on_device.b, RealType::f64, some.b.values());
  double upload = 0, by_device = 0, by_host = 0;
  for (int round = 0; round < 2;
       ++round) {  // the second counts: drivers finish compiling at the first launch
    LapTimer timer;
    upload_values(context, on_device.a.buffer, RealType::f64, some.a.values());
    upload = timer.lap();
    (void)kernel.sums(on_device, rows);
    by_device = timer.lap();
    host.residual(x, r, d);
    by_host = timer.lap();
  }
  by_device = all * (upload + kResiduals * by_device);
  by_host *= all * kResiduals;
  if (by_device < by_host) return {};
  return fmt::format(
      "no faster than the host's cores: {:.3g} ms for {:g} residuals of n = {} and "
      "the upload of A, the host {:.3g}",
      1e3 * by_device, kResiduals, n, 1e3 * by_host);
}

/// Looks the answer up in the context's verdicts; if there is none, measures and records it.
bool device_is_faster(Context& context, const System& system) {
  const KernelBuild choice = integer_residual_choice(context, system.a.rows());
  KernelTrials& trials = context.trials();
  const auto known = std::ranges::find(trials.verdicts(), choice.text(), &KernelVerdict::build);
  if (known != trials.verdicts().end()) return known->usable;
  std::string reason;
  try {
    reason = why_host(context, system);
  } catch (const NoUsableKernel& error) {
    reason = error.what();
  }
  if (reason.empty()) return trials.passes(choice, [] {});
  trials.pass_over(choice, reason);
  return false;
}

}  // namespace

IntegerOperator::IntegerOperator(Context& context, const System& system)
    : context_(context), n_(system.a.rows()), nrhs_(system.b.cols()), kernel_(context) {
  a_ = {context.allocate(n_ * n_ * sizeof(double), kOperatorSpace), 0, n_};
  upload_values(context, a_.buffer, RealType::f64, system.a.values());
  for (cl::Buffer* vectors : {&b_, &zero_, &x_})
    *vectors = context.allocate(n_ * nrhs_ * sizeof(double), "the right-hand sides in f64");
  upload_values(context, b_, RealType::f64, transposed(system.b.values(), n_, nrhs_));
  upload_values(context, zero_, RealType::f64, Values(n_ * nrhs_, 0.0));
}

std::vector<IntegerSums> IntegerOperator::sums(const Matrix& x, const cl::Buffer& b, Index nrhs) {
  upload_values(context_, x_, RealType::f64, transposed(x.values(), n_, nrhs));
  return kernel_.sums({a_, x_, b, n_, nrhs}, n_);
}

void IntegerOperator::residual(const Matrix& x, Matrix& r, Matrix& d) {
  const std::vector<IntegerSums> found = sums(x, b_, nrhs_);
  for (Index i = 0; i < n_; ++i)
    for (Index c = 0; c < nrhs_; ++c) {
      r(i, c) = found[c * n_ + i].residual();
      d(i, c) = found[c * n_ + i].size();
    }
}

Matrix IntegerOperator::product(const Matrix& v) {
  const std::vector<IntegerSums> found = sums(v, zero_, 1);
  Matrix y(n_, 1);
  for (Index i = 0; i < n_; ++i) y(i, 0) = -found[i].residual();
  return y;
}

KernelBuild integer_residual_choice(Context& context, Index n) {
  const KernelVariant& variant = residual_integer_variant();
  return {fmt::format("{} for n from {}", variant.name, std::bit_floor(n)),
          variant.file,
          {{"CORES", std::to_string(context.profile().compute_units)}}};
}

std::unique_ptr<SystemOperator> residuals_without_fp64(Context& context, const System& system) {
  const Index n = system.a.rows();
  const bool fits = 2 * n * n * sizeof(double) <= context.profile().global_mem_bytes;
  if (n >= kLeastInteger && system.b.cols() > 0 && fits && device_is_faster(context, system)) {
    try {
      return std::make_unique<IntegerOperator>(context, system);
    } catch (const NoUsableKernel&) {  // the self-tests say why
    } catch (const OutOfMemory&) {     // the host has A anyway
    }
  }
  return std::make_unique<HostOperator>(system);
}

}  // namespace clgauss
