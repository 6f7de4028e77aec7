// Complex systems: how far x can be trusted, refinement, and the determinant.
#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <cmath>
#include <limits>

#include "linalg/complex/complex_factors.hpp"
#include "linalg/complex/complex_residual.hpp"
#include "support/complex_matrices.hpp"
#include "support/devices.hpp"
#include "support/thorough.hpp"

#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <lapacke.h>
#endif

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::types_of;
using test::conjugate_transposed;
using test::identity;
using test::product;
using test::random_complex;
using Complex = std::complex<double>;

namespace {

double norm1(const ComplexMatrix& a) {
  double largest = 0;
  for (Index j = 0; j < a.cols(); ++j) {
    double sum = 0;
    for (Index i = 0; i < a.rows(); ++i) sum += std::abs(a(i, j));
    largest = std::max(largest, sum);
  }
  return largest;
}

/// ||x - y|| / ||y|| of column c, infinity norms of moduli.
double error_of(const ComplexMatrix& x, const ComplexMatrix& y, Index c) {
  double off = 0, size = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    off = std::max(off, std::abs(x(i, c) - y(i, c)));
    size = std::max(size, std::abs(y(i, c)));
  }
  return off / size;
}

/// Small whole numbers in a unit triangle; the diagonal is `diagonal`, or i, -1, -i, 1 in turn.
ComplexMatrix whole_triangle(Index n, bool upper, int most, std::uint64_t seed) {
  const ComplexMatrix random = random_complex(n, n, seed);
  const Complex units[] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
  ComplexMatrix t(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      if (i == j) t.set(i, j, upper ? units[i % 4] : 1);
      if (upper ? j > i : j < i)
        t.set(i, j,
              {std::round(most * random(i, j).real()), std::round(most * random(i, j).imag())});
    }
  return t;
}

/// A of whole numbers with determinant i^(1 + 2 + ..), far from well conditioned, and an x of them.
struct Whole {
  ComplexSystem system;
  ComplexMatrix x;
};
Whole whole_system(Index n, int most, Index nrhs) {
  Whole whole;
  whole.system.a = product(whole_triangle(n, false, most, 3), whole_triangle(n, true, most, 4));
  whole.x = ComplexMatrix(n, nrhs);
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < nrhs; ++c)
      whole.x.set(i, c, {static_cast<double>(i + 1), static_cast<double>(c + 1) - 3.0});
  whole.system.b = product(whole.system.a, whole.x);
  return whole;
}

/// Q diag(1 .. 1 / condition) P with Q, P the unitary factors of random matrices.
ComplexMatrix with_condition(Index n, double condition, std::uint64_t seed) {
  const auto unitary = [n](std::uint64_t of) {
    ComplexMatrix q = random_complex(n, n, of);
    for (int twice = 0; twice < 2; ++twice)
      for (Index j = 0; j < n; ++j) {
        for (Index k = 0; k < j; ++k) {
          Complex dot = 0;
          for (Index i = 0; i < n; ++i) dot += std::conj(q(i, k)) * q(i, j);
          for (Index i = 0; i < n; ++i) q.set(i, j, q(i, j) - dot * q(i, k));
        }
        double sum = 0;
        for (Index i = 0; i < n; ++i) sum += std::norm(q(i, j));
        for (Index i = 0; i < n; ++i) q.set(i, j, q(i, j) / std::sqrt(sum));
      }
    return q;
  };
  ComplexMatrix q = unitary(seed);
  for (Index j = 0; j < n; ++j) {
    const double size = std::pow(condition, -static_cast<double>(j) / static_cast<double>(n - 1));
    for (Index i = 0; i < n; ++i) q.set(i, j, q(i, j) * size);
  }
  return product(q, unitary(seed + 1));
}

SolveOptions with_trust(RealType type) {
  SolveOptions options;
  options.type = type;
  options.trust = true;
  return options;
}

}  // namespace

