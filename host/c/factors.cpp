// getrf_host, getrs_host, getri, potrs and potri of clgauss.h, with factors in host memory in the
// format of LAPACK's getrf and potrf. The host exchanges rows; the device holds L and U.
#include <clgauss.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/gemm.hpp>
#include <clgauss/solve.hpp>
#include <complex>
#include <concepts>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "c/by_factors.hpp"
#include "c/gesv.hpp"
#include "kernels/substitution/triangle_inverse.hpp"
#include "linalg/lu/getrs.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"

namespace clgauss::c {

template <std::floating_point Real>
clgauss_status solve_by_factors(const Use& use, const Triangles<Real>& m,
                                const HostMatrix<Real>& b) {
  Context& context = use.context();
  ManySolves solves(context, choose_type(context.profile(), kRealType<Real>), b.rows, {});
  io::require_memory("A copy of X", b.rows, b.columns);
  const MatrixView lu = uploaded_factors(use, m), x = uploaded(context, b, b.columns, "B");
  solves.substitute(context.queue(), lu, static_cast<cl_uint>(b.rows), x,
                    static_cast<cl_uint>(b.columns));
  const WeightedSums<Real> of_m = weighted_sums_of_product(m);  // while the device computes
  Values space(fetched_space(context, b));
  const Fetched<Real> answer(context, x, b, space);
  if (!is_answer(of_m, constant(b), answer.matrix())) return out_of_range_or_wrong(of_m.norm1);
  copy(answer.matrix(), b);
  return CLGAUSS_OK;
}

#define CLGAUSS_FOR(Real)                                                      \
  template clgauss_status solve_by_factors(const Use&, const Triangles<Real>&, \
                                           const HostMatrix<Real>&);
CLGAUSS_FOR(float)
CLGAUSS_FOR(double)
#undef CLGAUSS_FOR

namespace {

/// The n row exchanges in the caller's ipiv, counted from 0.
std::vector<Index> exchanges_of(const int32_t* ipiv, Index n) {
  not_null(ipiv, "ipiv");
  std::vector<Index> exchanges(n);
  for (Index k = 0; k < n; ++k) {
    if (ipiv[k] < 1 || static_cast<Index>(ipiv[k]) > n)
      throw UsageError(
          fmt::format("ipiv[{}] is {}, not a row of {}, counted from 1", k, ipiv[k], n));
    exchanges[k] = static_cast<Index>(ipiv[k]) - 1;
  }
  return exchanges;
}

/// L with its unit diagonal and the zeros above written out, which are the LU factors L and I.
template <typename Number>
HostMatrix<const Number> lower_factor(const HostMatrix<const Number>& lu, Number* space) {
  const Index n = lu.rows;
  for_lower_triangle(n, [&](Index i, Index j) {
    space[i * n + j] = i == j ? Number{1} : lu.data[i * lu.row_step + j * lu.column_step];
    if (i != j) space[j * n + i] = 0;
  });
  return constant(row_major(space, n, n, n));
}

/// For A = (A1 A2), A1 m-by-m: P A1 = L U1 and U2 = L^-1 P A2.
template <typename Number>
clgauss_status getrf(clgauss_context handle, int layout, Index m, Index n, Number* a_data,
                     Index lda, int32_t* ipiv) {
  const Use use(object_of(handle));
  check_counts(m, n);
  const auto a = host_matrix(layout, m, n, a_data, lda, "A");
  if (a.empty()) return CLGAUSS_OK;
  not_null(ipiv, "ipiv");
  if (m > n) return tall_getrf(use, a, ipiv);
  const HostMatrix<Number> left{a.data, m, m, a.row_step, a.column_step},
      right{a.data + m * a.column_step, m, n - m, a.row_step, a.column_step};
  const HostMatrix<Number> no_sides{nullptr, m, 0, 1, 1};
  if (m == n) return gesv(use, left, ipiv, no_sides);
  io::require_memory("Copies of A and L", m, n + m);
  const Copied<Number> factors(left), u2(right);
  std::vector<int32_t> rows(m);
  const clgauss_status status = gesv(use, factors.matrix, rows.data(), no_sides);
  if (status != CLGAUSS_OK && status != CLGAUSS_SINGULAR) return status;
  exchange_rows(u2.matrix, exchanges_of(rows.data(), m), false);
  Values space(doubles_for(left));
  const auto l = lower_factor(constant(factors.matrix), reinterpret_cast<Number*>(space.data()));
  const clgauss_status of_u2 = solve_by_factors(use, triangles_of_lu(l, false), u2.matrix);
  if (of_u2 != CLGAUSS_OK) return of_u2;
  copy(factors.matrix, left);
  copy(u2.matrix, right);
  std::ranges::copy(rows, ipiv);
  return status;
}

template <typename Number>
clgauss_status getrs(clgauss_context handle, int layout, int trans, Index n, Index nrhs,
                     const Number* a_data, Index lda, const int32_t* ipiv, Number* b_data,
                     Index ldb) {
  const Use use(object_of(handle));
  check_counts(n, nrhs);
  const bool transposed = is_transposed(trans);
  const auto lu = host_matrix(layout, n, n, a_data, lda, "A");
  const auto b = host_matrix(layout, n, nrhs, b_data, ldb, "B");
  if (b.empty()) return CLGAUSS_OK;
  const std::vector<Index> exchanges = exchanges_of(ipiv, n);
  if (const auto column = zero_pivot(lu)) return singular(*column);
  io::require_memory("A copy of B", n, nrhs);
  const Copied<Number> copied(b);
  const HostMatrix<Number>& x = copied.matrix;
  const bool conjugated = trans == CLGAUSS_CONJUGATE_TRANSPOSE;  // A^T conj(X) = conj(B)
  if (conjugated) conjugate(x);
  if (!transposed) exchange_rows(x, exchanges, false);  // L U X = P B
  const clgauss_status status = solve_by_factors(use, triangles_of_lu(lu, transposed), x);
  if (status != CLGAUSS_OK) return status;
  if (conjugated) conjugate(x);
  if (transposed) exchange_rows(x, exchanges, true);  // U^T L^T P X = B
  copy(x, b);
  return CLGAUSS_OK;
}

/// Computes (L U)^-1 and calls write(inverse) if is_right(sums of L U, inverse) returns true.
template <std::floating_point Real, typename Check, typename Write>
clgauss_status invert_factors(const Use& use, const Triangles<Real>& m, const HostMatrix<Real>& a,
                              const Check& is_right, const Write& write) {
  Context& context = use.context();
  const RealType type = choose_type(context.profile(), kRealType<Real>);
  const Index n = a.rows, ld = padded_ld(n, type);
  io::require_memory("A copy of the inverse", n, n);
  std::optional<Gemm> gemm;
  std::optional<FactorInverse> by_factors;
  context.programs().prepare([&] {
    gemm.emplace(context, type);
    by_factors.emplace(context, type, n);
  });
  const MatrixView x{context.allocate(n * ld * sizeof(Real), "the inverse"), 0, ld};
  const MatrixView lu = uploaded_factors(use, m);
  enqueue_identity(context, type, x, n);
  by_factors->enqueue(context.queue(), *gemm, lu, x);
  const WeightedSums<Real> of_m = weighted_sums_of_product(m);  // while the device computes
  Values own;
  const Fetched<Real> inverse(context, x, a, use.object().space(fetched_space(context, a), own));
  if (!is_right(of_m, inverse.matrix())) return out_of_range_or_wrong(of_m.norm1);
  write(inverse.matrix());
  return CLGAUSS_OK;
}

/// The same for complex numbers, by solving L U X = I.
template <typename Real, typename Check, typename Write>
clgauss_status invert_factors(const Use& use, const Triangles<std::complex<Real>>& m,
                              const HostMatrix<std::complex<Real>>& a, const Check& is_right,
                              const Write& write) {
  io::require_memory("The inverse", a.rows, 2 * a.columns);
  Values space(doubles_for(a), 0.0);
  const auto x = like(a, space.data());
  for (Index i = 0; i < a.rows; ++i) x.data[i * (x.row_step + x.column_step)] = 1;
  const clgauss_status status = solve_by_factors(use, m, x);
  if (status != CLGAUSS_OK) return status;
  const WeightedSums<std::complex<Real>> of_m = weighted_sums_of_product(m);
  if (!is_right(of_m, constant(x))) return out_of_range_or_wrong(of_m.norm1);
  write(constant(x));
  return CLGAUSS_OK;
}

template <typename Number>
clgauss_status getri(clgauss_context handle, int layout, Index n, Number* a_data, Index lda,
                     const int32_t* ipiv) {
  const Use use(object_of(handle));
  check_counts(n, 0);
  const auto a = host_matrix(layout, n, n, a_data, lda, "A");
  if (n == 0) return CLGAUSS_OK;
  const std::vector<Index> exchanges = exchanges_of(ipiv, n);
  if (const auto column = zero_pivot(a)) return singular(*column);
  return invert_factors(use, triangles_of_lu(constant(a), false), a, is_inverse<Number>,
                        [&](const HostMatrix<const Number>& inverse) {  // U^-1 L^-1 P
                          copy(inverse, a);
                          exchange_rows(transposed(a), exchanges, true);
                        });
}

/// B <- (L L^H)^-1 B for the L in the lower triangle of `a`. With `conjugated`, conj(L) replaces L.
template <typename Number>
clgauss_status solve_by_cholesky(const Use& use, const HostMatrix<const Number>& l, bool conjugated,
                                 const HostMatrix<Number>& b) {
  const Triangles<Number> m = triangles_of_cholesky(l);
  if (std::floating_point<Number> || !conjugated) return solve_by_factors(use, m, b);
  io::require_memory("A copy of B", b.rows, 2 * b.columns);
  const Copied<Number> x(b);
  conjugate(x.matrix);
  const clgauss_status status = solve_by_factors(use, m, x.matrix);
  if (status != CLGAUSS_OK) return status;
  conjugate(x.matrix);
  copy(x.matrix, b);
  return CLGAUSS_OK;
}

template <typename Number>
clgauss_status potrs(clgauss_context handle, int layout, int uplo, Index n, Index nrhs,
                     const Number* a_data, Index lda, Number* b_data, Index ldb) {
  const Use use(object_of(handle));
  check_counts(n, nrhs);
  const auto a = with_lower_triangle(host_matrix(layout, n, n, a_data, lda, "A"), uplo);
  const auto b = host_matrix(layout, n, nrhs, b_data, ldb, "B");
  if (b.empty()) return CLGAUSS_OK;
  if (const auto column = zero_pivot(a)) return singular(*column);
  return solve_by_cholesky(use, a, is_upper(uplo), b);  // R^H R = A is L L^H = conj(A)
}

/// For A = R^H R, L = R^T has L L^H = conj(A). The lower triangle of conj(A^-1) is the upper one of
/// A^-1, turned over.
template <typename Number>
clgauss_status potri(clgauss_context handle, int layout, int uplo, Index n, Number* a_data,
                     Index lda) {
  const Use use(object_of(handle));
  check_counts(n, 0);
  const auto a = with_lower_triangle(host_matrix(layout, n, n, a_data, lda, "A"), uplo);
  if (n == 0) return CLGAUSS_OK;
  if (const auto column = zero_pivot(a)) return singular(*column);
  return invert_factors(use, triangles_of_cholesky(constant(a)), a, is_symmetric_inverse<Number>,
                        [&](const HostMatrix<const Number>& inverse) {
                          for_lower_triangle(n, [&](Index i, Index j) {
                            const Number x =
                                inverse.data[i * inverse.row_step + j * inverse.column_step];
                            a.data[i * a.row_step + j * a.column_step] = i == j ? std::real(x) : x;
                          });
                        });
}

}  // namespace

}  // namespace clgauss::c

