#pragma once
/// Transposes row-major numbers and matrices.

#include <algorithm>
#include <clgauss/matrix.hpp>
#include <span>
#include <type_traits>

#include "parallel.hpp"

namespace clgauss {

/// Numbers per cache line.
template <typename Real>
inline constexpr Index kNumbersOfLine = 64 / sizeof(Real);

/// to[i to_ld + j] <- from[j from_ld + i] for first <= i < last and 0 <= j < columns, number by
/// number.
template <typename From, typename To>
void turn_numbers(const From* from, Index from_ld, To* to, Index to_ld, Index first, Index last,
                  Index columns) {
  for (Index i = first; i < last; ++i)
    for (Index j = 0; j < columns; ++j) to[i * to_ld + j] = static_cast<To>(from[j * from_ld + i]);
}

/// The same in square tiles, transposed in the registers of one kind of vectors. Strips of 256 rows
/// speed up the reads. For n = 2000 and 4000 in f64 two cores take half the time of turn_numbers()
/// in tiles as wide as a cache line.
template <typename Real>
struct TileTurn {
  const char* name;
  bool (*runs_here)();  // whether this processor has its vectors
  void (*turn)(const Real* from, Index from_ld, Real* to, Index to_ld, Index first, Index last,
               Index columns);
};

/// All kinds, the widest first; the last runs everywhere.
template <typename Real>
[[nodiscard]] std::span<const TileTurn<Real>> all_tile_turns();

/// turn() of the first kind that runs here, for f32 and f64.
template <typename Real>
void turn_tiles(const Real* from, Index from_ld, Real* to, Index to_ld, Index first, Index last,
                Index columns);

/// The same for any two types. Types without tiles go number by number, in columns as wide as a
/// cache line, so that each line of `to` is written once.
template <typename From, typename To>
void turn_over(const From* from, Index from_ld, To* to, Index to_ld, Index first, Index last,
               Index columns) {
  using Number = std::remove_const_t<From>;
  if constexpr (std::is_same_v<Number, To> && std::is_floating_point_v<To>) {
    turn_tiles<To>(from, from_ld, to, to_ld, first, last, columns);
  } else {
    constexpr Index kColumns = kNumbersOfLine<To>, kRows = 256;
    for (Index i0 = first; i0 < last; i0 += kRows)
      for (Index j = 0; j < columns; j += kColumns)
        turn_numbers(from + j * from_ld, from_ld, to + j, to_ld, i0, std::min(i0 + kRows, last),
                     std::min(kColumns, columns - j));
  }
}

/// As above for all rows, on all cores.
template <typename From, typename To>
void turn_over(const From* from, Index from_ld, To* to, Index to_ld, Index rows, Index columns) {
  constexpr Index kStrip = kNumbersOfLine<To>;
  const Index strips = (rows + kStrip - 1) / kStrip;
  in_parallel(strips, kElementsPerThread / (kStrip * std::max<Index>(columns, 1)) + 1,
              [&](Index first, Index last) {
                turn_over(from, from_ld, to, to_ld, first * kStrip, std::min(last * kStrip, rows),
                          columns);
              });
}

/// The columns of row-major numbers, rows x columns, one after the other.
[[nodiscard]] inline Values transposed(std::span<const double> values, Index rows, Index columns) {
  Values turned(values.size());
  turn_over(values.data(), columns, turned.data(), rows, columns, rows);
  return turned;
}

[[nodiscard]] inline Matrix transposed(const Matrix& matrix) {
  return {matrix.cols(), matrix.rows(), transposed(matrix.values(), matrix.rows(), matrix.cols())};
}

}  // namespace clgauss
