#include "matrix/scaling.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include "matrix/exponents.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/row_passes.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

constexpr int kNone = Exponents::kNone;

/// The limits of a type: exponents of its normal numbers, bits of their significands.
struct Limits {
  int least, largest, digits;

  explicit Limits(RealType type) : Limits(type == RealType::f32 ? of<float>() : of<double>()) {}
  /// The largest exponent that leaves sums room to grow and keeps reciprocals in range.
  [[nodiscard]] int high() const { return largest - digits; }
  [[nodiscard]] int low() const { return digits - largest; }

 private:
  Limits(int from, int to, int bits) : least(from), largest(to), digits(bits) {}
  template <typename Real>
  static Limits of() {
    using Numbers = std::numeric_limits<Real>;
    return {Numbers::min_exponent - 1, Numbers::max_exponent - 1, Numbers::digits};
  }
};

Range range_of(const Sizes& sizes) { return {sizes.least, sizes.largest, sizes.finite}; }

/// Merges `range` into `sizes`.
void merge(Sizes& sizes, const Range& range) {
  Range both = range_of(sizes);
  both.add(range);
  sizes.least = both.least;
  sizes.largest = both.largest;
  sizes.finite = both.finite;
}

Range range_of(std::span<const double> values) {
  Range range;
  std::mutex one_at_a_time;
  in_parallel(values.size(), kElementsPerThread, [&](Index first, Index last) {
    const Range part = size_of_row(values.subspan(first, last - first)).range;
    const std::scoped_lock lock(one_at_a_time);
    range.add(part);
  });
  return range;
}

/// Whether elimination has room above the largest number, and room below the product of two numbers
/// divided by the largest.
bool fits(const Range& range, const Limits& limits) {
  if (range.largest == 0) return true;
  const int largest = std::ilogb(range.largest);
  return largest <= limits.high() &&
         2 * std::ilogb(range.least) - largest >= limits.least + limits.digits;
}

/// Whether the largest number of x is in range, as far as the magnitudes alone show.
bool quotients_fit(const Range& b, const Range& a, const Limits& limits) {
  if (a.largest == 0 || b.largest == 0 || !a.finite || !b.finite) return true;
  const int largest = std::ilogb(b.largest);
  return largest - std::ilogb(a.least) <= limits.high() &&
         largest - std::ilogb(a.largest) >= limits.low();
}

int exponent_of(double value) {
  constexpr int kBias = std::numeric_limits<double>::max_exponent - 1;
  const int biased = static_cast<int>(std::bit_cast<std::uint64_t>(value) >> 52U & 0x7ffU);
  if (biased > 2 * kBias || value == 0) return kNone;
  return biased != 0 ? biased - kBias : std::ilogb(value);
}

std::vector<int> exponents_of_each(const std::vector<double>& values) {
  std::vector<int> exponents(values.size());
  std::ranges::transform(values, exponents.begin(),
                         [](double value) { return exponent_of(value); });
  return exponents;
}

/// The powers of two that bring the largest number to 1 <= |.| < 2.
std::vector<int> to_one(std::vector<int> exponents) {
  std::ranges::transform(exponents, exponents.begin(),
                         [](int exponent) { return exponent == kNone ? 0 : -exponent; });
  return exponents;
}

/// The distance in exponents from the least to the largest number of the scaled right-hand sides.
int span_of(Index n, Index nrhs, std::span<const double> b, std::span<const int> rows) {
  const Exponents exponents = exponents_of(n, nrhs, b, rows, {});
  const int largest = std::ranges::max(exponents.columns);
  return largest == kNone ? 0 : largest - exponents.least;
}

/// Whether scaling by C alone leaves a row below the type's range, or the numbers of B are further
/// apart than the type can hold.
bool range_asks_for_rows(const ExponentsOf& of_a, Index n, Index nrhs, std::span<const double> b,
                         const Limits& limits) {
  const Exponents as_it_is = of_a({}, {});
  const Exponents scaled = of_a({}, to_one(as_it_is.columns));
  const auto is_lost = [&](int row) { return row != kNone && row < limits.low(); };
  if (std::ranges::any_of(scaled.rows, is_lost)) return true;
  const int span = nrhs > 0 ? span_of(n, nrhs, b, {}) : 0;
  return span > limits.high() - limits.least && span_of(n, nrhs, b, to_one(as_it_is.rows)) < span;
}

