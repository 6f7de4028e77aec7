// Solves with the transposed factors: B <- A^-T B.
#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/residual.hpp>
#include <cmath>

#include "support/devices.hpp"
#include "support/gallery.hpp"
#include "support/padded_matrix.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;
using clgauss::test::types_of;

namespace {

/// The scaled residual of A^T x = b.
double error_of(const Matrix& a, const Matrix& b, const Matrix& x, RealType type) {
  return compute_residual({transposed(a), b}, x, unit_roundoff(type)).scaled;
}

}  // namespace

TEST_CASE("transposed solves: every size, one to many right-hand sides, views with gaps" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {1, 2, 3, 31, 32, 33, 127, 128, 129, 500, 1031}) {
        const Matrix a = rounded(generate_matrix("zero-pivot", n, 3), type);
        if (n == 1) continue;  // a zero pivot; see below
        if (n > 129 && test::is_slow(context)) continue;
        const PaddedMatrix da(context, type, a, 2, 3);
        Lu lu = lu_factor(context, type, da.view, n);
        for (const Index nrhs : {1, 2, 5}) {
          CAPTURE(n);
          CAPTURE(nrhs);
          const Matrix b = rounded(random_matrix(n, nrhs, 7), type);
          const PaddedMatrix db(context, type, b, 5, 2);
          lu.solve_transposed(db.view, nrhs);
          CHECK(error_of(a, b, db.read(context, type), type) <= kScaledResidualBound);
        }
      }
  });
}

TEST_CASE("solves with few right-hand sides: the same bits after kernels for others were built") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      constexpr Index n = 200;
      const Matrix a = rounded(random_matrix(n, n, 5), type), b = random_matrix(n, 3, 6);
      const PaddedMatrix da(context, type, a, 0, 0);
      Lu lu = lu_factor(context, type, da.view, n);
      const auto solved = [&](bool transposed) {
        const PaddedMatrix db(context, type, b, 0, 0);
        if (transposed)
          lu.solve_transposed(db.view, 3);
        else
          lu.solve(db.view, 3);
        return db.read(context, type);
      };
      const Matrix x = solved(false), of_transposed = solved(true);
      CHECK(error_of(transposed(a), rounded(b, type), x, type) <= kScaledResidualBound);
      lu.prepare(da.view, 4);
      CHECK(std::ranges::equal(solved(false).values(), x.values()));
      lu.prepare(da.view, 2);
      CHECK(std::ranges::equal(solved(true).values(), of_transposed.values()));
    }
  });
}

TEST_CASE(
    "transposed solves: of the host's matrices, none, one and more than a kernel takes at once") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {1, 70}) {
        const Matrix a = rounded(random_matrix(n, n, 4), type);
        Lu lu = lu_factor(context, type, a);
        for (const Index nrhs : {0, 1, 8, 19}) {
          CAPTURE(n);
          CAPTURE(nrhs);
          const Matrix b = rounded(random_matrix(n, nrhs, 5), type);
          const Matrix x = lu.solve_transposed(b);
          REQUIRE(x.cols() == nrhs);
          if (nrhs > 0) CHECK(error_of(a, b, x, type) <= kScaledResidualBound);
        }
        CHECK_THROWS_AS((void)lu.solve_transposed(Matrix(n + 1, 1)), DimensionError);
      }
  });
}

TEST_CASE("solves with a few right-hand sides, and with one of a large system or in a wide view") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {1, 2, 3, 33, 257, 1031}) {
        if (n > 1000 && !context.runs_long_loops()) continue;  // slow there, and nothing new
        const Matrix a = rounded(random_matrix(n, n, 9), type);
        Lu lu = lu_factor(context, type, a);
        for (const Index nrhs : {1, 2, 5, 8, 9})
          for (const Index gap : {0, 3}) {
            CAPTURE(n);
            CAPTURE(nrhs);
            CAPTURE(gap);
            const Matrix b = rounded(random_matrix(n, nrhs, 10), type);
            const PaddedMatrix db(context, type, b, 1, gap);
            lu.solve(db.view, nrhs);
            CHECK(compute_residual({a, b}, db.read(context, type), unit_roundoff(type)).scaled <=
                  kScaledResidualBound);
          }
      }
  });
}

TEST_CASE("transposed solves: of nothing, with as many right-hand sides as there are numbers for") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    Lu lu(context, RealType::f32, 0);
    const MatrixView nothing{context.allocate(4, "a test"), 0, Index{1} << 30U};
    lu.factor(nothing);
    lu.solve(nothing, Index{1} << 30U);  // at once, not in millions of launches
    lu.solve_transposed(nothing, Index{1} << 30U);
    context.queue().finish();
  });
}

