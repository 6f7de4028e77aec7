/// The LU that a context keeps from one solve to the next.

#include "linalg/lu/kept_lu.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "support/bits.hpp"
#include "support/devices.hpp"

namespace clgauss {

namespace {

LuOptions with_gemm(const GemmOptions& gemm) {
  LuOptions options;
  options.gemm = gemm;
  return options;
}

struct KeptCase {
  Method method;
  Index n, nrhs;
};

/// A system that every method solves.
System kept_system(const KeptCase& of, std::uint32_t seed) {
  return {generate_matrix("spd", of.n, seed), random_matrix(of.n, of.nrhs, seed)};
}

Solution solved_in(Context& context, const KeptCase& of, std::uint32_t seed) {
  SolveOptions options;
  options.method = of.method;
  return solve(context, kept_system(of, seed), options);
}

/// What a PassingLu leaves.
struct Passed {
  Values factors, x;
  std::vector<Index> pivots;
  std::optional<Index> failed_column;
};

Passed passed_in(Context& context, RealType type, const KeptCase& of, const System& system) {
  LuOptions options;
  options.positive_definite = of.method == Method::cholesky;
  const Index ld = padded_ld(of.n, type);
  const MatrixView a = to_device(context, type, system.a, ld, "a test");
  PassingLu lu(context, type, of.n, of.nrhs, options);
  upload_rows(context, lu.b().buffer, of.nrhs, type, {&system.b});
  lu.factor_and_solve(a);
  Passed passed;
  passed.failed_column = lu.failed_column();
  passed.pivots = lu.pivots();
  passed.x = download(context.queue(), lu.b().buffer, type, of.n * of.nrhs);
  const Values rows = download(context.queue(), a.buffer, type, of.n * ld);
  for (Index i = 0; i < of.n; ++i)  // without the gaps
    passed.factors.insert(passed.factors.end(), &rows[i * ld], &rows[i * ld] + of.n);
  lu.give_back();
  return passed;
}

}  // namespace

TEST_CASE("kept LU: only what was kept last is taken, only for the same kind, only once") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    KeptLu kept;
    const auto kind = KeptLu::kind_of(RealType::f32, 40, 1, 2, 1, {});
    REQUIRE(kind);
    CHECK_FALSE(kept.take(kind));
    const cl::Buffer mine = context.allocate(64, "a test");
    kept.give(*kind, {.b = mine});
    CHECK_FALSE(kept.take(KeptLu::kind_of(RealType::f32, 40, 2, 2, 1, {})));
    CHECK_FALSE(kept.take(kind));  // another kind was asked for, so it is gone
    kept.give(*kind, {.b = mine});
    const auto taken = kept.take(kind);
    REQUIRE(taken);
    CHECK(taken->b() == mine());
    CHECK_FALSE(kept.take(kind));
    kept.give(*kind, {.b = mine});
    CHECK_FALSE(kept.take(std::nullopt));
    CHECK_FALSE(kept.take(kind));
  });
}

TEST_CASE("kept LU: not for large systems, nor for a caller's own choice of kernels") {
  const auto is_kept = [](Index n, const LuOptions& options) {
    return KeptLu::kind_of(RealType::f64, n, 1, 0, 0, options).has_value();
  };
  CHECK(is_kept(KeptLu::kMostUnknowns, {}));
  CHECK_FALSE(is_kept(KeptLu::kMostUnknowns + 1, {}));
  CHECK(KeptLu::kind_of(RealType::f64, 64, KeptLu::kMostBytes / (64 * 8), 0, 0, {}));
  CHECK_FALSE(KeptLu::kind_of(RealType::f64, 64, KeptLu::kMostBytes / (64 * 8) + 1, 0, 0, {}));
  LuOptions by_spec;
  by_spec.spec = LuSpec{};
  CHECK_FALSE(is_kept(100, by_spec));
  CHECK_FALSE(is_kept(100, with_gemm({.preferred = {}, .strict = true})));
  CHECK_FALSE(is_kept(100, with_gemm({.preferred = {GemmSpec{}}, .strict = false})));
}

TEST_CASE("kept LU: a solve has the bits that it has in a new context, whatever came before") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    std::vector<KeptCase> cases;
    for (const Method method : {Method::lu, Method::cholesky, Method::ldlt, Method::mixed})
      for (const Index nrhs : {Index{1}, Index{3}}) cases.push_back({method, 70, nrhs});
    cases.push_back({Method::lu, 30, 1});  // in one launch on a GPU
    for (const Index nrhs : {Index{1}, Index{3}}) cases.push_back({Method::rbt, 300, nrhs});
    std::uint32_t seed = 1;
    for (const KeptCase& one : cases) {
      CAPTURE(static_cast<int>(one.method));
      CAPTURE(one.nrhs);
      ++seed;
      Context fresh(device, ContextOptions::from_environment());
      const Solution expected = solved_in(fresh, one, seed);
      REQUIRE(expected.status == SolveStatus::ok);
      for (const std::uint32_t before : {seed + 100, seed + 200}) {
        (void)solved_in(context, one, before);
        const Solution again = solved_in(context, one, seed);
        CHECK(again.status == SolveStatus::ok);
        CHECK(test::same_bits(again.x.values(), expected.x.values()));
        CHECK(again.pivot_rows == expected.pivot_rows);
        if (one.method != Method::rbt)  // whose factors have another determinant
          CHECK(again.determinant.log10_abs == expected.determinant.log10_abs);
      }
    }
  });
}