/// Whether the least is below a tenth of the largest, both rounded to powers of two. This is the
/// test of LAPACK's dlaqge on dgeequb's rowcnd and colcnd.
bool differ(const std::vector<int>& exponents) {
  if (exponents.empty()) return false;
  const auto [least, largest] = std::ranges::minmax_element(
      exponents, {}, [](int exponent) { return exponent == kNone ? 0 : exponent; });
  constexpr int kFar = 4;  // 2^-4 < 0.1
  return std::ranges::count(exponents, kNone) == 0 && *largest - *least >= kFar;
}

/// Whether to scale the rows and the columns.
struct Wish {
  bool rows = false, columns = false;
};

/// LAPACK's choice, with two exceptions, because scaling rows changes the pivots. Rows are scaled
/// only if they still differ once every column has the same size, and only if B stays in the type's
/// range.
Wish wish_of(const Sizes& sizes, const ExponentsOf& of_a, Index nrhs, std::span<const double> b,
             const Limits& limits) {
  const Index n = sizes.rows.size();
  const std::vector<int> rows = exponents_of_each(sizes.rows),
                         columns = exponents_of_each(sizes.columns);
  Wish wish;
  wish.columns = differ(columns);
  if (!differ(rows)) return wish;
  wish.rows = (!wish.columns || differ(of_a({}, to_one(columns)).rows)) &&
              (nrhs == 0 || span_of(n, nrhs, b, to_one(rows)) <=
                                std::max(span_of(n, nrhs, b, {}), limits.high() - limits.least));
  wish.columns = !wish.rows && wish.columns;
  return wish;
}

/// The magnitude of the larger part of each complex number; NaN if a part is.
Values larger_parts(std::span<const double> parts) {
  Values larger(parts.size() / 2);
  for (Index e = 0; e < larger.size(); ++e)
    larger[e] = max_or_nan(std::abs(parts[2 * e]), std::abs(parts[2 * e + 1]));
  return larger;
}

/// The sizes of n rows of complex numbers, by the larger part of each.
Sizes sizes_of_larger_parts(std::span<const double> parts, Index n) {
  const Index columns = n == 0 ? 0 : parts.size() / n / 2;
  SizesByRows sizes(n, columns);
  in_parallel(
      n, kElementsPerThread / std::max<Index>(columns, 1) + 1, [&](Index first, Index last) {
        SizesByRows::Part& mine = sizes.mine(first);
        for (Index i = first; i < last; ++i)
          sizes.look_at_row(mine, i, larger_parts(parts.subspan(2 * i * columns, 2 * columns)));
      });
  return sizes.all();
}

/// Scales the rows first, then the columns.
void scale_matrix(Scaling& scaling, const ExponentsOf& of_a, const Wish& wish,
                  Equilibration equilibration, const Limits& limits) {
  if (wish.rows) scaling.rows = to_one(of_a({}, {}).rows);
  std::vector<int> columns = of_a(scaling.rows, {}).columns;
  if (wish.columns || (equilibration == Equilibration::automatic && differ(columns)))
    scaling.columns = to_one(std::move(columns));
  const Exponents scaled = of_a(scaling.rows, scaling.columns);
  const bool has_zeros = std::ranges::count(scaled.rows, kNone) > 0 ||
                         std::ranges::count(scaled.columns, kNone) > 0;  // certainly singular
  scaling.may_underflow = !has_zeros && 2 * std::int64_t{scaled.least} < limits.least;
}

/// Scales a right-hand side as little as possible: numbers far apart may all matter.
void scale_each_right_hand_side(Scaling& scaling, Index n, Index nrhs, std::span<const double> b,
                                const Limits& limits) {
  std::vector<int> exponents = exponents_of(n, nrhs, b, scaling.rows, {}).columns;
  for (int& exponent : exponents) {
    if (exponent == kNone) exponent = 0;
    exponent = exponent > limits.high()  ? limits.high() - exponent
               : exponent < limits.low() ? -exponent
                                         : 0;
  }
  const bool any = std::ranges::any_of(exponents, [](int exponent) { return exponent != 0; });
  if (any) scaling.right_hand_sides = std::move(exponents);
}

}  // namespace

