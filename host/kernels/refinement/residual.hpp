#pragma once
/// The residual b - A x, and the sum that it is compared with, on the device:
/// cl/refinement/residual.cl.

#include <array>
#include <clgauss/context.hpp>
#include <clgauss/lab/variant.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <map>

namespace clgauss {

/// The parameter WG_SIZE of a kernel whose work-groups add up one row each: a power of two.
[[nodiscard]] ParameterSpec group_of_a_row();

/// One work-item per core adds up that core's rows.
[[nodiscard]] const KernelVariant& residual_cpu_variant();
/// One work-group per row.
[[nodiscard]] const KernelVariant& residual_variant();

/// X, B and the results, transposed: nrhs x n each, X nrhs x columns, so that a right-hand side is
/// a contiguous row.
struct ResidualOperands {
  cl::Buffer x, x_lo;  // x_lo is used for two parts only
  cl::Buffer b;
  cl::Buffer r;  // b - A x
  cl::Buffer d;  // |b| + |A| |x|, an ordinary sum
};

/// How r is summed up; this determines which kernels are built.
enum class ResidualSum {
  ordinary,
  accurate,           // double-double, rounded once: as in twice the type's precision
  accurate_two_parts  // the same for x + x_lo, |x_lo| <= u |x|
};

class ResidualKernel {
 public:
  /// Uses the first of residual_variants() whose kernel passes its self-test. Throws
  /// NoUsableKernel.
  ResidualKernel(Context& context, RealType type, ResidualSum sum);

  /// Uses this variant and these parameters, which the caller must have checked.
  ResidualKernel(Context& context, RealType type, ResidualSum sum, const KernelVariant& variant,
                 Parameters parameters);

  /// Builds and self-tests the kernels for this many right-hand sides.
  void prepare(Index nrhs);

  /// Whether the kernel for `rhs` (1, 2 or 4) right-hand sides at once passed its self-test.
  bool works(cl_uint rhs);

  /// R <- B - A X and D <- |B| + |A| |X| for an n-by-n A of the type, or one with as many rows and
  /// columns as `shape` says. Does not wait. 2 n^2 nrhs flops, 17 times as many with an accurate
  /// sum.
  void enqueue(const cl::CommandQueue& queue, const MatrixView& a, Index n, Index nrhs,
               const ResidualOperands& operands) {
    enqueue(queue, a, {n, n}, nrhs, operands);
  }
  void enqueue(const cl::CommandQueue& queue, const MatrixView& a,
               const std::array<Index, 2>& shape, Index nrhs, const ResidualOperands& operands);

 private:
  [[nodiscard]] Defines macros(cl_uint rhs) const;
  [[nodiscard]] bool two_parts() const { return sum_ == ResidualSum::accurate_two_parts; }
  /// How many of the `left` remaining right-hand sides the next launch takes.
  cl_uint at_once(Index left);
  void launch(const cl::CommandQueue& queue, const MatrixView& a, const std::array<Index, 2>& shape,
              const std::array<cl_uint, 2>& rhs, const ResidualOperands& operands);

  Context context_;
  RealType type_;
  ResidualSum sum_;
  const KernelVariant* variant_ = nullptr;
  Parameters parameters_;
  std::map<cl_uint, Kernel> kernels_;  // by right-hand sides per launch
};

}  // namespace clgauss
