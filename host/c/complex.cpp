// gesv and posv of complex numbers, and solves with their factors.
#include <clgauss.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/solve.hpp>
#include <complex>
#include <optional>
#include <vector>

#include "c/by_factors.hpp"
#include "c/cholesky.hpp"
#include "c/complex_system.hpp"
#include "c/gesv.hpp"
#include "c/host_transfer.hpp"
#include "c/weighted_sums.hpp"
#include "io/memory.hpp"
#include "linalg/complex/complex_substitution.hpp"
#include "linalg/lu/lu_backend.hpp"

namespace clgauss::c {

namespace {

/// make_lu(type) returns the ComplexLu for the m-by-n `a`, m >= n. `b` is empty where m > n.
template <typename Real, typename MakeLu>
clgauss_status gesv(const Use& use, const HostMatrix<std::complex<Real>>& a, int32_t* ipiv,
                    const HostMatrix<std::complex<Real>>& b, const MakeLu& make_lu) {
  using Number = std::complex<Real>;
  Context& context = use.context();
  const Index nrhs = b.columns;
  io::require_memory("A copy of A and B", a.rows, 2 * (a.columns + nrhs));
  Values own, space_of_x(doubles_for(b));
  const auto factors = like(a, use.object().space(doubles_for(a), own).data());
  const auto x = like(b, space_of_x.data());

  std::optional<ComplexLu> lu;
  context.programs().prepare(
      [&] { lu = make_lu(choose_type(context.profile(), kRealType<Real>)); });
  const DeviceSystem<Number> system(context, lu->layout());
  system.write(constant(a), constant(b));
  lu->factor(context.queue(), system.view());
  const WeightedSums<Number> of_a = weighted_sums(constant(a));
  const auto column = lu->failed_column(context.queue());
  if (!column && nrhs > 0) {
    lu->solve(context.queue(), system.view());
    (void)lu->failed_column(context.queue());  // throws if the substitution stalled
  }
  const std::vector<Index> pivots = lu->pivots(context.queue());
  system.read(factors, x);
  if (!agree(of_a, constant(factors), pivots) ||
      (!column && !is_answer(of_a, constant(b), constant(x))))
    return out_of_range_or_wrong(of_a.norm1);
  copy(factors, a);
  if (!column) copy(x, b);
  write_pivots(pivots, ipiv);
  return column ? singular(*column) : CLGAUSS_OK;
}

}  // namespace

template <typename Real>
clgauss_status gesv(const Use& use, const HostMatrix<std::complex<Real>>& a, int32_t* ipiv,
                    const HostMatrix<std::complex<Real>>& b) {
  check_complex_counts(a.rows, b.columns);
  return repeat_until_co_resident({}, [&](const LuOptions& options) {
    return gesv(use, a, ipiv, b, [&](RealType type) {
      return ComplexLu(use.context(), type, a.rows, std::max<Index>(b.columns, 1), options);
    });
  });
}

template <typename Real>
clgauss_status tall_getrf(const Use& use, const HostMatrix<std::complex<Real>>& a, int32_t* ipiv) {
  check_complex_counts(a.rows, a.columns);
  return gesv(use, a, ipiv, {nullptr, a.rows, 0, 1, 1}, [&](RealType type) {
    return ComplexLu::tall(use.context(), type, a.rows, a.columns);
  });
}

template <typename Real>
clgauss_status solve_by_factors(const Use& use, const Triangles<std::complex<Real>>& m,
                                const HostMatrix<std::complex<Real>>& b) {
  using Number = std::complex<Real>;
  Context& context = use.context();
  const RealType type = choose_type(context.profile(), kRealType<Real>);
  check_complex_counts(b.rows, b.columns);
  io::require_memory("A copy of X", b.rows, 2 * b.columns);
  std::optional<ComplexGetrs> solves;
  context.programs().prepare([&] { solves.emplace(context, type, b.rows, b.columns); });
  const DeviceSystem<Number> system(context, solves->layout());
  Values own, space(doubles_for(b));
  system.write(with_unit_lower(use, m, own), constant(b));
  solves->enqueue(context.queue(), system.view());
  const WeightedSums<Number> of_m = weighted_sums_of_product(m);  // while the device computes
  solves->check(context.queue());
  const auto x = like(b, space.data());
  system.read(x);
  if (!is_answer(of_m, constant(b), constant(x))) return out_of_range_or_wrong(of_m.norm1);
  copy(x, b);
  return CLGAUSS_OK;
}

#define CLGAUSS_FOR(Real)                                                                          \
  template clgauss_status gesv(const Use&, const HostMatrix<std::complex<Real>>&, int32_t*,        \
                               const HostMatrix<std::complex<Real>>&);                             \
  template clgauss_status tall_getrf(const Use&, const HostMatrix<std::complex<Real>>&, int32_t*); \
  template clgauss_status solve_by_factors(const Use&, const Triangles<std::complex<Real>>&,       \
                                           const HostMatrix<std::complex<Real>>&);
CLGAUSS_FOR(float)
CLGAUSS_FOR(double)
#undef CLGAUSS_FOR

namespace {

/// posv for the lower triangle of `a`. With `conjugated`, the system is A conj(X) = conj(B).
template <typename Real>
clgauss_status posv(const Use& use, const HostMatrix<std::complex<Real>>& a, bool conjugated,
                    const HostMatrix<std::complex<Real>>& b) {
  using Number = std::complex<Real>;
  Context& context = use.context();
  const Index n = a.rows, nrhs = b.columns;
  io::require_memory("Copies of A and B", n, 2 * (n + 2 * nrhs));
  Values own, space_of_x(doubles_for(b));
  const auto factors = like(a, use.object().space(doubles_for(a), own).data());
  const auto x = like(b, space_of_x.data());
  const Copied<Number> sides(b);
  if (conjugated && nrhs > 0) conjugate(sides.matrix);

  std::optional<ComplexLu> cholesky;
  LuOptions options;
  options.positive_definite = true;
  context.programs().prepare([&] {
    cholesky.emplace(context, choose_type(context.profile(), kRealType<Real>), n,
                     std::max<Index>(nrhs, 1), options);
  });
  const DeviceSystem<Number> system(context, cholesky->layout());
  system.write(constant(a), constant(sides.matrix));
  cholesky->factor(context.queue(), system.view());
  if (nrhs > 0) cholesky->solve(context.queue(), system.view());
  const WeightedSums<Number> of_a = weighted_sums_of_symmetric(constant(a));
  if (const auto column = cholesky->failed_column(context.queue()))
    return not_positive_definite(*column, of_a.norm1);
  system.read(factors, x);
  if (!agree_symmetric(of_a, constant(factors)) ||
      !is_answer(of_a, constant(sides.matrix), constant(x)))
    return out_of_range_or_wrong(of_a.norm1);
  write_cholesky(constant(factors), a);
  if (nrhs == 0) return CLGAUSS_OK;
  if (conjugated) conjugate(x);
  copy(x, b);
  return CLGAUSS_OK;
}

template <typename Real>
clgauss_status guarded_gesv(clgauss_context handle, int layout, size_t n, size_t nrhs, void* a_data,
                            size_t lda, int32_t* ipiv, void* b_data, size_t ldb) {
  using Number = std::complex<Real>;
  return guarded([&] {
    const Use use(object_of(handle));
    const auto a = host_matrix(layout, n, n, static_cast<Number*>(a_data), lda, "A");
    const auto b = host_matrix(layout, n, nrhs, static_cast<Number*>(b_data), ldb, "B");
    if (n == 0) return clgauss_status{CLGAUSS_OK};
    return gesv(use, a, not_null(ipiv, "ipiv"), b);
  });
}

template <typename Real>
clgauss_status guarded_posv(clgauss_context handle, int layout, int uplo, size_t n, size_t nrhs,
                            void* a_data, size_t lda, void* b_data, size_t ldb) {
  using Number = std::complex<Real>;
  return guarded([&] {
    const Use use(object_of(handle));
    check_counts(n, nrhs);
    const auto a = with_lower_triangle(
        host_matrix(layout, n, n, static_cast<Number*>(a_data), lda, "A"), uplo);
    const auto b = host_matrix(layout, n, nrhs, static_cast<Number*>(b_data), ldb, "B");
    if (n == 0) return clgauss_status{CLGAUSS_OK};
    check_complex_counts(n, nrhs);
    return posv(use, a, is_upper(uplo), b);  // R^H R = A: R^T is L, L L^H = conj(A)
  });
}

}  // namespace

}  // namespace clgauss::c

using namespace clgauss;
using namespace clgauss::c;

extern "C" {

clgauss_status clgauss_cgesv(clgauss_context context, int layout, size_t n, size_t nrhs, void* a,
                             size_t lda, int32_t* ipiv, void* b, size_t ldb) {
  return guarded_gesv<float>(context, layout, n, nrhs, a, lda, ipiv, b, ldb);
}

clgauss_status clgauss_zgesv(clgauss_context context, int layout, size_t n, size_t nrhs, void* a,
                             size_t lda, int32_t* ipiv, void* b, size_t ldb) {
  return guarded_gesv<double>(context, layout, n, nrhs, a, lda, ipiv, b, ldb);
}

clgauss_status clgauss_cposv(clgauss_context context, int layout, int uplo, size_t n, size_t nrhs,
                             void* a, size_t lda, void* b, size_t ldb) {
  return guarded_posv<float>(context, layout, uplo, n, nrhs, a, lda, b, ldb);
}

clgauss_status clgauss_zposv(clgauss_context context, int layout, int uplo, size_t n, size_t nrhs,
                             void* a, size_t lda, void* b, size_t ldb) {
  return guarded_posv<double>(context, layout, uplo, n, nrhs, a, lda, b, ldb);
}

}  // extern "C"
