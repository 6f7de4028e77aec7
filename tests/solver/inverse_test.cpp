#include <doctest/doctest.h>

#include <clgauss/condition.hpp>
#include <clgauss/error.hpp>
#include <clgauss/inverse.hpp>
#include <clgauss/lab/generate.hpp>
#include <cmath>

#include "support/devices.hpp"
#include "support/padded_matrix.hpp"
#include "support/thorough.hpp"

#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <lapacke.h>
#endif

using namespace clgauss;
using clgauss::test::norm1;
using clgauss::test::on_every_device;
using clgauss::test::rounded;
using clgauss::test::types_of;

namespace {

/// norm1(A X - I) / (n eps norm1(A) norm1(X)), on the host.
double inverse_error(const Matrix& a, const Matrix& x, double eps) {
  const Index n = a.rows();
  Matrix off(n, n);
  for (Index i = 0; i < n; ++i) {
    off(i, i) = -1;
    for (Index k = 0; k < n; ++k)
      for (Index j = 0; j < n; ++j) off(i, j) += a(i, k) * x(k, j);
  }
  return norm1(off) / (static_cast<double>(n) * eps * norm1(a) * norm1(x));
}

}  // namespace

TEST_CASE("invert: inverses of every size, by LU and by Cholesky" * test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {1, 2, 3, 31, 32, 33, 127, 128, 129, 500})
        for (const std::string kind : {"random", "spd", "graded", "zero-pivot"}) {
          if (kind != "random" && n > 200) continue;
          if (kind == "zero-pivot" && n == 1) continue;  // singular
          if (n > 129 && test::is_slow(context)) continue;
          CAPTURE(n);
          CAPTURE(kind);
          const Matrix a = rounded(generate_matrix(kind, n, n), type);
          InverseOptions options;
          options.type = type;
          options.lu.positive_definite = kind == "spd";
          const Inverse inverse = invert(context, a, options);
          REQUIRE(inverse.status == SolveStatus::ok);
          CHECK(inverse.type == type);
          CHECK(inverse_error(a, inverse.x, unit_roundoff(type)) <= kScaledResidualBound);
          CHECK(inverse.scaled_residual <= kScaledResidualBound);
          CHECK(inverse.rcond == doctest::Approx(1 / norm1(a) / norm1(inverse.x)));
        }
  });
}

#ifdef CLGAUSS_TESTS_WITH_LAPACK
TEST_CASE("invert: as near to the inverse as LAPACK's dgetri, cond and det beside LAPACK's") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    Context context(device, ContextOptions::from_environment());
    for (const std::string kind : {"random", "spd", "graded"})
      for (const Index n : {2, 33, 129, 300}) {
        CAPTURE(kind);
        CAPTURE(n);
        const Matrix a = generate_matrix(kind, n, 3);
        Matrix x = a;
        const auto size = static_cast<lapack_int>(n);
        std::vector<lapack_int> pivots(n);
        REQUIRE(LAPACKE_dgetrf(LAPACK_ROW_MAJOR, size, size, x.values().data(), size,
                               pivots.data()) == 0);
        double rcond = 0;
        REQUIRE(LAPACKE_dgecon(LAPACK_ROW_MAJOR, '1', size, x.values().data(), size, norm1(a),
                               &rcond) == 0);
        double log10_abs = 0;
        for (Index i = 0; i < n; ++i) log10_abs += std::log10(std::abs(x(i, i)));
        REQUIRE(LAPACKE_dgetri(LAPACK_ROW_MAJOR, size, x.values().data(), size, pivots.data()) ==
                0);
        const Inverse ours = invert(context, a);
        const double eps = unit_roundoff(RealType::f64);
        CHECK(inverse_error(a, ours.x, eps) <= 10 * inverse_error(a, x, eps) + 1);
        CHECK(ours.rcond <= rcond * (1 + 1e-6));  // which is an estimate, from above
        CHECK(ours.rcond >= rcond / 3);
        SolveOptions options;
        options.determinant = options.trust = true;
        const Solution solution = solve(context, {a, Matrix(n, 0)}, options);
        CHECK(solution.determinant.log10_abs == doctest::Approx(log10_abs).epsilon(1e-9));
        REQUIRE(solution.trust.has_value());
        CHECK(solution.trust->rcond <= 3 * rcond);
        CHECK(solution.trust->rcond >= rcond / 3);
      }
  });
}
#endif

TEST_CASE("invert: rows and columns far apart are scaled, and the inverse is A's") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Index n = 40;
    Matrix a = generate_matrix("random", n, 5);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        a(i, j) = std::ldexp(a(i, j), static_cast<int>(3 * i) - static_cast<int>(2 * j));
    InverseOptions options;
    options.type = RealType::f32;
    const Inverse inverse = invert(context, a, options);
    REQUIRE(inverse.status == SolveStatus::ok);
    CHECK(inverse.scaled_columns);
    // Of A as it would be without the powers of two.
    Matrix plain(n, n), x(n, n);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        plain(i, j) = std::ldexp(a(i, j), static_cast<int>(2 * j) - static_cast<int>(3 * i));
        x(i, j) = std::ldexp(inverse.x(i, j), static_cast<int>(3 * j) - static_cast<int>(2 * i));
      }
    CHECK(inverse_error(plain, x, unit_roundoff(RealType::f32)) <= kScaledResidualBound);
  });
}

TEST_CASE("invert: what has no inverse") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    Matrix a = generate_matrix("random", 70, 5);
    for (Index i = 0; i < 70; ++i) a(i, 41) = 0;
    const Inverse singular = invert(context, a);
    CHECK(singular.status == SolveStatus::singular);
    CHECK(singular.failed_column == Index{41});
    CHECK(singular.failed_pivot == 0);
    CHECK(singular.x.empty());
    Matrix indefinite(2, 2, {1, 2, 2, 1});
    InverseOptions cholesky;
    cholesky.lu.positive_definite = true;
    const Inverse failed = invert(context, indefinite, cholesky);
    CHECK(failed.status == SolveStatus::not_positive_definite);
    CHECK(failed.failed_column == Index{1});
    CHECK(failed.failed_pivot == -3);
    indefinite(0, 1) = 3;
    CHECK_THROWS_AS((void)invert(context, indefinite, cholesky), ValueError);
    CHECK_THROWS_AS((void)invert(context, Matrix(2, 3)), DimensionError);
    CHECK(invert(context, Matrix(0, 0)).status == SolveStatus::ok);
    a(3, 3) = std::nan("");
    CHECK(invert(context, a).status == SolveStatus::singular);
  });
}
