#include "linalg/refinement/device_operator.hpp"

#include "matrix/transfer.hpp"
#include "matrix/transposed.hpp"

namespace clgauss {

DeviceOperator::DeviceOperator(Context& context, const MatrixView& a, Index n, Index nrhs)
    : context_(context),
      n_(n),
      nrhs_(nrhs),
      a_(a),
      refine_(context),
      residual_(context, RealType::f64, ResidualSum::ordinary) {
  const cl::CommandQueue& queue = context.queue();
  for (cl::Buffer* vectors : {&b_, &zero_, &x_, &last_x_, &r_, &d_}) {
    *vectors = context.allocate(n * nrhs * sizeof(double), "the right-hand sides in f64");
    queue.enqueueFillBuffer(*vectors, cl_double{0}, 0, n * nrhs * sizeof(double));
  }
  residual_.prepare(nrhs);
  // A first launch. PoCL compiles the kernel then, which would otherwise count as refinement time.
  residual_.enqueue(queue, {zero_, 0, 1}, 1, nrhs, {zero_, {}, zero_, r_, d_});
  queue.finish();
}

std::uint64_t DeviceOperator::bytes(Index n, Index nrhs) { return 6 * n * nrhs * sizeof(double); }

void DeviceOperator::set_right_hand_sides(const Matrix& b) {
  upload_values(context_, b_, RealType::f64, transposed(b.values(), n_, nrhs_));
}

void DeviceOperator::demote(const MatrixView& to) {
  refine_.demote(context_.queue(), a_, to, n_, n_);
}

void DeviceOperator::copy_matrix(const cl::Buffer& to) {
  context_.queue().enqueueCopyBuffer(a_.buffer, to, a_.offset * sizeof(double), 0,
                                     n_ * a_.ld * sizeof(double));
}

Values DeviceOperator::row_sums() {
  const cl::CommandQueue& queue = context_.queue();
  queue.enqueueFillBuffer(x_, cl_double{1}, 0, n_ * sizeof(double));
  residual_.enqueue(queue, a_, n_, 1, {x_, {}, zero_, r_, d_});
  return download(queue, d_, RealType::f64, n_);
}

void DeviceOperator::set_x(const Matrix& x) {
  context_.queue().enqueueWriteBuffer(x_, CL_TRUE, 0, n_ * sizeof(double), x.values().data());
}

void DeviceOperator::set_x_to_zero(const cl::Buffer& b) {
  context_.queue().enqueueFillBuffer(x_, cl_double{0}, 0, n_ * sizeof(double));
  refine_.judge(context_.queue(), n_, b_, b_, b);
}

Quality DeviceOperator::judge(const cl::Buffer& b) {
  const cl::CommandQueue& queue = context_.queue();
  residual_.enqueue(queue, a_, n_, 1, {x_, {}, b_, r_, d_});
  refine_.judge(queue, n_, r_, d_, b);
  return refine_.quality(queue);
}

Quality DeviceOperator::correct_and_judge(const cl::Buffer& b) {
  refine_.correct(context_.queue(), n_, x_, b, last_x_);
  std::swap(x_, last_x_);
  return judge(b);
}

Matrix DeviceOperator::x() const {
  return {n_, 1, download(context_.queue(), x_, RealType::f64, n_)};
}

void DeviceOperator::copy_right_hand_side(const MatrixView& b) {
  enqueue_copy_rows(context_.queue(), {b.buffer, b.offset * sizeof(double), b.ld * sizeof(double)},
                    {b_, 0, sizeof(double)}, sizeof(double), n_);
}

void DeviceOperator::copy_x(const MatrixView& to) const {
  enqueue_copy_rows(context_.queue(), {x_, 0, sizeof(double)},
                    {to.buffer, to.offset * sizeof(double), to.ld * sizeof(double)}, sizeof(double),
                    n_);
}

void DeviceOperator::residual(const Matrix& x, Matrix& r, Matrix& d) {
  const cl::CommandQueue& queue = context_.queue();
  upload_values(context_, x_, RealType::f64, transposed(x.values(), n_, nrhs_));
  residual_.enqueue(queue, a_, n_, nrhs_, {x_, {}, b_, r_, d_});
  const auto read = [&](const cl::Buffer& buffer) {
    const Values values = download(queue, buffer, RealType::f64, n_ * nrhs_);
    return Matrix(n_, nrhs_, transposed(values, nrhs_, n_));
  };
  r = read(r_);
  d = read(d_);
}

Matrix DeviceOperator::product(const Matrix& v) {
  const cl::CommandQueue& queue = context_.queue();
  upload_values(context_, x_, RealType::f64, v.values());
  residual_.enqueue(queue, a_, n_, 1, {x_, {}, zero_, r_, d_});
  Matrix y(n_, 1, download(queue, r_, RealType::f64, n_));
  for (double& value : y.values()) value = -value;
  return y;
}

}  // namespace clgauss