TEST_CASE("complex factors solve again and with A^H, any number of columns at once" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {1, 2, 31, 64, 65, 129}) {
        CAPTURE(n);
        const ComplexMatrix a = random_complex(n, n, n);
        ComplexFactors factors(context, {a, random_complex(n, 2, 5)}, type, {}, true);
        factors.upload({a, random_complex(n, 2, 5)}, Equilibration::automatic);
        factors.factor({});
        REQUIRE_FALSE(factors.pivots().failed_column);
        for (const Index columns : {1, 3, 19}) {
          ComplexMatrix b = random_complex(n, columns, 6);
          for (Index part = 0; part < 2; ++part) b.parts()(0, part) *= 1e30;  // column 0 alone
          Matrix x = in_pairs(b);
          factors.solve(x);
          CHECK(compute_residual({a, b}, from_pairs(x), unit_roundoff(type)).scaled <=
                kScaledResidualBound);
          x = in_pairs(b);
          factors.solve_transposed(x);
          CHECK(compute_residual({conjugate_transposed(a), b}, from_pairs(x), unit_roundoff(type))
                    .scaled <= kScaledResidualBound);
        }
      }
  });
}

TEST_CASE("the norm of a complex inverse: never above it, and hardly below") {
  for (const Index n : {1, 3, 8, 9, 40})
    for (const std::uint64_t seed : {1, 2, 3, 4, 5}) {
      CAPTURE(n);
      const ComplexMatrix b = random_complex(n, n, seed), of_b = conjugate_transposed(b);
      InverseProducts products{
          2 * n, [&](const Matrix& x) { return in_pairs(product(b, from_pairs(x))); },
          [&](const Matrix& x) { return in_pairs(product(of_b, from_pairs(x))); }, true};
      for (const Index columns : {1, 2, 4}) {
        const double estimate = inverse_norm1(products, {.columns = columns}), exact = norm1(b);
        CHECK(estimate <= exact * (1 + 1e-14));
        CHECK(estimate >= (n <= 8 ? 1 - 1e-14 : 0.6) * exact);
      }
    }
}

TEST_CASE("rcond of complex systems is LAPACK's, and the error is within its bound" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const double condition : {1e1, 1e4, 1e9, 1e13}) {
        constexpr Index kN = 60;
        if (type == RealType::f32 && condition > 1e5) continue;
        CAPTURE(condition);
        ComplexSystem system{with_condition(kN, condition, 8), {}};
        const ComplexMatrix x = random_complex(kN, 2, 9);
        system.b = product(system.a, x);
        const ComplexSolution solution = solve_complex(context, system, with_trust(type));
        REQUIRE(solution.status == SolveStatus::ok);
        REQUIRE(solution.trust);
        const Trust& trust = *solution.trust;
        const double exact = 1 / condition;  // of the 2-norm, which is within a factor of n of it
        CHECK(trust.rcond >= exact / kN);
        CHECK(trust.rcond <= exact * 3);
#ifdef CLGAUSS_TESTS_WITH_LAPACK
        std::vector<Complex> a;
        for (Index i = 0; i < kN; ++i)
          for (Index j = 0; j < kN; ++j) a.push_back(system.a(i, j));
        auto* const theirs = reinterpret_cast<lapack_complex_double*>(a.data());
        const lapack_int n = kN;
        std::vector<lapack_int> pivots(kN);
        double rcond = 0;
        REQUIRE(LAPACKE_zgetrf(LAPACK_ROW_MAJOR, n, n, theirs, n, pivots.data()) == 0);
        REQUIRE(LAPACKE_zgecon(LAPACK_ROW_MAJOR, '1', n, theirs, n, norm1(system.a), &rcond) == 0);
        CHECK(trust.rcond >= rcond / 2);
        CHECK(trust.rcond <= rcond * 2);
#endif
        REQUIRE(trust.forward_error.size() == 2);
        for (const Index c : {0, 1}) {
          CHECK(error_of(solution.x, x, c) <= trust.forward_error[c]);
          CHECK(trust.forward_error[c] <= 100 * kN * unit_roundoff(type) * condition);
        }
        CHECK(trust.reciprocal_growth > 0.01);
        CHECK(trust.reciprocal_growth <= 1.5);
      }
  });
}

