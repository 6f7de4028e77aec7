#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/condition.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/lab/tuned.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/residual.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "support/devices.hpp"
#include "support/factorisation.hpp"
#include "support/indefinite.hpp"
#include "support/thorough.hpp"
#include "support/triangle.hpp"

#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <clgauss.h>
#include <lapacke.h>
#endif

using namespace clgauss;
using clgauss::test::exchange_matrix;
using clgauss::test::factorisation_error;
using clgauss::test::growing;
using clgauss::test::indefinite_kinds;
using clgauss::test::IndefiniteKind;
using clgauss::test::interior_point;
using clgauss::test::lower_half;
using clgauss::test::norm1;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::random_symmetric;
using clgauss::test::rounded;
using clgauss::test::saddle_point;
using clgauss::test::types_of;
using clgauss::test::without_diagonal;

namespace {

std::vector<LuOptions> ways(Context& context, RealType type, Index n) {
  std::vector<LuOptions> all = clgauss::test::ways(context, type, n, {.symmetric = true});
  for (LuOptions rook : std::vector(all)) {
    rook.pivoting = Pivoting::rook;
    all.push_back(rook);
  }
  return all;
}

/// A with its columns exchanged.
Matrix with_columns(Matrix a, const std::vector<Index>& exchanges) {
  for (Index k = 0; k < a.cols(); ++k)
    for (Index i = 0; i < a.rows(); ++i) std::swap(a(i, k), a(i, exchanges[k]));
  return a;
}

/// L, which is L' of the LU that stands there, without what the LU of the blocks added.
Matrix lower_of(const Matrix& factors, const SymmetricPivots& pivots) {
  const Index n = factors.rows();
  Matrix l(n, n);
  for (Index i = 0; i < n; ++i) {
    l(i, i) = 1;
    const bool first = pivots.pairs[i], second = i > 0 && pivots.pairs[i - 1];
    const Index row = first ? i + 1 : second ? i - 1 : i;  // a block's rows changed places
    for (Index k = 0; k < (second ? i - 1 : i); ++k) {
      l(i, k) = factors(row, k);
      if (pivots.pairs[k]) l(i, k) -= factors(row, k + 1) * factors(k + 1, k);
      if (k > 0 && pivots.pairs[k - 1]) {
        const double of_first = l(i, k - 1);
        l(i, k - 1) = factors(row, k);  // and its columns
        l(i, k) = of_first;
      }
    }
  }
  return l;
}

/// P A P^T - L D L^T, as factorisation_error(), from the pivots as they are told.
double reconstruction_error(const Matrix& a, const Matrix& factors, const SymmetricPivots& pivots,
                            double eps) {
  const Index n = a.rows();
  const Matrix l = lower_of(factors, pivots);
  Matrix d(n, n);
  for (Index k = 0; k < n; ++k) {
    d(k, k) = pivots.diagonal[k];
    if (pivots.pairs[k]) d(k, k + 1) = d(k + 1, k) = pivots.below[k];
  }
  Matrix difference = with_columns(a, pivots.exchanges);
  for (Index k = 0; k < n; ++k)
    if (pivots.exchanges[k] != k)
      std::swap_ranges(difference.row(k).begin(), difference.row(k).end(),
                       difference.row(pivots.exchanges[k]).begin());
  Matrix ld(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < n; ++k)
      for (Index j = k > 0 ? k - 1 : 0; j < std::min(n, k + 2); ++j) ld(i, k) += l(i, j) * d(j, k);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < n; ++k)
      for (Index j = k; j < n; ++j) difference(i, j) -= ld(i, k) * l(j, k);
  const double scale = static_cast<double>(n) * norm1(a) * eps;
  return scale == 0 ? norm1(difference) : norm1(difference) / scale;
}

System system_of(Matrix a, Index nrhs = 1) {
  const Index n = a.rows();
  return {std::move(a), random_matrix(n, nrhs, 77)};
}

SolveOptions by_ldlt() {
  SolveOptions options;
  options.method = Method::ldlt;
  return options;
}

/// Widths of a panel, their neighbours, and so of several panels, and small sizes.
std::vector<Index> sizes() {
  std::vector<Index> all{1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 47, 62};
  for (Index n = 63; n <= 600; ++n) {
    const Index beyond = n % 64;
    if (beyond <= 2 || beyond >= 62 || (n + 1) % 96 <= 2) all.push_back(n);
  }
  return test::some_of(all, 8);
}

}  // namespace

