#include "linalg/complex/complex_residual.hpp"

#include <algorithm>
#include <atomic>
#include <clgauss/error.hpp>
#include <cmath>
#include <mutex>
#include <utility>

#include "constants.hpp"
#include "linalg/refinement/residual_block.hpp"
#include "linalg/refinement/row_sums.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transposed.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

double modulus(double re, double im) { return std::sqrt(re * re + im * im); }

/// The two rows of the real matrix that represent one row of a complex matrix.
struct RowPair {
  explicit RowPair(Index parts) : real(parts), imaginary(parts) {}

  /// Sets the rows from the parts of row i, times 2^by(i, column).
  template <typename By>
  void take(std::span<const double> parts, Index i, const By& by) {
    for (Index j = 0; j < parts.size(); j += 2) {
      const double re = times_power(parts[j], by(i, j)), im = times_power(parts[j + 1], by(i, j));
      real[j] = imaginary[j + 1] = re;
      real[j + 1] = -im;
      imaginary[j] = im;
    }
  }

  Values real, imaginary;
};

/// Calls body(i, rows) for every row i of A, times 2^by(i, column), on all cores.
template <typename By, typename Body>
void for_rows(const ComplexMatrix& a, const By& by, const Body& body) {
  const Index parts = a.parts().cols();
  in_parallel(a.rows(), kElementsPerThread / std::max<Index>(parts, 1) + 1,
              [&](Index first, Index last) {
                RowPair rows(parts);
                for (Index i = first; i < last; ++i) {
                  rows.take(a.parts().row(i), i, by);
                  body(i, rows);
                }
              });
}

/// residual_of() by products of A's parts with those of X, for many right-hand sides.
void residual_of_many(const ComplexMatrix& a, int by, const Matrix& b, const Matrix& x, Matrix& r,
                      Matrix& d) {
  const Index n = a.rows(), parts = a.parts().cols(), columns = 2 * x.cols();
  const Matrix of_x = beside_parts(x);
  const ComplexMatrix of_b = from_pairs(b);
  ComplexMatrix of_r(n, x.cols()), of_d(n, x.cols());
  in_parallel(n, kElementsPerThread / std::max<Index>(parts, 1) + 1, [&](Index first, Index last) {
    constexpr Index kScaledAtOnce = 1 << 18;
    const Index most =
        by == 0 ? kResidualRows
                : std::clamp<Index>(kScaledAtOnce / std::max<Index>(parts, 1), 4, kResidualRows);
    Values scaled;
    for (Index top = first; top < last; top += most) {
      const Index count = std::min(most, last - top), at = top * columns;
      std::span<const double> rows = a.parts().values().subspan(top * parts, count * parts);
      if (by != 0) {
        scaled.resize(rows.size());
        std::ranges::transform(rows, scaled.begin(),
                               [by](double value) { return times_power(value, by); });
        rows = scaled;
      }
      residual_of_rows({rows.data(), count, parts, parts, 1},
                       of_b.parts().values().subspan(at, count * columns), of_x.values().data(),
                       columns, of_r.parts().values().data() + at,
                       of_d.parts().values().data() + at);
    }
  });
  r = in_pairs(of_r);
  d = in_pairs(of_d);
}

/// r <- B - 2^by A X and d <- |B| + 2^by |A| |X|.
void residual_of(const ComplexMatrix& a, int by, const Matrix& b, const Matrix& x, Matrix& r,
                 Matrix& d) {
  const Index nrhs = x.cols();
  if (nrhs >= kManyRightHandSides) return residual_of_many(a, by, b, x, r, d);
  const Values columns = transposed(x.values(), x.rows(), nrhs);
  for_rows(
      a, [by](Index, Index) { return by; },
      [&](Index i, const RowPair& rows) {
        for (Index c = 0; c < nrhs; ++c)
          for (const Index part : {Index{0}, Index{1}}) {
            const RowSums sums =
                sums_of_row(part == 0 ? rows.real : rows.imaginary, columns.data() + c * x.rows());
            const Index row = 2 * i + part;
            r(row, c) = b(row, c) - sums.product;
            d(row, c) = std::abs(b(row, c)) + sums.magnitude;
          }
      });
}

/// For every column, the largest finite magnitude of a part; 0 if none is finite.
Values largest_parts(const Matrix& pairs) {
  Values largest(pairs.cols(), 0.0);
  for (Index i = 0; i < pairs.rows(); ++i)
    for (Index c = 0; c < pairs.cols(); ++c)
      if (std::isfinite(pairs(i, c))) largest[c] = std::max(largest[c], std::abs(pairs(i, c)));
  return largest;
}

/// For every column, the largest modulus.
Values largest_moduli(const Matrix& pairs) {
  Values largest(pairs.cols(), 0.0);
  for (Index i = 0; i < pairs.rows(); i += 2)
    for (Index c = 0; c < pairs.cols(); ++c)
      largest[c] = max_or_nan(largest[c], modulus(pairs(i, c), pairs(i + 1, c)));
  return largest;
}

