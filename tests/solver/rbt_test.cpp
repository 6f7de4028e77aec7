#include "linalg/lu/rbt.hpp"
#include "constants.hpp"

#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>
#include <clgauss/solve.hpp>
#include <cmath>

#include "kernels/common/variants.hpp"
#include "kernels/lu/butterfly.hpp"
#include "kernels/lu/lu_window.hpp"
#include "support/changed_kernels.hpp"
#include "support/devices.hpp"
#include "support/padded_matrix.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;

namespace {

/// Built soon, and soon there is more than one block.
const Parameters kSmall{{"WG_SIZE", 8},   {"NB", 16},       {"WINDOW", 32},
                        {"GRID_ROWS", 4}, {"GRID_COLS", 8}, {"PAIRED", 0}};

/// An answer in f64 from factors in `factor_type`: refined on the host until it is as good as one
/// in f64, at most `steps` times.
struct Refined {
  Matrix x;
  Index steps = 0;
  double scaled = 0;
  RbtOutcome outcome;
};

Refined refine(Context& context, RealType factor_type, const System& system, Index steps = 3,
               const RbtOptions& options = {}) {
  const auto& [a, b] = system;
  const RealType input =
      context.profile().fp64 ? RealType::f64 : RealType::f32;  // A is exact in both
  const PaddedMatrix da(context, input, a, 3, 2);
  RbtLu lu(context, factor_type, input, a.rows(), options);
  const cl::CommandQueue& queue = context.queue();
  lu.factor(queue, da.view);
  Refined result{Matrix(b.rows(), b.cols()), 0, 0, lu.outcome(queue)};
  Matrix r = b;
  for (;; ++result.steps) {
    const PaddedMatrix dr(context, factor_type, r, 1, b.cols() > 1 ? 1 : 0);
    lu.solve(queue, dr.view, b.cols());
    const Matrix d = dr.read(context, factor_type);
    for (Index i = 0; i < d.values().size(); ++i) result.x.values()[i] += d.values()[i];
    result.scaled = compute_residual(system, result.x, kEps).scaled;
    if (result.scaled <= 1 || result.steps == steps) break;
    for (Index i = 0; i < b.rows(); ++i)
      for (Index c = 0; c < b.cols(); ++c) {
        long double sum = b(i, c);
        for (Index k = 0; k < a.rows(); ++k)
          sum -= static_cast<long double>(a(i, k)) * static_cast<long double>(result.x(k, c));
        r(i, c) = static_cast<double>(sum);
      }
  }
  CHECK(max_difference(da.read(context, input), a) == 0);  // A stays
  return result;
}

System in_f32(Matrix a, Index nrhs = 1) {
  a = rounded(std::move(a), RealType::f32);
  const Index n = a.rows();
  return {std::move(a), rounded(random_matrix(n, nrhs, 2), RealType::f32)};
}

/// [0 I; I 0]: every leading minor up to half of n is zero.
Matrix halves_exchanged(Index n) {
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i) a(i, (i + n / 2) % n) = 1;
  return a;
}

/// Random, but every leading 1 x 1 to 3 x 3 block is zero.
Matrix zero_corner(Index n) {
  Matrix a = random_matrix(n, n, 5);
  for (Index i = 0; i < std::min<Index>(n, 4) - 1; ++i)
    for (Index j = 0; j + i < std::min<Index>(n, 4) - 1; ++j) a(i, j) = 0;
  return a;
}

}  // namespace

TEST_CASE("RBT: random systems, refined to f64's accuracy") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : {1, 2, 3, 4, 5, 31, 32, 33, 64, 127, 129, 300})
      for (const Index nrhs : {1, 3}) {
        CAPTURE(n);
        CAPTURE(nrhs);
        const Refined of = refine(context, RealType::f32, in_f32(random_matrix(n, n, n), nrhs));
        CAPTURE(of.outcome.growth);
        CHECK(of.outcome.ok());
        CHECK(of.outcome.smallest_pivot > 0);
        CHECK(of.outcome.growth <= 40);
        CHECK(of.outcome.largest_factor <= 4);
        CHECK(of.scaled <= 1);
        CHECK(of.steps >= (n > 5 ? 1 : 0));  // factors in f32 alone do not get there
      }
    if (device.profile.fp64) {
      const Refined of = refine(context, RealType::f64, in_f32(random_matrix(200, 200, 1)), 1);
      CHECK(of.outcome.ok());
      CHECK(of.scaled <= 1);
    }
  });
}

