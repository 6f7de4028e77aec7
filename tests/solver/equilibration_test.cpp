/// Rows and columns of very different sizes, brought to one size before A is factored.

#include <doctest/doctest.h>

#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <cstring>

#include "matrix/scaling.hpp"
#include "support/complex_matrices.hpp"
#include "support/devices.hpp"
#include "support/gallery.hpp"

#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <lapacke.h>
#endif

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

/// Both parts of each number of rows and columns as spread() does it.
ComplexSystem spread(ComplexSystem system, int rows, int columns) {
  for (Index i = 0; i < system.a.rows(); ++i) {
    const int by = rows * (static_cast<int>(i % 9) - 4);
    for (double& part : system.b.parts().row(i)) part = std::ldexp(part, by);
    for (Index j = 0; j < system.a.parts().cols(); ++j)
      system.a.parts()(i, j) =
          std::ldexp(system.a.parts()(i, j), by + columns * (static_cast<int>(j / 2 % 9) - 4));
  }
  return system;
}

ComplexSolution solved(Context& context, const ComplexSystem& system, Method method,
                       Equilibration equilibration) {
  SolveOptions options;
  options.method = method;
  options.equilibration = equilibration;
  options.trust = options.determinant = true;
  return solve_complex(context, system, options);
}

/// Rows of sizes 1e-6 to 1e6, and b, so that x = 1 + 2i.
ComplexSystem with_hidden_rows(Index n) {
  ComplexSystem system{random_complex(n, n, 5), ComplexMatrix(n, 1)};
  for (Index i = 0; i < n; ++i) {
    for (double& part : system.a.parts().row(i))
      part *= std::pow(10.0, static_cast<double>(i % 13) - 6);
    std::complex<double> sum = 0;
    for (Index j = 0; j < n; ++j) sum += system.a(i, j);
    system.b.set(i, 0, sum * std::complex<double>(1, 2));
  }
  return system;
}

double error_of(const ComplexMatrix& x) {
  double worst = 0;
  for (Index i = 0; i < x.rows(); ++i)
    worst = std::max(worst, std::abs(x(i, 0) - std::complex<double>(1, 2)));
  return worst / std::abs(std::complex<double>(1, 2));
}

#ifdef CLGAUSS_TESTS_WITH_LAPACK
/// zgesv of what zgeequb scales.
double error_by_lapack(const ComplexSystem& system) {
  const auto n = static_cast<lapack_int>(system.a.rows());
  std::vector<std::complex<double>> a, b;
  for (Index i = 0; i < system.a.rows(); ++i) {
    for (Index j = 0; j < system.a.rows(); ++j) a.push_back(system.a(i, j));
    b.push_back(system.b(i, 0));
  }
  const auto theirs = [](std::vector<std::complex<double>>& values) {
    return reinterpret_cast<lapack_complex_double*>(values.data());
  };
  Values r(n), c(n);
  double row_condition = 0, column_condition = 0, largest = 0;
  REQUIRE(LAPACKE_zgeequb(LAPACK_ROW_MAJOR, n, n, theirs(a), n, r.data(), c.data(), &row_condition,
                          &column_condition, &largest) == 0);
  CHECK(row_condition < 0.1);
  for (lapack_int i = 0; i < n; ++i) {
    b[i] *= r[i];
    for (lapack_int j = 0; j < n; ++j) a[i * n + j] *= r[i] * c[j];
  }
  std::vector<lapack_int> exchanges(n);
  REQUIRE(LAPACKE_zgesv(LAPACK_ROW_MAJOR, n, 1, theirs(a), n, exchanges.data(), theirs(b), 1) == 0);
  ComplexMatrix x(n, 1);
  for (lapack_int i = 0; i < n; ++i) x.set(i, 0, b[i] * c[i]);
  return error_of(x);
}
#endif

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

TEST_CASE("equilibration of complex systems: by the larger part of each number") {
  ComplexMatrix a = random_complex(30, 30, 1);
  const auto scaling = [&](Equilibration equilibration) {
    return complex_scaling_for(30, 0, a.parts().values(), {}, RealType::f64, equilibration);
  };
  CHECK(scaling(Equilibration::automatic).keeps_matrix());
  CHECK_FALSE(scaling(Equilibration::on).keeps_matrix());
  for (Index j = 0; j < 30; ++j) a.set(7, j, {0, std::ldexp(a.parts()(7, 2 * j), -9)});
  a.set(8, 3, {0x1p-1070, a(8, 3).imag()});  // a part this small is not the size of its number
  const Scaling found = scaling(Equilibration::automatic);
  CHECK(found.columns.empty());
  CHECK_FALSE(found.may_underflow);
  REQUIRE(found.rows.size() == 30);
  for (Index i = 0; i < 30; ++i) {
    double largest = 0;
    for (const double part : a.parts().row(i)) largest = std::max(largest, std::abs(part));
    const double scaled = std::ldexp(largest, found.rows[i]);
    CHECK(scaled >= 1);
    CHECK(scaled < 2);
  }
  CHECK(scaling(Equilibration::off).keeps_matrix());
}

