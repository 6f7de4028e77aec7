#include "linalg/complex/complex_device_operator.hpp"

#include "linalg/complex/complex_residual.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "matrix/transposed.hpp"

namespace clgauss {

namespace {

/// Row 2 c of the result has the real parts of column c, the next row its imaginary parts.
Values parts_by_rows(const Matrix& parts) {
  return transposed(parts.values(), parts.rows(), parts.cols());
}

Index ld_of_parts(Index n) { return padded_ld(2 * n, RealType::f64); }

}  // namespace

std::uint64_t ComplexDeviceOperator::bytes(Index n, Index nrhs) {
  return (n * ld_of_parts(n) + 12 * n * nrhs) * sizeof(double);
}

ComplexDeviceOperator::ComplexDeviceOperator(Context& context, Index n, Index nrhs)
    : context_(context),
      n_(n),
      nrhs_(nrhs),
      residual_(context, RealType::f64, ResidualSum::ordinary) {
  const auto allocate = [&](Index numbers) {
    return context.allocate(numbers * sizeof(double), "a complex system in f64, for residuals");
  };
  const Index ld = ld_of_parts(n);
  a_ = {allocate(n * ld), 0, ld};
  for (cl::Buffer* vectors : {&b_, &zero_, &r_, &d_}) *vectors = allocate(2 * n * nrhs);
  x_ = allocate(4 * n * nrhs);
  context.queue().enqueueFillBuffer(zero_, cl_double{0}, 0, 2 * n * nrhs * sizeof(double));
  residual_.prepare(2 * nrhs);
}

void ComplexDeviceOperator::upload(const ComplexSystem& system) {
  upload_rows(context_, a_.buffer, a_.ld, RealType::f64, {{&system.a.parts(), {}, {}}});
  upload_values(context_, b_, RealType::f64, parts_by_rows(system.b.parts()));
}

void ComplexDeviceOperator::residual(const Matrix& x, Matrix& r, Matrix& d) {
  enqueue(x, b_);
  r = read(r_, nrhs_);
  d = read(d_, nrhs_);
}

Matrix ComplexDeviceOperator::product(const Matrix& v) {
  enqueue(v, zero_);
  Matrix y = read(r_, 1);
  for (double& value : y.values()) value = -value;
  return y;
}

void ComplexDeviceOperator::enqueue(const Matrix& x, const cl::Buffer& b) {
  upload_values(context_, x_, RealType::f64, parts_by_rows(beside_parts(x)));
  residual_.enqueue(context_.queue(), a_, {n_, 2 * n_}, 2 * x.cols(), {x_, {}, b, r_, d_});
}

Matrix ComplexDeviceOperator::read(const cl::Buffer& buffer, Index columns) const {
  const Values rows = download(context_.queue(), buffer, RealType::f64, 2 * n_ * columns);
  return in_pairs(ComplexMatrix(Matrix(n_, 2 * columns, transposed(rows, 2 * columns, n_))));
}

}  // namespace clgauss
