#include "matrix/row_passes.hpp"

#include <array>

#include "vectors.hpp"

namespace clgauss {

namespace {

/// Partial sums, or candidates. The loops over vectors are written out by hand: the compiler's own
/// vectorization shuffles them in registers, which takes longer than the arithmetic.
constexpr Index kPartial = 8;

template <typename V>
constexpr Index kVectors = kPartial / V::kLanes;

template <typename V>
struct Partial {
  typename V::Numbers of[kVectors<V>] = {};
};

/// magnitude <- |numbers|.
template <typename V>
CLGAUSS_INLINE void take_magnitude(const typename V::Numbers& numbers,
                                   typename V::Numbers& magnitude) {
  using Bits = typename V::Places;
  const Bits all = Bits{} + static_cast<std::int64_t>(~std::uint64_t{0} >> 1U);
  magnitude = (typename V::Numbers)((Bits)numbers & all);
}

template <typename V>
CLGAUSS_INLINE std::array<double, kPartial> numbers_of(const Partial<V>& partial) {
  std::array<double, kPartial> numbers;
  for (Index v = 0; v < kVectors<V>; ++v) at<V>(numbers.data() + v * V::kLanes) = partial.of[v];
  return numbers;
}

/// Adds the partial sums sequentially, in order.
template <typename V>
CLGAUSS_INLINE double sum_of(const Partial<V>& partial) {
  double sum = 0;
  for (const double number : numbers_of<V>(partial)) sum += number;
  return sum;
}

/// size_of_row() with `kArrays` of the arrays.
template <typename V, int kArrays>
CLGAUSS_INLINE RowSize size_with(std::span<const double> row, double* largest_of, double* sums_of) {
  using Numbers = typename V::Numbers;
  using Bits = typename V::Places;
  // `least` holds the next smaller number; for 0 that is NaN, never less.
  Partial<V> least, largest, sums, differences;
  for (Numbers& numbers : least.of) numbers = Numbers{} + HUGE_VAL;
  const auto look = [&](const double* from, Index v, double* to_largest, double* to_sums)
      __attribute__((always_inline)) {
    const Numbers numbers = at<V>(from);
    Numbers magnitude;
    take_magnitude<V>(numbers, magnitude);
    const Numbers below = (Numbers)((Bits)magnitude - 1);
    least.of[v] = below < least.of[v] ? below : least.of[v];
    largest.of[v] = magnitude > largest.of[v] ? magnitude : largest.of[v];
    sums.of[v] += magnitude;
    differences.of[v] += numbers - numbers;  // NaN for NaN and Inf
    if constexpr (kArrays > 0)
      at<V>(to_largest) = magnitude > at<V>(to_largest) ? magnitude : at<V>(to_largest);
    if constexpr (kArrays > 1) at<V>(to_sums) += magnitude;
  };
  const Index whole = row.size() / kPartial * kPartial, rest = row.size() - whole;
  for (Index j = 0; j < whole; j += kPartial)
    for (Index v = 0; v < kVectors<V>; ++v) {
      const Index k = j + v * V::kLanes;
      look(row.data() + k, v, kArrays > 0 ? largest_of + k : nullptr,
           kArrays > 1 ? sums_of + k : nullptr);
    }
  if (rest > 0) {  // zeros change nothing
    double numbers[kPartial] = {}, last_largest[kPartial] = {}, last_sums[kPartial] = {};
    std::copy_n(row.data() + whole, rest, numbers);
    if constexpr (kArrays > 0) std::copy_n(largest_of + whole, rest, last_largest);
    if constexpr (kArrays > 1) std::copy_n(sums_of + whole, rest, last_sums);
    for (Index v = 0; v < kVectors<V>; ++v) {
      const Index k = v * V::kLanes;
      look(numbers + k, v, last_largest + k, last_sums + k);
    }
    if constexpr (kArrays > 0) std::copy_n(last_largest, rest, largest_of + whole);
    if constexpr (kArrays > 1) std::copy_n(last_sums, rest, sums_of + whole);
  }
  return {{std::nextafter(std::ranges::min(numbers_of<V>(least)), HUGE_VAL),
           std::ranges::max(numbers_of<V>(largest)), sum_of<V>(differences) == 0},
          sum_of<V>(sums)};
}

template <typename V>
CLGAUSS_INLINE RowSize size_in(std::span<const double> row, double* largest, double* sums) {
  if (largest == nullptr) return size_with<V, 0>(row, nullptr, nullptr);
  if (sums == nullptr) return size_with<V, 1>(row, largest, nullptr);
  return size_with<V, 2>(row, largest, sums);
}

template <typename V>
CLGAUSS_INLINE RowSums sums_in(std::span<const double> a, const double* x) {
  using Numbers = typename V::Numbers;
  Partial<V> product, magnitude, row;
  const auto add = [&](const double* from_a, const double* from_x, Index v)
      __attribute__((always_inline)) {
    const Numbers numbers = at<V>(from_a), terms = numbers * at<V>(from_x);
    Numbers size_of_terms, size;
    take_magnitude<V>(terms, size_of_terms);
    take_magnitude<V>(numbers, size);
    product.of[v] += terms;
    magnitude.of[v] += size_of_terms;
    row.of[v] += size;
  };
  const Index whole = a.size() / kPartial * kPartial, rest = a.size() - whole;
  for (Index j = 0; j < whole; j += kPartial)
    for (Index v = 0; v < kVectors<V>; ++v)
      add(a.data() + j + v * V::kLanes, x + j + v * V::kLanes, v);
  if (rest > 0) {
    double of_a[kPartial] = {}, of_x[kPartial] = {};
    std::copy_n(a.data() + whole, rest, of_a);
    std::copy_n(x + whole, rest, of_x);
    for (Index v = 0; v < kVectors<V>; ++v) add(of_a + v * V::kLanes, of_x + v * V::kLanes, v);
  }
  return {sum_of<V>(product), sum_of<V>(magnitude), sum_of<V>(row)};
}

// The functions for one width of vectors and one kind of processor.
#define CLGAUSS_ROW_PASSES(NAME, LANES, TARGET, RUNS_HERE)                                 \
  TARGET RowSize size_##NAME(std::span<const double> row, double* largest, double* sums) { \
    return size_in<Vectors<LANES>>(row, largest, sums);                                    \
  }                                                                                        \
  TARGET RowSums sums_##NAME(std::span<const double> a, const double* x) {                 \
    return sums_in<Vectors<LANES>>(a, x);                                                  \
  }

CLGAUSS_EACH_WIDTH(CLGAUSS_ROW_PASSES)

#define CLGAUSS_ROW_PASSES_ROW(NAME, LANES, TARGET, RUNS_HERE) \
  {#NAME, &RUNS_HERE, &size_##NAME, &sums_##NAME},
constexpr RowPasses kAllRowPasses[] = {CLGAUSS_EACH_WIDTH(CLGAUSS_ROW_PASSES_ROW)};

const RowPasses& row_passes() {
  static const RowPasses& chosen = first_that_runs_here(kAllRowPasses);
  return chosen;
}

}  // namespace

std::span<const RowPasses> all_row_passes() { return kAllRowPasses; }

RowSize size_of_row(std::span<const double> row, double* largest, double* sums) {
  return row_passes().size_of_row(row, largest, sums);
}

RowSums sums_of_row(std::span<const double> a, const double* x) {
  return row_passes().sums_of_row(a, x);
}

}  // namespace clgauss
