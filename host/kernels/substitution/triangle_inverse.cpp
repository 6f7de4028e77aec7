#include "kernels/substitution/triangle_inverse.hpp"

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/gemm/gemm_backend.hpp"
#include "kernels/substitution/known_answers.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

constexpr const char* kInverseSpace = "the workspace of an inverse";

/// The number of rows in the upper half of `rows`, in whole blocks.
Index half_of(Index rows) {
  const Index blocks = (rows + FactorInverse::kBlock - 1) / FactorInverse::kBlock;
  return blocks / 2 * FactorInverse::kBlock;
}

void copy_rows(const cl::CommandQueue& queue, const MatrixView& from, const MatrixView& to,
               Index rows, Index columns, std::size_t element) {
  enqueue_copy_rows(queue, {from.buffer, from.offset * element, from.ld * element},
                    {to.buffer, to.offset * element, to.ld * element}, columns * element, rows);
}

}  // namespace

const KernelVariant& triangle_inverse_variant() {
  static const KernelVariant variant{
      .name = "triangle_inverse",
      .file = "triangle_inverse.cl",
      .parameters = {{.name = "VEC_WIDTH",
                      .least = 1,
                      .most = 16,
                      .usual =
                          [](const Setting& at) {
                            return at.device.type == DeviceType::cpu ? usual_tile(at, "VEC_WIDTH")
                                                                     : 1;
                          },
                      .tried = {1, 4, 8, 16}}},
      .lacks = lacks_nothing,
      .ask = [](Context& context, RealType type) { (void)FactorInverse(context, type, 1); }};
  return variant;
}

Variants inverse_variants() {
  static const std::array all{&triangle_inverse_variant()};
  return all;
}

FactorInverse::FactorInverse(Context& context, RealType type, Index n)
    : context_(context), type_(type), n_(n) {
  const KernelVariant& variant = triangle_inverse_variant();
  const Parameters parameters =
      usual_parameters(std::array{&variant}, {context.profile(), type, n});
  const KernelBuild build{
      variant.name, variant.file,
      with_parameters(variant, parameters, with_real(type, {{"BLOCK", std::to_string(kBlock)}}))};
  width_ = static_cast<cl_uint>(value_of(parameters, "VEC_WIDTH"));
  const std::size_t element = bytes_of(type);
  constexpr Index kQuestion = 2 * kBlock - 11;
  inverses_ =
      context.allocate(std::max(n + kBlock, 2 * kQuestion) * kBlock * element, kInverseSpace);
  before_ = {context.allocate(kBlock * padded_ld(n, type) * element, kInverseSpace), 0,
             padded_ld(n, type)};
  const auto make = [&] {
    kernel_ = context.programs().kernel(variant.file, "invert_diagonal_blocks", build.defines);
  };
  // The self-test's second block is partial. X = T^-1 B for the rows of that block.
  constexpr Index kCut = kQuestion - kBlock, kColumns = 3;
  const auto multiply = [&](const cl::CommandQueue* queue, Gemm& gemm, const MatrixView& copy,
                            const MatrixView& b) {
    multiply_or_prepare(gemm, queue,
                        {{kCut, kColumns, kCut}, 1, {inverses_, 0, kBlock}, copy, 0, b});
  };
  const auto ask = [&] {
    make();
    Gemm gemm(context, type);
    for (const bool upper : {false, true})
      require_triangular_solve(
          context, type, kCut, kColumns, upper, [&](const MatrixView& t, const MatrixView& b) {
            const MatrixView copy{context.allocate(kCut * kColumns * element, kInverseSpace), 0,
                                  kColumns};
            n_ = kCut;
            invert_blocks({&context.queue(), gemm, t, b}, upper);
            copy_rows(context.queue(), b, copy, kCut, kColumns, element);
            multiply(&context.queue(), gemm, copy, b);
            n_ = n;
          });
  };
  const bool works = context.trials().passes(build, ask);
  if (context.programs().rehearses()) {  // a rehearsal does not run the self-test
    const MatrixView answer{before_.buffer, 0, kColumns};
    Gemm gemm(context, type);
    multiply(nullptr, gemm, answer, answer);
  }
  if (!works)
    throw NoUsableKernel("the kernel for an inverse does not work on " + context.profile().name +
                         ": " + context.trials().reasons({variant.name}));
  make();
}

void FactorInverse::enqueue(const cl::CommandQueue& queue, Gemm& gemm, const MatrixView& lu,
                            const MatrixView& inverse) {
  const Call call{&queue, gemm, lu, inverse};
  invert_blocks(call, false);
  solve_lower(call, 0, n_);  // Y = L^-1
  invert_blocks(call, true);
  solve_upper(call, 0, n_);  // X = U^-1 Y
}

void FactorInverse::prepare(Gemm& gemm, const MatrixView& lu, const MatrixView& inverse) {
  const Call call{nullptr, gemm, lu, inverse};
  solve_lower(call, 0, n_);
  solve_upper(call, 0, n_);
}

void FactorInverse::invert_blocks(const Call& call, bool upper) {
  const auto n = static_cast<cl_uint>(n_);
  cl_uint index = 0;
  pass_view(kernel_, index, call.lu);
  kernel_.set_arguments_from(index, n, cl_uint{upper ? 1U : 0U}, inverses_);
  enqueue_kernel(*call.queue, kernel_, cl::NDRange(kBlock / width_, ceil_div(n, kBlock)),
                 cl::NDRange(kBlock / width_, 1));
}

void FactorInverse::multiply_block(const Call& call, Index row, Index rows, Index columns) {
  const MatrixView inverse{inverses_, row * kBlock, kBlock}, block = call.inverse.at(row, 0);
  if (call.queue != nullptr) copy_rows(*call.queue, block, before_, rows, columns, bytes_of(type_));
  multiply_or_prepare(call.gemm, call.queue,
                      {{rows, columns, rows}, 1, inverse, before_, 0, block});
}

/// Solves for rows row .. row + rows of Y, which are zero from column row + rows on.
void FactorInverse::solve_lower(const Call& call, Index row, Index rows) {
  if (rows <= kBlock) {
    multiply_block(call, row, rows, row + rows);  // Y_k = L_kk^-1 Y_k
    return;
  }
  const Index half = half_of(rows), next = row + half, rest = rows - half;
  solve_lower(call, row, half);
  multiply_or_prepare(call.gemm, call.queue,
                      {{rest, next, half},
                       -1,
                       call.lu.at(next, row),
                       call.inverse.at(row, 0),
                       1,
                       call.inverse.at(next, 0)});  // Y_2 -= L_21 Y_1
  solve_lower(call, next, rest);
}

/// Solves for rows row .. row + rows of X.
void FactorInverse::solve_upper(const Call& call, Index row, Index rows) {
  if (rows <= kBlock) {
    multiply_block(call, row, rows, n_);  // X_k = U_kk^-1 Y_k
    return;
  }
  const Index half = half_of(rows), next = row + half, rest = rows - half;
  solve_upper(call, next, rest);
  multiply_or_prepare(call.gemm, call.queue,
                      {{half, n_, rest},
                       -1,
                       call.lu.at(row, next),
                       call.inverse.at(next, 0),
                       1,
                       call.inverse.at(row, 0)});  // Y_1 -= U_12 X_2
  solve_upper(call, row, half);
}

}  // namespace clgauss
