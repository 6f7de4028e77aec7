/// The inner loops of QR in host memory: by every kind of vectors.

#include <doctest/doctest.h>

#include <clgauss/lab/generate.hpp>
#include <cmath>

#include "linalg/qr/reflection_loops.hpp"

namespace clgauss {

namespace {

constexpr Index kLd = 45;

void require_same(const Matrix& a, const Matrix& b) {
  for (Index i = 0; i < a.values().size(); ++i)
    CHECK(std::abs(a.values()[i] - b.values()[i]) <= 1e-13);
}

}  // namespace

TEST_CASE("reflection loops: every kind of vectors adds the same rows") {
  for (const ReflectionLoops& loops : all_reflection_loops()) {
    if (!loops.runs_here()) continue;
    CAPTURE(loops.name);
    for (const Index rows : {0, 1, 7, 8, 19})
      for (const Index columns : {0, 1, 7, 8, 37}) {
        const Matrix factors = random_matrix(20, 3, 1), from = random_matrix(20, kLd, 2);
        Matrix sums = random_matrix(1, kLd, 3), right = sums;
        for (Index j = 0; j < columns; ++j)
          for (Index i = 0; i < rows; ++i) right(0, j) += -2 * factors(i, 0) * from(i, j);
        loops.add_rows(rows, &factors.values()[0], 3, from.values().data(), kLd, -2, columns,
                       &sums(0, 0));
        require_same(sums, right);
      }
  }
}

TEST_CASE("reflection loops: every kind of vectors reflects the same rows") {
  for (const ReflectionLoops& loops : all_reflection_loops()) {
    if (!loops.runs_here()) continue;
    CAPTURE(loops.name);
    for (const Index rows : {0, 1, 3, 4, 9})
      for (const Index length : {0, 1, 7, 8, 37}) {
        const Matrix v = random_matrix(1, kLd, 4);
        Matrix tails = random_matrix(10, kLd, 5), diagonal = random_matrix(10, 3, 6);
        Matrix right_tails = tails, right_diagonal = diagonal;
        for (Index q = 0; q < rows; ++q) {
          double sum = diagonal(q, 0);
          for (Index j = 0; j < length; ++j) sum += v(0, j) * tails(q, j);
          right_diagonal(q, 0) -= 0.7 * sum;
          for (Index j = 0; j < length; ++j) right_tails(q, j) -= 0.7 * sum * v(0, j);
        }
        loops.reflect_tails(rows, v.values().data(), 0.7, length, &diagonal(0, 0), 3, &tails(0, 0),
                            kLd);
        require_same(tails, right_tails);
        require_same(diagonal, right_diagonal);
      }
  }
}

}  // namespace clgauss
