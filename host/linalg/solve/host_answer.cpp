#include "linalg/solve/host_answer.hpp"

#include <algorithm>
#include <clgauss/real_type.hpp>
#include <cmath>

#include "constants.hpp"
#include "linalg/estimates/norm_estimator.hpp"
#include "linalg/refinement/residual_block.hpp"
#include "linalg/refinement/row_sums.hpp"
#include "linalg/solve/host_getrf.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/transposed.hpp"

namespace clgauss {

namespace {

template <typename Real>
void copy_as(std::span<const double> from, Real* to) {
  std::ranges::transform(from, to, [](double value) { return static_cast<Real>(value); });
}

/// What one pass over A tells of X.
struct Passed {
  double backward_error = 0;  // as in residual.hpp; NaN if numbers leave a safe range
  double norm = 0;            // of A, infinity
};

Passed pass_over(const SystemNumbers& system, const double* columns) {
  const auto& [n, nrhs, a, b] = system;
  Passed passed;
  Values r(b.begin(), b.end());  // b - A x
  if (nrhs < kManyRightHandSides) {
    for (Index i = 0; i < n; ++i)
      for (Index c = 0; c < nrhs; ++c) {
        const RowSums sums = sums_of_row(a.subspan(i * n, n), columns + c * n);
        passed.norm = max_or_nan(passed.norm, sums.row);
        r[i * nrhs + c] -= sums.product;
      }
  } else {
    const StridedRows rows{a.data(), n, n, n, 1};
    const Values x = transposed({columns, n * nrhs}, nrhs, n);
    add_products(rows, x.data(), nrhs, r.data(), nullptr);
    passed.norm = largest_magnitude(row_sums(rows));
  }
  for (Index c = 0; c < nrhs; ++c) {
    double of_r = 0, of_b = 0;
    for (Index i = c; i < n * nrhs; i += nrhs) {
      of_r = max_or_nan(of_r, std::abs(r[i]));
      of_b = max_or_nan(of_b, std::abs(b[i]));
    }
    const double size = passed.norm * largest_magnitude({columns + c * n, n}) + of_b;
    const bool in_range = size >= 0x1p-900 && size <= 0x1p1000;
    passed.backward_error = max_or_nan(passed.backward_error, in_range ? of_r / size : kNaN);
  }
  return passed;
}

}  // namespace

template <typename Real>
HostFactors<Real>::HostFactors(std::span<const double> a, Index rows)
    : n(rows), ld(host_ld<Real>(n)), lu(n * ld), pivots(n) {
  for (Index i = 0; i < n; ++i) copy_as<Real>(a.subspan(i * n, n), lu.data() + i * ld);
  host_lu_kernels<Real>().getrf(n, lu.data(), ld, pivots.data());
}

template <typename Real>
void HostFactors<Real>::solve(Real* x) const {
  host_lu_kernels<Real>().getrs_vector(n, lu.data(), ld, pivots.data(), x);
}

template <typename Real>
void HostFactors<Real>::solve(Index nrhs, Real* b, Index ldb) const {
  host_lu_kernels<Real>().getrs(n, lu.data(), ld, pivots.data(), nrhs, b, ldb);
}

template struct HostFactors<float>;
template struct HostFactors<double>;

std::optional<Residual> residual_if_good(const SystemNumbers& system,
                                         std::span<const double> columns, double eps) {
  const Index n = system.n, numbers_of_x = n * system.nrhs;
  const Passed passed = pass_over(system, columns.data());
  const double scaled = passed.backward_error / (static_cast<double>(n) * eps);
  if (!(scaled <= 1)) return std::nullopt;
  const std::span<const double> product = columns.subspan(numbers_of_x);
  if (!product.empty() && is_doubtful(n, eps, passed.norm, largest_magnitude(product)))
    return std::nullopt;
  return Residual{passed.backward_error, scaled};
}

namespace {

/// `eps`: the unit roundoff of Real; `asks`: with the question.
template <typename Real>
std::optional<HostAnswer> answer_on_host(const SystemNumbers& system, double eps, bool asks) {
  const auto& [n, nrhs, a, b] = system;
  const HostFactors<Real> factors(a, n);
  Values columns(n * (nrhs + (asks ? 1 : 0)));
  const auto solve_column = [&](std::span<const double> side, double* x) {
    std::vector<Real> column(n);
    copy_as<Real>(side, column.data());
    factors.solve(column.data());
    std::ranges::copy(column, x);
  };
  if (asks) solve_column(doubt_question(n).values(), columns.data() + n * nrhs);
  if (nrhs == 1) {
    solve_column(b, columns.data());
  } else {
    const Index ld = host_ld<Real>(nrhs);
    std::vector<Real> x(n * ld);
    for (Index i = 0; i < n; ++i) copy_as<Real>(b.subspan(i * nrhs, nrhs), x.data() + i * ld);
    factors.solve(nrhs, x.data(), ld);
    for (Index i = 0; i < n; ++i)
      for (Index c = 0; c < nrhs; ++c) columns[c * n + i] = x[i * ld + c];
  }
  const auto residual = residual_if_good(system, columns, eps);
  if (!residual) return std::nullopt;
  columns.resize(n * nrhs);
  return HostAnswer{nrhs == 1 ? std::move(columns) : transposed(columns, nrhs, n), *residual};
}

}  // namespace

std::optional<HostAnswer> solve_on_host(const SystemNumbers& system) {
  return answer_on_host<double>(system, kEps, true);
}

std::optional<HostAnswer> solve_on_host_in_single(const SystemNumbers& system) {
  return answer_on_host<float>(system, unit_roundoff(RealType::f32), false);
}

}  // namespace clgauss