TEST_CASE("rcond of complex systems: of one number, of columns far apart, of a wide range") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      const ComplexSystem one{ComplexMatrix(1, 1, std::vector<Complex>{{3e200, -4e200}}),
                              random_complex(1, 3, 1)};
      const ComplexSolution of_one = solve_complex(context, one, with_trust(type));
      REQUIRE(of_one.trust);
      CHECK(of_one.trust->rcond == doctest::Approx(1).epsilon(1e-6));
      // diag(1, i 2^40): the condition is 2^40, and every digit of x is right.
      const ComplexMatrix diagonal(2, 2, std::vector<Complex>{1, 0, 0, {0, 0x1p40}});
      const ComplexSolution far = solve_complex(context, {diagonal, identity(2)}, with_trust(type));
      REQUIRE(far.trust);
      CHECK(far.trust->rcond == doctest::Approx(0x1p-40));
      CHECK(far.x(1, 1) == Complex(0, -0x1p-40));
      CHECK(far.trust->correct_digits() >= 3);
      // No right-hand side: the condition alone.
      SolveOptions options = with_trust(type);
      const ComplexSolution none = solve_complex(context, {diagonal, ComplexMatrix(2, 0)}, options);
      CHECK(none.status == SolveStatus::ok);
      REQUIRE(none.trust);
      CHECK(none.trust->rcond == doctest::Approx(0x1p-40));
      CHECK(none.trust->forward_error.empty());
    }
  });
}

TEST_CASE("--accuracy max of complex systems: a row near the end of the range has all its digits") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    Context context(device, ContextOptions::from_environment());
    SolveOptions options;
    options.method = Method::lu;
    options.accuracy = Accuracy::maximum;
    const auto of_few_bits = [](Index columns, std::uint32_t seed) {
      ComplexMatrix m = random_complex(2, columns, seed);
      for (double& part : m.parts().values()) part = std::round(64 * part) / 64;
      return m;
    };
    for (std::uint32_t seed = 1; seed <= 30; ++seed) {
      CAPTURE(seed);
      ComplexSystem system{of_few_bits(2, seed), of_few_bits(1, seed + 100)};
      const ComplexSolution plain = solve_complex(context, system, options);
      if (plain.status != SolveStatus::ok) continue;  // A may be singular
      for (Matrix* const m : {&system.a.parts(), &system.b.parts()})
        for (double& part : m->row(1)) part *= 0x1p-1060;  // exact
      const ComplexSolution tiny = solve_complex(context, system, options);
      for (Index i = 0; i < 2; ++i)  // not claimed, as rcond is 0
        CHECK(std::abs(tiny.x(i, 0) - plain.x(i, 0)) <= 1e-15 * std::abs(plain.x(i, 0)));
    }
  });
}

TEST_CASE("trust in complex systems where host and device share no memory") {
  ContextOptions options = ContextOptions::from_environment();
  options.transfers = Transfers::pinned;
  on_every_device([&](const Device& device) {
    Context context(device, options);
    for (const RealType type : types_of(device.profile)) {
      const ComplexSystem system{random_complex(40, 40, 1), random_complex(40, 2, 2)};
      const ComplexSolution solution = solve_complex(context, system, with_trust(type));
      CHECK(solution.status == SolveStatus::ok);
      REQUIRE_MESSAGE(solution.trust, context.trials().reasons({"upper_maxima"}));
      CHECK(solution.trust->rcond > 1e-5);
      CHECK(solution.trust->reciprocal_growth > 0.1);
      CHECK(solution.trust->reciprocal_growth <= 1.5);
    }
  });
}

