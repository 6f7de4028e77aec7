#pragma once
/// The device's factors and answers, checked before they replace the caller's matrices.

#include <clgauss/view.hpp>
#include <optional>
#include <utility>

#include "c/handles.hpp"
#include "c/host_transfer.hpp"
#include "c/weighted_sums.hpp"
#include "io/memory.hpp"

namespace clgauss::c {

/// Factors and answers to be checked before the caller's memory is written, and the weighted sums
/// of A that they are checked against.
template <typename Real>
class Checked {
 public:
  /// Throws OutOfMemory.
  Checked(const Use& use, const HostMatrix<Real>& a, const HostMatrix<Real>& b,
          WeightedSums<Real> of_a)
      : context_(use.context()), a_(a), b_(b), of_a_(std::move(of_a)) {
    io::require_memory("A copy of A", a.rows, a.columns);
    space_ = &use.object().space(fetched_space(context_, a), own_);
  }

  /// Reads A's factors from the device.
  void fetch_factors(const MatrixView& view) { factors_.emplace(context_, view, a_, *space_); }
  /// Reads X from the device, if the system has right-hand sides.
  void fetch_answer(const MatrixView& view) {
    if (b_.empty()) return;
    io::require_memory("A copy of X", b_.rows, b_.columns);
    space_of_x_ = Values(fetched_space(context_, b_));
    x_.emplace(context_, view, b_, space_of_x_);
  }

  [[nodiscard]] const HostMatrix<const Real>& factors() const { return factors_->matrix(); }
  [[nodiscard]] const WeightedSums<Real>& of_a() const { return of_a_; }
  [[nodiscard]] bool has_answer() const {
    return !x_ || is_answer(of_a_, constant(b_), x_->matrix());
  }
  void write_answer() const {
    if (x_) copy(x_->matrix(), b_);
  }

 private:
  Context& context_;
  HostMatrix<Real> a_, b_;
  WeightedSums<Real> of_a_;
  Values own_, space_of_x_;
  Values* space_;
  std::optional<Fetched<Real>> factors_, x_;
};

}  // namespace clgauss::c