TEST_CASE("L D L^T: factors and answers of every size, from the lower triangle alone" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : sizes())
        for (const IndefiniteKind& kind : indefinite_kinds()) {
          if (n == 1 && std::string(kind.name) == "zero diagonal") continue;
          const double eps = unit_roundoff(type);
          const Matrix a = rounded(kind.make(n), type), b = rounded(random_matrix(n, 3, 5), type);
          for (const LuOptions& options : ways(context, type, n)) {
            CAPTURE(n);
            CAPTURE(kind.name);
            const std::string way = options.spec ? "gpu" : "usual";
            CAPTURE(way);
            const bool rook = options.pivoting == Pivoting::rook;
            CAPTURE(rook);
            const PaddedMatrix da(context, type, lower_half(a), 3, 5), db(context, type, b, 1, 2);
            Lu ldlt(context, type, n, options);
            ldlt.factor_and_solve(da.view, db.view, 3);
            REQUIRE_FALSE(ldlt.failed_column().has_value());
            CHECK(compute_residual({a, b}, db.read(context, type), eps).scaled <=
                  kScaledResidualBound);
            const SymmetricPivots pivots = ldlt.symmetric_pivots().value();
            const Matrix factors = da.read(context, type);
            CHECK(factorisation_error(with_columns(a, pivots.exchanges), factors, ldlt.pivots(),
                                      eps) <= 30);
            CHECK(reconstruction_error(a, factors, pivots, eps) <= 30);
            CHECK(ldlt.pivoting() == options.pivoting);
            if (!rook) continue;
            const Matrix l = lower_of(factors, pivots);
            double largest = 0;
            for (const double value : l.values()) largest = std::max(largest, std::abs(value));
            CHECK(largest <= 2.781 * (1 + 100 * eps));  // 1 / (1 - (1 + sqrt(17)) / 8)
          }
        }
  });
}

TEST_CASE("L D L^T: any number of right-hand sides, plain and transposed") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {1, 65, 130}) {
        const Matrix a = rounded(random_symmetric(n, 9), type);
        for (const LuOptions& options : ways(context, type, n))
          for (const Index nrhs : {1, 2, 9, 70}) {
            CAPTURE(n);
            CAPTURE(nrhs);
            Lu ldlt(context, type, n, options);
            ldlt.factor(a);
            const Matrix b = rounded(random_matrix(n, nrhs, 4), type);
            const double eps = unit_roundoff(type);
            CHECK(compute_residual({a, b}, ldlt.solve(b), eps).scaled <= kScaledResidualBound);
            CHECK(compute_residual({a, b}, ldlt.solve_transposed(b), eps).scaled <=
                  kScaledResidualBound);
          }
      }
  });
}

TEST_CASE("L D L^T: the inertia and the sign of the determinant are those of A") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : {1, 2, 3, 17, 64, 65, 131, 300}) {
      CAPTURE(n);
      SolveOptions options = by_ldlt();
      options.determinant = true;
      const auto inertia_of = [&](Matrix a) {
        const Solution solution = solve(context, system_of(std::move(a)), options);
        CHECK(solution.status == SolveStatus::ok);
        CHECK(solution.method == Method::ldlt);
        const Inertia inertia = solution.inertia.value();
        CHECK(solution.determinant.sign == (inertia.negative % 2 == 0 ? 1 : -1));
        return inertia;
      };
      CHECK(inertia_of(generate_matrix("spd", n, 2)) == Inertia{n, 0, 0});
      CHECK(inertia_of(saddle_point(n, n / 3, 0, 5)) == Inertia{n - n / 3, n / 3, 0});
      CHECK(inertia_of(exchange_matrix(n)) == Inertia{(n + 1) / 2, n / 2, 0});
      Matrix negative = generate_matrix("spd", n, 2);
      for (double& value : negative.values()) value = -value;
      CHECK(inertia_of(negative) == Inertia{0, n, 0});
      if (n >= 3) CHECK(inertia_of(interior_point(n, 6)) == Inertia{n - n / 3, n / 3, 0});
    }
  });
}

