#include <doctest/doctest.h>

#include <clgauss/distributed.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <optional>
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

Context& one_device() {
  static Context context(open_device("auto"), ContextOptions::from_environment());
  return context;
}

std::vector<Index> one_device_pivots(RealType type, Index n, std::uint64_t seed) {
  Matrix a(n, n);
  random_columns(n, seed)->read(0, n, a.values());
  return lu_factor(one_device(), type, a).pivots();
}

/// Row-major, of columns one after the other.
Matrix from_columns(Index n, const std::vector<double>& columns) {
  Matrix a(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) a(i, j) = columns[j * n + i];
  return a;
}

bool within(double factor, double value, double other) {
  return value <= factor * other && other <= factor * value;
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

TEST_CASE("work-groups that cannot wait for each other pivot partially in blocks of columns, too") {
  EngineOptions options = engine_options();
  options.devices = "rusticl:";
  std::optional<Engine> engine;
  try {
    engine.emplace(options);
  } catch (const DeviceNotFound&) {
    MESSAGE("there is no rusticl");
    return;
  }
  DistributedOptions f32;
  f32.type = RealType::f32;
  f32.block_columns = 64;
  solve_and_check(*engine, *random_columns(300, 3), 1, f32);
}

TEST_CASE("blocks of columns tell of an answer what one device tells") {
  Engine engine(engine_options());
  for (const char* kind : {"random", "graded", "hilbert", "wilkinson"}) {
    const Index n = kind == std::string("hilbert")     ? 7
                    : kind == std::string("wilkinson") ? 60
                                                       : 500;
    CAPTURE(kind);
    const System system{generate_matrix(kind, n, 5), random_matrix(n, 2, 6)};
    SolveOptions one;
    one.method = Method::lu;
    one.type = RealType::f64;
    one.trust = one.determinant = true;
    const Solution expected = solve(one_device(), system, one);
    DistributedSolveOptions many;
    many.trust = many.determinant = true;
    const auto source = columns_of(system.a);
    const DistributedSolution found = solve_distributed(
        engine, *source, [&](DistributedLu&) { return system.b; }, many);
    REQUIRE(found.status == SolveStatus::ok);
    CHECK(found.residual.scaled <= 1);
    CHECK(found.scaled_rows == expected.scaled_rows);
    CHECK(found.scaled_columns == expected.scaled_columns);
    CHECK((found.refinement.corrections() > 0) == (expected.refinement.corrections() > 0));
    REQUIRE(found.trust);
    CHECK(within(2, found.trust->rcond, expected.trust->rcond));
    REQUIRE(found.trust->forward_error.size() == 2);
    for (const Index c : {0, 1})
      CHECK(within(30, found.trust->forward_error[c], expected.trust->forward_error[c]));
    CHECK(within(1.001, found.trust->reciprocal_growth, expected.trust->reciprocal_growth));
    CHECK(found.determinant.sign == expected.determinant.sign);
    CHECK(std::abs(found.determinant.log10_abs - expected.determinant.log10_abs) <= 1e-7);
    CHECK(within(30, found.determinant.relative_error, expected.determinant.relative_error));
  }
}

TEST_CASE("rows and columns of blocks are scaled as they are asked to be") {
  Engine engine(engine_options());
  const Index n = 300;
  Matrix a = random_matrix(n, n, 2), x = random_matrix(n, 1, 3);
  for (Index i = 0; i < n; ++i)
    for (double& number : a.row(i)) number = std::ldexp(number, static_cast<int>(i % 40) * 8 - 160);
  Matrix b(n, 1);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) b(i, 0) += a(i, j) * x(j, 0);
  const auto source = columns_of(a);
  for (const RealType type : {RealType::f64, RealType::f32})
    for (const auto mode : {Equilibration::automatic, Equilibration::on, Equilibration::off}) {
      DistributedSolveOptions options;
      options.lu.type = type;
      options.lu.equilibration = mode;
      options.determinant = true;
      const DistributedSolution found = solve_distributed(
          engine, *source, [&](DistributedLu&) { return b; }, options);
      // Rows so far apart are not of f32's range.
      CHECK(found.scaled_rows == (mode != Equilibration::off || type == RealType::f32));
      CHECK(found.status == SolveStatus::ok);
      if (mode != Equilibration::off) CHECK(max_difference(found.x, x) <= 1e-9);
      SolveOptions one;
      one.method = Method::lu;
      one.type = RealType::f64;
      one.determinant = true;
      const Determinant expected = solve(one_device(), {a, b}, one).determinant;
      CHECK(found.determinant.sign == expected.sign);
      CHECK(std::abs(found.determinant.log10_abs - expected.log10_abs) <=
            (type == RealType::f64 ? 1e-9 : 1e-2));
    }
}

