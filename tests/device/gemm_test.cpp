#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>
#include <cmath>

#include "kernels/gemm/gemm_backend.hpp"
#include "support/devices.hpp"
#include "support/padded_matrix.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::norm1;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;
using clgauss::test::types_of;

namespace {

/// alpha op(A) op(B) + beta C in f64, plainly.
Matrix reference(const GemmShape& s, double alpha, const Matrix& a, const Matrix& b, double beta,
                 const Matrix& c) {
  Matrix result(s.m, s.n);
  for (Index i = 0; i < s.m; ++i)
    for (Index j = 0; j < s.n; ++j) {
      double sum = 0;
      for (Index p = 0; p < s.k; ++p)
        sum += (s.transpose_a ? a(p, i) : a(i, p)) * (s.transpose_b ? b(j, p) : b(p, j));
      result(i, j) = alpha * sum + (beta == 0 ? 0 : beta * c(i, j));
    }
  return result;
}

/// Multiplies by multiply(call).
template <typename Multiply>
void check_product(Context& context, Multiply multiply, RealType type, const GemmShape& s,
                   double alpha, double beta, Index offset, Index gap) {
  const std::string label = "m " + std::to_string(s.m) + " n " + std::to_string(s.n) + " k " +
                            std::to_string(s.k) + (s.transpose_a ? " A^T" : "") +
                            (s.transpose_b ? " B^T" : "") + " offset " + std::to_string(offset) +
                            " " + real_type_name(type);
  CAPTURE(label);
  const Matrix a =
      rounded(s.transpose_a ? random_matrix(s.k, s.m, 1) : random_matrix(s.m, s.k, 1), type);
  const Matrix b =
      rounded(s.transpose_b ? random_matrix(s.n, s.k, 2) : random_matrix(s.k, s.n, 2), type);
  const Matrix c = rounded(random_matrix(s.m, s.n, 3), type);
  const PaddedMatrix da(context, type, a, offset, gap), db(context, type, b, offset, gap),
      dc(context, type, c, offset, gap);
  multiply({s, alpha, da.view, db.view, beta, dc.view});
  const Matrix result = dc.read(context, type);
  const Matrix expected = reference(s, alpha, a, b, beta, c);
  Matrix error(s.m, s.n);
  for (Index i = 0; i < s.m * s.n; ++i)
    error.values()[i] = result.values()[i] - expected.values()[i];
  // SLATE's bound (Higham 2002, section 3.5).
  const double scale =
      std::sqrt(static_cast<double>(s.k) + 2) * std::abs(alpha) * norm1(a) * norm1(b) +
      2 * std::abs(beta) * norm1(c);
  CHECK(norm1(error) <= 3 * 2 * unit_roundoff(type) * scale);
}

void check_product(Context& context, Gemm& gemm, RealType type, const GemmShape& s, double alpha,
                   double beta, Index offset, Index gap) {
  const auto multiply = [&](const GemmCall& call) {
    gemm.multiply(call.shape, call.alpha, call.a, call.b, call.beta, call.c);
  };
  check_product(context, multiply, type, s, alpha, beta, offset, gap);
}

/// Runs `body` for both backends on every device in every type: what is fast on one must be right
/// on all.
template <typename Body>
void on_every_gemm(Body body) {
  on_every_device([&](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      Gemm gemm(context, type);
      body(context, gemm, type);
    }
  });
}

}  // namespace

TEST_CASE("products of every shape are right and touch nothing else") {
  on_every_gemm([](Context& context, Gemm& gemm, RealType type) {
    for (const auto& [m, n, k] : {std::array<Index, 3>{1, 1, 1},
                                  {2, 3, 4},
                                  {31, 33, 32},
                                  {64, 64, 16},
                                  {65, 63, 17},
                                  {128, 256, 64},
                                  {129, 257, 33},
                                  {200, 1, 100},
                                  {1, 200, 100},
                                  {150, 140, 1},
                                  {97, 101, 331}})
      for (const Index offset : {Index{0}, Index{5}}) {
        check_product(context, gemm, type, {m, n, k}, -1, 1, offset, offset);
        check_product(context, gemm, type, {m, n, k}, 0.5, 0, offset, offset);
        check_product(context, gemm, type, {m, n, k}, 2, -0.25, offset, offset);
      }
  });
}

TEST_CASE("launches share a product, whatever compute units they leave to others") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const cl_uint units = context.profile().compute_units;
    const cl::Buffer taken = context.allocate(2 * sizeof(cl_uint), "a test");
    for (const RealType type : types_of(device.profile))
      for (const std::vector<cl_uint>& launches :
           {std::vector<cl_uint>{0}, {units / 2, 0}, {units}}) {
        const auto gemm = make_gemm_gpu(context, type, {});
        const auto multiply = [&](GemmCall call) {
          context.queue().enqueueFillBuffer(taken, cl_uint{0}, 0, 2 * sizeof(cl_uint));
          for (const cl_uint left_units : launches) {
            const TileShare share{taken, 1, left_units};
            call.share = &share;
            gemm->multiply(context.queue(), call);
          }
        };
        if (context.profile().lacks_ptx().empty())
          for (const Index gap : {0, 1})
            check_product(context, multiply, type, {300, 520, 70}, -1, 1, 0, gap);
        else
          CHECK_THROWS_AS(check_product(context, multiply, type, {300, 520, 70}, -1, 1, 0, 0),
                          NoUsableKernel);
      }
  });
}

