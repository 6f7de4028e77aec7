#include <doctest/doctest.h>

#include "emulated/work_group.hpp"
#include "support/halves.hpp"

#define TILE_M 64
#define TILE_N 64
#define TILE_K 32
#define SG_M 32
#define SG_N 32
#define STAGES 3
#define VEC_WIDTH 4
#define RASTER 2
#define UPDATE 0
#define PREFETCH_C 1
namespace {
#include "gemm_mma_f16x3.hpp"
}

using namespace clgauss::test;
using namespace clgauss::test::emulated;

namespace {

/// Row-major.
struct Numbers {
  uint rows, cols;
  std::vector<float> values;
  float operator()(std::size_t i, std::size_t j) const { return values[i * cols + j]; }
};

/// Element (i, j) of a random matrix with |x| <= 1 is scaled by `scale`.
Numbers made_up(uint rows, uint cols, const std::function<double(uint, uint)>& scale) {
  Numbers numbers{rows, cols, {}};
  std::mt19937 generator(rows * 1000 + cols);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (uint i = 0; i < rows; ++i)
    for (uint j = 0; j < cols; ++j)
      numbers.values.push_back(static_cast<float>(uniform(generator) * scale(i, j)));
  return numbers;
}

constexpr double kEps = 0x1p-24;
const auto kPlain = [](uint, uint) { return 1.0; };

uint up(uint n, uint to) { return (n + to - 1) / to * to; }

struct Split {
  SplitOperand a, b;
};
Split split(const Numbers& a, const Numbers& b) {
  const uint padded_k = up(a.cols, TILE_K);
  return {split_operand(Operand::a, a.rows, a.cols, up(a.rows, TILE_M), padded_k, a),
          split_operand(Operand::b, b.cols, a.cols, up(b.cols, TILE_N), padded_k,
                        [&](std::size_t i, std::size_t j) { return b(j, i); })};
}

/// alpha A B + beta C, told that the operands are unfit or not.
std::vector<float> product(const Numbers& a, const Numbers& b, float alpha, float beta,
                           const Numbers& c, uint unfit) {
  const auto [left, right] = split(a, b);
  std::vector<float> result = c.values;
  result.resize(c.rows * c.cols);
  const uint groups = up(a.rows, TILE_M) / TILE_M * (up(b.cols, TILE_N) / TILE_N);
  WorkGroup::run(groups, WG_SIZE, [&] {
    gemm(a.rows, b.cols, a.cols, alpha, reinterpret_cast<const uint4*>(left.halves.data()),
         left.exponents.data(), reinterpret_cast<const uint4*>(right.halves.data()),
         right.exponents.data(), beta, result.data(), 0, c.cols, &unfit, 1);
  });
  return result;
}

/// The largest error of alpha A B + beta C over |alpha| |A| |B| + |beta| |C|, or NaN.
double error_of(const Numbers& a, const Numbers& b, float alpha, float beta) {
  const uint m = a.rows, n = b.cols, k = a.cols;
  const Numbers c = made_up(m, up(n, 4), kPlain);
  const std::vector<float> found = product(a, b, alpha, beta, c, 0);
  double error = 0;
  for (uint i = 0; i < m; ++i)
    for (uint j = 0; j < c.cols; ++j) {
      if (j >= n) {
        CHECK(found[i * c.cols + j] == c(i, j));
        continue;
      }
      double sum = beta * double{c(i, j)}, size = std::abs(sum);
      for (uint p = 0; p < k; ++p) {
        const double term = double{alpha} * a(i, p) * b(p, j);
        sum += term;
        size += std::abs(term);
      }
      const double one = std::abs(found[i * c.cols + j] - sum) / size;
      if (!(one <= error)) error = one;
    }
  return error;
}

bool unfit(const Numbers& a, const Numbers& b) {
  const auto [left, right] = split(a, b);
  return left.unfit || right.unfit;
}

}  // namespace

TEST_CASE("gemm_mma_f16x3: products of every shape have the error of an f32 product") {
  for (const auto& [m, n, k] : {std::array<uint, 3>{70, 40, 100}, {64, 64, 32}, {1, 1, 1}}) {
    CAPTURE(m);
    const Numbers a = made_up(m, k, kPlain), b = made_up(k, n, kPlain);
    CHECK_FALSE(unfit(a, b));
    for (const auto& [alpha, beta] : {std::pair(-1.0f, 1.0f), {0.5f, 0.0f}, {2.0f, -3.0f}})
      CHECK(error_of(a, b, alpha, beta) <= 3 * kEps);
  }
}

TEST_CASE("gemm_mma_f16x3: rows and columns of very different sizes keep their digits") {
  const auto size = [](uint i) { return std::ldexp(1.0, 7 * (static_cast<int>(i) % 16 - 8)); };
  const Numbers rows = made_up(64, 64, [&](uint i, uint) { return size(i); }),
                columns = made_up(64, 64, [&](uint, uint j) { return size(j); });
  CHECK_FALSE(unfit(rows, columns));
  CHECK(error_of(rows, columns, 1, 0) <= 3 * kEps);
  // Inside a row 2^10 is kept, where the sum may be of the small ones only; 2^50 is not, and said to be so.
  for (const auto& [least, is_unfit] : {std::pair(0x1p-10, false), {0x1p-50, true}}) {
    const double small = least;
    const Numbers a = made_up(64, 64, [&](uint, uint j) { return j % 2 == 0 ? 1.0 : small; }),
                  b = made_up(64, 64, [&](uint i, uint) { return i % 2 == 0 ? small : 1.0; });
    CHECK(unfit(a, b) == is_unfit);
    CHECK((error_of(a, b, 1, 0) <= 3 * kEps) == !is_unfit);
  }
}

TEST_CASE("gemm_mma_f16x3: what is unfit is left alone, what is not finite becomes NaN") {
  constexpr uint kSize = 64;
  Numbers a = made_up(kSize, kSize, kPlain);
  const Numbers b = made_up(kSize, kSize, kPlain);
  const Numbers before = made_up(kSize, kSize, kPlain);
  CHECK(product(a, b, 1, 1, before, 1) == before.values);
  a.values[5 * kSize + 7] = std::numeric_limits<float>::infinity();
  a.values[6 * kSize + 7] = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> c = product(a, b, 1, 0, Numbers{kSize, kSize, {}}, 0);
  for (uint i = 0; i < kSize; ++i)
    for (uint j = 0; j < kSize; ++j) CHECK(std::isnan(c[i * kSize + j]) == (i == 5 || i == 6));
}
