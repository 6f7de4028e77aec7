// Residuals of numbers of f64 in integers: exact to far less than f64 rounds, on every device.
#include <doctest/doctest.h>

#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <cmath>
#include <limits>

#include "linalg/refinement/integer_operator.hpp"
#include "support/changed_kernels.hpp"
#include "support/devices.hpp"
#include "support/gallery.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;

namespace {

namespace mp = boost::multiprecision;
/// Sums of products of doubles of any size are exact.
using Exact = mp::number<mp::cpp_bin_float<4400, mp::digit_base_2>, mp::et_off>;

struct Case {
  System system;
  Matrix x;
};

/// Numbers from 2^-by to 2^by.
Matrix spread(Matrix matrix, int by, std::uint64_t seed) {
  const Matrix sizes = random_matrix(matrix.rows(), matrix.cols(), seed);
  for (Index k = 0; k < matrix.values().size(); ++k)
    matrix.values()[k] =
        std::ldexp(matrix.values()[k], static_cast<int>(std::lround(by * sizes.values()[k])));
  return matrix;
}

/// b is A x, rounded: all but the last digits cancel.
Case cancelling(Matrix a, Matrix x) {
  Matrix b(x.rows(), x.cols());
  for (Index i = 0; i < b.rows(); ++i)
    for (Index c = 0; c < b.cols(); ++c)
      for (Index j = 0; j < a.cols(); ++j) b(i, c) += a(i, j) * x(j, c);
  return {{std::move(a), std::move(b)}, std::move(x)};
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Index n : {1, 2, 31, 129})
    all.push_back(cancelling(random_matrix(n, n, n), random_matrix(n, 2, n + 1)));
  all.push_back(cancelling(test::randsvd(60, 1e15, test::Spread{1}, 4), random_matrix(60, 1, 5)));
  all.push_back(cancelling(test::graded(50, 1e-140, 1e140, 1), random_matrix(50, 1, 5)));
  all.push_back(cancelling(spread(random_matrix(40, 40, 1), 300, 2),
                           spread(random_matrix(40, 3, 3), 300, 4)));
  // From denormal numbers to the largest: products are beyond f64's range on either side.
  all.push_back(
      {{spread(random_matrix(40, 40, 1), 1023, 2), spread(random_matrix(40, 2, 5), 1023, 6)},
       spread(random_matrix(40, 2, 3), 40, 4)});
  all.push_back({{Matrix(5, 5), Matrix(5, 1)}, random_matrix(5, 1, 1)});
  return all;
}

void check(IntegerOperator& on_device, const Case& c) {
  const auto& [a, b] = c.system;
  const Index n = a.rows();
  Matrix r(n, b.cols()), d(n, b.cols());
  on_device.residual(c.x, r, d);
  const Exact of_sums = Exact(static_cast<double>(n + 1)) * Exact(0x1p-61), least = 0x1p-1074,
              largest = std::numeric_limits<double>::max();
  for (Index k = 0; k < b.cols(); ++k)
    for (Index i = 0; i < n; ++i) {
      Exact right = b(i, k), size = std::abs(b(i, k));
      for (Index j = 0; j < n; ++j) {
        const Exact term = Exact(a(i, j)) * Exact(c.x(j, k));
        right -= term;
        size += abs(term);
      }
      CAPTURE(i);
      if (size > largest) {
        CHECK((size < 2 * largest || std::isinf(d(i, k))));
        continue;
      }
      CHECK(abs(Exact(r(i, k)) - right) <= Exact(0x1p-53) * abs(right) + of_sums * size + least);
      CHECK(abs(Exact(d(i, k)) - size) <= Exact(0x1p-53) * size + of_sums * size + least);
    }
  const Matrix y = on_device.product(Matrix(n, 1, Values(n, 1.0)));
  for (Index i = 0; i < n; ++i) {
    Exact right = 0, size = 0;
    for (const double value : a.row(i)) {
      right += Exact(value);
      size += abs(Exact(value));
    }
    if (size < largest)
      CHECK(abs(Exact(y(i, 0)) - right) <= Exact(0x1p-53) * abs(right) + of_sums * size + least);
  }
}

}  // namespace

TEST_CASE("integer residual: ill-conditioned, graded and cancelling systems, against exact sums") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Case& c : cases()) {
      CAPTURE(c.x.rows());
      IntegerOperator on_device(context, c.system);
      check(on_device, c);
    }
  });
}

TEST_CASE("integer residual: what is no number is said, and in its rows alone") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Case good = cancelling(random_matrix(70, 70, 1), random_matrix(70, 1, 2));
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
      Matrix r(70, 1), d(70, 1);
      const auto rows_without_number = [&](const System& system, const Matrix& x) {
        IntegerOperator(context, system).residual(x, r, d);
        Index count = 0;
        for (Index i = 0; i < 70; ++i) {
          CHECK(std::isnan(r(i, 0)) == std::isnan(d(i, 0)));
          count += std::isnan(r(i, 0)) ? 1 : 0;
        }
        return count;
      };
      CHECK(rows_without_number(good.system, good.x) == 0);
      Case spoiled = good;
      spoiled.system.a(3, 69) = -bad;
      spoiled.system.b(5, 0) = bad;
      CHECK(rows_without_number(spoiled.system, good.x) == 2);
      spoiled.x(4, 0) = bad;
      CHECK(rows_without_number(good.system, spoiled.x) == 70);
    }
  });
}

TEST_CASE("integer residual: a device that computes otherwise is found out") {
  const std::array<std::array<std::string, 2>, 5> spoiled{{
      {"mul_hi(a.m, x.m)", "(a.m >> 32) * (x.m >> 32)"},  // the low halves left out
      {"(uint)clz(m) & 63", "11"},                        // denormal numbers
      {"biased < 2047", "true"},                          // no NaN
      {"shift < 64 ?", "shift < 1 << 20 ?"},              // shifted by its last six bits
      {"0xFFFFFFFFUL)", "0xFFFFFF00UL)"},                 // a few bits of the low parts
  }};
  on_every_device([&](const Device& device) {
    for (const auto& [right, wrong] : spoiled) {
      CAPTURE(wrong);
      const test::ChangedKernels changed("residual_integer.cl", right, wrong);
      Context context(device, changed.context_options());
      CHECK_THROWS_AS(IntegerResidual{context}, NoUsableKernel);
    }
  });
}
