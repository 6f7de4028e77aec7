#pragma once
/// b - A x in f64 or better accuracy on devices without fp64, cl/refinement/residual_integer.cl.

#include <array>
#include <clgauss/context.hpp>
#include <clgauss/lab/variant.hpp>
#include <clgauss/view.hpp>
#include <span>

namespace clgauss {

[[nodiscard]] const KernelVariant& residual_integer_variant();

/// The kernel's result for one row and one right-hand side.
struct IntegerSums {
  std::array<cl_long, 4> parts{};  // high and low parts of r, then of d, in units of 2^exponent
  cl_int exponent = 0;

  bool operator==(const IntegerSums&) const = default;

  /// b - A x, with an error of at most 2^-53 |r| + (n + 1) 2^-61 d, plus any underflow in f64. NaN
  /// if a number was not finite.
  [[nodiscard]] double residual() const { return value(parts[0], parts[1]); }
  /// |b| + |A| |x|.
  [[nodiscard]] double size() const { return value(parts[2], parts[3]); }

 private:
  [[nodiscard]] double value(cl_long high, cl_long low) const;
};

/// The kernel's computation on the host, with bitwise equal results.
[[nodiscard]] IntegerSums integer_sums(std::span<const double> a, std::span<const double> x,
                                       double b);

class IntegerResidual {
 public:
  /// A, and the transposes of X and B, in f64 as in host memory.
  struct Operands {
    MatrixView a;
    cl::Buffer x, b;
    Index n, nrhs;
  };

  /// Throws NoUsableKernel.
  explicit IntegerResidual(Context& context);

  /// The sums of the first `rows` rows of A, with as many rows of B: nrhs x rows, one row per
  /// right-hand side. Waits.
  [[nodiscard]] std::vector<IntegerSums> sums(const Operands& operands, Index rows) const;

 private:
  [[nodiscard]] Defines macros() const;
  void require_known_answer() const;

  Context context_;
  Parameters parameters_;
  Kernel kernel_;
};

}  // namespace clgauss
