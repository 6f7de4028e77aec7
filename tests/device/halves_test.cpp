#include <doctest/doctest.h>

#include <clgauss/lab/generate.hpp>
#include <cmath>
#include <limits>

#include "kernels/halves.hpp"
#include "support/devices.hpp"
#include "support/halves.hpp"
#include "support/padded_matrix.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::Operand;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;

namespace {

constexpr Index kTileM = 64, kTileN = 32, kTileK = 32;

template <typename T>
std::vector<T> read(const Context& context, const cl::Buffer& buffer, std::size_t count) {
  std::vector<T> values(count);
  context.queue().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(T), values.data());
  return values;
}

void check_operand(const Context& context, const SplitOperand& found,
                   const clgauss::test::SplitOperand& expected) {
  const auto exponents = read<cl_int>(context, found.exponents, expected.exponents.size());
  CHECK(exponents == expected.exponents);
  const auto halves = read<std::uint16_t>(context, found.halves, expected.halves.size());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < halves.size(); ++i) {
    const double right = clgauss::test::value_of_half(expected.halves[i]);
    if (std::isnan(right) ? !std::isnan(clgauss::test::value_of_half(halves[i]))
                          : clgauss::test::value_of_half(halves[i]) != right)
      ++wrong;
  }
  CHECK(wrong == 0);
}

/// Splits both and compares them, where they are finite, with what they are by definition; whether they are unfit.
bool check_split(Context& context, Halves& halves, const Matrix& a, const Matrix& b) {
  const Index m = a.rows(), n = b.cols(), k = a.cols(), gap = 3, offset = 5;
  const PaddedMatrix left(context, RealType::f32, a, offset, gap),
      right(context, RealType::f32, b, offset, gap);
  halves.split(context.queue(), m, n, k, left.view, right.view, kTileM, kTileN, kTileK);
  const auto up = [](Index x, Index to) { return (x + to - 1) / to * to; };
  const auto expected_a = clgauss::test::split_operand(
      Operand::a, m, k, up(m, kTileM), up(k, kTileK),
      [&](std::size_t i, std::size_t j) { return static_cast<float>(a(i, j)); });
  const auto expected_b = clgauss::test::split_operand(
      Operand::b, n, k, up(n, kTileN), up(k, kTileK),
      [&](std::size_t i, std::size_t j) { return static_cast<float>(b(j, i)); });
  check_operand(context, halves.a(), expected_a);
  check_operand(context, halves.b(), expected_b);
  const bool unfit = read<cl_uint>(context, halves.unfit(), 1).front() == halves.epoch();
  CHECK(unfit == (expected_a.unfit || expected_b.unfit));
  return unfit;
}

}  // namespace

TEST_CASE("halves: operands of every shape and size are split to the bit") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    Halves halves(context);
    for (const auto& [m, n, k] :
         {std::array<Index, 3>{64, 32, 32}, {70, 40, 100}, {1, 1, 1}, {129, 65, 37}}) {
      CAPTURE(m);
      Matrix a = rounded(random_matrix(m, k, 1), RealType::f32),
             b = rounded(random_matrix(k, n, 2), RealType::f32);
      CHECK_FALSE(check_split(context, halves, a, b));
      // Rows of A and columns of B of their own sizes, from what an f32 holds; the first of each is 0.
      for (Index i = 0; i < m; ++i)
        for (Index j = 0; j < k; ++j)
          a(i, j) = i == 0 ? 0 : std::ldexp(a(i, j), static_cast<int>(i * 37 % 230) - 105);
      for (Index i = 0; i < k; ++i)
        for (Index j = 0; j < n; ++j)
          b(i, j) = j == 0 ? 0 : std::ldexp(b(i, j), static_cast<int>(j * 51 % 230) - 105);
      CHECK_FALSE(check_split(context, halves, a, b));
    }
  });
}

TEST_CASE("halves: what reaches too far in size is told of this product and not of the next") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    Halves halves(context);
    const Matrix plain = rounded(random_matrix(64, 64, 1), RealType::f32);
    Matrix large = plain;
    for (Index i = 0; i < 64; ++i)
      for (Index j = 0; j < 64; ++j) large(i, j) = (i + j) % 7 == 0 ? 1 : 0x1p-12;
    CHECK_FALSE(check_split(context, halves, large, large));  // halves that are not normal, too
    large(5, 7) = 0x1p-29;
    CHECK_FALSE(check_split(context, halves, large, large));
    for (const double small : {0x1p-30, 0x1p-40}) {
      CAPTURE(small);
      large(5, 7) = small;
      CHECK(check_split(context, halves, large, plain));
      CHECK(check_split(context, halves, plain, large));
      CHECK_FALSE(check_split(context, halves, plain, plain));
    }
  });
}

TEST_CASE("halves: a row or column that is not finite becomes NaN") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    Halves halves(context);
    Matrix matrix = rounded(random_matrix(64, 64, 1), RealType::f32);
    matrix(3, 5) = std::numeric_limits<double>::infinity();
    matrix(9, 60) = std::numeric_limits<double>::quiet_NaN();
    const PaddedMatrix view(context, RealType::f32, matrix, 0, 0);
    halves.split(context.queue(), 64, 64, 64, view.view, view.view, kTileM, kTileN, kTileK);
    const auto a = read<std::uint16_t>(context, halves.a().halves, 2 * 64 * 64),
               b = read<std::uint16_t>(context, halves.b().halves, 2 * 64 * 64);
    for (Index r = 0; r < 64; ++r)
      for (Index k = 0; k < 64; ++k) {
        const auto is_nan = [&](Operand operand, const std::vector<std::uint16_t>& of) {
          return std::isnan(clgauss::test::value_of_half(
              of[clgauss::test::place_of_half(operand, r, k, 64).high]));
        };
        CHECK(is_nan(Operand::a, a) == (r == 3 || r == 9));
        CHECK(is_nan(Operand::b, b) == (r == 5 || r == 60));
      }
  });
}