TEST_CASE("RBT: matrices that are not random") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const char* kind : {"integer", "spd", "wilkinson"}) {
      CAPTURE(kind);
      const Refined of = refine(context, RealType::f32, in_f32(generate_matrix(kind, 150, 1)));
      CAPTURE(of.outcome.growth);
      CHECK(of.outcome.ok());
      CHECK(of.scaled <= 1);
    }
  });
}

TEST_CASE("RBT: blocks and windows that are whole and that are not" * test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    RbtOptions options;
    options.parameters = kSmall;
    std::vector<RealType> types{RealType::f32};
    if (device.profile.fp64) types.push_back(RealType::f64);
    for (const RealType type : types)
      for (const auto& [n, nrhs] : {std::pair<Index, Index>{40, 1}, {48, 2}}) {
        CAPTURE(n);
        const Refined of = refine(context, type, in_f32(random_matrix(n, n, n), nrhs), 3, options);
        CHECK(of.outcome.ok());
        CHECK(of.scaled <= 1);
      }
  });
}

TEST_CASE("RBT: two blocks that update the rest together leave the factors of two by themselves") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    RbtOptions paired, single;
    paired.parameters = single.parameters = kSmall;
    set_value(*paired.parameters, "PAIRED", 1);
    // With the last block in a pair and not, whole and not, and with hardly a row below a window.
    for (const Index n : {32, 48, 49, 64, 65, 80, 97, 150}) {
      CAPTURE(n);
      const System system = in_f32(random_matrix(n, n, n + 5));
      const Refined together = refine(context, RealType::f32, system, 3, paired),
                    apart = refine(context, RealType::f32, system, 3, single);
      CHECK(together.outcome.ok());
      CHECK(together.scaled <= 1);
      CHECK(together.steps <= apart.steps + 1);
      CHECK(std::abs(together.outcome.growth - apart.outcome.growth) <=
            1e-3 * apart.outcome.growth);
      CHECK(std::abs(together.outcome.smallest_pivot - apart.outcome.smallest_pivot) <=
            1e-2 * apart.outcome.smallest_pivot);
    }
  });
}

TEST_CASE("RBT: blocks and windows as large GPUs take them") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    RbtOptions options;
    options.parameters = {{"WG_SIZE", 64},   {"NB", 128},       {"WINDOW", 256},
                          {"GRID_ROWS", 16}, {"GRID_COLS", 32}, {"PAIRED", 0}};
    const Refined of =
        refine(context, RealType::f32, in_f32(random_matrix(300, 300, 4)), 3, options);
    CHECK(of.outcome.ok());
    CHECK(of.scaled <= 1);
  });
}

TEST_CASE("RBT: zero leading minors, for which LU without row exchanges alone divides by zero") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : {2, 4, 16, 64, 130, 256}) {
      CAPTURE(n);
      for (const Matrix& a : {halves_exchanged(n), zero_corner(n)}) {
        REQUIRE(a(0, 0) == 0);
        const Refined of = refine(context, RealType::f32, in_f32(a));
        CHECK(of.outcome.ok());
        CHECK(of.scaled <= 1);
      }
    }
  });
}

TEST_CASE("RBT: small permutations are solved, of large ones it is noticed that they are not") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : {2, 3, 8, 33, 60}) {
      Matrix pairs(n, n), cycle(n, n), mirror(n, n);
      for (Index i = 0; i < n; ++i) {
        pairs(i, (i ^ 1U) < n ? i ^ 1U : i) = 1;
        cycle(i, (i + 1) % n) = 1;
        mirror(i, n - 1 - i) = 1;
      }
      for (const Matrix& a : {pairs, cycle, mirror}) {
        CAPTURE(n);
        const Refined of = refine(context, RealType::f32, in_f32(a));
        CHECK(of.outcome.ok());
        CHECK(of.scaled <= 1);
      }
    }
    // Depth 2 couples 4 rows and 4 columns: of so few elements too few may come into the first
    // block, but not unnoticed.
    const Refined of =
        refine(context, RealType::f32, in_f32(generate_matrix("permuted-identity", 600, 1)));
    if (!(of.scaled <= 1)) CHECK((!of.outcome.ok() || of.outcome.growth > 1e4));
  });
}