using namespace clgauss;
using namespace clgauss::c;

extern "C" {

clgauss_status clgauss_sgetrf_host(clgauss_context context, int layout, size_t m, size_t n,
                                   float* a, size_t lda, int32_t* ipiv) {
  return guarded([&] { return getrf(context, layout, m, n, a, lda, ipiv); });
}

clgauss_status clgauss_dgetrf_host(clgauss_context context, int layout, size_t m, size_t n,
                                   double* a, size_t lda, int32_t* ipiv) {
  return guarded([&] { return getrf(context, layout, m, n, a, lda, ipiv); });
}

clgauss_status clgauss_sgetrs_host(clgauss_context context, int layout, int trans, size_t n,
                                   size_t nrhs, const float* a, size_t lda, const int32_t* ipiv,
                                   float* b, size_t ldb) {
  return guarded([&] { return getrs(context, layout, trans, n, nrhs, a, lda, ipiv, b, ldb); });
}

clgauss_status clgauss_dgetrs_host(clgauss_context context, int layout, int trans, size_t n,
                                   size_t nrhs, const double* a, size_t lda, const int32_t* ipiv,
                                   double* b, size_t ldb) {
  return guarded([&] { return getrs(context, layout, trans, n, nrhs, a, lda, ipiv, b, ldb); });
}

clgauss_status clgauss_sgetri(clgauss_context context, int layout, size_t n, float* a, size_t lda,
                              const int32_t* ipiv) {
  return guarded([&] { return getri(context, layout, n, a, lda, ipiv); });
}

clgauss_status clgauss_dgetri(clgauss_context context, int layout, size_t n, double* a, size_t lda,
                              const int32_t* ipiv) {
  return guarded([&] { return getri(context, layout, n, a, lda, ipiv); });
}

#define CLGAUSS_FOR(letter, Number)                                                                \
  clgauss_status clgauss_##letter##getrf_host(clgauss_context context, int layout, size_t m,       \
                                              size_t n, void* a, size_t lda, int32_t* ipiv) {      \
    return guarded(                                                                                \
        [&] { return getrf(context, layout, m, n, static_cast<Number*>(a), lda, ipiv); });         \
  }                                                                                                \
  clgauss_status clgauss_##letter##getrs_host(clgauss_context context, int layout, int trans,      \
                                              size_t n, size_t nrhs, const void* a, size_t lda,    \
                                              const int32_t* ipiv, void* b, size_t ldb) {          \
    return guarded([&] {                                                                           \
      return getrs(context, layout, trans, n, nrhs, static_cast<const Number*>(a), lda, ipiv,      \
                   static_cast<Number*>(b), ldb);                                                  \
    });                                                                                            \
  }                                                                                                \
  clgauss_status clgauss_##letter##getri(clgauss_context context, int layout, size_t n, void* a,   \
                                         size_t lda, const int32_t* ipiv) {                        \
    return guarded([&] { return getri(context, layout, n, static_cast<Number*>(a), lda, ipiv); }); \
  }                                                                                                \
  clgauss_status clgauss_##letter##potrs(clgauss_context context, int layout, int uplo, size_t n,  \
                                         size_t nrhs, const void* a, size_t lda, void* b,          \
                                         size_t ldb) {                                             \
    return guarded([&] {                                                                           \
      return potrs(context, layout, uplo, n, nrhs, static_cast<const Number*>(a), lda,             \
                   static_cast<Number*>(b), ldb);                                                  \
    });                                                                                            \
  }                                                                                                \
  clgauss_status clgauss_##letter##potri(clgauss_context context, int layout, int uplo, size_t n,  \
                                         void* a, size_t lda) {                                    \
    return guarded([&] { return potri(context, layout, uplo, n, static_cast<Number*>(a), lda); }); \
  }
CLGAUSS_FOR(c, std::complex<float>)
CLGAUSS_FOR(z, std::complex<double>)
#undef CLGAUSS_FOR

clgauss_status clgauss_spotrs(clgauss_context context, int layout, int uplo, size_t n, size_t nrhs,
                              const float* a, size_t lda, float* b, size_t ldb) {
  return guarded([&] { return potrs(context, layout, uplo, n, nrhs, a, lda, b, ldb); });
}

clgauss_status clgauss_dpotrs(clgauss_context context, int layout, int uplo, size_t n, size_t nrhs,
                              const double* a, size_t lda, double* b, size_t ldb) {
  return guarded([&] { return potrs(context, layout, uplo, n, nrhs, a, lda, b, ldb); });
}

clgauss_status clgauss_spotri(clgauss_context context, int layout, int uplo, size_t n, float* a,
                              size_t lda) {
  return guarded([&] { return potri(context, layout, uplo, n, a, lda); });
}

clgauss_status clgauss_dpotri(clgauss_context context, int layout, int uplo, size_t n, double* a,
                              size_t lda) {
  return guarded([&] { return potri(context, layout, uplo, n, a, lda); });
}

}  // extern "C"
