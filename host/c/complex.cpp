// cgesv and zgesv of clgauss.h.
#include <clgauss.h>
#include <fmt/format.h>

#include <clgauss/complex.hpp>
#include <complex>

#include "c/call.hpp"
#include "c/handles.hpp"
#include "c/host_matrix.hpp"

namespace clgauss::c {

namespace {

/// The real (0) or imaginary (1) parts of a matrix of complex numbers.
template <typename Real, typename Number>
HostMatrix<Real> part_of(const HostMatrix<Number>& matrix, Index part) {
  return {reinterpret_cast<Real*>(matrix.data) + part, matrix.rows, matrix.columns,
          2 * matrix.row_step, 2 * matrix.column_step};
}

/// Of our own, whose parts are `parts`.
template <typename Parts>
auto part_of(Parts& parts, Index part) {
  auto* const data = parts.values().data() + part;
  return HostMatrix<std::remove_reference_t<decltype(*data)>>{data, parts.rows(), parts.cols() / 2,
                                                              parts.cols(), 2};
}

template <typename Real>
clgauss_status gesv(clgauss_context handle, int layout, Index n, Index nrhs, const void* a_data,
                    Index lda, void* b_data, Index ldb) {
  using Number = std::complex<Real>;
  const Use use(object_of(handle));
  constexpr Index kMost = Index{1} << 30U;
  if (n > kMost || nrhs > kMost) throw DimensionError("n and nrhs: none may be above 2^30");
  const auto from = host_matrix(layout, n, n, static_cast<const Number*>(a_data), lda, "A");
  const auto both = host_matrix(layout, n, nrhs, static_cast<Number*>(b_data), ldb, "B");
  if (from.empty() || nrhs == 0) return CLGAUSS_OK;
  Matrix a(n, 2 * n), b(n, 2 * nrhs);
  for (const Index part : {0, 1}) {
    copy(part_of<const Real>(from, part), part_of(a, part));
    copy(part_of<Real>(both, part), part_of(b, part));
  }
  const ComplexSystem system{ComplexMatrix(std::move(a)), ComplexMatrix(std::move(b))};
  ComplexOptions options;
  options.type = kRealType<Real>;
  const ComplexSolution solution = solve_complex(use.context(), system, options);
  if (solution.status == SolveStatus::singular)
    return failed(CLGAUSS_SINGULAR, fmt::format("A is singular: the pivot of column {} is {}",
                                                *solution.failed_column + 1, solution.failed_pivot)
                                        .c_str());
  if (!has_answer(solution.status)) return failed(CLGAUSS_OVERFLOW, kOutOfRange);
  for (const Index part : {0, 1})
    copy(part_of(solution.x.parts(), part), part_of<Real>(both, part));
  if (solution.status == SolveStatus::ok) return CLGAUSS_OK;
  return failed(CLGAUSS_INACCURATE,
                fmt::format("the scaled residual {:.3g} is above {:g}", solution.residual.scaled,
                            options.max_scaled_residual)
                    .c_str());
}

}  // namespace

}  // namespace clgauss::c

using namespace clgauss;
using namespace clgauss::c;

extern "C" {

clgauss_status clgauss_cgesv(clgauss_context context, int layout, size_t n, size_t nrhs,
                             const void* a, size_t lda, void* b, size_t ldb) {
  return guarded([&] { return gesv<float>(context, layout, n, nrhs, a, lda, b, ldb); });
}

clgauss_status clgauss_zgesv(clgauss_context context, int layout, size_t n, size_t nrhs,
                             const void* a, size_t lda, void* b, size_t ldb) {
  return guarded([&] { return gesv<double>(context, layout, n, nrhs, a, lda, b, ldb); });
}

}  // extern "C"
