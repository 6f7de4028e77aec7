#pragma once
/// Repeated solves with the factors of an already solved system, as refinement needs them.

#include <clgauss/context.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "matrix/scaling.hpp"

namespace clgauss {

/// R <- ~A^-1 R, n-by-nrhs on the host. getrs() must enqueue B <- ~A^-1 B for the scaled A and for
/// the n-by-nrhs `b` on the device, of `type` and without gaps. Each right-hand side is scaled into
/// the type's range, so that residuals do not underflow. Waits.
void solve_again(const Context& context, const std::function<void()>& getrs, const MatrixView& b,
                 RealType type, const Scaling& scaling, Matrix& r);

/// The exponents that bring the columns of R to magnitudes of about 1, after its rows are
/// multiplied by 2^rows. Empty if all are 0.
[[nodiscard]] std::vector<int> exponents_of_columns(const Matrix& r, std::span<const int> rows);

/// Device memory for the columns of such solves, reused from one solve to the next.
class SolveBlock {
 public:
  SolveBlock() = default;
  /// Starts with the memory of `b`, which must have no gaps.
  explicit SolveBlock(MatrixView b) : view_(std::move(b)) {}

  /// solve_again() for any number of columns; enqueue(b, columns) enqueues the solve.
  template <typename Enqueue>
  void solve(const Context& context, RealType type, const Scaling& scaling, Matrix& x,
             const Enqueue& enqueue) {
    require(context, type, x.rows(), x.cols());
    solve_again(
        context, [&] { enqueue(view_, x.cols()); }, view_, type, scaling, x);
  }

 private:
  void require(const Context& context, RealType type, Index rows, Index columns);

  MatrixView view_;
};

}  // namespace clgauss
