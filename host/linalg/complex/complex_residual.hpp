#pragma once
/// Complex systems as real systems of twice the size, for refinement and estimates. Rows
/// 2 i and 2 i + 1 of a vector hold the parts of its number i. A complex matrix of n rows and k
/// columns is thus a real one of 2 n rows and k columns: it is "in pairs".

#include <clgauss/complex.hpp>
#include <optional>

#include "linalg/refinement/extra_precise.hpp"
#include "linalg/refinement/system_operator.hpp"
#include "matrix/scaling.hpp"

namespace clgauss {

/// in_pairs() converts the parts of n-by-k numbers, stored n-by-2k, to 2n-by-k. from_pairs()
/// converts back.
[[nodiscard]] Matrix in_pairs(const ComplexMatrix& matrix);
[[nodiscard]] ComplexMatrix from_pairs(const Matrix& pairs);
/// The real 2n-by-2k matrix that A in parts, n-by-2n, is multiplied with for A X in parts. `x` is
/// in pairs, 2n-by-k.
[[nodiscard]] Matrix beside_parts(const Matrix& x);

/// Norms of 2^-exponent A, from moduli, and the exponent of A's largest finite part. NaN if A
/// contains a NaN. Reads A once.
struct ComplexNorms {
  int exponent = 0;
  double one = 0, infinity = 0;
};
[[nodiscard]] ComplexNorms norms_of(const ComplexMatrix& a);

/// The residual of a solution, from one pass over A. r and d are in pairs: B - A X and, part by
/// part, |B| + |A| |X|.
struct ComplexAnswerResidual {
  Residual norms;
  Matrix r, d;
};
[[nodiscard]] ComplexAnswerResidual answer_residual(const ComplexSystem& system,
                                                    const ComplexNorms& norms, const Matrix& x,
                                                    double eps);

/// The same from r and d that a device computed in f64. The host recomputes every 31st row. Returns
/// nothing if one of them differs by more than rounding, or if numbers come near the ends of f64's
/// range; the host must then compute the residual.
[[nodiscard]] std::optional<ComplexAnswerResidual> confirmed_residual(const ComplexSystem& system,
                                                                      const ComplexNorms& norms,
                                                                      const Matrix& x, double eps,
                                                                      Matrix r, Matrix d);

/// Computes on the host's cores from the host's copy, which must outlive it. Vectors are in pairs.
class ComplexOperator : public SystemOperator {
 public:
  explicit ComplexOperator(const ComplexSystem& system) : system_(system) {}

  void residual(const Matrix& x, Matrix& r, Matrix& d) override;
  [[nodiscard]] Matrix product(const Matrix& v) override;

 private:
  const ComplexSystem& system_;
};

/// The same in extra precision, for a system with scaled columns and right-hand sides. System and
/// scaling must outlive it.
class ExtraPreciseComplex : public ExtraPreciseOperator {
 public:
  /// `scaling` has an exponent for each of A's 2 n rows and columns of parts, and for each of B's
  /// columns; each of them may be empty.
  ExtraPreciseComplex(const ComplexSystem& system, const Scaling& scaling)
      : system_(system), scaling_(scaling) {}

  void residual(const TwoParts& x, Matrix& r, Matrix& d) override;
  [[nodiscard]] bool pairs() const override { return true; }

 private:
  const ComplexSystem& system_;
  const Scaling& scaling_;
};

}  // namespace clgauss