TEST_CASE("L D L^T: singular matrices, NaN and what is not symmetric") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : {1, 5, 64, 130}) {
      CAPTURE(n);
      Matrix zero_column = random_symmetric(n, 4);
      for (Index i = 0; i < n; ++i) zero_column(i, n / 2) = zero_column(n / 2, i) = 0;
      Matrix ones(n, n, Values(n * n, 1.0));
      for (const Matrix& a : {zero_column, Matrix(n, n), ones}) {
        if (n == 1 && a(0, 0) != 0) continue;
        const Solution solution = solve(context, system_of(a), by_ldlt());
        CHECK(solution.status == SolveStatus::singular);
        CHECK(solution.failed_pivot == 0);
        CHECK(solution.x.empty());
        CHECK(solution.inertia.value().zero >= 1);
        const RealType type = types_of(device.profile).back();
        for (const LuOptions& way : ways(context, type, n)) {
          const PaddedMatrix da(context, type, a, 0, 0),
              db(context, type, random_matrix(n, 1, 3), 0, 0);
          Lu ldlt(context, type, n, way);
          ldlt.factor_and_solve(da.view, db.view, 1);
          CHECK(ldlt.failed_column().has_value());
          CHECK(std::isnan(db.read(context, type)(n - 1, 0)));
        }
      }
      CHECK(solve(context, system_of(Matrix(n, n)), by_ldlt()).inertia == Inertia{0, 0, n});
      for (const double bad :
           {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
        for (const Index row : {Index{0}, n - 1}) {
          Matrix a = random_symmetric(n, 4);
          a(row, n / 2) = a(n / 2, row) = bad;
          const Solution solution = solve(context, system_of(a), by_ldlt());
          CHECK(solution.status == SolveStatus::singular);
          CHECK(solution.x.empty());
        }
    }
    Matrix a = random_symmetric(200, 4);
    a(170, 3) = 5;
    CHECK_THROWS_WITH_AS((void)solve(context, system_of(a), by_ldlt()),
                         doctest::Contains("the method ldlt needs: element (171, 4) is 5"),
                         ValueError);
  });
}

TEST_CASE("L D L^T: numbers beyond the range of f32, factors in f32 that are refined") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Index n = 150;
    Matrix a = random_symmetric(n, 8);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        a(i, j) = std::ldexp(a(i, j), static_cast<int>(i + j) - static_cast<int>(n));
    SolveOptions options = by_ldlt();
    options.type = RealType::f32;
    options.accuracy = Accuracy::double_precision;
    for (const Matrix& each : {a, without_diagonal(n, 5), saddle_point(n, n / 3, 0, 4)}) {
      const Solution solution = solve(context, system_of(each), options);
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.method == Method::ldlt);
      CHECK(solution.residual.backward_error <= 1e-14);
    }
    CHECK(solve(context, system_of(a), options).scaled_rows);
    options.type.reset();
    options.accuracy = Accuracy::maximum;
    const Solution most = solve(context, system_of(random_symmetric(n, 12)), options);
    CHECK(most.status == SolveStatus::ok);
    CHECK(most.refinement.accepted);
  });
}

TEST_CASE("auto takes L D L^T in place of LU where A is symmetric and that is faster") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (device.profile.type != DeviceType::cpu || !device.profile.fp64 || test::is_slow(context))
      return;
    SolveOptions options;
    options.type = RealType::f64;
    const Index n = method_choice(context).ldlt_from;
    REQUIRE(n <= 4096);
    Matrix a = random_symmetric(n, 6);
    const Solution symmetric = solve(context, system_of(a), options);
    CHECK(symmetric.status == SolveStatus::ok);
    CHECK(symmetric.method == Method::ldlt);
    for (Index i = 0; i < n; ++i) a(i, i) = 1;  // what Cholesky would be tried for
    const Solution indefinite = solve(context, system_of(a), options);
    CHECK(indefinite.status == SolveStatus::ok);
    CHECK(indefinite.method == Method::ldlt);
    CHECK(indefinite.passed_over.find("not positive definite") != std::string::npos);
    a(n - 1, 0) += 1;
    const Solution plain = solve(context, system_of(a), options);
    CHECK(plain.status == SolveStatus::ok);
    CHECK(plain.method == Method::lu);
    CHECK_FALSE(plain.inertia.has_value());
  });
}