TEST_CASE("equilibration of complex systems: powers of two do not change a bit of x") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const ComplexSystem system{random_complex(150, 150, 3), random_complex(150, 1, 4)};
    for (const Method method : {Method::lu, Method::mixed}) {
      if (method == Method::lu && !device.profile.fp64) continue;
      const ComplexSolution plain = solved(context, system, method, Equilibration::on);
      for (const int rows : {0, 1, 11})
        for (const int columns : {0, 3}) {
          CAPTURE(rows);
          CAPTURE(columns);
          const ComplexSolution y =
              solved(context, spread(system, rows, columns), method, Equilibration::on);
          REQUIRE(y.status == SolveStatus::ok);
          CHECK(y.scaled_rows);
          CHECK(y.scaled_columns);
          CHECK(y.residual.scaled <= 1);
          CHECK(y.pivot_rows == plain.pivot_rows);
          Matrix back = y.x.parts();
          int exponent = 0;
          for (Index i = 0; i < 150; ++i) {
            const int step = static_cast<int>(i % 9) - 4;
            exponent += (rows + columns) * step;
            for (double& part : back.row(i)) part = std::ldexp(part, columns * step);
          }
          CHECK(std::memcmp(back.values().data(), plain.x.parts().values().data(),
                            back.values().size_bytes()) == 0);
          CHECK(y.determinant.log10_abs ==
                doctest::Approx(plain.determinant.log10_abs + exponent * std::log10(2.0)));
          CHECK(std::abs(y.determinant.phase - plain.determinant.phase) <= 1e-12);
        }
    }
  });
}

TEST_CASE("equilibration of complex systems: hidden rows do not cost an answer its digits") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const ComplexSystem system = with_hidden_rows(100);
    std::optional<double> rcond;
    const auto error = [&](Equilibration equilibration, Accuracy accuracy) {
      SolveOptions options;
      options.method = Method::mixed;
      options.equilibration = equilibration;
      options.accuracy = accuracy;
      options.trust = true;
      const ComplexSolution solution = solve_complex(context, system, options);
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.scaled_rows == (equilibration != Equilibration::off));
      REQUIRE(solution.trust);
      CHECK(solution.trust->reciprocal_growth > (solution.scaled_rows ? 1e-3 : 0));
      if (accuracy !=
          Accuracy::maximum)  // b is rounded: the digits of x are not all those of 1 + 2i
        CHECK(error_of(solution.x) <= solution.trust->forward_error[0]);
      if (!rcond) rcond = solution.trust->rcond;  // of A as given, however it was scaled
      CHECK(solution.trust->rcond == doctest::Approx(*rcond).epsilon(1e-2));
      return error_of(solution.x);
    };
    double worst = 0;
    for (const Accuracy accuracy : {Accuracy::double_precision, Accuracy::maximum})
      for (const Equilibration equilibration : {Equilibration::automatic, Equilibration::on})
        worst = std::max(worst, error(equilibration, accuracy));
    CHECK(worst <= 1e-12);
    if (device.profile.fp64) (void)error(Equilibration::off, Accuracy::double_precision);
#ifdef CLGAUSS_TESTS_WITH_LAPACK
    CHECK(worst <= 100 * error_by_lapack(system));
#endif
  });
}

TEST_CASE("equilibration of complex systems: inverses, singular matrices, and what is refused") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      const ComplexMatrix a = random_complex(60, 60, 8);
      const ComplexInverse plain = invert_complex(context, a, {.type = type});
      for (const auto& [rows, columns] : {std::pair{2, 1}, std::pair{0, 2}, std::pair{40, 0}}) {
        CAPTURE(rows);
        const ComplexInverse inverse = invert_complex(
            context, spread({a, ComplexMatrix(60, 0)}, rows, columns).a, {.type = type});
        REQUIRE(inverse.status == SolveStatus::ok);
        CHECK(inverse.scaled_rows == (rows > 0));
        CHECK(inverse.scaled_residual <= 4);
        double worst = 0, largest = 0;
        for (Index i = 0; i < 60; ++i)
          for (Index j = 0; j < 60; ++j) {
            const double by = std::ldexp(1.0, columns * (static_cast<int>(i % 9) - 4) +
                                                  rows * (static_cast<int>(j % 9) - 4));
            worst = std::max(worst, std::abs(inverse.x(i, j) * by - plain.x(i, j)));
            largest = std::max(largest, std::abs(plain.x(i, j)));
          }
        CHECK(worst <= 1e3 * 60 * unit_roundoff(type) * largest);
      }
    }
    const std::vector<std::complex<double>> dependent{1, {0, 2}, 512, {0, 1024}};
    const ComplexSystem singular{ComplexMatrix(2, 2, dependent), random_complex(2, 1, 1)};
    CHECK(solved(context, singular, Method::lu, Equilibration::on).status == SolveStatus::singular);
    const ComplexSystem hermitian{identity(3), random_complex(3, 1, 1)};
    CHECK_THROWS_AS((void)solved(context, hermitian, Method::cholesky, Equilibration::on),
                    UsageError);
    CHECK_NOTHROW((void)solved(context, hermitian, Method::cholesky, Equilibration::off));
  });
}
