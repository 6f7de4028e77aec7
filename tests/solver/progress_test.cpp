// What solve() tells of an LU on its way, and that it can be ended there.

#include <doctest/doctest.h>

#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>

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