TEST_CASE(
    "kept LU: what is asked about x changes no bit of it, and work without questions has none") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (test::is_slow(context) || !device.profile.fp64) return;  // in f32 x is to be doubted
    constexpr Index kN = 1030;  // above what the host's cores estimate by factors that they share
    const System system{generate_matrix("random", kN, 3), random_matrix(kN, 1, 4)};
    for (const Method method : {Method::lu, Method::mixed, Method::rbt}) {
      CAPTURE(method_name(method));
      SolveOptions plain;
      plain.method = method;
      SolveOptions doubted = plain, trusted = plain, unscaled = plain;
      doubted.doubt = trusted.trust = unscaled.doubt = true;
      unscaled.equilibration =
          method == Method::rbt ? Equilibration::automatic : Equilibration::off;
      const Solution expected = solve(context, system, plain);
      REQUIRE(expected.status == SolveStatus::ok);
      for (const SolveOptions& asked : {doubted, unscaled, doubted, trusted, plain, unscaled}) {
        const Solution solution = solve(context, system, asked);
        CHECK(solution.status == SolveStatus::ok);
        CHECK(test::same_bits(solution.x.values(), expected.x.values()));
        CHECK(solution.trust.has_value() == asked.trust);
        CHECK(doubt_of(solution) <= Doubt::none);
        if (!asked.trust) continue;
        Context fresh(device, ContextOptions::from_environment());
        const Solution alone = solve(fresh, system, asked);
        CHECK(solution.trust->rcond == alone.trust->rcond);
        CHECK(solution.trust->forward_error == alone.trust->forward_error);
      }
    }
  });
}

TEST_CASE("kept LU: so has a call with matrices in host memory, which keeps its work, too") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = test::types_of(device.profile).back();
    std::uint32_t seed = 1;
    for (const KeptCase& one : {KeptCase{Method::lu, 70, 1},
                                {Method::lu, 70, 0},
                                {Method::lu, 70, 3},
                                {Method::cholesky, 70, 1},
                                {Method::lu, 30, 1}}) {
      CAPTURE(static_cast<int>(one.method));
      CAPTURE(one.n);
      CAPTURE(one.nrhs);
      const System system = kept_system(one, ++seed);
      Context fresh(device, ContextOptions::from_environment());
      const Passed expected = passed_in(fresh, type, one, system);
      REQUIRE_FALSE(expected.failed_column);
      System singular = kept_system(one, seed + 100);
      for (Index i = 0; i < one.n; ++i) singular.a(i, 20) = singular.a(20, i) = 0;
      CHECK(passed_in(context, type, one, singular).failed_column == Index{20});
      for (int turn = 0; turn < 2; ++turn) {
        const Passed again = passed_in(context, type, one, system);
        CHECK_FALSE(again.failed_column);
        CHECK(test::same_bits(again.x, expected.x));
        CHECK(test::same_bits(again.factors, expected.factors));
        CHECK(again.pivots == expected.pivots);
        CHECK(solved_in(context, one, seed).status == SolveStatus::ok);  // by the same work
      }
      (void)passed_in(context, type, one, system);
      LuOptions options;
      options.positive_definite = one.method == Method::cholesky;
      CHECK(context.kept_lu().take(KeptLu::kind_of(type, one.n, one.nrhs, 0, 0, options)));
    }
  });
}

TEST_CASE("kept LU: after a singular system the next one is solved") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const KeptCase one{Method::lu, 70, 1};
    System singular = kept_system(one, 3);
    for (Index i = 0; i < one.n; ++i) singular.a(i, 20) = 0;
    SolveOptions options;
    options.method = one.method;
    for (int turn = 0; turn < 2; ++turn) {
      CHECK(solve(context, singular, options).failed_column == Index{20});
      CHECK(solved_in(context, one, 4).status == SolveStatus::ok);
    }
  });
}

TEST_CASE("kept LU: it does not keep the context open") {
  test::on_every_device([](const Device& device) {
    std::optional<Context> context(std::in_place, device, ContextOptions::from_environment());
    const cl::Context held = context->context();
    CHECK(solved_in(*context, {Method::lu, 70, 1}, 5).status == SolveStatus::ok);
    CHECK(held.getInfo<CL_CONTEXT_REFERENCE_COUNT>() > 1);
    context.reset();
    // PoCL's threads may let go of finished commands a moment later.
    for (int wait = 0; wait < 500 && held.getInfo<CL_CONTEXT_REFERENCE_COUNT>() > 1; ++wait)
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(held.getInfo<CL_CONTEXT_REFERENCE_COUNT>() == 1);
  });
}

}  // namespace clgauss
