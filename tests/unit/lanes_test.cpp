/// Sums and sizes of rows in vectors, against plain loops: any length, any number anywhere.

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "constants.hpp"
#include "linalg/refinement/row_sums.hpp"
#include "matrix/scaling.hpp"

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

}  // namespace

TEST_CASE("lanes: the sums of a row are those of a plain loop") {
  for (Index n = 0; n < 40; ++n) {
    CAPTURE(n);
    const std::vector<double> a = integers(n, 1), x = integers(n, 2);
    RowSums plain;
    for (Index j = 0; j < n; ++j) {
      plain.product += a[j] * x[j];
      plain.magnitude += std::abs(a[j] * x[j]);
      plain.row += std::abs(a[j]);
    }
    const RowSums sums = sums_of_row(a, x.data());
    CHECK(sums.product == plain.product);
    CHECK(sums.magnitude == plain.magnitude);
    CHECK(sums.row == plain.row);
    for (Index at = 0; at < n; ++at) {
      std::vector<double> spoilt = a;
      spoilt[at] = kNaN;
      CHECK(std::isnan(sums_of_row(spoilt, x.data()).product));
      CHECK(std::isnan(sums_of_row(spoilt, x.data()).magnitude));
      CHECK(std::isnan(sums_of_row(spoilt, x.data()).row));
    }
  }
}

TEST_CASE("lanes: the smallest and the largest number of a row are found wherever they are") {
  const double least = std::numeric_limits<double>::denorm_min(),
               largest = std::numeric_limits<double>::max();
  for (const Index n : {1U, 2U, 7U, 8U, 9U, 16U, 29U}) {
    CAPTURE(n);
    std::vector<double> a = integers(n, 3);
    a.front() = 0;
    CHECK(sizes_of(std::vector<double>(n, -0.0), n).least == kInfinity);
    CHECK(sizes_of(std::vector<double>(n, -0.0), n).largest == 0);
    for (Index at = 0; at < n; ++at)
      for (const double value : {least, 3 * least, std::numeric_limits<double>::min(), 0.5, -200.0,
                                 -largest, kInfinity, -kInfinity, kNaN, -kNaN}) {
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
        const Sizes sizes = sizes_of(with, n);
        CHECK(sizes.least == smallest);
        CHECK(sizes.largest == greatest);
        CHECK(sizes.rows.at(0) == greatest);
        CHECK(sizes.finite == std::isfinite(value));
      }
  }
}

}  // namespace clgauss
