// What a solve tells on its way, and that it can be ended there.

#include <doctest/doctest.h>

#include <clgauss/batched.hpp>
#include <clgauss/complex.hpp>
#include <clgauss/inverse.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>
#include <functional>
#include <set>
#include <string>

#include "support/complex_matrices.hpp"
#include "support/devices.hpp"
#include "support/thorough.hpp"

using namespace clgauss;

namespace {

constexpr Index kN = 1200;  // more launches than the host may be ahead

System system_of(Index n) {
  Matrix a = generate_matrix("random", n, 5);
  Matrix b = row_sums(a);
  return {std::move(a), std::move(b)};
}

struct Told {
  std::string text;
  double share;
};

struct Stop {};

/// The step that a report is about, without its numbers.
std::string step_of(std::string_view what) { return std::string(what.substr(0, what.find(':'))); }

/// Stops `work`, which returns a status, at each of the steps that it tells, which are `steps`: it
/// tells nothing more then, and can be done again.
void check_stops(const std::function<SolveStatus(const ProgressCallback&)>& work,
                 const std::set<std::string>& steps) {
  std::set<std::string> told;
  CHECK(work([&](std::string_view what, double) { told.insert(step_of(what)); }) ==
        SolveStatus::ok);
  CHECK(told == steps);
  for (const std::string& step : steps) {
    CAPTURE(step);
    int told_later = -1;
    const auto stop = [&](std::string_view what, double) {
      told_later += told_later >= 0 ? 1 : 0;
      if (step_of(what) != step) return;
      told_later = 0;
      throw Stop();
    };
    CHECK_THROWS_AS((void)work(stop), Stop);
    CHECK(told_later == 0);
  }
  CHECK(work({}) == SolveStatus::ok);
}

}  // namespace

TEST_CASE("progress: blocks, GFLOP/s and the share done of every factorisation") {
  test::on_every_device([](const Device& device) {
    Context context(device);
    if (test::is_slow(context)) return;
    const System system = system_of(kN);
    for (const Method method : {Method::lu, Method::mixed, Method::rbt}) {
      CAPTURE(method_name(method));
      SolveOptions options;
      options.method = method;
      std::vector<Told> told;
      const Solution solution =
          solve(context, system, options, [&](std::string_view what, double share) {
            if (what.starts_with("factorisation: ")) told.push_back({std::string(what), share});
          });
      REQUIRE(solution.status == SolveStatus::ok);
      REQUIRE(told.size() > 2);
      double before = 0;
      for (const auto& [text, share] : told) {
        CAPTURE(text);
        CHECK(text.find(" of ") != std::string::npos);
        CHECK(text.find(" blocks, ") != std::string::npos);
        CHECK(text.ends_with(" GFLOP/s"));
        CHECK(share >= before);
        CHECK(share <= 1);
        before = share;
      }
      CHECK(before > 0.5);
    }
  });
}

TEST_CASE("progress: a callback that throws ends an LU on its way, and the context stays usable") {
  test::on_every_device([](const Device& device) {
    Context context(device);
    if (test::is_slow(context)) return;
    const System system = system_of(kN);
    for (const Method method : {Method::lu, Method::rbt}) {
      CAPTURE(method_name(method));
      SolveOptions options;
      options.method = method;
      double last = 0;
      const auto stop = [&](std::string_view what, double share) {
        if (!what.starts_with("factorisation: ")) return;
        last = share;
        throw Stop();
      };
      CHECK_THROWS_AS(static_cast<void>(solve(context, system, options, stop)), Stop);
      CHECK(last > 0);
      CHECK(last < 0.7);
      CHECK(solve(context, system, options).status == SolveStatus::ok);
    }
  });
}

TEST_CASE("progress: a callback that throws ends a complex LU on its way") {
  test::on_every_device([](const Device& device) {
    Context context(device);
    if (test::is_slow(context)) return;
    const ComplexSystem system{test::random_complex(kN, kN, 1), test::random_complex(kN, 1, 2)};
    double last = 0;
    const auto stop = [&](std::string_view what, double share) {
      if (!what.starts_with("factorisation: ")) return;
      last = share;
      throw Stop();
    };
    CHECK_THROWS_AS((void)solve_complex(context, system, {}, stop), Stop);
    CHECK(last > 0);
    CHECK(last < 0.7);
    CHECK_THROWS_AS((void)invert_complex(context, system.a, {}, stop), Stop);
    CHECK(last < 0.7);
  });
}

TEST_CASE("progress: a callback that throws ends complex systems, inverses and batches anywhere" *
          test::also_on_slow_devices) {
  test::on_every_device([](const Device& device) {
    Context context(device);
    const ComplexSystem system{test::random_complex(50, 50, 1), test::random_complex(50, 2, 2)};
    const std::set<std::string> of_inverse{"building the kernels", "upload", "factorisation",
                                           "inverse", "check"};
    SolveOptions options;
    options.method = Method::mixed;
    options.trust = true;
    check_stops(
        [&](const ProgressCallback& progress) {
          return solve_complex(context, system, options, progress).status;
        },
        {"building the kernels", "upload", "factorisation", "substitution", "refinement", "check",
         "condition"});
    check_stops(
        [&](const ProgressCallback& progress) {
          return invert_complex(context, system.a, {}, progress).status;
        },
        of_inverse);
    const Matrix a = generate_matrix("random", 50, 5);
    check_stops(
        [&](const ProgressCallback& progress) { return invert(context, a, {}, progress).status; },
        of_inverse);
    for (const bool complex : {false, true}) {
      const Index n = 10, parts = complex ? 2 : 1, batch = 5;
      const Matrix numbers = random_matrix(batch * n, parts * (n + 1), 3);
      const auto values = numbers.values();
      const auto part = [&](Index from, Index columns) {
        const auto of = values.subspan(from, batch * n * columns);
        return Batch{batch, n, columns, Values(of.begin(), of.end())};
      };
      const BatchedSystem systems{part(0, parts * n), part(batch * n * parts * n, parts), false,
                                  complex};
      BatchedOptions in_chunks;
      in_chunks.chunk = 2;
      check_stops(
          [&](const ProgressCallback& progress) {
            return solve_batched(context, systems, in_chunks, progress).status;
          },
          {"solving"});
    }
  });
}
