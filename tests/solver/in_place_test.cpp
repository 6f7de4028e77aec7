#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>
#include <clgauss/solve.hpp>
#include <fstream>
#include <string>

#include "linalg/lu/factor_lu.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "support/devices.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::types_of;

namespace {

/// The process's own memory in bytes, without files that are mapped.
double resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "RssAnon:") {
      double kilobytes = 0;
      status >> kilobytes;
      return 1024 * kilobytes;
    }
  FAIL("no RssAnon in /proc/self/status");
  return 0;
}

/// Memory that the process gains from the start of the upload to the start of the factorisation.
double gained_by_upload(const std::function<void(const ProgressCallback&)>& solve) {
  double before = 0, after = 0;
  solve([&](std::string_view what, double) {
    if (what == "upload") before = resident_bytes();
    if (what == "factorisation") after = resident_bytes();
  });
  REQUIRE(before > 0);
  REQUIRE(after > 0);
  return after - before;
}

}  // namespace

TEST_CASE("in place: the same answer, and A is read again once") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {1, 60, 150}) {
        const Matrix a = generate_matrix("random", n, 5);
        const System system{a, random_matrix(n, 2, 6)};
        SolveOptions options;
        options.type = type;
        int reads = 0;
        const auto again = [&] { return ++reads, a; };
        const Solution kept = solve(context, system, options),
                       in_place = solve_in_place(context, system, again, options);
        CHECK(reads == 1);
        CHECK(in_place.status == SolveStatus::ok);
        CHECK(in_place.residual.scaled <= kScaledResidualBound);
        CHECK(max_difference(kept.x, in_place.x) == 0);
        CHECK(kept.residual.backward_error == in_place.residual.backward_error);
        CHECK(in_place.determinant.log10_abs == kept.determinant.log10_abs);
      }
    const System system{generate_matrix("random", 9, 5), Matrix(9, 1)};
    const auto other = [] { return Matrix(8, 8); };
    CHECK_THROWS_AS((void)solve_in_place(context, system, other), DimensionError);
    SolveOptions gauss;
    gauss.method = Method::gauss;
    CHECK_THROWS_AS((void)solve_in_place(context, system, other, gauss), UsageError);
    const System singular{generate_matrix("singular", 40, 1), Matrix(40, 1)};
    CHECK(solve_in_place(context, singular, other).status == SolveStatus::singular);
  });
}

TEST_CASE("in place: the host's copy of A is gone while the device works") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (!context.runs_long_loops()) return;  // llvmpipe would take minutes
    const Index n = 2500;
    const double copy = sizeof(double) * n * n;
    System system{generate_matrix("random", n, 5), random_matrix(n, 1, 6)};
    Matrix x_kept, x_released;
    // The f32 copy in the device's memory, half of A, may lie on pages that are already there.
    const double kept = gained_by_upload([&](const ProgressCallback& progress) {
      x_kept = factor_lu(context, system, {.type = RealType::f32}, progress).result.x;
    });
    CHECK(kept >= -0.1 * copy);
    const double released = gained_by_upload([&](const ProgressCallback& progress) {
      const FactorCall call{.type = RealType::f32, .give_up_a = &system.a};
      x_released = factor_lu(context, system, call, progress).result.x;
    });
    CHECK(released <=
          -0.3 * copy);  // the sanitizers' own memory grows by an eighth of what is touched
    CHECK(system.a.empty());
    CHECK(max_difference(x_kept, x_released) == 0);
    system.a = generate_matrix("random", n, 5);
    CHECK(compute_residual(system, x_released, unit_roundoff(RealType::f32)).scaled <=
          kScaledResidualBound);
  });
}

TEST_CASE("memory that does not suffice is refused before anything starts") {
  for (Device device : list_devices()) {
    CAPTURE(device.profile.name);
    device.profile.global_mem_bytes = 50'000;
    Context context(device, ContextOptions::from_environment());
    const System system{generate_matrix("random", 80, 1), Matrix(80, 1)};
    bool started = false;
    const ProgressCallback progress = [&](std::string_view, double) { started = true; };
    SolveOptions options;
    options.type = RealType::f32;
    // A alone would fit: 31 KB. With its workspace, on a CPU, and with 100 right-hand sides
    // anywhere, it does not.
    const System many{system.a, Matrix(80, 100)};
    CHECK_THROWS_AS((void)solve(context, many, options, progress), OutOfMemory);
    CHECK_FALSE(started);
  }
}

TEST_CASE(
    "work-groups that lose each other: without look-ahead, then by tournament, then no more") {
  using Tried = std::vector<std::pair<Pivoting, bool>>;
  const Tried::value_type partial{Pivoting::partial, false}, ahead{Pivoting::partial, true},
      tournament{Pivoting::tournament, false}, tournament_ahead{Pivoting::tournament, true};
  // Which attempt does it, if any.
  const auto tried = [](bool has_look_ahead, LuOptions options, std::size_t successful) {
    Tried all;
    const auto attempt = [&](const LuOptions& with) {
      all.emplace_back(with.pivoting, with.look_ahead);
      if (all.size() != successful)
        throw CoResidencyLost("on purpose", has_look_ahead && with.look_ahead);
      return all.size();
    };
    if (successful == 0)
      CHECK_THROWS_AS((void)repeat_until_co_resident(options, attempt), CoResidencyLost);
    else
      CHECK(repeat_until_co_resident(options, attempt) == successful);
    return all;
  };
  CHECK(tried(true, {}, 1) == Tried{ahead});
  CHECK(tried(true, {}, 2) == Tried{ahead, partial});
  CHECK(tried(true, {}, 0) == Tried{ahead, partial, tournament});
  CHECK(tried(false, {}, 0) == Tried{ahead, tournament_ahead});
  LuOptions by_tournament;
  by_tournament.pivoting = Pivoting::tournament;
  CHECK(tried(false, by_tournament, 0) == Tried{tournament_ahead});
}

TEST_CASE("LU is solved all the same where the persistent panel gives up at once") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Index n = 700;
    SolveOptions options;
    options.type = RealType::f32;
    options.lu.spec = default_lu_spec(device.profile, RealType::f32, n, LuFamily::gpu);
    if (options.lu.spec->value("PERSISTENT") == 0) return;  // nothing waits there
    set_value(options.lu.spec->parameters, "SPIN_LIMIT", 1);
    const System system{generate_matrix("random", n, 5), random_matrix(n, 1, 6)};
    const auto again = [&] { return system.a; };
    for (const Solution& solution :
         {solve(context, system, options), solve_in_place(context, system, again, options)}) {
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.residual.scaled <= kScaledResidualBound);
      CHECK(solution.repeated == (solution.pivoting == Pivoting::tournament));
    }
  });
}
