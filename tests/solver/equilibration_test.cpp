/// Rows and columns of very different sizes, brought to one size before A is factored.

#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <cstring>

#include "matrix/scaling.hpp"
#include "support/devices.hpp"
#include "support/gallery.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

Scaling scaling_of(const Matrix& a, Equilibration equilibration) {
  const Matrix b(a.rows(), 1);
  return scaling_for(a.rows(), 1, a.values(), b.values(), RealType::f64, equilibration);
}

/// Rows times 2^(i mod 9 - 4) by `rows`, columns the same.
System spread(System system, int rows, int columns) {
  for (Index i = 0; i < system.a.rows(); ++i) {
    const int by = rows * (static_cast<int>(i % 9) - 4);
    system.b(i, 0) = std::ldexp(system.b(i, 0), by);
    for (Index j = 0; j < system.a.cols(); ++j)
      system.a(i, j) = std::ldexp(system.a(i, j), by + columns * (static_cast<int>(j % 9) - 4));
  }
  return system;
}

Solution solved(Context& context, const System& system, Method method,
                Equilibration equilibration) {
  SolveOptions options;
  options.method = method;
  options.equilibration = equilibration;
  options.trust = true;
  return solve(context, system, options);
}

}  // namespace

TEST_CASE("equilibration: when rows and columns are scaled, by LAPACK's criteria") {
  const Matrix plain = random_matrix(30, 30, 1);
  CHECK(scaling_of(plain, Equilibration::automatic).keeps_matrix());
  CHECK(scaling_of(plain, Equilibration::off).keeps_matrix());
  CHECK_FALSE(scaling_of(plain, Equilibration::on).rows.empty());

  Matrix rows = plain, columns = plain, near = plain;
  for (Index j = 0; j < 30; ++j) {
    rows(7, j) *= 0x1p-9;
    columns(j, 7) *= 0x1p-9;
    near(7, j) *= 0x1p-2;
  }
  const Scaling of_rows = scaling_of(rows, Equilibration::automatic);
  REQUIRE(of_rows.rows.size() == 30);
  CHECK(of_rows.columns.empty());
  for (Index i = 0; i < 30; ++i) {
    double largest = 0;
    for (const double value : rows.row(i)) largest = std::max(largest, std::abs(value));
    const double scaled = std::ldexp(largest, of_rows.rows[i]);
    CHECK(scaled >= 1);
    CHECK(scaled < 2);
  }
  const Scaling of_columns = scaling_of(columns, Equilibration::automatic);
  CHECK(of_columns.rows.empty());
  CHECK(of_columns.columns.size() == 30);
  CHECK(scaling_of(near, Equilibration::automatic).keeps_matrix());
  CHECK(scaling_of(rows, Equilibration::off).keeps_matrix());
  // Where scaled rows are all that was the matter with the columns, too.
  Matrix both = plain;
  for (double& value : both.row(7)) value *= 0x1p20;
  both(7, 7) *= 0x1p10;
  CHECK(scaling_of(both, Equilibration::automatic).rows.size() == 30);
  // A row of zeros is singular, whatever it is multiplied by.
  for (double& value : rows.row(3)) value = 0;
  CHECK(scaling_of(rows, Equilibration::automatic).keeps_matrix());
}

TEST_CASE("equilibration: powers of two, in rows and columns, do not change a bit of x") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const System system{random_matrix(150, 150, 3), random_matrix(150, 1, 4)};
    for (const Method method : {Method::lu, Method::mixed}) {
      if (method == Method::lu && !device.profile.fp64) continue;
      const Matrix x = solved(context, system, method, Equilibration::on).x;
      for (const int rows : {0, 1, 11})
        for (const int columns : {0, 3}) {
          CAPTURE(rows);
          CAPTURE(columns);
          const Solution y =
              solved(context, spread(system, rows, columns), method, Equilibration::on);
          REQUIRE(y.status == SolveStatus::ok);
          CHECK(y.scaled_rows);
          CHECK(y.scaled_columns);
          CHECK(y.residual.scaled <= 1);
          Matrix back = y.x;
          for (Index i = 0; i < 150; ++i)
            back(i, 0) = std::ldexp(back(i, 0), columns * (static_cast<int>(i % 9) - 4));
          CHECK(std::memcmp(back.values().data(), x.values().data(), x.values().size_bytes()) == 0);
        }
    }
  });
}

TEST_CASE("equilibration: rows that hide others do not cost an answer its digits") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Index n = 100;
    System system{random_matrix(n, n, 5), {}};
    for (Index i = 0; i < n; ++i)
      for (double& value : system.a.row(i))
        value *= std::pow(10.0, static_cast<double>(i % 13) - 6);
    system.b = row_sums(system.a);
    const auto error = [&](Equilibration equilibration) {
      const Solution solution = solved(context, system, Method::mixed, equilibration);
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.scaled_rows == (equilibration != Equilibration::off));
      REQUIRE(solution.trust);
      CHECK(solution.trust->reciprocal_growth > 1e-3);
      double worst = 0;
      for (Index i = 0; i < n; ++i) worst = std::max(worst, std::abs(solution.x(i, 0) - 1));
      CHECK(worst <= solution.trust->forward_error[0]);
      return worst;
    };
    CHECK(error(Equilibration::automatic) <= 1e-12);
    CHECK(error(Equilibration::on) <= 1e-12);
    (void)error(Equilibration::off);
  });
}

TEST_CASE("equilibration: in place, of a singular matrix, and refused where it means nothing") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const System system = spread({random_matrix(90, 90, 3), random_matrix(90, 1, 4)}, 2, 1);
    SolveOptions options;
    options.equilibration = Equilibration::on;
    options.trust = true;
    const Solution kept = solve(context, system, options),
                   in_place = solve_in_place(
                       context, system, [&] { return system.a; }, options);
    CHECK(in_place.status == SolveStatus::ok);
    CHECK(in_place.scaled_rows);
    CHECK(in_place.trust->rcond == kept.trust->rcond);
    CHECK(in_place.determinant.log10_abs == doctest::Approx(kept.determinant.log10_abs));
    options.equilibration = Equilibration::off;
    CHECK(solve(context, system, options).determinant.log10_abs ==
          doctest::Approx(kept.determinant.log10_abs));

    options.equilibration = Equilibration::on;
    const System singular{Matrix(2, 2, {1, 2, 512, 1024}), Matrix(2, 1, {1, 1})};
    CHECK(solve(context, singular, options).status == SolveStatus::singular);
    for (const Method method : {Method::gauss, Method::rbt}) {
      options.method = method;
      CHECK_THROWS_AS((void)solve(context, system, options), UsageError);
    }
  });
}
