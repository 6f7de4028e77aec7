#include <algorithm>
#include <atomic>
#include <clgauss/error.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/residual.hpp>
#include <cmath>
#include <limits>
#include <mutex>

#include "constants.hpp"
#include "linalg/refinement/answer_residual.hpp"
#include "linalg/refinement/column_sums.hpp"
#include "linalg/refinement/residual_block.hpp"
#include "linalg/refinement/row_sums.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/transposed.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

/// The largest sums so far: of A's rows; and of r, x and b for each right-hand side.
struct Norms {
  struct OfOne {
    double residual = 0, x = 0, b = 0;
  };
  double a = 0;
  std::vector<OfOne> of;

  /// Adds one row for right-hand side c.
  void add_row(Index c, double of_residual, double of_x, double of_b) {
    of[c].residual = max_or_nan(of[c].residual, std::abs(of_residual));
    of[c].x = max_or_nan(of[c].x, std::abs(of_x));
    of[c].b = max_or_nan(of[c].b, std::abs(of_b));
  }

  void add(const Norms& other) {
    a = max_or_nan(a, other.a);
    for (Index c = 0; c < of.size(); ++c) {
      of[c].residual = max_or_nan(of[c].residual, other.of[c].residual);
      of[c].x = max_or_nan(of[c].x, other.of[c].x);
      of[c].b = max_or_nan(of[c].b, other.of[c].b);
    }
  }
};

/// Row-major numbers of one system with n unknowns and nrhs right-hand sides.
struct Numbers {
  Index n, nrhs;
  std::span<const double> a, b, x;
  bool transposed = false;  // `a` holds A^T
};

/// The numbers as they are.
struct Unscaled {
  std::span<const double> rows(std::span<const double> values, Values& /*space*/) const {
    return values;
  }
  double b(double value, Index /*c*/) const { return value; }
};

/// 2^-(exponent of A) A, and 2^-(exponent of right-hand side c) b.
struct Scaled {
  int of_a = 0;
  std::vector<int> of_b;
  std::span<const double> rows(std::span<const double> values, Values& space) const {
    space.resize(values.size());
    std::ranges::transform(values, space.begin(),
                           [this](double value) { return std::ldexp(value, -of_a); });
    return space;
  }
  double b(double value, Index c) const { return std::ldexp(value, -of_b[c]); }
};

/// Where to store r and d of the solution, n-by-nrhs. Null: nowhere.
struct Wanted {
  Matrix *r = nullptr, *d = nullptr;
};

/// Adds the sums of row i to the norms of right-hand side c.
void note(Index i, Index c, const RowSums& sums, double of_b, double of_x, Norms& norms,
          const Wanted& wanted) {
  const double r = of_b - sums.product;
  if (wanted.r != nullptr) (*wanted.r)(i, c) = r;
  if (wanted.d != nullptr) (*wanted.d)(i, c) = std::abs(of_b) + sums.magnitude;
  norms.a = max_or_nan(norms.a, sums.row);
  norms.add_row(c, r, of_x, of_b);
}

/// Norms of rows first .. last of A x = b. x is already scaled by `scale`; `columns` holds it
/// column by column.
template <typename Scale>
Norms norms_of_rows(const Numbers& system, const Values& columns, const Scale& scale, Index first,
                    Index last, const Wanted& wanted) {
  const auto& [n, nrhs, a, b, x, transposed] = system;
  Norms norms{0, std::vector<Norms::OfOne>(nrhs)};
  Values space;
  for (Index top = first; top < last; top += kRowsAtOnce) {
    const Index count = std::min(kRowsAtOnce, last - top);
    const std::span<const double> rows = scale.rows(a.subspan(top * n, count * n), space);
    for (Index c = 0; c < nrhs; ++c)
      for (Index i = top; i < top + count; ++i) {
        const RowSums sums = sums_of_row(rows.subspan((i - top) * n, n), columns.data() + c * n);
        note(i, c, sums, scale.b(b[i * nrhs + c], c), x[i * nrhs + c], norms, wanted);
      }
  }
  return norms;
}

/// The same for a column-major A.
Norms norms_of_columns(const Numbers& system, Index first, Index last, const Wanted& wanted) {
  const auto& [n, nrhs, a, b, x, transposed] = system;
  Norms norms{0, std::vector<Norms::OfOne>(nrhs)};
  const Index step = ColumnSums::rows_at_once(nrhs);
  for (Index top = first; top < last; top += step) {
    const Index count = std::min(step, last - top);
    const ColumnSums sums(a, n, x, nrhs, top, count);
    for (Index i = top; i < top + count; ++i)
      for (Index c = 0; c < nrhs; ++c)
        note(i, c, sums.of(i - top, c), b[i * nrhs + c], x[i * nrhs + c], norms, wanted);
  }
  return norms;
}