Exponents exponents_of(Index rows, Index columns, std::span<const double> values,
                       std::span<const int> row_scale, std::span<const int> column_scale,
                       Index parts) {
  Exponents all{std::vector<int>(rows, kNone), std::vector<int>(columns, kNone)};
  std::mutex one_at_a_time;
  in_parallel(rows, kElementsPerThread / std::max<Index>(columns, 1) + 1,
              [&](Index first, Index last) {
                std::vector<int> of_columns(columns, kNone);
                int least = std::numeric_limits<int>::max();
                for (Index i = first; i < last; ++i)
                  for (Index j = 0; j < columns; ++j) {
                    const Index e = parts * (i * columns + j);
                    int exponent = exponent_of(values[e]);
                    if (parts == 2) exponent = std::max(exponent, exponent_of(values[e + 1]));
                    if (exponent == kNone) continue;
                    exponent += exponent_at(row_scale, i) + exponent_at(column_scale, j);
                    all.rows[i] = std::max(all.rows[i], exponent);
                    of_columns[j] = std::max(of_columns[j], exponent);
                    least = std::min(least, exponent);
                  }
                const std::scoped_lock lock(one_at_a_time);
                std::ranges::transform(all.columns, of_columns, all.columns.begin(),
                                       [](int u, int v) { return std::max(u, v); });
                all.least = std::min(all.least, least);
              });
  return all;
}

Exponents exponents_of_transposed(Index n, std::span<const double> values,
                                  std::span<const int> row_scale,
                                  std::span<const int> column_scale) {
  Exponents exponents = exponents_of(n, n, values, column_scale, row_scale);
  std::swap(exponents.rows, exponents.columns);
  return exponents;
}

bool fits_range(std::span<const double> a, std::span<const double> b, RealType type) {
  const Limits limits(type);
  const Range of_a = range_of(a), of_b = range_of(b);
  return of_a.finite && of_b.finite && fits(of_a, limits) && fits(of_b, limits) &&
         quotients_fit(of_b, of_a, limits);
}

class SizesByRows::Part {
 public:
  Part(Index first_row, Index columns)
      : first(first_row), sums(columns, 0.0), sizes{{}, std::vector<double>(columns, 0)} {}

  /// Adds a row of the matrix, or, if `is_column`, a whole column of it. Returns its largest.
  double add(std::span<const double> row, bool is_column) {
    const RowSize size = size_of_row(row, sizes.columns.data(), is_column ? nullptr : sums.data());
    if (is_column) largest_sum = max_or_nan(largest_sum, size.sum);
    merge(sizes, size.range);
    return size.range.largest;
  }

  Index first;
  std::vector<double> sums;  // of magnitudes, column by column
  double largest_sum = 0;    // of the magnitudes of a column
  Sizes sizes;               // without `rows`
};

SizesByRows::SizesByRows(std::span<const double> values, Index columns, bool transposed)
    : values_(values),
      columns_(columns),
      transposed_(transposed),
      of_rows_(columns == 0 ? 0 : values.size() / columns) {}

SizesByRows::SizesByRows(Index rows, Index columns)
    : columns_(columns), transposed_(false), of_rows_(rows) {}

SizesByRows::~SizesByRows() = default;

void SizesByRows::look_at(Index first, Index last) {
  Part& part = mine(first);
  for (Index i = first; i < last; ++i)
    look_at_row(part, i, values_.subspan(i * columns_, columns_));
}

void SizesByRows::look_at_row(Part& part, Index i, std::span<const double> row) {
  of_rows_[i] = part.add(row, transposed_);
}

SizesByRows::Part& SizesByRows::mine(Index first) {
  const std::scoped_lock lock(one_at_a_time_);
  std::unique_ptr<Part>& part = parts_[std::this_thread::get_id()];
  if (!part) part = std::make_unique<Part>(first, columns_);
  return *part;
}

