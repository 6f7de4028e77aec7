#pragma once
/// Solves with the factors of a system that is solved already, as refinement asks for them.

#include <clgauss/context.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "matrix/scaling.hpp"

namespace clgauss {

/// R <- ~A^-1 R, n-by-nrhs on the host. getrs() enqueues B <- ~A^-1 B for A as `scaling` left it
/// and the n-by-nrhs `b` of the device, of `type` and without gaps. Each right-hand side is brought
/// into the range of the type, so that residuals do not underflow. Waits.
void solve_again(const Context& context, const std::function<void()>& getrs, const MatrixView& b,
                 RealType type, const Scaling& scaling, Matrix& r);

/// The exponents that bring the columns of R, whose rows are multiplied by 2^rows, to magnitudes of
/// about 1; empty where all are 0.
[[nodiscard]] std::vector<int> exponents_of_columns(const Matrix& r, std::span<const int> rows);

/// Device memory for the columns of such solves, kept from one to the next.
class SolveBlock {
 public:
  SolveBlock() = default;
  /// Begins with that of `b`, without gaps.
  explicit SolveBlock(MatrixView b) : view_(std::move(b)) {}

  /// solve_again() for any number of columns, by enqueue(b, columns).
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
