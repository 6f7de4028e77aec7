#include "small_solver.hpp"

#include <clgauss/residual.hpp>
#include <span>

#include "linalg/solve/host_lu.hpp"
#include "opencl_error.hpp"

namespace clgauss::python {

namespace {

Values borrowed(std::span<double> values) {
  return Values(values.size(), UninitializedAllocator<double>(values.data()));
}

/// The answer to `x`, if its residual lets it go.
bool give(const System& system, const Matrix& solution, const WritableArray& x) {
  if (!(compute_residual(system, solution, unit_roundoff(RealType::f64)).scaled <= 1))
    return false;  // NaN as well
  copy_out(solution.values(), x);
  return true;
}

}  // namespace

bool solve_on_host(const Array& a, const Array& b, const WritableArray& x) {
  const System system{to_matrix(a), to_matrix(b)};
  HostLu lu(system.a);
  Matrix answer = system.b;
  lu.solve(answer);
  return give(system, answer, x);
}

SmallSolver::SmallSolver(Context& context, Index n, Index nrhs)
    : context_(context),
      n_(n),
      nrhs_(nrhs),
      lu_(context_, RealType::f64, n),
      host_(n * (n + nrhs)),
      x_(n * nrhs) {
  const cl::Buffer buffer =
      context_.allocate(host_.size() * sizeof(double), "a small system in f64");
  a_ = {buffer, 0, n};
  b_ = {buffer, n * n, nrhs};
  lu_.prepare(a_, nrhs);
}

bool SmallSolver::solve(const Array& a, const Array& b, const WritableArray& x) {
  const std::span<double> all(host_), a_values = all.first(n_ * n_),
                                      b_values = all.last(n_ * nrhs_);
  copy_in(a, a_values);
  copy_in(b, b_values);
  const cl::CommandQueue& queue = context_.queue();
  translate_opencl_errors([&] {
    queue.enqueueWriteBuffer(a_.buffer, CL_FALSE, 0, all.size_bytes(), all.data());
    lu_.factor_and_solve(a_, b_, nrhs_);
    queue.enqueueReadBuffer(b_.buffer, CL_TRUE, b_.offset * sizeof(double),
                            x_.size() * sizeof(double), x_.data());
  });
  const System system{Matrix(n_, n_, borrowed(a_values)), Matrix(n_, nrhs_, borrowed(b_values))};
  return give(system, Matrix(n_, nrhs_, borrowed(x_)), x);
}

}  // namespace clgauss::python