Sizes SizesByRows::all() {
  std::vector<const Part*> parts;  // always in the same order, on which the sums depend
  for (const auto& [thread, part] : parts_) parts.push_back(part.get());
  std::ranges::sort(parts, {}, &Part::first);
  Sizes sizes{std::move(of_rows_), std::vector<double>(columns_, 0)};
  for (const Part* part : parts) merge(sizes, range_of(part->sizes));
  for (Index j = 0; j < columns_; ++j) {
    double sum = 0;
    for (const Part* part : parts) {
      sum += part->sums[j];
      sizes.columns[j] = std::max(sizes.columns[j], part->sizes.columns[j]);
    }
    sizes.norm1 = max_or_nan(sizes.norm1, sum);
  }
  if (!transposed_) return sizes;
  std::swap(sizes.rows, sizes.columns);
  for (const Part* part : parts) sizes.norm1 = max_or_nan(sizes.norm1, part->largest_sum);
  return sizes;
}

Sizes sizes_of(std::span<const double> values, Index columns) {
  SizesByRows sizes(values, columns);
  const Index rows = columns == 0 ? 0 : values.size() / columns;
  in_parallel(rows, kElementsPerThread / std::max<Index>(columns, 1) + 1,
              [&](Index first, Index last) { sizes.look_at(first, last); });
  return sizes.all();
}

MatrixSize size_of(const Sizes& sizes) {
  const bool has_nan = std::isnan(sizes.norm1);
  return {sizes.norm1, has_nan ? sizes.norm1 : sizes.largest};
}

Scaling scaling_for(Index n, Index nrhs, std::span<const double> a, std::span<const double> b,
                    RealType type, Equilibration equilibration) {
  return scaling_for(sizes_of(a, n), nrhs, a, b, type, equilibration);
}

Scaling complex_scaling_for(Index n, Index nrhs, std::span<const double> a,
                            std::span<const double> b, RealType type, Equilibration equilibration) {
  const ExponentsOf of_a = [&](std::span<const int> rows, std::span<const int> columns) {
    return exponents_of(n, n, a, rows, columns, 2);
  };
  return scaling_for(sizes_of_larger_parts(a, n), of_a, nrhs, larger_parts(b), type, equilibration);
}

Scaling scaling_for(const Sizes& sizes, Index nrhs, std::span<const double> a,
                    std::span<const double> b, RealType type, Equilibration equilibration) {
  const Index n = sizes.rows.size();
  const ExponentsOf of_a = [&](std::span<const int> rows, std::span<const int> columns) {
    return exponents_of(n, n, a, rows, columns);
  };
  return scaling_for(sizes, of_a, nrhs, b, type, equilibration);
}

Scaling scaling_for(const Sizes& sizes, const ExponentsOf& of_a, Index nrhs,
                    std::span<const double> b, RealType type, Equilibration equilibration) {
  const Limits limits(type);
  const Index n = sizes.rows.size();
  const Range range = range_of(sizes), of_b = range_of(b);
  Wish wish;
  if (equilibration == Equilibration::automatic)
    wish = wish_of(sizes, of_a, nrhs, b, limits);
  else
    wish.rows = wish.columns = equilibration == Equilibration::on;
  Scaling scaling;
  scaling.size = size_of(sizes);
  scaling.finite = range.finite && of_b.finite;
  const bool spans_too_much =
      of_b.finite && of_b.largest > 0 &&
      std::ilogb(of_b.largest) - std::ilogb(of_b.least) > limits.high() - limits.least;
  if (!fits(range, limits) || spans_too_much || !quotients_fit(of_b, range, limits)) {
    wish.columns = true;
    wish.rows = wish.rows || range_asks_for_rows(of_a, n, nrhs, b, limits);
  }
  if (wish.rows || wish.columns) scale_matrix(scaling, of_a, wish, equilibration, limits);
  scale_right_hand_sides(scaling, n, nrhs, b, type);
  return scaling;
}

Scaling scaling_for(const Sizes& sizes, const System& system, bool transposed, RealType type,
                    Equilibration equilibration) {
  const Index nrhs = system.b.cols();
  const std::span<const double> a = system.a.values(), b = system.b.values();
  if (!transposed) return scaling_for(sizes, nrhs, a, b, type, equilibration);
  const ExponentsOf of_a = [&](std::span<const int> rows, std::span<const int> columns) {
    return exponents_of_transposed(sizes.rows.size(), a, rows, columns);
  };
  return scaling_for(sizes, of_a, nrhs, b, type, equilibration);
}