TEST_CASE("L D L^T: rook pivoting follows where the pivots of Bunch and Kaufman grow") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Index n = 200;  // 2^99
    for (const RealType type : types_of(device.profile)) {
      SolveOptions options = by_ldlt();
      options.type = type;
      const System system = system_of(growing(n), 2);
      const auto check = [&](const Solution& solution, bool rook = true) {
        CHECK(solution.status == SolveStatus::ok);
        CHECK(solution.method == Method::ldlt);
        CHECK((solution.pivoting == Pivoting::rook) == rook);
        CHECK(solution.inertia == Inertia{n / 2, n / 2, 0});
      };
      const Solution solution = solve(context, system, options);
      // What is refined may be good all the same.
      const bool grew = type == RealType::f32 || !solution.passed_over.empty();
      check(solution, grew);
      if (grew)
        CHECK(solution.passed_over.find("factors L D L^T left a scaled residual of") !=
              std::string::npos);
      CHECK(solution.passed_over.find("rook") == std::string::npos);
      SolveOptions at_once = options;
      at_once.pivoting = Pivoting::rook;
      at_once.method = Method::automatic;
      const Solution first = solve(context, system, at_once);
      check(first);
      CHECK(first.passed_over.empty());
      if (grew) CHECK(std::ranges::equal(first.x.values(), solution.x.values()));

      // Where LU was tried first, it grew as much.
      SolveOptions open = options;
      open.method = Method::automatic;
      const Solution chosen = solve(context, system, open);
      CHECK(chosen.status == SolveStatus::ok);
      if (type == RealType::f32) {
        check(chosen);
        CHECK(chosen.passed_over.find("factors L U left a scaled residual of") == 0);
      }
      Matrix general = system.a;
      general(n - 1, 0) += 1;  // not symmetric
      CHECK(solve(context, {general, system.b}, open).method == Method::lu);

      // Without right-hand sides, the sign of the determinant tells of growth.
      options.determinant = options.trust = true;
      const Solution factors = solve(context, {system.a, Matrix(n, 0)}, options);
      check(factors);
      CHECK(factors.determinant.sign == 1);
      CHECK(factors.determinant.relative_error < 1);
      CHECK(factors.trust.value().reciprocal_growth >= 0.1);
      CHECK(factors.passed_over.find("the pivots of factors L D L^T grew") == 0);
      options.method = Method::automatic;
      const Solution after_lu = solve(context, {system.a, Matrix(n, 0)}, options);
      check(after_lu);
      CHECK(after_lu.determinant.relative_error < 1);
      CHECK(after_lu.passed_over.find("the pivots of factors L U grew") == 0);
    }
    SolveOptions refined = by_ldlt();
    refined.type = RealType::f32;
    refined.accuracy = Accuracy::double_precision;
    const Solution in_f32 = solve(context, system_of(growing(n)), refined);
    CHECK(in_f32.status == SolveStatus::ok);
    CHECK(in_f32.method == Method::ldlt);
    CHECK(in_f32.residual.backward_error <= 1e-14);
    const RealType type = types_of(device.profile).back();
    refined = by_ldlt();
    refined.type = type;
    const Index many = type == RealType::f64 ? 2100 : 300;  // beyond the range of the type
    const Solution overflowed = solve(context, system_of(growing(many)), refined);
    CHECK(overflowed.status == SolveStatus::ok);
    CHECK(overflowed.pivoting == Pivoting::rook);
    CHECK(overflowed.passed_over == "factors L D L^T left the range of their type");
  });
}

TEST_CASE("L D L^T: LU follows where the residual is too large for what is asked") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Index n = 40;
    // Blocks of 3 4, 4 0: LU divides by 4, which is exact; Bunch and Kaufman by 3.
    Matrix a(n, n), b(n, 1);
    for (Index i = 0; i < n; ++i) {
      if (i % 2 == 0) a(i, i) = 3;
      a(i, i ^ 1U) = 4;
      b(i, 0) = static_cast<double>(i + 1);
    }
    const System system{a, b};
    SolveOptions options = by_ldlt();
    options.type = types_of(device.profile).back();
    const Solution by_blocks = solve(context, system, options);
    CHECK(by_blocks.status == SolveStatus::ok);
    CHECK(by_blocks.method == Method::ldlt);
    CHECK(by_blocks.passed_over.empty());
    REQUIRE(by_blocks.residual.scaled > 0);
    options.max_scaled_residual = by_blocks.residual.scaled / 2;
    const Solution by_lu = solve(context, system, options);
    CHECK(by_lu.status == SolveStatus::ok);
    CHECK(by_lu.method == Method::lu);
    CHECK(by_lu.passed_over.find("factors L D L^T left a scaled residual of") != std::string::npos);
    CHECK(by_lu.passed_over.find("factors L D L^T by rook pivoting left a scaled residual of") !=
          std::string::npos);
    CHECK(by_lu.pivoting == Pivoting::partial);
    options.pivoting = Pivoting::rook;
    CHECK(solve(context, system, options).method == Method::lu);
    CHECK_FALSE(by_lu.inertia.has_value());
    for (Index i = 0; i < n; i += 2) {
      CHECK(by_lu.x(i, 0) == b(i + 1, 0) / 4);
      CHECK(by_lu.x(i + 1, 0) == (b(i, 0) - 3 * b(i + 1, 0) / 4) / 4);
    }
  });
}

