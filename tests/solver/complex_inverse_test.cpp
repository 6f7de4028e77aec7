#include <doctest/doctest.h>

#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <cmath>
#include <limits>

#include "support/complex_matrices.hpp"
#include "support/devices.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::types_of;
using test::identity;
using test::product;
using test::random_complex;
using Complex = std::complex<double>;

namespace {

double largest_of(const ComplexMatrix& a) {
  double largest = 0;
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) largest = std::max(largest, std::abs(a(i, j)));
  return largest;
}

ComplexMatrix difference(ComplexMatrix a, const ComplexMatrix& b) {
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.cols(); ++j) a.set(i, j, a(i, j) - b(i, j));
  return a;
}

}  // namespace

TEST_CASE("complex inverses of every size: A X is the identity, and so is X A" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {1, 2, 7, 8, 9, 33, 100}) {
        CAPTURE(n);
        const ComplexMatrix a = random_complex(n, n, n + 3);
        const ComplexInverse inverse = invert_complex(context, a, {.type = type});
        REQUIRE(inverse.status == SolveStatus::ok);
        CHECK(inverse.type == type);
        CHECK(inverse.complex);
        CHECK(inverse.scaled_residual <= 4);  // of one number, what its quotient rounds
        const double off = largest_of(difference(product(a, inverse.x), identity(n))),
                     other = largest_of(difference(product(inverse.x, a), identity(n)));
        const double bound = 4 * static_cast<double>(n) * unit_roundoff(type) / inverse.rcond;
        CHECK(off <= bound);
        CHECK(other <= bound);
        CHECK(inverse.residual <= bound * static_cast<double>(n));
      }
  });
}

TEST_CASE("a complex inverse that is known, with rcond and numbers far from 1") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      // [[2, 1 + i], [1 - i, 3]], det 4: moduli's sums of columns are 3 + sqrt 2 and its quarter.
      for (const double by : {1.0, 1e-150, 1e150}) {
        const std::vector<Complex> a{2 * by, Complex(1, 1) * by, Complex(1, -1) * by, 3 * by},
            x{0.75 / by, Complex(-0.25, -0.25) / by, Complex(-0.25, 0.25) / by, 0.5 / by};
        const ComplexInverse inverse =
            invert_complex(context, ComplexMatrix(2, 2, a), {.type = type});
        REQUIRE(inverse.status == SolveStatus::ok);
        for (Index i = 0; i < 4; ++i)
          CHECK(std::abs(inverse.x(i / 2, i % 2) - x[i]) <=
                8 * unit_roundoff(type) * std::abs(x[0]));
        CHECK(inverse.rcond == doctest::Approx(4 / std::pow(3 + std::sqrt(2.0), 2)).epsilon(1e-5));
      }
    }
  });
}

TEST_CASE("complex matrices without an inverse, and what is no square matrix") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    ComplexMatrix singular = random_complex(40, 40, 1);
    for (Index i = 0; i < 40; ++i) singular.set(i, 17, 0);
    const ComplexInverse none = invert_complex(context, singular);
    CHECK(none.status == SolveStatus::singular);
    CHECK(none.failed_column == 17);
    CHECK(none.failed_pivot == 0);
    CHECK(none.x.empty());
    singular.set(3, 4, {0, std::numeric_limits<double>::quiet_NaN()});
    CHECK_FALSE(has_answer(invert_complex(context, singular).status));
    CHECK_THROWS_AS((void)invert_complex(context, ComplexMatrix(2, 3)), DimensionError);
    CHECK(invert_complex(context, ComplexMatrix()).status == SolveStatus::ok);
    // Too large a residual is told, and X is there.
    const ComplexInverse strict =
        invert_complex(context, random_complex(30, 30, 2), {.max_scaled_residual = 1e-9});
    CHECK(strict.status == SolveStatus::inaccurate);
    CHECK_FALSE(strict.x.empty());
  });
}

TEST_CASE("a complex inverse whose three matrices the device cannot hold is refused at once") {
  on_every_device([](Device device) {
    device.profile.global_mem_bytes = 1;
    Context context(device, ContextOptions::from_environment());
    const ComplexMatrix a = random_complex(500, 500, 1);
    CHECK_THROWS_WITH_AS((void)invert_complex(context, a, {.type = RealType::f32}),
                         doctest::Contains("matrix 2.0 MB, right-hand sides 4.0 MB"), OutOfMemory);
  });
}