TEST_CASE("solves with the transposed matrix") {
  Engine engine(engine_options());
  for (const RealType type : {RealType::f64, RealType::f32})
    for (const Index n : {1, 31, 192, 700}) {
      CAPTURE(n);
      const Matrix a = random_matrix(n, n, 8), b = random_matrix(n, 3, 9);
      DistributedOptions options;
      options.type = type;
      const auto source = columns_of(a);
      DistributedLu lu(engine, *source, options);
      (void)lu.factor_and_solve(b);
      System transposed{Matrix(n, n), b};
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) transposed.a(i, j) = a(j, i);
      const Matrix x = lu.solve_transposed(b);
      CHECK(compute_residual(transposed, x, unit_roundoff(type)).scaled <= kScaledResidualBound);
    }
}

TEST_CASE("a device with too little memory: what is needed and given are told apart") {
  struct Case {
    std::uint64_t given;
    const char *needed, *told;
  };
  // 4 blocks of 651 x 96 numbers in f64 need 1999872 bytes.
  for (const auto& [given, needed, told] : {Case{1'000'000, "2", "1"},
                                            {1'870'000, "2.0", "1.9"},
                                            {1'999'871, "1.999872", "1.999871"}}) {
    CAPTURE(given);
    EngineOptions limited = engine_options();
    limited.memory_bytes = given;
    Engine engine(limited);
    DistributedOptions options;
    options.block_columns = 96;
    std::string message;
    try {
      const DistributedLu lu(engine, *random_columns(651, 3), options);
    } catch (const OutOfMemory& error) {
      message = error.what();
    }
    CHECK_MESSAGE(
        message.find(std::string("4 blocks of 96 columns need ") + needed + " MB of ") == 0,
        message);
    CHECK_MESSAGE(message.ends_with(std::string(", which is to give ") + told + " MB"), message);
  }
}

// Also run by several ranks: program_test.cpp.
TEST_CASE("the whole matrix is gathered by one rank") {
  Engine engine(engine_options());
  const Index n = 1000;
  const int last = engine.ranks() - 1;
  const auto source = random_columns(n, 4);
  Matrix a(n, n);
  source->read(0, n, a.values());
  DistributedOptions options;
  options.equilibration = Equilibration::off;
  DistributedLu lu(engine, *source, options);
  CHECK(lu.block_columns() < n / 3);
  const std::vector<double> before = lu.gather(last);
  (void)lu.factor_and_solve(random_matrix(n, 1, 5));
  const std::vector<double> after = lu.gather(last);
  engine.together([&] {
    REQUIRE(before.size() == (engine.rank() == last ? n * n : 0));
    REQUIRE(after.size() == before.size());
    if (engine.rank() != last) return;
    CHECK(max_difference(from_columns(n, before), a) == 0);
    // The same pivots, so the same factors but for the order in which products are added.
    const std::vector<Index>& pivots = lu.pivots();
    const Matrix found = from_columns(n, after);
    Matrix x = random_matrix(n, 1, 6), b(n, 1);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) b(i, 0) += a(i, j) * x(j, 0);
    Matrix y = b;
    for (Index i = 0; i < n; ++i) std::swap(y(i, 0), y(pivots[i], 0));
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < i; ++j) y(i, 0) -= found(i, j) * y(j, 0);
    for (Index i = n; i-- > 0;) {
      for (Index j = i + 1; j < n; ++j) y(i, 0) -= found(i, j) * y(j, 0);
      y(i, 0) /= found(i, i);
    }
    CHECK(compute_residual({a, b}, y, unit_roundoff(RealType::f64)).scaled <= kScaledResidualBound);
  });
}

}  // namespace clgauss