TEST_CASE("RBT: singular matrices are noticed") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : {1, 5, 64, 150}) {
      CAPTURE(n);
      const RealType type = RealType::f32;
      CHECK_FALSE(refine(context, type, in_f32(Matrix(n, n)), 0).outcome.ok());
      Matrix nan = random_matrix(n, n, 1);
      nan(n / 2, n / 2) = std::nan("");
      const PaddedMatrix da(context, type, nan, 0, 0);
      RbtLu lu(context, type, type, n);
      lu.factor(context.queue(), da.view);
      CHECK_FALSE(lu.outcome(context.queue()).ok());
      if (n == 1) continue;
      const Matrix singular = generate_matrix("singular", n, 3);
      const Refined of = refine(context, type, in_f32(singular), 3);
      CAPTURE(of.outcome.smallest_pivot);
      CHECK((!of.outcome.ok() ||
             of.outcome.smallest_pivot <= 16 * static_cast<double>(n) * unit_roundoff(type)));
      CHECK_FALSE(of.scaled <= 1);
    }
  });
}

TEST_CASE("RBT: the same seed gives the same bits, another seed others") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const System system = in_f32(random_matrix(150, 150, 4));
    const RealType type = RealType::f32;
    RbtOptions options;
    CHECK(RbtLu(context, type, type, 4).seed() == kRbtSeed);
    const Matrix first = refine(context, type, system, 0, options).x,
                 second = refine(context, type, system, 0, options).x;
    CHECK(max_difference(first, second) == 0);
    options.seed = 7;
    CHECK(RbtLu(context, type, type, 4, options).seed() == 7);
    CHECK(max_difference(first, refine(context, type, system, 0, options).x) > 0);
  });
}

TEST_CASE("RBT: what cannot be is refused by name") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = RealType::f32;
    CHECK_THROWS_AS(RbtLu(context, RealType::f64, RealType::f32, 4), UsageError);
    RbtOptions odd;
    odd.parameters = kSmall;
    set_value(*odd.parameters, "WINDOW", 34);
    CHECK_THROWS_WITH_AS(RbtLu(context, type, type, 40, odd),
                         doctest::Contains("multiple of 4 GRID_ROWS"), UsageError);
    RbtLu lu(context, type, type, 4);
    const cl::CommandQueue& queue = context.queue();
    const PaddedMatrix a(context, type, random_matrix(4, 4, 1), 0, 0);
    CHECK_THROWS_AS(lu.solve(queue, a.view, 1), UsageError);
    CHECK_THROWS_AS(lu.solve_transposed(queue, a.view, 1), UsageError);
    const MatrixView beyond{a.view.buffer, 100, 4};
    CHECK_THROWS_WITH_AS(lu.factor(queue, beyond), doctest::Contains("A (4 x 4)"), DimensionError);
    lu.factor(queue, a.view);
    CHECK_THROWS_WITH_AS(lu.solve(queue, beyond, 4), doctest::Contains("B (4 x 4)"),
                         DimensionError);
    RbtLu none(context, type, type, 0);
    none.prepare(1);
    none.factor(queue, {});
    none.solve(queue, {}, 1);
    none.solve_transposed(queue, {}, 1);
    CHECK(none.outcome(queue).ok());
  });
}