TEST_CASE("without kernels for A^H complex systems are solved, and nothing is said of rcond") {
  ContextOptions options = ContextOptions::from_environment();
  options.kernel_faults["trsv_transposed"] = KernelFault::wrong;
  on_every_device([&](const Device& device) {
    Context context(device, options);
    const ComplexSystem system{random_complex(30, 30, 1), random_complex(30, 1, 2)};
    const ComplexSolution solution =
        solve_complex(context, system, with_trust(types_of(device.profile).front()));
    CHECK(solution.status == SolveStatus::ok);
    CHECK_FALSE(solution.trust);
  });
}

TEST_CASE("complex systems by factors in f32 have double accuracy, on every device" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : {1, 2, 33, 120})
      for (const Index nrhs : {1, 3}) {
        CAPTURE(n);
        ComplexSystem system{random_complex(n, n, n), random_complex(n, nrhs, 2)};
        for (Index i = 0; i < n; ++i)  // beyond the range of f32
          for (Index part = 0; part < 2; ++part) system.a.parts()(i, part) *= 1e-80;
        SolveOptions options;
        options.method = Method::mixed;
        options.trust = true;
        const ComplexSolution solution = solve_complex(context, system, options);
        CHECK(solution.status == SolveStatus::ok);
        CHECK(solution.method == Method::mixed);
        CHECK(solution.type == RealType::f32);
        CHECK(solution.accuracy == Accuracy::double_precision);
        CHECK(solution.passed_over.empty());
        CHECK(solution.residual.scaled <=
              (n == 1 ? 2.2 : 1));  // residuals of one number in f64: 2.1
        CHECK(solution.residual.scaled == compute_residual(system, solution.x, 0x1p-53).scaled);
        const Refinement& done = solution.refinement;
        CHECK(done.accepted);
        REQUIRE(done.backward_errors.size() >= 2);
        CHECK(done.backward_errors.back() <= 4 * 0x1p-53);
      }
  });
}

TEST_CASE("complex systems too ill-conditioned for f32 are solved in f64, or said to be missed") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const ComplexSystem system{with_condition(50, 1e12, 3), random_complex(50, 1, 4)};
    SolveOptions options;
    options.method = Method::mixed;
    const ComplexSolution solution = solve_complex(context, system, options);
    CHECK_FALSE(solution.passed_over.empty());
    if (device.profile.fp64) {
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.method == Method::lu);
      CHECK(solution.type == RealType::f64);
      CHECK(solution.residual.scaled <= 1);
    } else {
      CHECK(solution.status == SolveStatus::inaccurate);
      CHECK(solution.method == Method::mixed);
    }
  });
}

TEST_CASE("the largest accuracy: every digit of x, real and imaginary parts of any condition") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      // Numbers up to 2^40, condition 1e13 in f64 and 1e5 in f32.
      const Whole whole = type == RealType::f64 ? whole_system(12, 4, 3) : whole_system(5, 2, 3);
      SolveOptions options;
      options.type = type;
      options.accuracy = Accuracy::maximum;
      options.trust = true;
      const ComplexSolution solution = solve_complex(context, whole.system, options);
      REQUIRE(solution.status == SolveStatus::ok);
      CHECK(solution.accuracy == Accuracy::maximum);
      REQUIRE(solution.refinement.forward_errors.size() == 3);
      CHECK(solution.refinement.accepted);
      REQUIRE(solution.trust);
      if (type == RealType::f64) CHECK(solution.trust->rcond < 1e-9);
      for (Index i = 0; i < whole.x.rows(); ++i)
        for (Index c = 0; c < 3; ++c)  // a part of 0 is one to the size of the number
          CHECK(std::abs(solution.x(i, c) - whole.x(i, c)) <= 0x1p-52 * std::abs(whole.x(i, c)));
      CHECK(solution.refinement.corrections() <= 10);
    }
  });
}