TEST_CASE("transposed operands are read transposed") {
  on_every_gemm([](Context& context, Gemm& gemm, RealType type) {
    for (const bool ta : {false, true})
      for (const bool tb : {false, true}) {
        check_product(context, gemm, type, {67, 45, 89, ta, tb}, 1, 0, 0, 0);
        check_product(context, gemm, type, {130, 72, 20, ta, tb}, -1, 1, 4, 8);
      }
  });
}

TEST_CASE("few tiles of C share a long inner dimension among more groups") {
  on_every_gemm([](Context& context, Gemm& gemm, RealType type) {
    for (const Index k : {511, 512, 1100, 1301})
      for (const bool ta : {false, true}) {
        if (k != 1100 && test::is_slow(context)) continue;
        check_product(context, gemm, type, {40, 50, k, ta, !ta}, 2, -0.25, 5, 3);
        check_product(context, gemm, type, {33, 60, k, ta, ta}, -1, 1, 0, 0);
        check_product(context, gemm, type, {64, 64, k, ta, false}, 1, 0, 0, 8);
      }
  });
}

TEST_CASE("empty products leave C alone, or scale it when only the inner dimension is empty") {
  on_every_gemm([](Context& context, Gemm& gemm, RealType type) {
    check_product(context, gemm, type, {0, 5, 3}, 1, 1, 0, 0);
    check_product(context, gemm, type, {5, 0, 3}, 1, 1, 0, 0);
    check_product(context, gemm, type, {5, 7, 0}, 1, 0.5, 3, 2);
    check_product(context, gemm, type, {5, 7, 0}, 1, 0, 3, 2);
    check_product(context, gemm, type, {5, 7, 4}, 0, 2, 3, 2);
  });
}

TEST_CASE("a NaN in C is not read when beta is 0, and spreads when it is not") {
  on_every_gemm([](Context& context, Gemm& gemm, RealType type) {
    const Index n = 20;
    Matrix c(n, n);
    c(3, 4) = std::nan("");
    const Matrix a = random_matrix(n, n, 1);
    const PaddedMatrix da(context, type, a, 0, 0), dc(context, type, c, 0, 0);
    gemm.multiply({n, n, n}, 1, da.view, da.view, 1, dc.view);
    CHECK(std::isnan(dc.read(context, type)(3, 4)));
    gemm.multiply({n, n, n}, 1, da.view, da.view, 0, dc.view);
    CHECK_FALSE(std::isnan(dc.read(context, type)(3, 4)));
  });
}

TEST_CASE("host matrices are multiplied, and shapes that do not fit are refused") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Matrix a{2, 3, {1, 2, 3, 4, 5, 6}}, b{3, 1, {1, 0, -1}};
    const Matrix product = gemm(context, RealType::f32, 1, a, false, b, false);
    CHECK(product(0, 0) == -2);
    CHECK(product(1, 0) == -2);
    CHECK(gemm(context, RealType::f32, 1, b, true, a, true, 2, {1, 2, {1, 1}})(0, 1) == 0);
    CHECK_THROWS_AS((void)gemm(context, RealType::f32, 1, a, false, b, true), DimensionError);
    CHECK_THROWS_AS((void)gemm(context, RealType::f32, 1, a, false, b, false, 1, Matrix(1, 1)),
                    DimensionError);
  });
}

TEST_CASE("the kernels for GPUs are right on CPU devices too, and the other way round") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (auto* make : {make_gemm_cpu, make_gemm_gpu}) {
        const auto backend = make(context, type, {});
        const Matrix a = random_matrix(70, 40, 1), b = random_matrix(40, 50, 2), c(70, 50);
        const PaddedMatrix da(context, type, a, 0, 0), db(context, type, b, 0, 0),
            dc(context, type, c, 0, 0);
        backend->multiply(context.queue(), {{70, 50, 40}, 1, da.view, db.view, 0, dc.view});
        const Matrix expected = reference({70, 50, 40}, 1, a, b, 0, c);
        CHECK(max_difference(dc.read(context, type), expected) <= 200 * unit_roundoff(type));
      }
  });
}

TEST_CASE("a product of few tiles takes the smallest ones, so that a small LU builds one kernel") {
  on_every_device([](const Device& device) {
    ContextOptions untuned = ContextOptions::from_environment();
    untuned.tuned = false;
    Context context(device, untuned);
    for (const RealType type : types_of(device.profile)) {
      const auto gemm = make_gemm_gpu(context, type, {});
      const MatrixView view{context.allocate(64 * 64 * bytes_of(type), "a test"), 0, 64};
      for (const double beta : {0.0, 1.0})
        CHECK(gemm->kernel_name({{64, 64, 32}, -1, view, view, beta, view}).find("_small") !=
              std::string::npos);
    }
  });
}