TEST_CASE("L D L^T: kernels that do not work are passed over") {
  on_every_device([](const Device& device) {
    const System system = system_of(random_symmetric(200, 2));
    for (const char* faults : {"ldlt_cpu=wrong", "ldlt_cpu=build"}) {
      Context context = test::context_with_faults(device, faults);
      const Solution solution = solve(context, system, by_ldlt());
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.method == Method::ldlt);
    }
    Context context = test::context_with_faults(device, "ldlt_cpu=wrong,ldlt=wrong");
    CHECK_THROWS_AS((void)solve(context, system, by_ldlt()), NoUsableKernel);
    SolveOptions open;
    open.type = RealType::f32;
    const Solution by_lu = solve(context, system_of(growing(200)), open);
    CHECK(by_lu.status == SolveStatus::inaccurate);  // rook pivoting could do better
    CHECK(by_lu.method == Method::lu);
  });
}

TEST_CASE("L D L^T: what it does not go with is refused") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Matrix a = random_symmetric(5, 1);
    SolveOptions options = by_ldlt();
    options.equilibration = Equilibration::on;
    CHECK_THROWS_AS((void)solve(context, system_of(a), options), UsageError);
    options.equilibration = Equilibration::automatic;
    options.pivoting = Pivoting::tournament;
    CHECK_THROWS_AS((void)solve(context, system_of(a), options), UsageError);
    options.pivoting = Pivoting::rook;
    options.method = Method::lu;
    CHECK_THROWS_WITH_AS((void)solve(context, system_of(a), options),
                         "rook pivoting belongs to the methods ldlt, not lu", UsageError);
    CHECK_THROWS_AS((void)Lu(context, RealType::f32, 5, {.pivoting = Pivoting::rook}), UsageError);
    options = by_ldlt();
    CHECK_THROWS_AS((void)solve_in_place(
                        context, system_of(a), [&] { return a; }, options),
                    UsageError);
  });
}

#ifdef CLGAUSS_TESTS_WITH_LAPACK
TEST_CASE("L D L^T: pivots, backward error and rcond beside LAPACK's dsytrf, dsysv, dsycon") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    Context context(device, ContextOptions::from_environment());
    for (const IndefiniteKind& kind : indefinite_kinds())
      for (const Index n : {2, 33, 129, 300}) {
        CAPTURE(kind.name);
        CAPTURE(n);
        const System system = system_of(kind.make(n));
        SolveOptions options = by_ldlt();
        options.trust = true;
        const Solution ours = solve(context, system, options);
        CHECK(ours.status == SolveStatus::ok);
        Matrix ldl = system.a, x = system.b;
        const auto columns = static_cast<lapack_int>(n);
        std::vector<lapack_int> ipiv(n);
        REQUIRE(LAPACKE_dsysv(LAPACK_COL_MAJOR, 'L', columns, 1, ldl.values().data(), columns,
                              ipiv.data(), x.values().data(), columns) == 0);
        const double lapacks =
            compute_residual(system, x, unit_roundoff(RealType::f64)).backward_error;
        CHECK(ours.residual.backward_error <= 8 * lapacks + 8 * unit_roundoff(RealType::f64));
        double rcond = 0;
        REQUIRE(LAPACKE_dsycon(LAPACK_COL_MAJOR, 'L', columns, ldl.values().data(), columns,
                               ipiv.data(), norm1(system.a), &rcond) == 0);
        CHECK(ours.trust.value().rcond >= rcond / 3);
        CHECK(ours.trust.value().rcond <= rcond * 3);
      }
  });
}