/// The same for many right-hand sides.
Norms norms_of_many(const Numbers& system, Index first, Index last, const Wanted& wanted) {
  const auto& [n, nrhs, a, b, x, transposed] = system;
  Norms norms{0, std::vector<Norms::OfOne>(nrhs)};
  Values r, d;
  for (Index top = first; top < last; top += kResidualRows) {
    const Index count = std::min(kResidualRows, last - top);
    const StridedRows rows = rows_of(a, n, top, count, transposed);
    const std::span<const double> of_b = b.subspan(top * nrhs, count * nrhs);
    r.resize(of_b.size());
    if (wanted.d != nullptr) d.resize(of_b.size());
    residual_of_rows(rows, of_b, x.data(), nrhs, r.data(),
                     wanted.d == nullptr ? nullptr : d.data());
    for (const double sum : row_sums(rows)) norms.a = max_or_nan(norms.a, sum);
    for (Index i = 0; i < count; ++i)
      for (Index c = 0; c < nrhs; ++c)
        norms.add_row(c, r[i * nrhs + c], x[(top + i) * nrhs + c], of_b[i * nrhs + c]);
    if (wanted.r != nullptr) std::ranges::copy(r, wanted.r->row(top).begin());
    if (wanted.d != nullptr) std::ranges::copy(d, wanted.d->row(top).begin());
  }
  return norms;
}

/// Norms of all rows, merged from of_part(first, last).
template <typename OfPart>
Norms norms_of_parts(const Numbers& system, const OfPart& of_part) {
  Norms norms{0, std::vector<Norms::OfOne>(system.nrhs)};
  std::mutex one_at_a_time;
  in_parallel(system.n, kElementsPerThread / std::max<Index>(system.n, 1) + 1,
              [&](Index first, Index last) {
                const Norms part = of_part(first, last);
                const std::scoped_lock lock(one_at_a_time);
                norms.add(part);
              });
  return norms;
}

/// Norms for a row-major A.
template <typename Scale>
Norms norms_of(const Numbers& system, const Scale& scale, const Wanted& wanted) {
  const Values columns = transposed(system.x, system.n, system.nrhs);
  return norms_of_parts(system, [&](Index first, Index last) {
    return norms_of_rows(system, columns, scale, first, last, wanted);
  });
}

Norms norms_of(const Numbers& system, const Wanted& wanted) {
  if (system.nrhs >= kManyRightHandSides)
    return norms_of_parts(system, [&](Index first, Index last) {
      return norms_of_many(system, first, last, wanted);
    });
  if (!system.transposed) return norms_of(system, Unscaled{}, wanted);
  return norms_of_parts(system, [&](Index first, Index last) {
    return norms_of_columns(system, first, last, wanted);
  });
}

/// Exponent of the largest finite magnitude in column c of a row-major matrix. If all are 0, an
/// exponent far below all others.
int exponent_of_column(std::span<const double> values, Index columns, Index c) {
  double largest = 0;
  for (Index i = c; i < values.size(); i += columns)
    if (std::isfinite(values[i])) largest = std::max(largest, std::abs(values[i]));
  return largest == 0 ? -10000 : std::ilogb(largest);
}

/// The same norms, each right-hand side scaled by a power of two so that no product leaves the
/// range of a double. Their ratios are as with unlimited range, except for products below 2^-1000
/// of the norms.
Norms norms_in_range(const Numbers& system) {
  if (system.transposed) {  // rare, so a copy is affordable
    const Values turned = transposed(system.a, system.n, system.n);
    return norms_in_range({system.n, system.nrhs, turned, system.b, system.x});
  }
  const auto& [n, nrhs, a, b, x, transposed] = system;
  Scaled scale{exponent_of_column(a, 1, 0), std::vector<int>(nrhs)};
  Values scaled_x(x.begin(), x.end());
  for (Index c = 0; c < nrhs; ++c) {
    scale.of_b[c] =
        std::max(scale.of_a + exponent_of_column(x, nrhs, c), exponent_of_column(b, nrhs, c));
    for (Index i = 0; i < n; ++i)
      scaled_x[i * nrhs + c] = std::ldexp(x[i * nrhs + c], scale.of_a - scale.of_b[c]);
  }
  return norms_of({n, nrhs, a, b, scaled_x}, scale, {});
}

double scale_of(const Norms& norms, const Norms::OfOne& norm) { return norms.a * norm.x + norm.b; }

/// Whether nothing overflowed in these norms, and whatever underflowed is far below rounding.
bool in_range(const Norms& norms) {
  return std::ranges::all_of(norms.of, [&](const Norms::OfOne& norm) {
    const double scale = scale_of(norms, norm);
    return scale >= 0x1p-900 && std::isfinite(scale);
  });
}

