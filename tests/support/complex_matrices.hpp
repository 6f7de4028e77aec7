#pragma once
/// Complex matrices for tests.

#include <clgauss/complex.hpp>
#include <clgauss/lab/generate.hpp>
#include <utility>

namespace clgauss::test {

inline ComplexMatrix random_complex(Index rows, Index cols, std::uint64_t seed) {
  return ComplexMatrix(random_matrix(rows, 2 * cols, seed));
}

/// A X = B with a random B.
inline ComplexSystem system_of(ComplexMatrix a, Index nrhs = 1) {
  const Index n = a.rows();
  return {std::move(a), random_complex(n, nrhs, 77)};
}

inline ComplexMatrix product(const ComplexMatrix& a, const ComplexMatrix& x) {
  ComplexMatrix y(a.rows(), x.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index c = 0; c < x.cols(); ++c) {
      std::complex<double> sum = 0;
      for (Index k = 0; k < a.cols(); ++k) sum += a(i, k) * x(k, c);
      y.set(i, c, sum);
    }
  return y;
}

inline ComplexMatrix conjugate_transposed(const ComplexMatrix& a) {
  ComplexMatrix turned(a.cols(), a.rows());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) turned.set(j, i, std::conj(a(i, j)));
  return turned;
}

inline ComplexMatrix identity(Index n) {
  ComplexMatrix one(n, n);
  for (Index i = 0; i < n; ++i) one.set(i, i, 1);
  return one;
}

}  // namespace clgauss::test
