/// Accuracy::maximum against exact answers.

#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/solve.hpp>
#include <cmath>

#include "constants.hpp"
#include "linalg/refinement/extra_precise.hpp"
#include "linalg/solve/host_lapack.hpp"
#include "support/devices.hpp"
#include "support/exact_answers.hpp"
#include "support/gallery.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

/// The largest |x - x_true|_i / |x_true|_i. A number that is 0 must be of no account beside the
/// others.
double largest_error(const System& system, const Matrix& x) {
  const auto exact = exact_answers(system);
  REQUIRE(exact.size() == x.cols());
  double worst = 0;
  for (Index c = 0; c < x.cols(); ++c) {
    Rational largest = 0;
    for (const Rational& value : exact[c]) largest = std::max<Rational>(largest, abs(value));
    for (Index i = 0; i < x.rows(); ++i) {
      const Rational size = exact[c][i] == 0 ? largest : Rational(abs(exact[c][i]));
      if (size == 0) continue;
      const Rational error = abs(exact[c][i] - rational_of(x(i, c))) / size;
      worst = std::max(worst, error.convert_to<double>());
    }
  }
  return worst;
}

SolveOptions to_the_end(Method method = Method::automatic) {
  SolveOptions options;
  options.accuracy = Accuracy::maximum;
  options.method = method;
  options.trust = true;
  return options;
}

/// Every device that can reach these digits where f32 alone does not.
void where_f64_is(const std::function<void(Context&)>& body) {
  on_every_device([&](const Device& device) {
    if (!device.profile.fp64 && !HostLapack::available()) return;
    Context context(device, ContextOptions::from_environment());
    body(context);
  });
}

void check_all_digits(Context& context, const System& system, const SolveOptions& options) {
  const Solution solution = solve(context, system, options);
  CAPTURE(solution.passed_over);
  CAPTURE(solution.trust->rcond);
  CHECK(solution.status == SolveStatus::ok);
  CHECK(solution.accuracy == Accuracy::maximum);
  REQUIRE(solution.refinement.accepted);
  CHECK(largest_error(system, solution.x) <= 2 * kEps);
  for (const auto& [normwise, componentwise] : solution.refinement.forward_errors) {
    CHECK(normwise <= 4 * kEps);
    CHECK(componentwise <= 4 * kEps);
  }
  CHECK(solution.trust->correct_digits() == 15);
}

}  // namespace

TEST_CASE("max: Hilbert's and Vandermonde's matrices to the last digit of every number") {
  where_f64_is([](Context& context) {
    for (const Index n : {1, 2, 5, 8, 11})
      for (const bool is_hilbert : {true, false}) {
        CAPTURE(n);
        CAPTURE(is_hilbert);
        const System system{is_hilbert ? hilbert(n) : vandermonde(n), random_matrix(n, 2, n)};
        for (const Method method : {Method::automatic, Method::mixed})
          check_all_digits(context, system, to_the_end(method));
      }
  });
}

TEST_CASE("max: random matrices of condition 1e2 to 1e14, several right-hand sides of any size") {
  where_f64_is([](Context& context) {
    for (const double condition : {1e2, 1e6, 1e10, 1e12, 1e14})
      for (const Spread spread : {Spread::one_small, Spread::geometric}) {
        CAPTURE(condition);
        System system{randsvd(24, condition, spread, 7), random_matrix(24, 3, 8)};
        for (Index i = 0; i < 24; ++i) {
          system.b(i, 1) *= 1e-200;
          system.b(i, 2) = i == 3 ? 1 : 0;
        }
        check_all_digits(context, system, to_the_end());
      }
  });
}

TEST_CASE("max: rows and columns of very different sizes, answers with zeros") {
  where_f64_is([](Context& context) {
    for (const double by : {0x1p-300, 0x1p-60, 0x1p280}) {
      CAPTURE(by);
      System system{random_matrix(20, 20, 1), random_matrix(20, 1, 2)};
      for (Index i = 0; i < 20; ++i) {
        const double row = std::pow(by, static_cast<double>(i) / 19);
        for (Index j = 0; j < 20; ++j)
          system.a(i, j) *= row * std::pow(by, -static_cast<double>(7 * j % 20) / 19);
        system.b(i, 0) *= row;
      }
      check_all_digits(context, system, to_the_end());
    }
    System zeros{random_matrix(20, 20, 3), Matrix(20, 1)};
    for (Index i = 0; i < 20; ++i) zeros.b(i, 0) = zeros.a(i, 4);
    const Solution solution = solve(context, zeros, to_the_end());
    CHECK(solution.status == SolveStatus::ok);
    CHECK(largest_error(zeros, solution.x) <= 2 * kEps);
    zeros.b = Matrix(20, 1);
    const Solution nothing = solve(context, zeros, to_the_end());
    CHECK(nothing.status == SolveStatus::ok);
    CHECK(nothing.x(5, 0) == 0);
  });
}