Scaling transposed(const Scaling& scaling) {
  Scaling turned = scaling;
  std::swap(turned.rows, turned.columns);
  turned.right_hand_sides.clear();
  return turned;
}

void scale_right_hand_sides(Scaling& scaling, Index n, Index nrhs, std::span<const double> b,
                            RealType type) {
  const Limits limits(type);
  if (!fits(range_of(b), limits) || !scaling.rows.empty())
    scale_each_right_hand_side(scaling, n, nrhs, b, limits);
}

namespace {

/// R = C from `powers()`, if the range of A or of x needs it.
template <typename Powers>
Scaling two_sided_scaling_for(const Sizes& sizes, Index nrhs, std::span<const double> b,
                              RealType type, const Powers& powers) {
  const Limits limits(type);
  const Range of_a = range_of(sizes), of_b = range_of(b);
  Scaling scaling;
  scaling.size = size_of(sizes);
  scaling.finite = of_a.finite && of_b.finite;
  if (!fits(of_a, limits) || !quotients_fit(of_b, of_a, limits))
    scaling.rows = scaling.columns = powers();
  scale_right_hand_sides(scaling, sizes.rows.size(), nrhs, b, type);
  return scaling;
}

/// Half the exponent that brings 2^exponent to 1 or to 2.
int half_to_one(int exponent) { return exponent == kNone ? 0 : -((exponent - (exponent & 1)) / 2); }

/// Exponents that bring the diagonal into [1, 4) when applied to rows and columns. `parts` of a
/// number; those of the diagonal but the first are 0.
std::vector<int> powers_of_diagonal(Index n, std::span<const double> a, Index parts) {
  std::vector<int> powers(n);
  for (Index i = 0; i < n; ++i) powers[i] = half_to_one(exponent_of(a[i * (n + 1) * parts]));
  return powers;
}

/// Each pass halves the exponents of the rows' largest numbers.
std::vector<int> powers_of_rows(Index n, const ExponentsOf& of_a) {
  constexpr int kPasses = 12;  // 2^12 exceeds all exponents
  std::vector<int> powers(n, 0);
  for (int pass = 0; pass < kPasses; ++pass) {
    const std::vector<int> largest = of_a(powers, powers).rows;
    bool changed = false;
    for (Index i = 0; i < n; ++i) {
      const int more = half_to_one(largest[i]);
      powers[i] += more;
      changed = changed || more != 0;
    }
    if (!changed) break;
  }
  return powers;
}

Scaling symmetric_scaling_for(const Sizes& sizes, const ExponentsOf& of_a, Index nrhs,
                              std::span<const double> b, RealType type) {
  Scaling scaling = two_sided_scaling_for(sizes, nrhs, b, type,
                                          [&] { return powers_of_rows(sizes.rows.size(), of_a); });
  if (scaling.rows.empty()) return scaling;
  const Exponents scaled = of_a(scaling.rows, scaling.columns);
  const bool has_zeros = std::ranges::count(scaled.rows, kNone) > 0;  // certainly singular
  scaling.may_underflow = !has_zeros && 2 * std::int64_t{scaled.least} < Limits(type).least;
  return scaling;
}

}  // namespace

Scaling definite_scaling_for(Index n, Index nrhs, std::span<const double> a,
                             std::span<const double> b, RealType type) {
  return definite_scaling_for(sizes_of(a, n), nrhs, a, b, type);
}

Scaling definite_scaling_for(const Sizes& sizes, Index nrhs, std::span<const double> a,
                             std::span<const double> b, RealType type) {
  return two_sided_scaling_for(sizes, nrhs, b, type,
                               [&] { return powers_of_diagonal(sizes.rows.size(), a, 1); });
}

Scaling complex_definite_scaling_for(Index n, Index nrhs, std::span<const double> a,
                                     std::span<const double> b, RealType type) {
  return two_sided_scaling_for(sizes_of_larger_parts(a, n), nrhs, larger_parts(b), type,
                               [&] { return powers_of_diagonal(n, a, 2); });
}

Scaling symmetric_scaling_for(const Sizes& sizes, Index nrhs, std::span<const double> a,
                              std::span<const double> b, RealType type) {
  const Index n = sizes.rows.size();
  const ExponentsOf of_a = [&](std::span<const int> rows, std::span<const int> columns) {
    return exponents_of(n, n, a, rows, columns);
  };
  return symmetric_scaling_for(sizes, of_a, nrhs, b, type);
}