/// The largest modulus of a column's residual as a fraction of `scale`.
double backward_error(double residual, double scale) {
  return residual == 0 && std::isfinite(scale) ? 0 : residual / scale;
}

Residual of_backward_error(double error, Index n, double eps) {
  return {error, n == 0 ? 0 : error / (eps * static_cast<double>(n))};
}

/// Whether the device's r and d of row i of A agree with the host's. Each may be off by 2 n
/// roundings. `columns` holds X, `b` the right-hand sides in pairs.
bool is_confirmed(const ComplexMatrix& a, Index i, const Values& columns, const Matrix& b,
                  const Matrix& r, const Matrix& d) {
  const Index parts = a.parts().cols();
  const double rounding = 4 * static_cast<double>(parts + 1) * unit_roundoff(RealType::f64);
  RowPair rows(parts);
  rows.take(a.parts().row(i), i, [](Index, Index) { return 0; });
  for (Index c = 0; c < b.cols(); ++c)
    for (const Index part : {Index{0}, Index{1}}) {
      const RowSums sums =
          sums_of_row(part == 0 ? rows.real : rows.imaginary, columns.data() + c * parts);
      const Index row = 2 * i + part;
      const double size = std::abs(b(row, c)) + sums.magnitude;
      const bool same = std::abs(b(row, c) - sums.product - r(row, c)) <= rounding * size &&
                        std::abs(size - d(row, c)) <= rounding * size;
      if (!same) return false;
    }
  return true;
}

/// Multiplies column c by 2^by(c).
template <typename By>
void scale_columns(Matrix& pairs, const By& by) {
  for (Index i = 0; i < pairs.rows(); ++i)
    for (Index c = 0; c < pairs.cols(); ++c) pairs(i, c) = times_power(pairs(i, c), by(c));
}

}  // namespace

Matrix in_pairs(const ComplexMatrix& matrix) {
  Matrix pairs(2 * matrix.rows(), matrix.cols());
  for (Index i = 0; i < pairs.rows(); ++i)
    for (Index c = 0; c < pairs.cols(); ++c) pairs(i, c) = matrix.parts()(i / 2, 2 * c + i % 2);
  return pairs;
}

ComplexMatrix from_pairs(const Matrix& pairs) {
  ComplexMatrix matrix(pairs.rows() / 2, pairs.cols());
  for (Index i = 0; i < pairs.rows(); ++i)
    for (Index c = 0; c < pairs.cols(); ++c) matrix.parts()(i / 2, 2 * c + i % 2) = pairs(i, c);
  return matrix;
}

Matrix beside_parts(const Matrix& x) {
  Matrix w(x.rows(), 2 * x.cols());
  for (Index i = 0; i < x.rows(); i += 2)
    for (Index c = 0; c < x.cols(); ++c) {
      w(i, 2 * c) = w(i + 1, 2 * c + 1) = x(i, c);
      w(i, 2 * c + 1) = x(i + 1, c);
      w(i + 1, 2 * c) = -x(i + 1, c);
    }
  return w;
}

ComplexNorms norms_of(const ComplexMatrix& a) {
  ComplexNorms norms;
  const Matrix& parts = a.parts();
  double largest = 0;
  for (const double value : parts.values())
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  norms.exponent = largest > 0 ? std::ilogb(largest) : 0;
  std::vector<double> of_columns(a.cols(), 0.0);
  std::mutex one_at_a_time;
  in_parallel(a.rows(), kElementsPerThread / std::max<Index>(parts.cols(), 1) + 1,
              [&](Index first, Index last) {
                std::vector<double> sums(a.cols(), 0.0);
                double largest_sum = 0;
                for (Index i = first; i < last; ++i) {
                  double sum = 0;
                  for (Index j = 0; j < a.cols(); ++j) {
                    const double size = modulus(times_power(parts(i, 2 * j), -norms.exponent),
                                                times_power(parts(i, 2 * j + 1), -norms.exponent));
                    sum += size;
                    sums[j] += size;
                  }
                  largest_sum = max_or_nan(largest_sum, sum);
                }
                const std::scoped_lock lock(one_at_a_time);
                norms.infinity = max_or_nan(norms.infinity, largest_sum);
                for (Index j = 0; j < a.cols(); ++j) of_columns[j] += sums[j];
              });
  for (const double sum : of_columns) norms.one = max_or_nan(norms.one, sum);
  return norms;
}

