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

/// Probe vectors that the device solves for while the host does something else.
class FirstProduct {
 public:
  /// Uploads `question` to `buffer`, and waits.
  void upload(const Context& context, const cl::Buffer& buffer, RealType type,
              const Matrix& question);

  /// Enqueues the solve, by enqueue(b, columns), once after upload().
  template <typename Enqueue>
  void start(const cl::CommandQueue& queue, const Enqueue& enqueue) {
    if (state_ != State::uploaded) return;
    enqueue(view_, view_.ld);
    queue.flush();
    state_ = State::started;
  }

  /// The product, once after start(); otherwise empty. Waits.
  [[nodiscard]] Matrix take(const cl::CommandQueue& queue, RealType type);

 private:
  enum class State { none, uploaded, started };

  MatrixView view_;
  Index rows_ = 0;
  State state_ = State::none;
};

}  // namespace clgauss