Scaling hermitian_scaling_for(Index n, Index nrhs, std::span<const double> a,
                              std::span<const double> b, RealType type) {
  const ExponentsOf of_a = [&](std::span<const int> rows, std::span<const int> columns) {
    return exponents_of(n, n, a, rows, columns, 2);
  };
  return symmetric_scaling_for(sizes_of_larger_parts(a, n), of_a, nrhs, larger_parts(b), type);
}

Scaling scaling_for(const System& system, RealType type, Equilibration equilibration) {
  return scaling_for(system.a.rows(), system.b.cols(), system.a.values(), system.b.values(), type,
                     equilibration);
}

void scale(const Scaling& scaling, Index n, Index parts, std::span<double> a, std::span<double> b) {
  const auto scale_all = [&](std::span<double> values, const std::vector<int>& columns) {
    const Index width = values.size() / n;
    for (Index e = 0; e < values.size(); ++e)
      values[e] = times_power(values[e], exponent_at(scaling.rows, e / width) +
                                             exponent_at(columns, e % width / parts));
  };
  scale_all(a, scaling.columns);
  scale_all(b, scaling.right_hand_sides);
}

void scale_back(const Scaling& scaling, Index nrhs, std::span<double> x, Index parts) {
  if (scaling.columns.empty() && scaling.right_hand_sides.empty()) return;
  const Index width = nrhs * parts, rows = nrhs == 0 ? 0 : x.size() / width;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < width; ++j)
      x[i * width + j] =
          times_power(x[i * width + j], exponent_at(scaling.columns, i) -
                                            exponent_at(scaling.right_hand_sides, j / parts));
}

void scale_back(const Scaling& scaling, EliminationResult& result) {
  scale_back(scaling, result.x.cols(), result.x.values());
  for (const auto* exponents : {&scaling.rows, &scaling.columns})
    result.exponent -= std::accumulate(exponents->begin(), exponents->end(), std::int64_t{0});
  result.finite_input = scaling.finite;
  result.scaled_rows = !scaling.rows.empty();
  result.scaled_columns = !scaling.columns.empty();
  result.may_underflow = scaling.may_underflow;
}

namespace {

double magnitude_of(double value) { return std::abs(value); }
double magnitude_of(std::complex<double> value) {
  return std::abs(value.real()) + std::abs(value.imag());
}

/// Whether elimination of the n-by-n `u` makes a magnitude in `column` exceed 2^limit.
template <typename Number>
bool grows_beyond(int limit, Index n, std::vector<Number> u, Index column) {
  for (Index k = 0; k < column; ++k) {
    Index pivot = k;
    for (Index i = k + 1; i < n; ++i)
      if (magnitude_of(u[i * n + k]) > magnitude_of(u[pivot * n + k])) pivot = i;
    if (u[pivot * n + k] == Number{}) return false;
    std::swap_ranges(&u[k * n], &u[k * n] + n, &u[pivot * n]);
    for (Index i = k + 1; i < n; ++i) {
      const Number l = u[i * n + k] / u[k * n + k];
      for (Index j = k + 1; j <= column; ++j) u[i * n + j] -= l * u[k * n + j];
      if (!(magnitude_of(u[i * n + column]) < std::ldexp(1.0, limit))) return true;
    }
  }
  return false;
}

}  // namespace

bool grows_beyond(RealType type, Index n, Index parts, std::span<const double> a, Index column) {
  const int limit = Limits(type).largest + 1;
  const Range range = range_of(a);
  // A step at most doubles the largest number; of complex ones |l| may be sqrt(2).
  const int growth = static_cast<int>(parts * (column + 1));
  if (range.largest == 0 || std::ilogb(range.largest) + growth <= limit) return false;
  if (parts == 1) return grows_beyond<double>(limit, n, {a.begin(), a.end()}, column);
  std::vector<std::complex<double>> numbers(n * n);
  for (Index e = 0; e < numbers.size(); ++e) numbers[e] = {a[2 * e], a[2 * e + 1]};
  return grows_beyond(limit, n, std::move(numbers), column);
}

}  // namespace clgauss
