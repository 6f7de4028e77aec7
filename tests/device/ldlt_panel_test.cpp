#include <doctest/doctest.h>

#include <array>
#include <clgauss/lab/generate.hpp>
#include <clgauss/lab/launch.hpp>
#include <cmath>
#include <string>

#include "kernels/ldlt/ldlt.hpp"
#include "linalg/ldlt/ldlt_factors.hpp"
#include "support/devices.hpp"
#include "support/indefinite.hpp"
#include "support/padded_matrix.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;
using clgauss::test::types_of;

namespace {

constexpr cl_uint kRows = 128;  // of a work-group: one of them, so that it waits for itself alone

/// What panels make of a matrix.
struct Factored {
  Matrix factors;
  SymmetricPivots pivots;
  std::optional<Index> failed;
};

/// Of the n-by-n matrix with these parts of numbers in its lower triangle, in one panel.
Factored factor_by(Context& context, NumberType number, const Matrix& a, const LdltPanels& panels) {
  const Index n = a.rows();
  KernelMemo memo(context, number);
  LdltFactors factors(memo, LuFamily::gpu, n, panels);
  REQUIRE(n <= factors.width());
  const PaddedMatrix matrix(context, number.real, a, 3 * number.parts(), 2 * number.parts());
  factors.factor(context.queue(), number.in_numbers(matrix.view), {},
                 [](cl_uint, cl_uint) { FAIL("an update of what one panel is"); });
  return {matrix.read(context, number.real), factors.symmetric_pivots(context.queue()),
          factors.failed_column(context.queue())};
}

/// Symmetric, or complex and Hermitian: its parts.
Matrix parts_of(NumberType number, const Matrix& symmetric) {
  if (!number.complex) return symmetric;
  const Index n = symmetric.rows();
  const Matrix imaginary = random_matrix(n, n, 9);
  Matrix parts(n, 2 * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      parts(i, 2 * j) = symmetric(i, j);
      parts(i, 2 * j + 1) = i > j ? imaginary(i, j) : i < j ? -imaginary(j, i) : 0;
    }
  return parts;
}

}  // namespace

TEST_CASE("L D L^T's panels by waiting work-groups are those by one") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType real : types_of(device.profile))
      for (const bool complex : {false, true})
        for (const Index n : {1, 2, 3, 8, 9, 31, 32, 33, 63, 64})
          for (const auto& kind : test::indefinite_kinds()) {
            const NumberType number(real, complex);
            if (n > LdltWaiting::width(number) ||
                !LdltWaiting::has_room(device.profile, number, kRows))
              continue;
            CAPTURE(n);
            CAPTURE(std::string(kind.name));
            CAPTURE(complex);
            const Matrix a = rounded(parts_of(number, kind.make(n)), real);
            const Factored expected = factor_by(context, number, a, {LdltPanels::one_group}),
                           found = factor_by(context, number, a, {LdltPanels::waiting, kRows});
            CHECK(found.failed == expected.failed);
            if (expected.failed) continue;
            REQUIRE(found.pivots.exchanges == expected.pivots.exchanges);
            REQUIRE(found.pivots.pairs == expected.pivots.pairs);
            const double bound = 2000 * static_cast<double>(n) * unit_roundoff(real);
            double largest = 0, apart = 0;
            for (Index i = 0; i < n; ++i)
              for (Index j = 0; j < a.cols(); ++j) {
                largest = std::max(largest, std::abs(expected.factors(i, j)));
                apart = std::max(apart, std::abs(found.factors(i, j) - expected.factors(i, j)));
              }
            CHECK(apart <= bound * largest);
          }
  });
}

TEST_CASE("L D L^T's waiting panels name a pivot of zero, and one that is not finite") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType real : types_of(device.profile)) {
      if (!LdltWaiting::has_room(device.profile, real, kRows)) continue;
      const Index n = 20;
      Matrix a = rounded(test::random_symmetric(n, 5), real);
      for (Index i = 0; i < n; ++i) a(i, n - 1) = a(n - 1, i) = 0;
      CHECK(factor_by(context, real, a, {LdltPanels::waiting, kRows}).failed == n - 1);
      a(7, 3) = a(3, 7) = std::nan("");
      const auto failed = factor_by(context, real, a, {LdltPanels::waiting, kRows}).failed;
      REQUIRE(failed.has_value());
      CHECK(*failed <= 7);
    }
  });
}
