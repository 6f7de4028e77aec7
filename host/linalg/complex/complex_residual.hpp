#pragma once
/// Complex systems as the real ones of twice the size that they stand for, for what refinement and
/// estimates ask of them: a vector's rows 2 i and 2 i + 1 are the parts of its number i, and a
/// complex matrix of n rows and k columns is a real one of 2 n rows and k columns.

#include <clgauss/complex.hpp>

#include "linalg/refinement/extra_precise.hpp"
#include "linalg/refinement/system_operator.hpp"
#include "matrix/scaling.hpp"

namespace clgauss {

/// The parts of n-by-k numbers, n-by-2k, as 2n-by-k, and back.
[[nodiscard]] Matrix in_pairs(const ComplexMatrix& matrix);
[[nodiscard]] ComplexMatrix from_pairs(const Matrix& pairs);

/// Norms of 2^-exponent A, of moduli, and the exponent of A's largest finite part; NaN where A
/// holds one. Reads A once.
struct ComplexNorms {
  int exponent = 0;
  double one = 0, infinity = 0;
};
[[nodiscard]] ComplexNorms norms_of(const ComplexMatrix& a);

/// What one pass over A tells of an answer; r and d are in pairs: B - A X and, part by part, |B| +
/// |A| |X|.
struct ComplexAnswerResidual {
  Residual norms;
  Matrix r, d;
};
[[nodiscard]] ComplexAnswerResidual answer_residual(const ComplexSystem& system,
                                                    const ComplexNorms& norms, const Matrix& x,
                                                    double eps);

/// By the cores of the host, from its copy, which must outlive it. Vectors are in pairs.
class ComplexOperator : public SystemOperator {
 public:
  explicit ComplexOperator(const ComplexSystem& system) : system_(system) {}

  void residual(const Matrix& x, Matrix& r, Matrix& d) override;
  [[nodiscard]] Matrix product(const Matrix& v) override;

 private:
  const ComplexSystem& system_;
};

/// The same in extra precision, of a system whose columns and right-hand sides are scaled. System
/// and scaling must outlive it.
class ExtraPreciseComplex : public ExtraPreciseOperator {
 public:
  /// An exponent for each of A's 2 n rows and columns of parts, of which either may be empty, and
  /// for each of B's columns.
  ExtraPreciseComplex(const ComplexSystem& system, const Scaling& scaling)
      : system_(system), scaling_(scaling) {}

  void residual(const TwoParts& x, Matrix& r, Matrix& d) override;
  [[nodiscard]] bool pairs() const override { return true; }

 private:
  const ComplexSystem& system_;
  const Scaling& scaling_;
};

}  // namespace clgauss