TEST_CASE("the largest accuracy is not claimed of a complex matrix that is singular to f64") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    Context context(device, ContextOptions::from_environment());
    SolveOptions options;
    options.accuracy = Accuracy::maximum;
    const ComplexSystem system{with_condition(40, 1e20, 3), random_complex(40, 1, 4)};
    CHECK(solve_complex(context, system, options).status == SolveStatus::inaccurate);
  });
}

TEST_CASE("determinants of complex matrices, known exactly") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      SolveOptions options = with_trust(type);
      options.determinant = true;
      const double eps = unit_roundoff(type);
      for (const Index n : {1, 2, 3, 4, 5, 6}) {
        CAPTURE(n);
        // det = i (-1) (-i) 1 ..., times 10^(200 n): beyond the range of a double from n = 2 on.
        Whole whole = whole_system(n, 2, 1);
        Complex expected = 1;
        const Complex units[] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0}};
        for (Index i = 0; i < n; ++i) expected *= units[i % 4];
        for (double& value : whole.system.a.parts().values()) value *= 1e200;
        const ComplexSolution solution = solve_complex(context, whole.system, options);
        REQUIRE(solution.status == SolveStatus::ok);
        const ComplexDeterminant& found = solution.determinant;
        REQUIRE(found.relative_error < 0.1);
        CHECK(found.relative_error >= static_cast<double>(n) * eps);
        CHECK(std::abs(found.phase - expected) <= found.relative_error);
        CHECK(std::abs(std::abs(found.phase) - 1) <= 1e-15);
        CHECK(std::abs(found.log10_abs - 200.0 * static_cast<double>(n)) <=
              found.relative_error + 1e-12);
      }
      ComplexSystem singular{random_complex(9, 9, 3), ComplexMatrix(9, 0)};
      for (Index i = 0; i < 9; ++i) singular.a.set(i, 4, 0);
      const ComplexSolution zero = solve_complex(context, singular, options);
      CHECK(zero.status == SolveStatus::singular);
      CHECK(zero.determinant.phase == Complex(0));
      CHECK(zero.determinant.log10_abs == -std::numeric_limits<double>::infinity());
      const ComplexSolution empty =
          solve_complex(context, {ComplexMatrix(), ComplexMatrix()}, options);
      CHECK(empty.determinant.phase == Complex(1));
      CHECK(empty.determinant.log10_abs == 0);
    }
  });
}

TEST_CASE("complex systems: what method, type and accuracy exclude is refused") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const ComplexSystem system{random_complex(3, 3, 1), random_complex(3, 1, 2)};
    SolveOptions options;
    for (const Method method : {Method::rbt, Method::gauss, Method::jacobi}) {
      options.method = method;
      CHECK_THROWS_AS((void)solve_complex(context, system, options), UsageError);
    }
    options.method = Method::mixed;
    options.accuracy = Accuracy::single_precision;
    CHECK_THROWS_AS((void)solve_complex(context, system, options), UsageError);
    options.accuracy.reset();
    options.type = RealType::f64;
    CHECK_THROWS_AS((void)solve_complex(context, system, options), UsageError);
    options = {.method = Method::lu, .type = RealType::f32, .accuracy = Accuracy::double_precision};
    CHECK_THROWS_AS((void)solve_complex(context, system, options), UsageError);
    // As for real systems: lu alone has the accuracy of the device's type.
    options = {};
    options.method = Method::lu;
    const ComplexSolution plain = solve_complex(context, system, options);
    CHECK(plain.method == Method::lu);
    CHECK((plain.accuracy == Accuracy::double_precision) == device.profile.fp64);
    CHECK(plain.status == SolveStatus::ok);
    // And: factors in f64, judged as single accuracy is.
    options = {.type = RealType::f64, .accuracy = Accuracy::single_precision};
    if (device.profile.fp64)
      CHECK(solve_complex(context, system, options).status == SolveStatus::ok);
    else
      CHECK_THROWS_AS((void)solve_complex(context, system, options), DeviceLimit);
  });
}
