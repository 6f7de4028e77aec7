#include "linalg/lu/updates.hpp"

#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <clgauss/residual.hpp>

#include "kernels/common/known_answers.hpp"
#include "kernels/complex/complex_lu.hpp"
#include "matrix/shapes.hpp"

namespace clgauss {

std::uint64_t LuUpdates::bytes(NumberType number, Index rows, Index columns) {
  if (!number.complex) return 0;
  return 2 * rows * padded_ld(2 * columns, number.real) * bytes_of(number.real);
}

const MatrixView& LuUpdates::space_for(Index k, Index n) {
  const RealType type = kernels_.type();
  const std::uint64_t needed = bytes(kernels_.number(), k, n);
  if (w_.buffer() == nullptr || w_.buffer.getInfo<CL_MEM_SIZE>() < needed)
    w_.buffer = kernels_.context().allocate(needed, "the workspace of a complex LU");
  w_.ld = padded_ld(2 * n, type);
  return w_;
}

void LuUpdates::expand(const cl::CommandQueue& queue, const MatrixView& b, const MatrixView& w,
                       Index k, Index n) {
  Kernel& pairs = kernels_.get(complex_pairs_variant().file, "complex_pairs", {});
  cl_uint index = 0;
  pass_view(pairs, index, b);
  pairs.set_arguments_from(index, w.buffer, static_cast<cl_uint>(w.ld));
  enqueue_kernel(queue, pairs, cl::NDRange(n, k));
}

void LuUpdates::require_expansion() {
  if (expands_) return;
  Context& context = kernels_.context();
  const KernelVariant& variant = complex_pairs_variant();
  expands_ = kernels_.works(variant.name, variant.file, {}, [&] {
    constexpr Index kRows = 5, kColumns = 7;
    const NumberType number = kernels_.number();
    const Matrix b = random_of(number.real, kRows, 2 * kColumns, 21);
    Matrix expected(2 * kRows, 2 * kColumns);
    for (Index i = 0; i < kRows; ++i)
      for (Index part = 0; part < 2 * kColumns; ++part) {
        expected(2 * i, part) = b(i, part);
        expected(2 * i + 1, part) = part % 2 == 0 ? -b(i, part + 1) : b(i, part - 1);
      }
    const MatrixView from = question_of(context, number.real, b, 4),
                     w = question_of(context, number.real, Matrix(2 * kRows, 2 * kColumns));
    expand(context.queue(), number.in_numbers(from), w, kRows, kColumns);
    const Matrix made = answer_in(context, number.real, w, 2 * kRows, 2 * kColumns);
    require_error(max_difference(made, expected), 0, "W");
  });
  if (!expands_) kernels_.none_works("products of complex numbers", {variant.name});
}

void LuUpdates::update(const cl::CommandQueue& queue, Index m, Index n, Index k,
                       const MatrixView& a, const MatrixView& b, const MatrixView& c) {
  if (m == 0 || n == 0 || k == 0) return;
  bring(queue, n, k, b);
  const GemmCall call = as_product(m, n, k, a, b, c);
  gemm_.update(call.shape.m, call.shape.n, call.shape.k, call.a, call.b, call.c, {&queue});
}

void LuUpdates::bring(const cl::CommandQueue& queue, Index n, Index k, const MatrixView& b) {
  if (!kernels_.number().complex) return;
  require_expansion();
  expand(queue, b, space_for(k, n), k, n);
}

GemmCall LuUpdates::as_product(Index m, Index n, Index k, const MatrixView& a, const MatrixView& b,
                               const MatrixView& c) {
  const NumberType number = kernels_.number();
  if (!number.complex) return {{m, n, k}, -1, a, b, 1, c};
  return {{m, 2 * n, 2 * k}, -1, number.in_parts(a), space_for(k, n), 1, number.in_parts(c)};
}

void LuUpdates::prepare(Index m, Index n, Index k, const MatrixView& a, const MatrixView& b,
                        const MatrixView& c) {
  if (m == 0 || n == 0 || k == 0) return;
  if (kernels_.number().complex) require_expansion();
  const GemmCall call = as_product(m, n, k, a, b, c);
  gemm_.prepare_update(call.shape.m, call.shape.n, call.shape.k, call.a, call.b, call.c);
}

}  // namespace clgauss
