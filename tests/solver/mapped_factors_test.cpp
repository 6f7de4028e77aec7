// Solves by the host's cores with factors that lie in a CPU device's memory.
#include <clgauss/lab/generate.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/residual.hpp>

#include "linalg/lu/mapped_factors.hpp"
#include "matrix/transposed.hpp"
#include "support/devices.hpp"
#include "support/padded_matrix.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;
using clgauss::test::types_of;

namespace {

enum class Symmetry { none, definite, indefinite };

Matrix matrix_of(Symmetry kind, Index n) {
  if (kind == Symmetry::definite) return generate_matrix("spd", n, 3);
  Matrix a = generate_matrix("zero-pivot", n, 3);
  if (kind == Symmetry::indefinite)
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) a(i, j) = a(j, i);
  return a;
}

}  // namespace

TEST_CASE("mapped factors: A X = B and A^T X = B, for LU, Cholesky and L D L^T in both types") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (!maps_factors(context)) return;
    for (const RealType type : types_of(device.profile))
      for (const Symmetry kind : {Symmetry::none, Symmetry::definite, Symmetry::indefinite})
        for (const Index n : {2, 33, 300}) {
          CAPTURE(n);
          CAPTURE(static_cast<int>(kind));
          const Matrix a = rounded(matrix_of(kind, n), type);
          const PaddedMatrix on_device(context, type, a, 2, 3);
          Lu lu = lu_factor(context, type, on_device.view, n,
                            {.positive_definite = kind == Symmetry::definite,
                             .symmetric = kind != Symmetry::none});
          REQUIRE_FALSE(lu.failed_column());
          Exchanges exchanges{lu.pivots(), {}};
          if (const auto symmetric = lu.symmetric_pivots())
            exchanges.columns = symmetric->exchanges;
          MappedFactors factors(context.queue(), type, on_device.view, n, exchanges, {},
                                [](const Matrix&) { return 0.5; });
          CHECK(factors.reciprocal_growth(a) == 0.5);
          for (const bool turned : {false, true}) {
            CAPTURE(turned);
            const Matrix b = random_matrix(n, 3, 7);
            Matrix x = b;
            if (turned)
              factors.solve_transposed(x);
            else
              factors.solve(x);
            const double error =
                compute_residual({turned ? transposed(a) : a, b}, x, unit_roundoff(type)).scaled;
            CHECK(error <= kScaledResidualBound);
          }
        }
  });
}

TEST_CASE("mapped factors: those of R A C solve with A") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (!maps_factors(context) || !device.profile.fp64) return;
    constexpr Index kN = 40;
    const Matrix a = generate_matrix("random", kN, 5);
    Scaling scaling;
    for (int i = 0; i < static_cast<int>(kN); ++i) {
      scaling.rows.push_back(i % 5 - 2);
      scaling.columns.push_back(3 - i % 7);
    }
    const PaddedMatrix on_device(context, RealType::f64, scaled(a, scaling.rows, scaling.columns),
                                 0, 0);
    Lu lu = lu_factor(context, RealType::f64, on_device.view, kN);
    MappedFactors factors(context.queue(), RealType::f64, on_device.view, kN, {lu.pivots(), {}},
                          scaling, [](const Matrix&) { return 1.0; });
    const Matrix b = random_matrix(kN, 2, 9);
    Matrix plain = b, turned = b;
    factors.solve(plain);
    factors.solve_transposed(turned);
    CHECK(compute_residual({a, b}, plain, unit_roundoff(RealType::f64)).scaled <=
          kScaledResidualBound);
    CHECK(compute_residual({transposed(a), b}, turned, unit_roundoff(RealType::f64)).scaled <=
          kScaledResidualBound);
  });
}
