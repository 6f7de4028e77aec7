#include <doctest/doctest.h>

#include <clgauss/distributed.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>
#include <string>

namespace clgauss {

namespace {

EngineOptions engine_options() {
  EngineOptions options;
  options.context = ContextOptions::from_environment();
  return options;
}

/// A x = b by all ranks, to the bound of the HPL benchmark; the pivots.
std::vector<Index> solve_and_check(Engine& engine, const ColumnSource& source, Index nrhs,
                                   const DistributedOptions& options = {}) {
  DistributedLu lu(engine, source, options);
  const Matrix b = random_matrix(source.n(), nrhs, 7);
  const Matrix x = lu.factor_and_solve(b);
  REQUIRE_FALSE(lu.failed_column());
  const Residual residual = lu.judge(b, x, lu.subtract_product(b, x));
  CHECK(residual.scaled <= kScaledResidualBound);
  return lu.pivots();
}

std::vector<Index> one_device_pivots(RealType type, Index n, std::uint64_t seed) {
  static Context context(open_device("auto"), ContextOptions::from_environment());
  Matrix a(n, n);
  random_columns(n, seed)->read(0, n, a.values());
  return lu_factor(context, type, a).pivots();
}

}  // namespace

TEST_CASE("a system in blocks of columns") {
  Engine engine(engine_options());
  for (const RealType type : {RealType::f64, RealType::f32})
    for (const Index n : {1, 31, 192, 1031, 2048})
      for (const Index nrhs : {1, 7}) {
        CAPTURE(n);
        CAPTURE(nrhs);
        DistributedOptions options;
        options.type = type;
        const auto pivots = solve_and_check(engine, *random_columns(n, 3), nrhs, options);
        if (type == RealType::f64) CHECK(pivots == one_device_pivots(type, n, 3));
      }
}

}  // namespace clgauss
