#include "linalg/estimates/real_operator.hpp"

#include <complex>

namespace clgauss {

Matrix real_operator(const ComplexMatrix& m) {
  Matrix real(2 * m.rows(), 2 * m.cols());
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j) {
      const std::complex<double> value = m(i, j);
      real(i, j) = real(m.rows() + i, m.cols() + j) = value.real();
      real(i, m.cols() + j) = -value.imag();
      real(m.rows() + i, j) = value.imag();
    }
  return real;
}

}  // namespace clgauss
