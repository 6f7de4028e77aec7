/// Matrices turned over: every kind of vectors, every remainder, rows and columns with gaps.
#include <doctest/doctest.h>

#include <vector>

#include "matrix/transposed.hpp"

namespace clgauss {

namespace {

/// Numbers that tell where they are from.
template <typename Real>
std::vector<Real> counted(Index count) {
  std::vector<Real> numbers(count);
  for (Index i = 0; i < count; ++i) numbers[i] = static_cast<Real>(i + 1);
  return numbers;
}

template <typename Real, typename Turn>
void check_turn(Index rows, Index columns, Index first, const Turn& turn) {
  CAPTURE(rows);
  CAPTURE(columns);
  CAPTURE(first);
  const Index from_ld = rows + 3, to_ld = columns + 2;
  const std::vector<Real> from = counted<Real>(columns * from_ld + 1);
  std::vector<Real> to(rows * to_ld, Real{0});
  turn(from.data(), from_ld, to.data(), to_ld, first, rows, columns);
  bool right = true;
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < to_ld; ++j)
      right = right &&
              to[i * to_ld + j] == (i >= first && j < columns ? from[j * from_ld + i] : Real{0});
  CHECK(right);
}

template <typename Real>
void check_all_kinds() {
  for (const TileTurn<Real>& one : all_tile_turns<Real>()) {
    if (!one.runs_here()) continue;
    CAPTURE(one.name);
    for (const Index rows : {1, 2, 7, 8, 9, 255, 256, 257, 300})
      for (const Index columns : {1, 3, 8, 15, 16, 17, 31})
        for (const Index first : {Index{0}, rows / 2, rows})
          check_turn<Real>(rows, columns, first, one.turn);
  }
}

}  // namespace

TEST_CASE("turned over by every kind of vectors, f32 and f64: nothing else is written") {
  check_all_kinds<float>();
  check_all_kinds<double>();
}

TEST_CASE("turned over by all cores, and from one type to another") {
  check_turn<double>(
      1100, 517, 0,
      [](const double* from, Index from_ld, double* to, Index to_ld, Index /*first*/, Index rows,
         Index columns) { turn_over(from, from_ld, to, to_ld, rows, columns); });
  const std::vector<double> from = counted<double>(20 * 30);
  std::vector<float> to(20 * 30);
  turn_over(from.data(), 20, to.data(), 30, 0, 20, 30);
  for (Index i = 0; i < 20; ++i)
    for (Index j = 0; j < 30; ++j) CHECK(double{to[i * 30 + j]} == from[j * 20 + i]);
}

}  // namespace clgauss
