#include "bench_contestant.hpp"
#include "matrix/shapes.hpp"

namespace clgauss::bench {

namespace {

template <typename T>
void write(const cl::CommandQueue& queue, const MatrixView& view, const Matrix& matrix) {
  const std::vector<T> values = typed_rows<T>(matrix, view.ld);
  queue.enqueueWriteBuffer(view.buffer, CL_TRUE, 0, values.size() * sizeof(T), values.data());
}

template <typename T>
Matrix read(const cl::CommandQueue& queue, const MatrixView& view, Index rows, Index cols) {
  std::vector<T> values(rows * view.ld);
  queue.enqueueReadBuffer(view.buffer, CL_TRUE, 0, values.size() * sizeof(T), values.data());
  return matrix_of(values.data(), rows, cols, view.ld);
}

}  // namespace

DeviceProblem::DeviceProblem(Context& context, const Problem& problem)
    : context_(context), problem_(problem) {
  const ProblemSize& size = problem.size;
  if (size.what == What::gemm) {
    a_ = upload(problem.a, size.k + size.pad, "A");
    b_ = upload(problem.b, size.n + size.pad, "B");
    c_ = upload(problem.c, size.n + size.pad, "C");
    work_ = empty_copy(c_, "the work copy of C");
  } else if (size.what == What::batched) {
    a_ = upload(problem.a, problem.a.cols(), "A");
    b_ = upload(problem.b, problem.b.cols(), "b");
    x_ = empty_copy(b_, "the work copy of b");
  } else if (size.what != What::host && size.what != What::vbatched && size.what != What::gelsy &&
             size.what != What::gecon) {
    const Index columns = problem.a.cols();
    a_ = upload(problem.a,
                size.what == What::lstsq ? padded_ld(columns, size.type) : columns + size.pad, "A");
    b_ = upload(problem.b, 1, "b");
    work_ = empty_copy(a_, "the work copy of A");
    x_ = empty_copy(b_, "the work copy of b");
  }
}

MatrixView DeviceProblem::upload(const Matrix& matrix, Index ld, const char* what) const {
  const RealType type = problem_.size.type;
  const MatrixView view{context_.allocate(matrix.rows() * ld * bytes_of(type), what), 0, ld};
  if (type == RealType::f32)
    write<float>(context_.queue(), view, matrix);
  else
    write<double>(context_.queue(), view, matrix);
  return view;
}

MatrixView DeviceProblem::empty_copy(const MatrixView& view, const char* what) const {
  return {context_.allocate(view.buffer.getInfo<CL_MEM_SIZE>(), what), 0, view.ld};
}

void DeviceProblem::restore() const {
  const cl::CommandQueue& queue = context_.queue();
  const auto copy = [&](const MatrixView& from, const MatrixView& to) {
    queue.enqueueCopyBuffer(from.buffer, to.buffer, 0, 0, from.buffer.getInfo<CL_MEM_SIZE>());
  };
  if (problem_.size.what == What::gemm) {
    copy(c_, work_);
  } else {
    if (work_.buffer() != nullptr) copy(a_, work_);  // a batched solve leaves A as it is
    copy(b_, x_);
  }
  queue.finish();
}

Matrix DeviceProblem::result() const {
  const ProblemSize& size = problem_.size;
  const bool gemm = size.what == What::gemm;
  const MatrixView& view = gemm ? work_ : x_;
  const bool batched = size.what == What::batched;
  const Index rows = gemm ? size.m : batched ? size.batch : size.n;
  const Index cols = gemm ? size.n : batched ? problem_.b.cols() : 1;
  return size.type == RealType::f32 ? read<float>(context_.queue(), view, rows, cols)
                                    : read<double>(context_.queue(), view, rows, cols);
}

}  // namespace clgauss::bench
