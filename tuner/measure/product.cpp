#include "tuner/measure/product.hpp"

#include <random>

namespace clgauss::tune {

namespace {

std::vector<float> random_integers(Index count, std::mt19937& random) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(random() % 5) - 2;
  return values;
}

/// The first `rows` elements of M x, of which the first `columns` elements of x count.
std::vector<double> times(std::span<const float> matrix, Index n, Index rows, Index columns,
                          std::span<const double> x) {
  std::vector<double> y(rows);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < columns; ++j) y[i] += static_cast<double>(matrix[i * n + j]) * x[j];
  return y;
}

}  // namespace

Product::Product(Index n, std::uint32_t seed) : n_(n) {
  std::mt19937 random(seed);
  a_ = random_integers(n * n, random);
  b_ = random_integers(n * n, random);
  // |A (B x)| <= 4 n^2 2^19: below 2^53, and so exact, up to n = 2^16
  for (Index j = 0; j < n; ++j) x_.push_back(static_cast<double>(random() % (1U << 20)) - 0x1p19);
}

bool Product::matches(std::span<const float> c, Index rows, Index columns) const {
  const std::vector<double> bx = times(b_, n_, n_, columns, x_);
  return times(c, n_, rows, columns, x_) == times(a_, n_, rows, n_, bx);
}

}  // namespace clgauss::tune
