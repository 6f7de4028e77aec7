#include "linalg/qr/reflection_loops.hpp"

#include "vectors.hpp"

namespace clgauss {

namespace {

constexpr Index kAddedRows = 8;  // added to the same sums
constexpr Index kTailRows = 8;   // to reuse what is read of v

template <typename V, Index kRows>
CLGAUSS_INLINE void add_few_rows(const double* factors, Index factor_ld, const double* from,
                                 Index ld, double by, Index columns, double* sums) {
  double now[kRows];
  for (Index r = 0; r < kRows; ++r) now[r] = by * factors[r * factor_ld];
  Index j = 0;
  for (; j + V::kLanes <= columns; j += V::kLanes) {
    typename V::Numbers sum = at<V>(sums + j);
    for (Index r = 0; r < kRows; ++r) sum += now[r] * at<V>(from + r * ld + j);
    at<V>(sums + j) = sum;
  }
  for (; j < columns; ++j)
    for (Index r = 0; r < kRows; ++r) sums[j] += now[r] * from[r * ld + j];
}

template <typename V>
CLGAUSS_INLINE void add_rows(Index rows, const double* factors, Index factor_ld, const double* from,
                             Index ld, double by, Index columns, double* sums) {
  Index i = 0;
  for (; i + kAddedRows <= rows; i += kAddedRows)
    add_few_rows<V, kAddedRows>(factors + i * factor_ld, factor_ld, from + i * ld, ld, by, columns,
                                sums);
  for (; i < rows; ++i)
    add_few_rows<V, 1>(factors + i * factor_ld, factor_ld, from + i * ld, ld, by, columns, sums);
}

template <typename V, Index kRows>
CLGAUSS_INLINE void reflect_few_tails(const double* v, double tau, Index length, double* diagonal,
                                      Index diagonal_ld, double* tails, Index ld) {
  typename V::Numbers sums[kRows] = {};
  double by[kRows];
  Index whole = 0;
  for (; whole + V::kLanes <= length; whole += V::kLanes)
    for (Index q = 0; q < kRows; ++q) sums[q] += at<V>(v + whole) * at<V>(tails + q * ld + whole);
  for (Index q = 0; q < kRows; ++q) {
    double sum = diagonal[q * diagonal_ld];
    for (Index lane = 0; lane < V::kLanes; ++lane) sum += sums[q][lane];
    for (Index j = whole; j < length; ++j) sum += v[j] * tails[q * ld + j];
    by[q] = tau * sum;
    diagonal[q * diagonal_ld] -= by[q];
  }
  for (Index j = 0; j < whole; j += V::kLanes)
    for (Index q = 0; q < kRows; ++q) at<V>(tails + q * ld + j) -= by[q] * at<V>(v + j);
  for (Index j = whole; j < length; ++j)
    for (Index q = 0; q < kRows; ++q) tails[q * ld + j] -= by[q] * v[j];
}

template <typename V>
CLGAUSS_INLINE void reflect_tails(Index rows, const double* v, double tau, Index length,
                                  double* diagonal, Index diagonal_ld, double* tails, Index ld) {
  Index q = 0;
  for (; q + kTailRows <= rows; q += kTailRows)
    reflect_few_tails<V, kTailRows>(v, tau, length, diagonal + q * diagonal_ld, diagonal_ld,
                                    tails + q * ld, ld);
  for (; q < rows; ++q)
    reflect_few_tails<V, 1>(v, tau, length, diagonal + q * diagonal_ld, diagonal_ld, tails + q * ld,
                            ld);
}

#define CLGAUSS_REFLECTION_LOOPS(NAME, LANES, TARGET, RUNS_HERE)                                   \
  TARGET void add_rows_##NAME(Index rows, const double* factors, Index factor_ld,                  \
                              const double* from, Index ld, double by, Index columns,              \
                              double* sums) {                                                      \
    add_rows<Vectors<LANES>>(rows, factors, factor_ld, from, ld, by, columns, sums);               \
  }                                                                                                \
  TARGET void reflect_tails_##NAME(Index rows, const double* v, double tau, Index length,          \
                                   double* diagonal, Index diagonal_ld, double* tails, Index ld) { \
    reflect_tails<Vectors<LANES>>(rows, v, tau, length, diagonal, diagonal_ld, tails, ld);         \
  }

CLGAUSS_EACH_WIDTH(CLGAUSS_REFLECTION_LOOPS)

#define CLGAUSS_REFLECTION_LOOPS_ROW(NAME, LANES, TARGET, RUNS_HERE) \
  {#NAME, &RUNS_HERE, &add_rows_##NAME, &reflect_tails_##NAME},
constexpr ReflectionLoops kReflectionLoops[] = {CLGAUSS_EACH_WIDTH(CLGAUSS_REFLECTION_LOOPS_ROW)};

}  // namespace

std::span<const ReflectionLoops> all_reflection_loops() { return kReflectionLoops; }

const ReflectionLoops& reflection_loops() {
  static const ReflectionLoops& chosen = first_that_runs_here(kReflectionLoops);
  return chosen;
}

}  // namespace clgauss