/// The residual of a system with n unknowns.
Residual residual_of(const Norms& norms, Index n, double eps) {
  Residual worst;
  for (const Norms::OfOne& norm : norms.of) {
    const double scale = scale_of(norms, norm);
    // If all numbers are 0, the solution is exact. If a number is not finite, the error is unknown:
    // NaN.
    const double error = norm.residual == 0 && std::isfinite(scale) ? 0.0
                         : std::isfinite(scale)                     ? norm.residual / scale
                                                                    : kNaN;
    worst.backward_error = max_or_nan(worst.backward_error, error);
  }
  worst.scaled = n == 0 ? 0.0 : worst.backward_error / (eps * static_cast<double>(n));
  return worst;
}

Residual residual_of(const Numbers& system, double eps, const Wanted& wanted) {
  if (system.a.size() != system.n * system.n || system.b.size() != system.n * system.nrhs ||
      system.x.size() != system.n * system.nrhs)
    throw DimensionError("the residual needs x and b of the same shape, with as many rows as A");
  const Norms norms = norms_of(system, wanted);
  return residual_of(in_range(norms) ? norms : norms_in_range(system), system.n, eps);
}

/// Whether the device's row i agrees with the host's. Each may be off by n roundings.
bool is_confirmed(const Numbers& system, const Values& columns, Index i, const Matrix& r,
                  const Matrix& d, double row_sum) {
  const auto& [n, nrhs, a, b, x, transposed] = system;
  const double rounding = 4 * static_cast<double>(n + 1) * unit_roundoff(RealType::f64);
  for (Index c = 0; c < nrhs; ++c) {
    const RowSums sums = sums_of_row(a.subspan(i * n, n), columns.data() + c * n);
    const double of_b = b[i * nrhs + c], size = std::abs(of_b) + sums.magnitude;
    const bool same = std::abs(of_b - sums.product - r(i, c)) <= rounding * size &&
                      std::abs(size - d(i, c)) <= rounding * size &&
                      std::abs(sums.row - row_sum) <= rounding * sums.row;
    if (!same) return false;
  }
  return true;
}

/// Throws DimensionError if the shapes do not match.
Numbers numbers_in(const System& system, const Matrix& x, bool transposed = false) {
  if (x.rows() != system.b.rows() || x.cols() != system.b.cols())
    throw DimensionError("the residual needs x and b of the same shape, with as many rows as A");
  return {system.a.rows(), x.cols(), system.a.values(), system.b.values(), x.values(), transposed};
}

}  // namespace

Residual compute_residual(Index n, Index nrhs, std::span<const double> a, std::span<const double> b,
                          std::span<const double> x, double eps) {
  return residual_of({n, nrhs, a, b, x}, eps, {});
}

Residual compute_residual(const System& system, const Matrix& x, double eps) {
  return residual_of(numbers_in(system, x), eps, {});
}

AnswerResidual answer_residual(const System& system, const Matrix& x, double eps, bool transposed,
                               bool sizes) {
  AnswerResidual answer{{}, Matrix(x.rows(), x.cols()), {}};
  if (sizes || x.cols() < kManyRightHandSides) answer.d = Matrix(x.rows(), x.cols());
  answer.norms = residual_of(numbers_in(system, x, transposed), eps,
                             {&answer.r, answer.d.empty() ? nullptr : &answer.d});
  return answer;
}

std::optional<AnswerResidual> confirmed_residual(const System& system, const Matrix& x, double eps,
                                                 Matrix r, Matrix d,
                                                 std::span<const double> row_sums) {
  const Numbers numbers = numbers_in(system, x);
  const Values columns = transposed(numbers.x, numbers.n, numbers.nrhs);
  std::atomic<bool> confirmed = true;
  const Index rows = (numbers.n + kRowsToOneConfirmed - 1) / kRowsToOneConfirmed;
  in_parallel(rows, kElementsPerThread / std::max<Index>(numbers.n, 1) + 1,
              [&](Index first, Index last) {
                for (Index k = first; k < last && confirmed; ++k) {
                  const Index i = k * kRowsToOneConfirmed;
                  if (!is_confirmed(numbers, columns, i, r, d, row_sums[i])) confirmed = false;
                }
              });
  Norms norms{0, std::vector<Norms::OfOne>(numbers.nrhs)};
  for (Index i = 0; i < numbers.n; ++i) {
    norms.a = max_or_nan(norms.a, row_sums[i]);
    for (Index c = 0; c < numbers.nrhs; ++c) norms.add_row(c, r(i, c), x(i, c), system.b(i, c));
  }
  if (!confirmed || !in_range(norms)) return std::nullopt;
  return AnswerResidual{residual_of(norms, numbers.n, eps), std::move(r), std::move(d)};
}

double max_difference(const Matrix& u, const Matrix& v) {
  if (u.rows() != v.rows() || u.cols() != v.cols())
    throw DimensionError("the difference needs two matrices of one shape");
  double largest = 0;
  for (Index i = 0; i < u.values().size(); ++i)
    largest = max_or_nan(largest, std::abs(u.values()[i] - v.values()[i]));
  return largest;
}

}  // namespace clgauss
