#include <algorithm>
#include <clgauss/certify.hpp>
#include <clgauss/error.hpp>
#include <cmath>
#include <limits>
#include <utility>

#include "linalg/estimates/error_bounds.hpp"
#include "linalg/estimates/real_operator.hpp"
#include "linalg/estimates/upward.hpp"
#include "matrix/shapes.hpp"

namespace clgauss {

namespace {

/// The real parts above the imaginary ones.
Matrix real_columns(const ComplexMatrix& m) {
  Matrix real(2 * m.rows(), m.cols());
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j) {
      real(i, j) = m(i, j).real();
      real(m.rows() + i, j) = m(i, j).imag();
    }
  return real;
}

/// Upper bounds of moduli, from bounds of the real parts above those of the imaginary ones.
Matrix moduli_up(const Matrix& parts) {
  Matrix moduli(parts.rows() / 2, parts.cols());
  for (Index i = 0; i < moduli.rows(); ++i)
    for (Index j = 0; j < moduli.cols(); ++j)
      moduli(i, j) = modulus_up(parts(i, j), parts(moduli.rows() + i, j));
  return moduli;
}

Matrix moduli_of(const ComplexMatrix& m) {
  Matrix moduli(m.rows(), m.cols());
  for (Index i = 0; i < m.rows(); ++i)
    for (Index j = 0; j < m.cols(); ++j)
      moduli(i, j) = std::min(std::abs(m(i, j)), std::numeric_limits<double>::max());
  return moduli;
}

}  // namespace

Certificate certify(Context& context, const ComplexSystem& system, const ComplexSolution& solution,
                    const LuOptions& options, const ProgressCallback& progress) {
  const ComplexMatrix& x = solution.x;
  check_shapes(system);
  if (x.rows() != system.b.rows() || x.cols() != system.b.cols())
    throw DimensionError("a certificate needs x and b of the same shape, with as many rows as A");
  Solution real;
  real.x = real_columns(x);
  real.trust = solution.trust;
  Certificate certificate = certify(
      context, System{real_operator(system.a), real_columns(system.b)}, real, options, progress);
  if (!certificate.proven) return certificate;
  Matrix bounds = moduli_up(certificate.bounds);
  if (!are_bounds(bounds)) return unproven(certificate.norm_bound, kNoBound);
  return proven(moduli_of(x), std::move(bounds), certificate.norm_bound);
}

Certificate certify(Context& context, const ComplexSystem& system, const ComplexMatrix& x,
                    const LuOptions& options, const ProgressCallback& progress) {
  ComplexSolution solution;
  solution.x = x;
  return certify(context, system, solution, options, progress);
}

Certificate certify_inverse(Context& context, const ComplexMatrix& a, const ComplexMatrix& x,
                            const LuOptions& options, const ProgressCallback& progress) {
  ComplexMatrix identity(a.rows(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) identity.set(i, i, 1);
  return certify(context, ComplexSystem{a, std::move(identity)}, x, options, progress);
}

}  // namespace clgauss