TEST_CASE("transposed solves: with the factors of the other family, and of tournament pivoting") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = types_of(device.profile).back();
    const Index n = 300;
    const Matrix a = rounded(random_matrix(n, n, 6), type),
                 b = rounded(random_matrix(n, 3, 8), type);
    LuOptions options;
    options.pivoting = Pivoting::tournament;
    Lu lu = lu_factor(context, type, a, options);
    CHECK(error_of(a, b, lu.solve_transposed(b), type) <= kScaledResidualBound);
  });
}

TEST_CASE("transposed solves: after a small system's one launch, and when all was built before") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = types_of(device.profile).back();
    const Index n = 40;
    const Matrix a = rounded(random_matrix(n, n, 2), type),
                 b = rounded(random_matrix(n, 3, 3), type);
    const PaddedMatrix da(context, type, a, 0, 1), db(context, type, b, 0, 0);
    Lu lu(context, type, n);
    lu.prepare_transposed(3);
    const double built = context.programs().build_seconds();
    lu.factor_and_solve(da.view, PaddedMatrix(context, type, Matrix(n, 1), 0, 0).view, 1);
    const double with_factors = context.programs().build_seconds();
    CHECK(error_of(a, b, lu.solve_transposed(b), type) <= kScaledResidualBound);
    CHECK(context.programs().build_seconds() == with_factors);
    CHECK(with_factors >= built);
    lu.solve_transposed(db.view, 3);
    CHECK(error_of(a, b, db.read(context, type), type) <= kScaledResidualBound);
  });
}

TEST_CASE("transposed solves: more right-hand sides ask a kernel anew, and spoil no row order") {
  on_every_device([](const Device& device) {
    ContextOptions unremembered = ContextOptions::from_environment();
    unremembered.cache_folder.reset();
    Context context(device, unremembered);
    const RealType type = types_of(device.profile).back();
    const Index n = 90;  // not the size of a known answer
    const Matrix a = rounded(random_matrix(n, n, 6), type);
    for (const LuFamily family : {LuFamily::gpu, LuFamily::cpu}) {
      LuOptions options;
      try {
        options.spec = default_lu_spec(context.profile(), type, n, family);
        Lu lu = lu_factor(context, type, a, options);
        for (const Index nrhs : {1, 3, 8, 2}) {
          CAPTURE(nrhs);
          const Matrix b = rounded(random_matrix(n, nrhs, 8), type);
          CHECK(error_of(a, b, lu.solve_transposed(b), type) <= kScaledResidualBound);
        }
      } catch (const DeviceLimit&) {  // the family is not for this device
      }
    }
  });
}

TEST_CASE("transposed solves: kernels that do not work are passed over") {
  on_every_device([](const Device& device) {
    const Index n = 150;
    for (const RealType type : types_of(device.profile)) {
      const Matrix a = rounded(random_matrix(n, n, 2), type),
                   b = rounded(random_matrix(n, 3, 3), type);
      for (const char* faults : {"trsv_columns_cpu=wrong", "trsv_columns_cpu=build"}) {
        CAPTURE(faults);
        Context context = test::context_with_faults(device, faults);
        Lu lu = lu_factor(context, type, a);
        CHECK(error_of(a, b, lu.solve_transposed(b), type) <= kScaledResidualBound);
        CHECK(compute_residual({a, b}, lu.solve(b), unit_roundoff(type)).scaled <=
              kScaledResidualBound);
      }
      Context nothing = test::context_with_faults(
          device,
          "trsv_columns_cpu=build,trsv_persistent=wrong,trsv_transposed=wrong,upper_maxima=wrong");
      Lu lu = lu_factor(nothing, type, a);
      CHECK_THROWS_WITH_AS((void)lu.solve_transposed(b),
                           doctest::Contains("trsv_transposed: wrong answer"), NoUsableKernel);
      if (nothing.transfers() == Transfers::mapped)
        CHECK(lu.largest_of_u() >= 1);  // read by the host's cores
      else
        CHECK_THROWS_AS((void)lu.largest_of_u(), NoUsableKernel);
    }
  });
}

TEST_CASE("transposed solves: factors that failed are not solved with unnoticed") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = types_of(device.profile).back();
    Lu lu(context, type, 40);
    CHECK_THROWS_AS((void)lu.solve_transposed(Matrix(40, 1)), UsageError);
    lu.factor(generate_matrix("singular", 40, 3));
    const Matrix b = random_matrix(40, 2, 1);
    CHECK_THROWS_AS((void)lu.solve_transposed(b), SingularFactors);
    const PaddedMatrix db(context, type, b, 4, 3);
    lu.solve_transposed(db.view, 2);
    const Matrix x = db.read(context, type);
    CHECK(std::ranges::all_of(x.values(), [](double value) { return std::isnan(value); }));
  });
}
