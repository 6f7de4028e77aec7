// gels, gelsy and lstsq of clgauss.h.
#include <clgauss.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/least_squares.hpp>

#include "c/call.hpp"
#include "c/handles.hpp"
#include "c/host_matrix.hpp"
#include "matrix/fit.hpp"

namespace clgauss::c {

namespace {

template <typename Real>
struct Wanted {
  LeastSquaresOptions options;
  const Real* weights = nullptr;  // m entries
  size_t* rank = nullptr;
};

/// gels; with a pointer for the rank it is gelsy and lstsq.
template <typename Real>
clgauss_status gels(clgauss_context handle, int layout, Index m, Index n, Index nrhs,
                    const Real* a_data, Index lda, Real* b_data, Index ldb,
                    const Wanted<Real>& wanted) {
  const Use use(object_of(handle));
  constexpr Index kMost = Index{1} << 31U;
  if (m >= kMost || n >= kMost || nrhs >= kMost)
    throw DimensionError("m, n and nrhs: none may be 2^31 or more");
  const auto from = host_matrix(layout, m, n, a_data, lda, "A");
  const auto both = host_matrix(layout, std::max(m, n), nrhs, b_data, ldb, "B");
  if (wanted.rank != nullptr) *wanted.rank = 0;
  if (from.empty() || nrhs == 0) return CLGAUSS_OK;
  Values own;
  Matrix a(m, n, Values(m * n, UninitializedAllocator(use.object().space(m * n, own).data()))),
      b(m, nrhs);
  copy(from, row_major(a.values().data(), m, n, n));
  auto of_b = both;
  of_b.rows = m;
  copy(of_b, row_major(b.values().data(), m, nrhs, nrhs));
  LeastSquaresOptions options = wanted.options;
  if (wanted.weights != nullptr) options.weights.assign(wanted.weights, wanted.weights + m);
  if (kRealType<Real> == RealType::f32) options.type = RealType::f32;
  const LeastSquares answer = least_squares(use.context(), a, b, options);
  if (wanted.rank != nullptr) *wanted.rank = answer.rank;
  switch (answer.status) {
    case LeastSquaresStatus::rank_deficient:
      return failed(CLGAUSS_SINGULAR,
                    fmt::format("A has the rank {}, not {}, to the tolerance {:.3g}", answer.rank,
                                std::min(m, n), answer.tolerance)
                        .c_str());
    case LeastSquaresStatus::overflow:
      return failed(CLGAUSS_OVERFLOW, kOutOfRange);
    case LeastSquaresStatus::ok:
    case LeastSquaresStatus::inaccurate:
      break;
  }
  if (!fit_in<Real>(answer.x.values()))
    return failed(CLGAUSS_OVERFLOW, "numbers of x are too large for float");
  auto x = both;
  x.rows = n;
  copy(HostMatrix<const double>{answer.x.values().data(), n, nrhs, nrhs, 1}, x);
  if (answer.status == LeastSquaresStatus::ok) return CLGAUSS_OK;
  return failed(CLGAUSS_INACCURATE, fmt::format("x fails its check: {:.3g} is above {:g}",
                                                answer.scaled_residual, options.max_scaled_residual)
                                        .c_str());
}

/// Options that report a rank below min(m, n) as CLGAUSS_SINGULAR.
template <typename Real>
Wanted<Real> of_full_rank() {
  Wanted<Real> wanted;
  wanted.options.require_full_rank = true;
  return wanted;
}

/// rcond is that of LAPACK's gelsy, except that a negative value selects the default tolerance.
template <typename Real>
Wanted<Real> of_any_rank(double rcond, size_t* rank, const Real* weights = nullptr,
                         double ridge = 0) {
  Wanted<Real> wanted{{}, weights, not_null(rank, "rank")};
  if (!(rcond < 0)) wanted.options.rank_tolerance = rcond;
  wanted.options.ridge = ridge;
  return wanted;
}

}  // namespace

}  // namespace clgauss::c

using namespace clgauss;
using namespace clgauss::c;

extern "C" {

clgauss_status clgauss_sgels(clgauss_context context, int layout, size_t m, size_t n, size_t nrhs,
                             const float* a, size_t lda, float* b, size_t ldb) {
  return guarded(
      [&] { return gels(context, layout, m, n, nrhs, a, lda, b, ldb, of_full_rank<float>()); });
}

clgauss_status clgauss_dgels(clgauss_context context, int layout, size_t m, size_t n, size_t nrhs,
                             const double* a, size_t lda, double* b, size_t ldb) {
  return guarded(
      [&] { return gels(context, layout, m, n, nrhs, a, lda, b, ldb, of_full_rank<double>()); });
}

clgauss_status clgauss_sgelsy(clgauss_context context, int layout, size_t m, size_t n, size_t nrhs,
                              const float* a, size_t lda, float* b, size_t ldb, double rcond,
                              size_t* rank) {
  return guarded([&] {
    return gels(context, layout, m, n, nrhs, a, lda, b, ldb, of_any_rank<float>(rcond, rank));
  });
}

clgauss_status clgauss_dgelsy(clgauss_context context, int layout, size_t m, size_t n, size_t nrhs,
                              const double* a, size_t lda, double* b, size_t ldb, double rcond,
                              size_t* rank) {
  return guarded([&] {
    return gels(context, layout, m, n, nrhs, a, lda, b, ldb, of_any_rank<double>(rcond, rank));
  });
}

clgauss_status clgauss_slstsq(clgauss_context context, int layout, size_t m, size_t n, size_t nrhs,
                              const float* a, size_t lda, float* b, size_t ldb,
                              const float* weights, double ridge, double rcond, size_t* rank) {
  return guarded([&] {
    return gels(context, layout, m, n, nrhs, a, lda, b, ldb,
                of_any_rank(rcond, rank, weights, ridge));
  });
}

clgauss_status clgauss_dlstsq(clgauss_context context, int layout, size_t m, size_t n, size_t nrhs,
                              const double* a, size_t lda, double* b, size_t ldb,
                              const double* weights, double ridge, double rcond, size_t* rank) {
  return guarded([&] {
    return gels(context, layout, m, n, nrhs, a, lda, b, ldb,
                of_any_rank(rcond, rank, weights, ridge));
  });
}

}  // extern "C"
