/// Sums and sizes of rows in vectors of every width, against plain loops: any length, any number
/// anywhere.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "constants.hpp"
#include "matrix/row_passes.hpp"

namespace clgauss {

namespace {

/// Small integers, whose sums are exact, and zeros of both signs.
std::vector<double> integers(Index count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<double> values(count);
  for (double& value : values)
    value = (random() % 5 == 0 ? 0.0 : static_cast<double>(random() % 100 + 1)) *
            (random() % 2 == 0 ? 1 : -1);
  return values;
}

template <typename Check>
void with_every_width(const Check& check) {
  for (const RowPasses& passes : all_row_passes()) {
    CAPTURE(passes.name);
    if (passes.runs_here()) check(passes);
  }
}

}  // namespace

TEST_CASE("row passes: the sums of a row are those of a plain loop") {
  with_every_width([](const RowPasses& passes) {
    for (Index n = 0; n < 40; ++n) {
      CAPTURE(n);
      const std::vector<double> a = integers(n, 1), x = integers(n, 2);
      RowSums plain;
      for (Index j = 0; j < n; ++j) {
        plain.product += a[j] * x[j];
        plain.magnitude += std::abs(a[j] * x[j]);
        plain.row += std::abs(a[j]);
      }
      const RowSums sums = passes.sums_of_row(a, x.data());
      CHECK(sums.product == plain.product);
      CHECK(sums.magnitude == plain.magnitude);
      CHECK(sums.row == plain.row);
      CHECK(passes.size_of_row(a, nullptr, nullptr).sum == plain.row);
      for (Index at = 0; at < n; ++at) {
        std::vector<double> spoilt = a;
        spoilt[at] = kNaN;
        const RowSums with_nan = passes.sums_of_row(spoilt, x.data());
        CHECK(std::isnan(with_nan.product));
        CHECK(std::isnan(with_nan.magnitude));
        CHECK(std::isnan(with_nan.row));
        CHECK(std::isnan(passes.size_of_row(spoilt, nullptr, nullptr).sum));
      }
    }
  });
}

TEST_CASE("row passes: the smallest and the largest number are found wherever they are") {
  const double least = std::numeric_limits<double>::denorm_min(),
               largest = std::numeric_limits<double>::max();
  with_every_width([&](const RowPasses& passes) {
    for (const Index n : {1U, 2U, 7U, 8U, 9U, 16U, 29U}) {
      CAPTURE(n);
      std::vector<double> a = integers(n, 3);
      a.front() = 0;
      const Range of_zeros =
          passes.size_of_row(std::vector<double>(n, -0.0), nullptr, nullptr).range;
      CHECK(of_zeros.least == kInfinity);
      CHECK(of_zeros.largest == 0);
      for (Index at = 0; at < n; ++at)
        for (const double value : {least, 3 * least, std::numeric_limits<double>::min(), 0.5,
                                   -200.0, -largest, kInfinity, -kInfinity, kNaN, -kNaN}) {
          CAPTURE(at);
          CAPTURE(value);
          std::vector<double> with = a;
          with[at] = value;
          double smallest = kInfinity, greatest = 0;
          for (const double number : with) {
            if (number != 0)
              smallest = std::min(smallest, std::isnan(number) ? kInfinity : std::abs(number));
            if (std::abs(number) > greatest) greatest = std::abs(number);
          }
          const Range range = passes.size_of_row(with, nullptr, nullptr).range;
          CHECK(range.least == smallest);
          CHECK(range.largest == greatest);
          CHECK(range.finite == std::isfinite(value));
        }
    }
  });
}

TEST_CASE("row passes: the largest and the sums of every column are kept from row to row") {
  with_every_width([](const RowPasses& passes) {
    for (const Index n : {0U, 1U, 7U, 8U, 9U, 16U, 29U}) {
      CAPTURE(n);
      constexpr double kUntouched = 777;  // behind the last column
      std::vector<double> largest(n + 1, 0.0), sums(n + 1, 0.0), alone(n + 1, 0.0);
      std::vector<double> expected_largest(n, 0.0), expected_sums(n, 0.0);
      largest[n] = sums[n] = alone[n] = kUntouched;
      for (const std::uint32_t seed : {4U, 5U, 6U}) {
        std::vector<double> row = integers(n, seed);
        if (n > 1 && seed == 5) row[1] = -kNaN;
        for (Index j = 0; j < n; ++j) {
          if (std::abs(row[j]) > expected_largest[j]) expected_largest[j] = std::abs(row[j]);
          expected_sums[j] += std::abs(row[j]);
        }
        (void)passes.size_of_row(row, largest.data(), sums.data());
        (void)passes.size_of_row(row, alone.data(), nullptr);
      }
      for (Index j = 0; j < n; ++j) {
        CHECK(largest[j] == expected_largest[j]);
        CHECK(alone[j] == expected_largest[j]);
        if (std::isnan(expected_sums[j]))
          CHECK(std::isnan(sums[j]));
        else
          CHECK(sums[j] == expected_sums[j]);
      }
      CHECK(largest[n] == kUntouched);
      CHECK(sums[n] == kUntouched);
      CHECK(alone[n] == kUntouched);
    }
  });
}

}  // namespace clgauss
