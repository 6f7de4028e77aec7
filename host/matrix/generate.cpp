#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <cmath>
#include <numeric>
#include <random>

#include "io/memory.hpp"

namespace clgauss {

namespace {

/// Uniform numbers in [-1, 1). The standard fixes mt19937_64's output but not
/// std::uniform_real_distribution's, so the top 53 bits are scaled here.
class Uniform {
 public:
  explicit Uniform(std::uint64_t seed) : engine_(seed) {}
  double operator()() { return static_cast<double>(engine_() >> 11U) * 0x1p-52 - 1.0; }
  /// 0 .. bound - 1; the bias of the remainder is below 2^-40 for the sizes used here.
  Index below(Index bound) { return engine_() % bound; }

 private:
  std::mt19937_64 engine_;
};

Matrix make_random(Index n, std::uint64_t seed) { return random_matrix(n, n, seed); }

/// Integers: short to write, with exact row sums.
Matrix make_integer(Index n, std::uint64_t seed) {
  Uniform uniform(seed);
  Matrix a(n, n);
  for (double& value : a.values()) value = static_cast<double>(uniform.below(19)) - 9.0;
  return a;
}

Matrix make_zero_pivot(Index n, std::uint64_t seed) {
  Matrix a = make_random(n, seed);
  if (n > 0) a(0, 0) = 0;
  return a;
}

/// Rows and columns scaled by powers of two from 1 down to 2^-20 and up to 2^20: exact, and far
/// from equilibrated.
Matrix make_graded(Index n, std::uint64_t seed) {
  Matrix a = make_random(n, seed);
  const auto grade = [n](Index i) { return static_cast<int>(20 * i / std::max<Index>(n, 1)); };
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) a(i, j) = std::ldexp(a(i, j), grade(j) - grade(i));
  return a;
}

/// (R + R^T) / 2 + n I: symmetric, and positive definite because its rows are diagonally dominant.
Matrix make_spd(Index n, std::uint64_t seed) {
  const Matrix r = make_random(n, seed);
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      a(i, j) = (r(i, j) + r(j, i)) / 2 + (i == j ? static_cast<double>(n) : 0.0);
  return a;
}

Matrix make_hilbert(Index n, std::uint64_t /*seed*/) {
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) a(i, j) = 1.0 / static_cast<double>(i + j + 1);
  return a;
}

Matrix make_permuted_identity(Index n, std::uint64_t seed) {
  std::vector<Index> order(n);
  std::iota(order.begin(), order.end(), Index{0});
  Uniform uniform(seed);
  for (Index i = n; i > 1; --i) std::swap(order[i - 1], order[uniform.below(i)]);
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i) a(i, order[i]) = 1;
  return a;
}

/// The last column is all zeros: exactly singular in every arithmetic.
Matrix make_singular(Index n, std::uint64_t seed) {
  Matrix a = make_random(n, seed);
  for (Index i = 0; i < n; ++i) a(i, n - 1) = 0;
  return a;
}

/// The lower half of the rows repeats the upper half: rank ceil(n / 2), exactly singular in every
/// arithmetic from n = 2 on.
Matrix make_rank_deficient(Index n, std::uint64_t seed) {
  Matrix a = make_random(n, seed);
  const Index rank = (n + 1) / 2;
  for (Index i = rank; i < n; ++i) std::ranges::copy(a.row(i - rank), a.row(i).begin());
  return a;
}

/// 1 on the diagonal and in the last column, -1 below the diagonal (Wilkinson 1961): pivots grow to
/// 2^(n-1).
Matrix make_wilkinson(Index n, std::uint64_t /*seed*/) {
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) a(i, j) = j == n - 1 || i == j ? 1.0 : i > j ? -1.0 : 0.0;
  return a;
}

}  // namespace

const std::vector<MatrixKind>& matrix_kinds() {
  static const std::vector<MatrixKind> kinds{
      {"random", "uniform in [-1, 1)", make_random},
      {"integer", "integers -9 .. 9", make_integer},
      {"zero-pivot", "random, but A(0,0) = 0", make_zero_pivot},
      {"graded", "random, rows scaled down to 2^-20 and columns up to 2^20", make_graded},
      {"spd", "symmetric positive definite", make_spd},
      {"hilbert", "1 / (i + j + 1), hopelessly ill-conditioned from n = 12 on", make_hilbert,
       false},
      {"permuted-identity", "the rows of the identity in random order", make_permuted_identity},
      {"singular", "random, but the last column is zero", make_singular},
      {"rank-deficient", "random, but the lower half repeats the upper half", make_rank_deficient},
      {"wilkinson", "element growth 2^(n-1) with partial pivoting", make_wilkinson, false}};
  return kinds;
}

Matrix generate_matrix(std::string_view name, Index n, std::uint64_t seed) {
  const auto& kinds = matrix_kinds();
  const auto kind = std::ranges::find(kinds, name, &MatrixKind::name);
  if (kind != kinds.end()) {
    io::require_memory(fmt::format("a matrix of kind {}", name), n, n);
    return kind->make(n, seed);
  }
  std::string known;
  for (const MatrixKind& each : kinds)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", each.name);
  throw UsageError(fmt::format("unknown kind of matrix '{}'; there are: {}", name, known));
}

Matrix random_matrix(Index rows, Index cols, std::uint64_t seed) {
  Uniform uniform(seed);
  Matrix matrix(rows, cols);
  for (double& value : matrix.values()) value = uniform();
  return matrix;
}

}  // namespace clgauss