TEST_CASE("one kernel computes all of C, and its lower triangle alone") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      const auto gemm = make_gemm_gpu(context, type, {});
      constexpr Index n = 330, k = 40;
      const Matrix a = rounded(random_matrix(n, k, 1), type),
                   b = rounded(random_matrix(k, n, 2), type), c(n, n);
      const PaddedMatrix da(context, type, a, 0, 0), db(context, type, b, 0, 0),
          whole(context, type, c, 0, 0), part(context, type, c, 0, 0);
      gemm->multiply(context.queue(), {{n, n, k}, 1, da.view, db.view, 0, whole.view});
      gemm->multiply(context.queue(),
                     {{n, n, k, false, false, true}, 1, da.view, db.view, 0, part.view});
      const Matrix all = whole.read(context, type), half = part.read(context, type);
      Index left = 0;
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) {
          if (j > i && half(i, j) == 0) ++left;
          if (j <= i || half(i, j) != 0) CHECK(half(i, j) == all(i, j));
        }
      CHECK(left > 0);  // tiles above the diagonal are not computed
    }
  });
}

TEST_CASE("a preferred spec is taken, and one that does not fit is passed over") {
  on_every_device([](const Device& device) {
    ContextOptions untuned = ContextOptions::from_environment();
    untuned.tuned = false;
    Context context(device, untuned);
    for (const RealType type : types_of(device.profile)) {
      const PaddedMatrix any(context, type, random_matrix(8, 8, 1), 0, 0);
      const auto kernel = [&](const std::vector<GemmSpec>& preferred) {
        Gemm gemm(context, type, {preferred});
        check_product(context, gemm, type, {67, 45, 331, true, false}, 0.5, -1, 0, 0);
        check_product(context, gemm, type, {130, 97, 40}, -1, 1, 3, 5);
        return gemm.kernel_name({8, 8, 8}, any.view, any.view, any.view);
      };
      const std::string usual = kernel({});
      GemmSpec cpu = default_cpu_gemm_spec(context.profile(), type), simt = gemm_specs().back();
      cpu.name = simt.name = "mine";
      set_value(cpu.parameters, "KC", 64);
      set_value(cpu.parameters, "MC", 24);
      set_value(cpu.parameters, "UNROLL", 2);
      simt.type = type;
      for (const char* tile : {"TILE_M", "TILE_N"}) set_value(simt.parameters, tile, 32);
      for (const char* group : {"WG_M", "WG_N"}) set_value(simt.parameters, group, 8);
      CHECK(kernel({simt, cpu}) == "mine");
      CHECK(kernel({usual == "gemm_cpu" ? simt : cpu}) == usual);  // for another kind of device

      GemmSpec large = simt;  // more local memory than there is
      for (const char* tile : {"TILE_M", "TILE_N", "TILE_K"})
        set_value(large.parameters, tile, 1024);
      CHECK(kernel({large}) == usual);
    }
  });
}

TEST_CASE("a GEMM spec that makes no sense is refused") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const auto refused = [&](GemmSpec spec, const char* name, int value) {
      set_value(spec.parameters, name, value);
      CHECK_THROWS_AS(Gemm(context, RealType::f32, {{spec}}), UsageError);
    };
    const GemmSpec cpu = default_cpu_gemm_spec(device.profile, RealType::f32);
    check_gemm_spec(cpu);
    refused(cpu, "MR", 5);
    refused(cpu, "VEC_WIDTH", 12);
    refused(cpu, "KC", 321);
    refused(cpu, "MC", 0);
    for (const GemmSpec& spec : gemm_specs()) {
      check_gemm_spec(spec);
      refused(spec, "TILE_M", 0);
      if (spec.has("LANES_M")) refused(spec, "LANES_M", 3);  // does not divide WG_M
      if (spec.has("SG_M")) refused(spec, "SG_M", 24);       // does not divide TILE_M
      if (spec.has("UPDATE")) {
        GemmSpec general = spec, tuned = spec;
        general.use = GemmUse::general;
        refused(general, "UPDATE", 1);  // it would ignore alpha and beta
        tuned.use = GemmUse::update;
        check_gemm_spec(tuned);
        set_value(tuned.parameters, "UPDATE", 1);
        check_gemm_spec(tuned);
      }
      GemmSpec strange = spec;
      strange.parameters.emplace_back("STRANGE", 1);
      CHECK_THROWS_AS(check_gemm_spec(strange), UsageError);
      strange.parameters.pop_back();
      strange.parameters.pop_back();
      CHECK_THROWS_AS(check_gemm_spec(strange), UsageError);
      strange.file = "strange.cl";
      CHECK_THROWS_AS(check_gemm_spec(strange), UsageError);
    }
    CHECK_THROWS_AS((void)cpu.value("STRANGE"), UsageError);
  });
}
