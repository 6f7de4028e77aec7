#include <doctest/doctest.h>

#include <array>
#include <clgauss/matrix.hpp>
#include <span>
#include <utility>

namespace clgauss {

namespace {

Values borrow(std::span<double> memory) {
  return Values(memory.size(), UninitializedAllocator<double>(memory.data()));
}

}  // namespace

TEST_CASE("borrowed values lie where they were, with the numbers that are there") {
  std::array<double, 4> memory{1, 2, 3, 4};
  Matrix matrix(2, 2, borrow(memory));
  CHECK(matrix.values().data() == memory.data());
  CHECK(matrix(1, 0) == 3);

  Matrix moved = std::move(matrix);
  CHECK(moved.values().data() == memory.data());
  moved = Matrix(1, 1, {7});
  CHECK(moved(0, 0) == 7);
  CHECK(memory == std::array<double, 4>{1, 2, 3, 4});
}

TEST_CASE("a copy of borrowed values owns its own") {
  std::array<double, 4> memory{1, 2, 3, 4};
  const Matrix matrix(2, 2, borrow(memory));
  Matrix copy = matrix;
  CHECK(copy.values().data() != memory.data());
  copy(0, 0) = 9;
  CHECK(memory[0] == 1);

  Matrix assigned(3, 3);
  assigned = matrix;
  CHECK(assigned.values().data() != memory.data());
  CHECK(assigned(1, 1) == 4);
}

}  // namespace clgauss