TEST_CASE("max: factors in f32 are enough where A is well conditioned, else f64 follows") {
  where_f64_is([](Context& context) {
    const System good{random_matrix(150, 150, 5), random_matrix(150, 1, 6)};
    const Solution solution = solve(context, good, to_the_end(Method::mixed));
    CHECK(solution.status == SolveStatus::ok);
    CHECK(solution.type == RealType::f32);
    CHECK(solution.passed_over.empty());
    CHECK(solution.refinement.forward_errors.at(0).normwise <= 4 * kEps);

    const System bad{randsvd(24, 1e11, Spread::geometric, 9), random_matrix(24, 1, 8)};
    const Solution again = solve(context, bad, to_the_end(Method::mixed));
    CHECK(again.status == SolveStatus::ok);
    CHECK(!again.passed_over.empty());
    CHECK((again.type == RealType::f64 || again.by_lapack));
  });
}

TEST_CASE("max: an answer without all its digits is not called one") {
  where_f64_is([](Context& context) {
    const System nearly{Matrix(3, 3, {1, 2, 3, 4, 5, 6, 7, 8, 9}), Matrix(3, 1, {6, 15, 24})};
    for (const System& system :
         {nearly, System{hilbert(16), random_matrix(16, 1, 3)},
          System{rank_deficient(40, 39, false, 5), random_matrix(40, 1, 3)}}) {
      const Solution solution = solve(context, system, to_the_end());
      if (solution.status == SolveStatus::singular) continue;
      CHECK(solution.status == SolveStatus::inaccurate);
      CHECK_FALSE(solution.refinement.accepted);
      CHECK(solution.refinement.forward_errors.at(0).normwise >= 0.1);
      CHECK(solution.trust->correct_digits() < 3);
    }
  });
}

TEST_CASE("max: what has no factors to correct with is refused, and the empty system solved") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const System system{random_matrix(4, 4, 1), random_matrix(4, 1, 2)};
    for (const Method method : {Method::gauss, Method::rbt})
      CHECK_THROWS_AS((void)solve(context, system, to_the_end(method)), UsageError);
    SolveOptions in_f32 = to_the_end(Method::lu);
    in_f32.type = RealType::f32;
    CHECK_THROWS_AS((void)solve(context, system, in_f32), UsageError);
    CHECK_THROWS_AS((void)solve_in_place(
                        context, system, [&] { return system.a; }, to_the_end()),
                    UsageError);
    CHECK(solve(context, {Matrix(0, 0), Matrix(0, 1)}, to_the_end()).status == SolveStatus::ok);
  });
}

TEST_CASE("max: corrections that do not shrink, that are not finite or out of range end it") {
  const System system{random_matrix(12, 12, 1), random_matrix(12, 1, 2)};
  const Scaling none;
  ExtraPreciseHost host(system, none);
  Matrix x(12, 1);
  Index solves = 0;
  const Refinement stuck = refine_in_extra_precision(
      host,
      [&](Matrix& r) {
        ++solves;
        for (double& value : r.values()) value = 1;
      },
      x);
  CHECK_FALSE(stuck.accepted);
  CHECK(solves == 2);
  x = Matrix(12, 1);
  CHECK_FALSE(refine_in_extra_precision(
                  host, [](Matrix& r) { r(0, 0) = std::nan(""); }, x)
                  .accepted);
  System tiny = system;
  for (double& value : tiny.a.values()) value *= 0x1p-1000;
  for (double& value : tiny.b.values()) value *= 0x1p-1000;
  ExtraPreciseHost far(tiny, none);
  CHECK_FALSE(refine_in_extra_precision(
                  far, [](Matrix&) {}, x)
                  .accepted);
}