TEST_CASE("L D L^T: the pivots of rook pivoting are those of LAPACK's dsytrf_rook") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    Context context(device, ContextOptions::from_environment());
    Index exchanged_twice = 0;
    for (const IndefiniteKind& kind : indefinite_kinds())
      for (const Index n : {2, 33, 64, 65, 129, 300}) {
        CAPTURE(kind.name);
        CAPTURE(n);
        const Matrix a = kind.make(n);
        Matrix ldl = a;
        const auto columns = static_cast<lapack_int>(n);
        std::vector<lapack_int> ipiv(n), ours;
        REQUIRE(LAPACKE_dsytrf_rook(LAPACK_COL_MAJOR, 'L', columns, ldl.values().data(), columns,
                                    ipiv.data()) == 0);
        Lu ldlt =
            lu_factor(context, RealType::f64, a, {.pivoting = Pivoting::rook, .symmetric = true});
        const SymmetricPivots pivots = ldlt.symmetric_pivots().value();
        for (Index k = 0; k < n; ++k) {
          const bool second = k > 0 && pivots.pairs[k - 1];
          const auto number = static_cast<lapack_int>(pivots.exchanges[k] + 1);
          ours.push_back(pivots.pairs[k] || second ? -number : number);
          if (pivots.pairs[k] && pivots.exchanges[k] != k) ++exchanged_twice;
        }
        CHECK(ours == ipiv);
      }
    CHECK(exchanged_twice > 10);
  });
}

TEST_CASE("sysv and sytrs of C leave and take LAPACK's factors") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    const Context own(device, ContextOptions::from_environment());
    clgauss_context context = nullptr;
    REQUIRE(clgauss_context_create_on_queue(own.queue()(), CLGAUSS_USE_ENVIRONMENT, &context) ==
            CLGAUSS_OK);
    for (const IndefiniteKind& kind : indefinite_kinds())
      for (const Index n : {2, 5, 64, 65, 130, 201})
        for (const int layout : {CLGAUSS_ROW_MAJOR, CLGAUSS_COLUMN_MAJOR})
          for (const int uplo : {CLGAUSS_LOWER, CLGAUSS_UPPER}) {
            CAPTURE(kind.name);
            CAPTURE(n);
            CAPTURE(layout);
            CAPTURE(uplo);
            const System system = system_of(kind.make(n));
            const char triangle = uplo == CLGAUSS_LOWER ? 'L' : 'U';
            const auto columns = static_cast<lapack_int>(n);
            const Index ldb = layout == CLGAUSS_ROW_MAJOR ? 1 : n;
            const auto is_answer = [&](const Matrix& x) {
              return compute_residual(system, x, unit_roundoff(RealType::f64)).scaled <=
                     kScaledResidualBound;
            };
            Matrix ours = system.a, lapacks = system.a, x = system.b;
            std::vector<int32_t> ipiv(n), theirs(n);
            REQUIRE(clgauss_dsysv(context, layout, uplo, n, 1, ours.values().data(), n, ipiv.data(),
                                  x.values().data(), ldb) == CLGAUSS_OK);
            CHECK(is_answer(x));
            x = system.b;
            REQUIRE(LAPACKE_dsytrs(layout, triangle, columns, 1, ours.values().data(), columns,
                                   ipiv.data(), x.values().data(),
                                   static_cast<lapack_int>(ldb)) == 0);
            CHECK(is_answer(x));
            REQUIRE(LAPACKE_dsytrf(layout, triangle, columns, lapacks.values().data(), columns,
                                   theirs.data()) == 0);
            x = system.b;
            REQUIRE(clgauss_dsytrs(context, layout, uplo, n, 1, lapacks.values().data(), n,
                                   theirs.data(), x.values().data(), ldb) == CLGAUSS_OK);
            CHECK(is_answer(x));
            CHECK(ipiv == theirs);
            if (ipiv != theirs) continue;  // rounding decided
            double largest = 0, most = 0;
            for (Index i = 0; i < n * n; ++i) {
              largest = std::max(largest, std::abs(lapacks.values()[i]));
              most = std::max(most, std::abs(lapacks.values()[i] - ours.values()[i]));
            }
            CHECK(most <= 1e-9 * largest);
          }
    CHECK(clgauss_context_destroy(context) == CLGAUSS_OK);
  });
}
#endif
