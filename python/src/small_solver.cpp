#include "small_solver.hpp"

#include <clgauss/residual.hpp>
#include <span>

#include "opencl_error.hpp"

namespace clgauss::python {

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
}

bool SmallSolver::solve(const Array& a, const Array& b, const WritableArray& x) {
  const std::span<double> all(host_), a_values = all.first(n_ * n_), b_values = all.last(n_ * nrhs_);
  copy_in(a, a_values);
  copy_in(b, b_values);
  const cl::CommandQueue& queue = context_.queue();
  translate_opencl_errors([&] {
    queue.enqueueWriteBuffer(a_.buffer, CL_FALSE, 0, all.size_bytes(), all.data());
    lu_.factor_and_solve(a_, b_, nrhs_);
    queue.enqueueReadBuffer(b_.buffer, CL_TRUE, b_.offset * sizeof(double), x_.size() * sizeof(double),
                            x_.data());
  });
  const Residual residual =
      compute_residual(n_, nrhs_, a_values, b_values, x_, unit_roundoff(RealType::f64));
  if (!(residual.scaled <= 1)) return false;  // NaN as well
  copy_out(x_, x);
  return true;
}

}  // namespace clgauss::python
