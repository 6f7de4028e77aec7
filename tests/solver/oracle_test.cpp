/// Every way to an answer, on matrices with traps, against the host's LAPACK refined in long double.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>

#include "linalg/host_lapack.hpp"
#include "support/devices.hpp"
#include "support/gallery.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;

namespace {

/// LONG=1: larger matrices. CLGAUSS_ORACLES=FILE: the table is appended there.
bool is_long() { return std::getenv("LONG") != nullptr; }

struct Kind {
  std::string name;
  Matrix (*make)(Index n);
  Index largest;  // above it nothing of x is left in f64
};

const std::vector<Kind>& kinds() {
  using namespace clgauss::test;
  constexpr Index kAny = 1 << 20;
  static const std::vector<Kind> all{
      {"random", [](Index n) { return random_matrix(n, n, n); }, kAny},
      {"randsvd 1e2", [](Index n) { return randsvd(n, 1e2, Spread::geometric, n); }, kAny},
      {"randsvd 1e6", [](Index n) { return randsvd(n, 1e6, Spread::geometric, n); }, kAny},
      {"randsvd 1e10", [](Index n) { return randsvd(n, 1e10, Spread::one_small, n); }, kAny},
      {"randsvd 1e13", [](Index n) { return randsvd(n, 1e13, Spread::geometric, n); }, kAny},
      {"hilbert", hilbert, 9},
      {"vandermonde", vandermonde, 11},
      {"kahan", [](Index n) { return kahan(n); }, 33},
      {"frank", frank, 12},
      {"grcar", grcar, kAny},
      {"lotkin", lotkin, 9},
      {"minij", minij, kAny},
      {"wilkinson growth", wilkinson_growth, 64},
      {"graded", [](Index n) { return graded(n, 1e-300, 1e300, n); }, kAny},
      {"rows by powers of ten",
       [](Index n) { return rows_by_powers_of_ten(random_matrix(n, n, n)); }, kAny},
  };
  return all;
}

/// x to all digits of f64, where the condition leaves that.
Matrix reference(const HostLapack& lapack, const System& system) {
  const Index n = system.a.rows();
  Matrix x = system.b;
  lapack.solve(x);
  for (int step = 0; step < 12; ++step) {
    Matrix r(n, 1);
    for (Index i = 0; i < n; ++i) {
      long double sum = system.b(i, 0);
      for (Index j = 0; j < n; ++j) sum -= static_cast<long double>(system.a(i, j)) * x(j, 0);
      r(i, 0) = static_cast<double>(sum);
    }
    lapack.solve(r);
    for (Index i = 0; i < n; ++i) x(i, 0) += r(i, 0);
  }
  return x;
}

double relative_difference(const Matrix& x, const Matrix& y) {
  double largest = 0, size = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    largest = std::max(largest, std::abs(x(i, 0) - y(i, 0)));
    size = std::max(size, std::abs(x(i, 0)));
  }
  return size > 0 ? largest / size : largest;
}

/// The worst of one kind and method.
struct Worst {
  double scaled = 0, forward_ratio = 0, digits_lost = 0;
  int solved = 0, otherwise = 0;
};

}  // namespace

TEST_CASE(
    "oracles: every method on every kind of matrix has a small residual and a bound that holds") {
  if (!HostLapack::available()) return;
  const std::vector<Index> sizes =
      is_long() ? std::vector<Index>{1, 2, 3, 31, 32, 33, 127, 128, 129, 500, 1031}
                : std::vector<Index>{1, 3, 9, 33, 129, 300};
  on_every_device([&](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Kind& kind : kinds()) {
      std::map<Method, Worst> worst;
      for (const Index n : sizes) {
        if (n > kind.largest || (!is_long() && n > 129 && !device.profile.fp64)) continue;
        System system{kind.make(n), random_matrix(n, 1, 7 * n + 1)};
        if (kind.name == "graded") system.b = row_sums(system.a);
        const HostLapack lapack(system.a);
        if (lapack.failed_column()) continue;
        const Matrix x = reference(lapack, system);
        for (const Method method : {Method::lu, Method::mixed, Method::rbt}) {
          if (method == Method::lu && !device.profile.fp64) continue;
          CAPTURE(kind.name);
          CAPTURE(n);
          CAPTURE(method_name(method));
          SolveOptions options;
          options.method = method;
          options.trust = true;
          const Solution solution = solve(context, system, options);
          CAPTURE(solution.passed_over);
          REQUIRE(solution.status == SolveStatus::ok);
          CHECK(solution.residual.scaled <= 1);
          Worst& of = worst[method];
          (solution.method == method ? of.solved : of.otherwise) += 1;
          of.scaled = std::max(of.scaled, solution.residual.scaled);
          if (!solution.trust || !(solution.trust->rcond > 1e-14)) continue;
          const double error = relative_difference(x, solution.x),
                       bound = solution.trust->forward_error[0];
          // The reference is rounded as well.
          CHECK(error <= bound + 0x1p-52);
          of.forward_ratio = std::max(of.forward_ratio, error / bound);
        }
      }
      if (const char* file = std::getenv("CLGAUSS_ORACLES"))
        for (const auto& [method, of] : worst)
          std::ofstream(file, std::ios::app) << fmt::format(
              "{},{},{},{},{},{:.3g},{:.3g}\n", device.profile.platform_name, kind.name,
              method_name(method), of.solved, of.otherwise, of.scaled, of.forward_ratio);
    }
  });
}

TEST_CASE("oracles: permuted rows give the same x, powers of two the same bits") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    constexpr Index n = 97;
    const System system{random_matrix(n, n, 3), random_matrix(n, 1, 4)};
    System permuted = system, scaled = system;
    for (Index i = 0; i < n; ++i) {
      const Index from = (i * 41 + 5) % n;
      for (Index j = 0; j < n; ++j) permuted.a(i, j) = system.a(from, j);
      permuted.b(i, 0) = system.b(from, 0);
    }
    for (double& value : scaled.a.values()) value *= 0x1p-400;
    for (const Method method : {Method::automatic, Method::mixed, Method::rbt}) {
      SolveOptions options;
      options.method = method;
      CAPTURE(method_name(method));
      const Matrix x = solve(context, system, options).x;
      CHECK(relative_difference(x, solve(context, permuted, options).x) <= 1e-12);
      const Matrix y = solve(context, scaled, options).x;
      if (method != Method::rbt)  // which leaves what f32 holds only scaled to mixed
        for (Index i = 0; i < n; ++i) CHECK(y(i, 0) == x(i, 0) * 0x1p400);
      CHECK(relative_difference(row_sums(system.a), [&] {
              const Matrix ones = solve(context, {system.a, row_sums(system.a)}, options).x;
              Matrix product(n, 1);
              for (Index i = 0; i < n; ++i)
                for (Index j = 0; j < n; ++j) product(i, 0) += system.a(i, j) * ones(j, 0);
              return product;
            }()) <= 1e-13);
    }
  });
}
