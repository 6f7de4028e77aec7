#include "linalg/refinement/refine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "constants.hpp"
#include "kernels/refinement/refine.hpp"
#include "linalg/refinement/gmres.hpp"

namespace clgauss {

namespace {

constexpr Index kMostCorrections = 30;  // as long as each halves the error
constexpr Index kMostRestarts = 3;      // of GMRES

Quality quality_of(const Matrix& r, const Matrix& d, Index column) {
  const auto [small, slack] = Underflow(r.rows());
  double largest_r = 0, largest_d = 0;
  Quality quality;
  for (Index i = 0; i < r.rows(); ++i) {
    const double error = std::abs(r(i, column)), size = d(i, column);
    if (!std::isfinite(error) || !std::isfinite(size)) return {kInfinity, kInfinity};
    largest_r = std::max(largest_r, error);
    largest_d = std::max(largest_d, size);
    const double ratio = size > small   ? error / size
                         : error == 0.0 ? 0.0
                                        : (error + slack) / (size + slack);
    quality.componentwise = std::max(quality.componentwise, ratio);
  }
  quality.normwise = largest_r == 0 ? 0.0 : largest_r / largest_d;
  return quality;
}

/// The best x so far of each right-hand side.
class Best {
 public:
  Best(SystemOperator& system, Matrix& x)
      : system_(system), x_(x), r_(x.rows(), x.cols()), d_(x.rows(), x.cols()) {
    system_.residual(x_, r_, d_);
    for (Index c = 0; c < x.cols(); ++c) quality_.push_back(quality_of(r_, d_, c));
  }

  [[nodiscard]] const Matrix& r() const { return r_; }
  [[nodiscard]] const Quality& quality(Index column) const { return quality_[column]; }

  /// The quality of the worst right-hand side.
  [[nodiscard]] Quality worst() const {
    Quality worst;
    for (const Quality& each : quality_) {
      worst.componentwise = std::max(worst.componentwise, each.componentwise);
      worst.normwise = std::max(worst.normwise, each.normwise);
    }
    return worst;
  }

  /// Adds `correction` to x for the right-hand sides that it improves.
  void add(const Matrix& correction) {
    const Matrix old_x = x_, old_r = r_;
    for (Index k = 0; k < x_.values().size(); ++k) x_.values()[k] += correction.values()[k];
    system_.residual(x_, r_, d_);
    for (Index c = 0; c < x_.cols(); ++c) {
      const Quality now = quality_of(r_, d_, c);
      if (now.better_than(quality_[c])) {
        quality_[c] = now;
        continue;
      }
      for (Index i = 0; i < x_.rows(); ++i) {
        x_(i, c) = old_x(i, c);
        r_(i, c) = old_r(i, c);
      }
    }
  }

 private:
  SystemOperator& system_;
  Matrix& x_;
  Matrix r_, d_;
  std::vector<Quality> quality_;
};

/// Calls step() while each call at least halves `error`. step() corrects x and returns the
/// remaining componentwise error.
void correct(double error, const std::function<double()>& step, Refinement& refinement,
             const ProgressCallback& progress) {
  for (Index k = 0; k < kMostCorrections && error > kBackwardErrorGoal && std::isfinite(error);
       ++k) {
    if (progress) progress("refinement", 0);
    const double before = std::exchange(error, step());
    refinement.backward_errors.push_back(error);
    if (!(error <= before / 2)) return;
  }
}

Matrix column_of(const Matrix& matrix, Index column) {
  Matrix part(matrix.rows(), 1);
  for (Index i = 0; i < matrix.rows(); ++i) part(i, 0) = matrix(i, column);
  return part;
}

/// Corrects once, by GMRES, every right-hand side that is not accepted yet.
void correct_by_gmres(SystemOperator& system, Best& best, const ApproximateSolve& solve,
                      Refinement& refinement, const ProgressCallback& progress) {
  const Index n = best.r().rows();
  Matrix correction(n, best.r().cols());
  for (Index c = 0; c < correction.cols(); ++c) {
    if (best.quality(c).accepted(n)) continue;
    Matrix d = column_of(best.r(), c);
    refinement.gmres_steps += gmres(system, solve, d, progress);
    for (Index i = 0; i < n; ++i) correction(i, c) = d(i, 0);
  }
  best.add(correction);
  refinement.backward_errors.push_back(best.worst().componentwise);
}

/// Corrects one right-hand side without GMRES. `quality` is that of the initial x.
Refinement correct_on_device(DeviceOperator& system, const DeviceFactors& factors, Quality quality,
                             const ProgressCallback& progress) {
  Refinement refinement;
  refinement.on_device = true;
  refinement.backward_errors.push_back(quality.componentwise);
  const auto step = [&] {
    factors.getrs();
    const Quality now = system.correct_and_judge(factors.b);
    if (now.better_than(quality))
      quality = now;
    else
      system.take_back();
    return quality.componentwise;
  };
  correct(quality.componentwise, step, refinement, progress);
  refinement.accepted = quality.accepted(system.rows());
  return refinement;
}

/// Continues from x, at which `refinement` stalled.
void refine_further(DeviceOperator& system, const ApproximateSolve& solve, Matrix& x,
                    Refinement& refinement, const ProgressCallback& progress) {
  const Refinement more = refine(system, solve, x, progress);
  refinement.backward_errors.insert(refinement.backward_errors.end(),
                                    more.backward_errors.begin() + 1, more.backward_errors.end());
  refinement.gmres_steps = more.gmres_steps;
  refinement.accepted = more.accepted;
}

}  // namespace

Refinement refine(SystemOperator& system, const ApproximateSolve& solve, Matrix& x,
                  const ProgressCallback& progress) {
  Refinement refinement;
  refinement.on_device = system.on_device();
  Best best(system, x);
  const Index n = x.rows();
  refinement.backward_errors.push_back(best.worst().componentwise);
  const auto step = [&] {
    Matrix correction = best.r();
    solve(correction);
    best.add(correction);
    return best.worst().componentwise;
  };
  correct(best.worst().componentwise, step, refinement, progress);
  for (Index k = 0; k < kMostRestarts && !best.worst().accepted(n); ++k) {
    const double before = best.worst().componentwise;
    if (!std::isfinite(before)) break;
    correct_by_gmres(system, best, solve, refinement, progress);
    if (!(best.worst().componentwise <= before / 2)) break;
  }
  refinement.accepted = best.worst().accepted(n);
  return refinement;
}

Refinement refine(DeviceOperator& system, const std::optional<DeviceFactors>& factors,
                  const ApproximateSolve& solve, Matrix& x, const ProgressCallback& progress) {
  if (!factors || x.cols() != 1) return refine(system, solve, x, progress);
  system.set_x(x);
  Refinement refinement = correct_on_device(system, *factors, system.judge(factors->b), progress);
  x = system.x();
  if (!refinement.accepted) refine_further(system, solve, x, refinement, progress);
  return refinement;
}

Refinement refine_from_zero(DeviceOperator& system, const DeviceFactors& factors,
                            const ApproximateSolve& solve, const ProgressCallback& progress) {
  system.set_x_to_zero(factors.b);
  factors.getrs();
  Refinement refinement =
      correct_on_device(system, factors, system.correct_and_judge(factors.b), progress);
  if (refinement.accepted) return refinement;
  Matrix x = system.x();
  refine_further(system, solve, x, refinement, progress);
  system.set_x(x);
  return refinement;
}

}  // namespace clgauss