ComplexAnswerResidual answer_residual(const ComplexSystem& system, const ComplexNorms& norms,
                                      const Matrix& x, double eps) {
  const Index n = system.a.rows(), nrhs = x.cols();
  Matrix b = in_pairs(system.b), scaled_x = x;
  ComplexAnswerResidual answer{{}, Matrix(2 * n, nrhs), Matrix(2 * n, nrhs)};
  // Powers of two bring A, x and b near 1, so no product leaves the range of f64.
  std::vector<int> by(nrhs);
  const Values largest_x = largest_parts(x), largest_b = largest_parts(b);
  for (Index c = 0; c < nrhs; ++c) {
    const auto exponent = [](double largest) { return largest > 0 ? std::ilogb(largest) : -10000; };
    by[c] = -std::max(norms.exponent + exponent(largest_x[c]), exponent(largest_b[c]));
  }
  scale_columns(scaled_x, [&](Index c) { return by[c] + norms.exponent; });
  scale_columns(b, [&](Index c) { return by[c]; });
  residual_of(system.a, -norms.exponent, b, scaled_x, answer.r, answer.d);
  const Values of_r = largest_moduli(answer.r), of_x = largest_moduli(scaled_x),
               of_b = largest_moduli(b);
  double worst = 0;
  for (Index c = 0; c < nrhs; ++c)
    worst = max_or_nan(worst, backward_error(of_r[c], norms.infinity * of_x[c] + of_b[c]));
  for (Matrix* const scaled : {&answer.r, &answer.d})
    scale_columns(*scaled, [&](Index c) { return -by[c]; });
  answer.norms = of_backward_error(worst, n, eps);
  return answer;
}

std::optional<ComplexAnswerResidual> confirmed_residual(const ComplexSystem& system,
                                                        const ComplexNorms& norms, const Matrix& x,
                                                        double eps, Matrix r, Matrix d) {
  constexpr double kLeast = 0x1p-400;  // squares of what matters beside it are in range
  const Index n = system.a.rows(), rows = (n + kRowsToOneConfirmed - 1) / kRowsToOneConfirmed;
  const Matrix b = in_pairs(system.b);
  const Values columns = transposed(x.values(), x.rows(), x.cols());
  std::atomic<bool> confirmed = true;
  in_parallel(rows, kElementsPerThread / std::max<Index>(2 * n, 1) + 1,
              [&](Index first, Index last) {
                for (Index k = first; k < last && confirmed; ++k)
                  if (!is_confirmed(system.a, k * kRowsToOneConfirmed, columns, b, r, d))
                    confirmed = false;
              });
  const double of_a = std::ldexp(norms.infinity, norms.exponent);
  const Values of_r = largest_moduli(r), of_x = largest_moduli(x), of_b = largest_moduli(b);
  double worst = 0;
  for (Index c = 0; c < x.cols(); ++c) {
    const double scale = of_a * of_x[c] + of_b[c];
    if (!(scale >= kLeast && std::isfinite(scale))) confirmed = false;
    worst = max_or_nan(worst, backward_error(of_r[c], scale));
  }
  if (!confirmed) return std::nullopt;
  return ComplexAnswerResidual{of_backward_error(worst, n, eps), std::move(r), std::move(d)};
}

Residual compute_residual(const ComplexSystem& system, const ComplexMatrix& x, double eps) {
  const auto& [a, b] = system;
  const Index n = a.rows();
  if (a.cols() != n || b.rows() != n || x.rows() != n || x.cols() != b.cols())
    throw DimensionError("the residual needs x and b of the same shape, with as many rows as A");
  return answer_residual(system, norms_of(a), in_pairs(x), eps).norms;
}

void ComplexOperator::residual(const Matrix& x, Matrix& r, Matrix& d) {
  residual_of(system_.a, 0, in_pairs(system_.b), x, r, d);
}

Matrix ComplexOperator::product(const Matrix& v) {
  Matrix y(v.rows(), 1);
  for_rows(
      system_.a, [](Index, Index) { return 0; },
      [&](Index i, const RowPair& rows) {
        y(2 * i, 0) = sums_of_row(rows.real, v.values().data()).product;
        y(2 * i + 1, 0) = sums_of_row(rows.imaginary, v.values().data()).product;
      });
  return y;
}

void ExtraPreciseComplex::residual(const TwoParts& x, Matrix& r, Matrix& d) {
  const Index nrhs = x.hi.cols(), rows_of_x = x.hi.rows();
  const Matrix b = in_pairs(system_.b);
  const Values hi = transposed(x.hi.values(), rows_of_x, nrhs),
               lo = transposed(x.lo.values(), rows_of_x, nrhs);
  // Rows and columns are scaled before anything is added up: afterwards what underflowed is lost.
  const auto by = [&](Index i, Index j) {
    return exponent_at(scaling_.rows, 2 * i) + exponent_at(scaling_.columns, j);
  };
  for_rows(system_.a, by, [&](Index i, const RowPair& rows) {
    for (const Index part : {Index{0}, Index{1}})
      for (Index c = 0; c < nrhs; ++c) {
        const double of_b =
            times_power(b(2 * i + part, c), exponent_at(scaling_.rows, 2 * i) +
                                                exponent_at(scaling_.right_hand_sides, c));
        const ExactResidual exact =
            exact_residual(part == 0 ? rows.real : rows.imaginary, of_b, hi.data() + c * rows_of_x,
                           lo.data() + c * rows_of_x);
        r(2 * i + part, c) = exact.r;
        d(2 * i + part, c) = exact.d;
      }
  });
}

}  // namespace clgauss
