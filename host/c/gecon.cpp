// gecon_host of clgauss.h.
#include <clgauss.h>
#include <fmt/format.h>

#include <clgauss/condition.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <complex>
#include <concepts>

#include "c/by_factors.hpp"
#include "constants.hpp"
#include "linalg/estimates/host_triangles.hpp"
#include "linalg/estimates/norm_estimator.hpp"

namespace clgauss::c {

namespace {

/// L\U by its contiguous lines. Read that way, a column-major M is U^T L^T.
template <typename Number>
HostTriangles<Number> lines_of(const HostMatrix<const Number>& lu) {
  const bool by_rows = lu.column_step == 1;
  return {lu.data, lu.rows, by_rows ? lu.row_step : lu.column_step, by_rows};
}

/// Whether a u_ii is infinite: 1 / u_ii would be 0 and hide it.
template <typename Number>
bool has_infinite_pivot(const HostMatrix<const Number>& lu) {
  for (Index i = 0; i < lu.rows; ++i) {
    const Number pivot = lu.data[i * (lu.row_step + lu.column_step)];
    if (std::isinf(std::real(pivot)) || std::isinf(std::imag(pivot))) return true;
  }
  return false;
}

/// conj(X), whose rows 2 i + 1 hold imaginary parts.
Matrix conjugated_pairs(Matrix x) {
  for (Index i = 1; i < x.rows(); i += 2)
    for (double& part : x.row(i)) part = -part;
  return x;
}

/// Products by M^-1, or with `turned` by M^-T, for the M whose factors are `lines`.
template <typename Number>
InverseProducts inverse_of(const HostTriangles<Number>& lines, bool turned) {
  const auto solve = [&lines](bool transposed) {
    return [&lines, transposed](const Matrix& x) { return lines.solve(x, transposed); };
  };
  if constexpr (std::floating_point<Number>) {
    return {lines.n, solve(turned), solve(!turned)};
  } else {
    const auto by_conjugates = [solve, turned](const Matrix& x) {
      return conjugated_pairs(solve(!turned)(conjugated_pairs(x)));
    };
    return {2 * lines.n, solve(turned), by_conjugates, true};
  }
}

template <typename Number>
clgauss_status gecon(clgauss_context handle, int layout, int norm, Index n, const Number* a,
                     Index lda, double anorm, double* rcond) {
  const Use use(object_of(handle));
  check_counts(n, 0);
  if (norm != CLGAUSS_ONE_NORM && norm != CLGAUSS_INF_NORM)
    throw UsageError(
        fmt::format("norm is {}, neither CLGAUSS_ONE_NORM (171) nor CLGAUSS_INF_NORM (175)", norm));
  if (!(anorm >= 0))
    throw UsageError(fmt::format("anorm is {}; a norm is a number of at least 0", anorm));
  const auto lu = host_matrix(layout, n, n, a, lda, "A");
  not_null(rcond, "rcond");
  if (n == 0 || zero_pivot(lu)) {
    *rcond = n == 0 ? 1 : 0;
    return CLGAUSS_OK;
  }
  const HostTriangles<Number> lines = lines_of(lu);
  const bool turned = lines.is_unit_lower == (norm == CLGAUSS_INF_NORM);
  const double norm_of_inverse =
      has_infinite_pivot(lu) ? kInfinity : inverse_norm1(inverse_of(lines, turned), kFewColumns);
  if (norm_of_inverse == kInfinity) return out_of_range_or_wrong(norm_of_inverse);
  *rcond = rcond_of(n, anorm, norm_of_inverse);
  return CLGAUSS_OK;
}

}  // namespace

}  // namespace clgauss::c

using namespace clgauss;
using namespace clgauss::c;

extern "C" {

clgauss_status clgauss_sgecon_host(clgauss_context context, int layout, int norm, size_t n,
                                   const float* a, size_t lda, double anorm, double* rcond) {
  return guarded([&] { return gecon(context, layout, norm, n, a, lda, anorm, rcond); });
}

clgauss_status clgauss_dgecon_host(clgauss_context context, int layout, int norm, size_t n,
                                   const double* a, size_t lda, double anorm, double* rcond) {
  return guarded([&] { return gecon(context, layout, norm, n, a, lda, anorm, rcond); });
}

#define CLGAUSS_FOR(letter, Number)                                                              \
  clgauss_status clgauss_##letter##gecon_host(clgauss_context context, int layout, int norm,     \
                                              size_t n, const void* a, size_t lda, double anorm, \
                                              double* rcond) {                                   \
    return guarded([&] {                                                                         \
      return gecon(context, layout, norm, n, static_cast<const Number*>(a), lda, anorm, rcond);  \
    });                                                                                          \
  }
CLGAUSS_FOR(c, std::complex<float>)
CLGAUSS_FOR(z, std::complex<double>)
#undef CLGAUSS_FOR

}  // extern "C"