TEST_CASE("RBT: solve() says how far x can be trusted, as it does of pivoted factors") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Index n = 300;  // above what the host estimates
    const System system{random_matrix(n, n, 21), random_matrix(n, 2, 22)};
    SolveOptions options;
    options.trust = true;
    options.method = Method::mixed;
    const Solution pivoted = solve(context, system, options);
    options.method = Method::rbt;
    const Solution butterflies = solve(context, system, options);
    CHECK(butterflies.method == Method::rbt);
    REQUIRE(butterflies.trust);
    REQUIRE(pivoted.trust);
    CHECK(butterflies.trust->rcond >= pivoted.trust->rcond / 3);
    CHECK(butterflies.trust->rcond <= pivoted.trust->rcond * 3);
    CHECK(butterflies.trust->forward_error.size() == 2);
    for (const double error : butterflies.trust->forward_error) {
      CHECK(error > 0);
      CHECK(error <= 1e-8);
    }
    CHECK(butterflies.trust->reciprocal_growth > 1e-3);
    CHECK(butterflies.trust->reciprocal_growth <= 1.5);
  });
}

TEST_CASE("RBT: transposed solves, of sizes on and beside the edges of blocks") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = RealType::f32;
    for (const Index n : {1, 3, 64, 130, 389})
      for (const Index nrhs : {1, 3, 9}) {
        CAPTURE(n);
        CAPTURE(nrhs);
        const Matrix a = rounded(random_matrix(n, n, n), type),
                     b = rounded(random_matrix(n, nrhs, n + 1), type);
        Matrix transposed(n, n);
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < n; ++j) transposed(j, i) = a(i, j);
        const PaddedMatrix da(context, type, a, 1, 2), db(context, type, b, 2, nrhs > 1 ? 1 : 0);
        RbtLu lu(context, type, type, n);
        lu.factor(context.queue(), da.view);
        lu.solve_transposed(context.queue(), db.view, nrhs);
        const double growth = std::max(1.0, lu.outcome(context.queue()).growth);
        CHECK(
            compute_residual({transposed, b}, db.read(context, type), unit_roundoff(type)).scaled <=
            kScaledResidualBound * growth);
      }
  });
}

TEST_CASE("RBT: kernels that answer wrongly are not used") {
  const Device device = open_device();
  struct Fault {
    const char *file, *right, *wrong;
  };
  for (const auto& [file, right, wrong] :
       {Fault{"butterfly.cl", "y[2] = (g + h)", "y[2] = (g - h)"},
        Fault{"butterfly.cl", "(ulong)positions[i + k * quadruples]",
              "(ulong)(i + k * quadruples)"},

        Fault{"lu_diagonal.cl", "(REAL)0 : w[r][c];", "w[r][c] : w[r][c];"},
        Fault{"lu_diagonal.cl", "fabs(pivot) > 0 &&", ""},
        Fault{"lu_diagonal.cl", "best = max(best, may ?", "best = max(best, may && i % 2 == 0 ?"},
        Fault{"lu_diagonal.cl", "from = displaced[rank];", "from = displaced[0];"},

        Fault{"lu_window.cl", "first ? lu + lu_offset", "first + 1 ? lu + lu_offset"},
        Fault{"lu_window.cl", "order[first + t] = was[r]", "order[first + t] = was[0]"},
        Fault{"lu_window.cl", "j < i ? 0u : bits", "bits"}}) {
    const std::string what = std::string(file) + ": " + wrong;
    CAPTURE(what);
    const test::ChangedKernels kernels(file, right, wrong);
    ContextOptions options = kernels.context_options();
    options.cache_folder.reset();
    Context context(device, options);
    KernelMemo memo(context, RealType::f32);
    const LuFlags flags(context);
    const bool butterfly = std::string_view(file) == "butterfly.cl";
    const auto prepare = [&] {
      if (butterfly)
        Butterflies(memo, memo, kSmall, 100, 1).prepare();
      else
        WindowKernels(memo, flags, kSmall).prepare();
    };
    CHECK_THROWS_WITH_AS(prepare(), doctest::Contains("wrong answer"), NoUsableKernel);
  }
}

TEST_CASE("RBT: everything that is held is counted") {
  on_every_device([](const Device& device) {
    const Index n = 1000, square = n * n * sizeof(float);
    const std::uint64_t bytes = rbt_workspace_bytes(device.profile, RealType::f32, n, 1);
    CHECK(bytes >= 2 * square);
    CHECK(bytes <= 4 * square);
    CHECK(rbt_workspace_bytes(device.profile, RealType::f32, n, 2000) >= bytes);
  });
}
