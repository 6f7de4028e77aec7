// Hermitian indefinite systems by L D L^H.
#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "linalg/complex/complex_factors.hpp"
#include "linalg/complex/complex_residual.hpp"
#include "support/complex_matrices.hpp"
#include "support/devices.hpp"
#include "support/indefinite.hpp"
#include "support/thorough.hpp"

#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <clgauss.h>
#include <lapacke.h>
#endif

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::types_of;
using test::random_complex;
using test::system_of;
using Complex = std::complex<double>;

namespace {

ComplexMatrix random_hermitian(Index n, std::uint64_t seed) {
  ComplexMatrix a = random_complex(n, n, seed);
  for (Index i = 0; i < n; ++i) {
    a.set(i, i, a(i, i).real());
    for (Index j = 0; j < i; ++j) a.set(j, i, std::conj(a(i, j)));
  }
  return a;
}

ComplexMatrix without_diagonal(Index n, std::uint64_t seed) {
  ComplexMatrix a = random_hermitian(n, seed);
  for (Index i = 0; i < n; ++i) a.set(i, i, 0);
  return a;
}

/// [[H, B^H], [B, 0]], H diagonal and positive. Of B's p rows each has its own column, so that it
/// has full rank: n - p eigenvalues above 0, p below.
ComplexMatrix saddle_point(Index n, Index p, std::uint64_t seed) {
  const ComplexMatrix numbers = random_complex(n, n, seed);
  ComplexMatrix a(n, n);
  for (Index i = 0; i + p < n; ++i) a.set(i, i, 1 + std::abs(numbers(i, i)));
  for (Index i = n - p; i < n; ++i) {
    const auto place = [&](Index j, Complex value) {
      a.set(i, j, value);
      a.set(j, i, std::conj(value));
    };
    for (Index j = 0; j + p < n; ++j) place(j, numbers(i, j) / 4.0);
    place((i - (n - p)) % std::max<Index>(n - p, 1), {0, 2});
  }
  return a;
}

/// i above the antidiagonal's middle and -i below: every pivot has two columns, the first with the
/// last.
ComplexMatrix across(Index n) {
  ComplexMatrix a(n, n);
  for (Index i = 0; i < n; ++i) a.set(i, n - 1 - i, {0, 2 * i < n - 1 ? 1.0 : -1.0});
  if (n % 2 == 1) a.set(n / 2, n / 2, 1);
  return a;
}

/// Positive definite: a large diagonal.
ComplexMatrix definite_hermitian(Index n, std::uint64_t seed) {
  ComplexMatrix a = random_hermitian(n, seed);
  for (Index i = 0; i < n; ++i) a.set(i, i, 3 * std::sqrt(static_cast<double>(n)));
  return a;
}

/// i times the W of test::growing() and -i times W^T: pivots of Bunch and Kaufman grow to
/// 2^(n / 2 - 1), those of rook pivoting by 2.
ComplexMatrix growing(Index n) {
  const Matrix real = test::growing(n);
  ComplexMatrix a(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) a.set(i, j, Complex(0, i % 2 == 1 ? real(i, j) : -real(i, j)));
  return a;
}

struct IndefiniteKind {
  const char* name;
  std::function<ComplexMatrix(Index n)> make;
};

/// All regular.
std::vector<IndefiniteKind> indefinite_kinds() {
  return {{"random", [](Index n) { return random_hermitian(n, 3 * n); }},
          {"saddle point", [](Index n) { return saddle_point(n, n / 3, n); }},
          {"zero diagonal",
           [](Index n) { return n == 1 ? definite_hermitian(n, 1) : without_diagonal(n, n); }},
          {"across", across},
          {"definite", [](Index n) { return definite_hermitian(n, n); }}};
}

SolveOptions by_ldlt(std::optional<RealType> type = {}) {
  SolveOptions options;
  options.method = Method::ldlt;
  options.type = type;
  return options;
}

}  // namespace

TEST_CASE("L D L^H: answers of every size and kind" * test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const IndefiniteKind& kind : indefinite_kinds())
        for (const Index n : {1, 2, 3, 8, 63, 64, 65, 95, 96, 97, 98, 193, 300}) {
          if (n > 97 && test::is_slow(context)) continue;
          CAPTURE(kind.name);
          CAPTURE(n);
          const Index nrhs = n % 3 + 1;
          const ComplexSystem system = system_of(kind.make(n), nrhs);
          const ComplexSolution solution = solve_complex(context, system, by_ldlt(type));
          CHECK(solution.status == SolveStatus::ok);
          CHECK(solution.method == Method::ldlt);
          CHECK(solution.passed_over.empty());
          CHECK(solution.type == type);
          REQUIRE(solution.x.cols() == nrhs);
          CHECK(solution.residual.scaled <= kScaledResidualBound);
          CHECK(solution.pivoting == Pivoting::partial);
          SolveOptions by_rook = by_ldlt(type);
          by_rook.pivoting = Pivoting::rook;
          const ComplexSolution rook = solve_complex(context, system, by_rook);
          CHECK(rook.status == SolveStatus::ok);
          CHECK(rook.method == Method::ldlt);
          CHECK(rook.pivoting == Pivoting::rook);
          CHECK(rook.passed_over.empty());
          CHECK(rook.residual.scaled <= kScaledResidualBound);
          CHECK(rook.inertia == solution.inertia);
        }
  });
}

TEST_CASE("L D L^H: columns of pivots of both kinds, side by side and across panels") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Index n = 200;
    for (const Index first : {0, 1, 62, 63, 64, 94, 95, 96}) {
      CAPTURE(first);
      ComplexMatrix a(n, n);  // 1 x 1 pivots, but for one of 2 x 2 at `first`
      for (Index i = 0; i < n; ++i) a.set(i, i, i % 2 == 0 ? 2 : -3);
      a.set(first, first, 0);
      a.set(first + 1, first + 1, 0);
      a.set(first, first + 1, {3, -4});
      a.set(first + 1, first, {3, 4});
      const ComplexSystem system = system_of(a);
      const ComplexSolution solution = solve_complex(context, system, by_ldlt());
      REQUIRE(solution.status == SolveStatus::ok);
      CHECK(solution.inertia == Inertia{n / 2, n / 2, 0});
      const double eps = 8 * unit_roundoff(solution.type);
      for (Index i = 0; i < n; ++i) {
        const Complex expected = i == first       ? system.b(first + 1, 0) / Complex(3, 4)
                                 : i == first + 1 ? system.b(first, 0) / Complex(3, -4)
                                                  : system.b(i, 0) / a(i, i);
        CHECK(std::abs(solution.x(i, 0) - expected) <= eps * std::abs(expected));
      }
    }
  });
}

TEST_CASE("L D L^H: many right-hand sides, factors that solve again and with A^H, scaled ones") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const bool is_scaled : {false, true}) {
        const Index n = 101;
        ComplexMatrix a = random_hermitian(n, 9);
        for (Index i = 0; is_scaled && i < n; ++i)
          for (Index j = 0; j < n; ++j) {
            const int power = static_cast<int>(i + j) - 2 * static_cast<int>(n);
            a.set(i, j, {std::ldexp(a(i, j).real(), power), std::ldexp(a(i, j).imag(), power)});
          }
        const ComplexSystem system = system_of(std::move(a), 70);
        LuOptions options;
        options.symmetric = true;
        ComplexFactors factors(context, system, type, options, true);
        factors.upload(system, Equilibration::automatic);
        CHECK(factors.scaling().rows.empty() == !(is_scaled && type == RealType::f32));
        factors.factor({});
        const ComplexFactors::Pivots pivots = factors.pivots();
        REQUIRE_FALSE(pivots.failed_column);
        REQUIRE(pivots.symmetric);
        for (const bool transposed : {false, true}) {
          const ComplexMatrix b = random_complex(n, 11, 6);
          Matrix x = in_pairs(b);
          if (transposed)
            factors.solve_transposed(x);
          else
            factors.solve(x);
          const double backward_error =
              compute_residual({system.a, b}, from_pairs(x), unit_roundoff(type)).backward_error;
          CHECK(backward_error <= 100 * unit_roundoff(type));
        }
        CHECK(factors.reciprocal_growth(system.a.parts()) > 0);
      }
    const ComplexSolution many =
        solve_complex(context, system_of(saddle_point(130, 40, 2), 70), by_ldlt());
    CHECK(many.status == SolveStatus::ok);
    CHECK(many.residual.scaled <= kScaledResidualBound);
  });
}

TEST_CASE("L D L^H: the inertia and the sign of the determinant are those of A") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : {1, 2, 3, 17, 65, 131, 200}) {
      if (n > 65 && test::is_slow(context)) continue;
      CAPTURE(n);
      SolveOptions options = by_ldlt();
      options.determinant = true;
      const auto inertia_of = [&](ComplexMatrix a) {
        const ComplexSolution solution = solve_complex(context, system_of(std::move(a)), options);
        CHECK(solution.status == SolveStatus::ok);
        CHECK(solution.method == Method::ldlt);
        const Inertia inertia = solution.inertia.value();
        const double sign = inertia.negative % 2 == 0 ? 1 : -1;
        CHECK(std::abs(solution.determinant.phase - sign) <=
              20 * static_cast<double>(n) * unit_roundoff(solution.type));
        return inertia;
      };
      CHECK(inertia_of(definite_hermitian(n, 2)) == Inertia{n, 0, 0});
      CHECK(inertia_of(saddle_point(n, n / 3, 5)) == Inertia{n - n / 3, n / 3, 0});
      CHECK(inertia_of(across(n)) == Inertia{(n + 1) / 2, n / 2, 0});
      ComplexMatrix negative = definite_hermitian(n, 2);
      for (double& value : negative.parts().values()) value = -value;
      CHECK(inertia_of(negative) == Inertia{0, n, 0});
    }
  });
}

#ifdef CLGAUSS_TESTS_WITH_LAPACK
TEST_CASE("L D L^H: x, inertia, determinant and rcond beside LAPACK's zhesv, zheev and zhecon") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    Context context(device, ContextOptions::from_environment());
    for (const IndefiniteKind& kind : indefinite_kinds())
      for (const Index n : {1, 2, 33, 129, 250}) {
        if (n > 129 && test::is_slow(context)) continue;
        CAPTURE(kind.name);
        CAPTURE(n);
        const ComplexSystem system = system_of(kind.make(n));
        SolveOptions options = by_ldlt();
        options.trust = true;
        options.determinant = true;
        const ComplexSolution ours = solve_complex(context, system, options);
        REQUIRE(ours.status == SolveStatus::ok);
        const auto theirs = [](ComplexMatrix& matrix) {
          return reinterpret_cast<lapack_complex_double*>(matrix.parts().values().data());
        };
        const auto size = static_cast<lapack_int>(n);
        ComplexMatrix ldl = system.a, x = system.b, of_values = system.a;
        std::vector<lapack_int> ipiv(n);
        REQUIRE(LAPACKE_zhesv(LAPACK_ROW_MAJOR, 'L', size, 1, theirs(ldl), size, ipiv.data(),
                              theirs(x), 1) == 0);
        const double lapacks =
            compute_residual(system, x, unit_roundoff(RealType::f64)).backward_error;
        CHECK(ours.residual.backward_error <= 8 * lapacks + 8 * unit_roundoff(RealType::f64));
        std::vector<double> values(n);
        REQUIRE(LAPACKE_zheev(LAPACK_ROW_MAJOR, 'N', 'L', size, theirs(of_values), size,
                              values.data()) == 0);
        const auto negative =
            static_cast<Index>(std::ranges::count_if(values, [](double v) { return v < 0; }));
        CHECK(ours.inertia == Inertia{n - negative, negative, 0});
        double log10_abs = 0, norm1 = 0;
        for (Index i = 0; i < n; ++i) {
          log10_abs += std::log10(std::abs(values[i]));
          double sum = 0;
          for (Index j = 0; j < n; ++j) sum += std::abs(system.a(i, j));
          norm1 = std::max(norm1, sum);
        }
        CHECK(ours.determinant.log10_abs ==
              doctest::Approx(log10_abs).epsilon(1e-9).scale(static_cast<double>(n)));
        double rcond = 0;
        REQUIRE(LAPACKE_zhecon(LAPACK_ROW_MAJOR, 'L', size, theirs(ldl), size, ipiv.data(), norm1,
                               &rcond) == 0);
        REQUIRE(ours.trust);
        CHECK(ours.trust->rcond <= 3 * rcond);
        CHECK(ours.trust->rcond >= rcond / 3);
      }
  });
}

TEST_CASE("hesv and hetrs of C leave and take LAPACK's factors") {
  on_every_device([](const Device& device) {
    if (!device.profile.fp64) return;
    const Context own(device, ContextOptions::from_environment());
    clgauss_context context = nullptr;
    REQUIRE(clgauss_context_create_on_queue(own.queue()(), CLGAUSS_USE_ENVIRONMENT, &context) ==
            CLGAUSS_OK);
    const auto numbers = [](ComplexMatrix& matrix) { return matrix.parts().values().data(); };
    const auto theirs = [&](ComplexMatrix& matrix) {
      return reinterpret_cast<lapack_complex_double*>(numbers(matrix));
    };
    for (const IndefiniteKind& kind : indefinite_kinds())
      for (const Index n : {1, 2, 5, 97, 130})
        for (const int layout : {CLGAUSS_ROW_MAJOR, CLGAUSS_COLUMN_MAJOR})
          for (const int uplo : {CLGAUSS_LOWER, CLGAUSS_UPPER}) {
            CAPTURE(kind.name);
            CAPTURE(n);
            CAPTURE(layout);
            CAPTURE(uplo);
            const ComplexMatrix a = kind.make(n);
            // What is stored by columns is conj(A) = A^T.
            ComplexSystem system = system_of(a);
            if (layout == CLGAUSS_COLUMN_MAJOR)
              for (Index i = 0; i < n; ++i)
                for (Index j = 0; j < n; ++j) system.a.set(i, j, std::conj(a(i, j)));
            const char triangle = uplo == CLGAUSS_LOWER ? 'L' : 'U';
            const auto columns = static_cast<lapack_int>(n);
            const Index ldb = layout == CLGAUSS_ROW_MAJOR ? 1 : n;
            const auto is_answer = [&](const ComplexMatrix& x) {
              return compute_residual(system, x, unit_roundoff(RealType::f64)).scaled <=
                     kScaledResidualBound;
            };
            ComplexMatrix ours = a, lapacks = a, x = system.b;
            std::vector<int32_t> ipiv(n), ipiv_of_lapack(n);
            REQUIRE(clgauss_zhesv(context, layout, uplo, n, 1, numbers(ours), n, ipiv.data(),
                                  numbers(x), ldb) == CLGAUSS_OK);
            CHECK(is_answer(x));
            x = system.b;
            REQUIRE(LAPACKE_zhetrs(layout, triangle, columns, 1, theirs(ours), columns, ipiv.data(),
                                   theirs(x), static_cast<lapack_int>(ldb)) == 0);
            CHECK(is_answer(x));
            REQUIRE(LAPACKE_zhetrf(layout, triangle, columns, theirs(lapacks), columns,
                                   ipiv_of_lapack.data()) == 0);
            x = system.b;
            REQUIRE(clgauss_zhetrs(context, layout, uplo, n, 1, numbers(lapacks), n,
                                   ipiv_of_lapack.data(), numbers(x), ldb) == CLGAUSS_OK);
            CHECK(is_answer(x));
            CHECK(ipiv == ipiv_of_lapack);
          }
    ComplexMatrix zeros(5, 5), x = random_complex(5, 1, 2);
    std::vector<int32_t> ipiv(5);
    CHECK(clgauss_zhesv(context, CLGAUSS_ROW_MAJOR, CLGAUSS_LOWER, 5, 1, numbers(zeros), 5,
                        ipiv.data(), numbers(x), 1) == CLGAUSS_SINGULAR);
    CHECK(clgauss_context_destroy(context) == CLGAUSS_OK);
  });
}
#endif

TEST_CASE("L D L^H: singular matrices and numbers that are not finite") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {1, 5, 64, 130}) {
        CAPTURE(n);
        ComplexMatrix zero_column = random_hermitian(n, 4), ones(n, n);
        for (Index i = 0; i < n; ++i) {
          zero_column.set(i, n / 2, 0);
          zero_column.set(n / 2, i, 0);
          for (Index j = 0; j < n; ++j) ones.set(i, j, 1);
        }
        for (const ComplexMatrix& a : {zero_column, ComplexMatrix(n, n), ones}) {
          if (n == 1 && a(0, 0) != 0.0) continue;
          const ComplexSolution solution = solve_complex(context, system_of(a), by_ldlt(type));
          CHECK(solution.status == SolveStatus::singular);
          CHECK(solution.failed_pivot == 0);
          CHECK(solution.x.empty());
          CHECK(solution.inertia.value().zero >= 1);
        }
        CHECK(solve_complex(context, system_of(ComplexMatrix(n, n)), by_ldlt(type)).inertia ==
              Inertia{0, 0, n});
        for (const double bad :
             {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
          for (const Index row : {Index{0}, n - 1}) {
            ComplexMatrix a = random_hermitian(n, 4);
            const Complex number(bad, row == n / 2 ? 0 : 1);
            a.set(row, n / 2, number);
            a.set(n / 2, row, std::conj(number));
            const ComplexSolution solution = solve_complex(context, system_of(a), by_ldlt(type));
            CHECK(solution.status == SolveStatus::singular);
            CHECK(solution.x.empty());
          }
      }
  });
}

TEST_CASE("L D L^H refuses a matrix that is not Hermitian and names the element") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const auto refused = [&](const ComplexMatrix& a, const char* text) {
      CHECK_THROWS_WITH_AS((void)solve_complex(context, system_of(a), by_ldlt()),
                           doctest::Contains(text), ValueError);
    };
    ComplexMatrix a = random_hermitian(200, 4);
    a.set(170, 3, {5, -1});
    refused(a, "A is not Hermitian, which the method ldlt needs: element (171, 4) is 5-1i");
    a = random_hermitian(20, 4);
    a.set(7, 7, {3, 0.5});
    refused(a, "element (8, 8) is 3+0.5i");
  });
}

TEST_CASE("L D L^H: beyond the range of f32, factors in f32 that are refined, every digit") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Index n = 70;
    ComplexMatrix a = random_hermitian(n, 8);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        const int power = 2 * (static_cast<int>(i + j) - static_cast<int>(n));
        a.set(i, j, {std::ldexp(a(i, j).real(), power), std::ldexp(a(i, j).imag(), power)});
      }
    SolveOptions options = by_ldlt(RealType::f32);
    options.accuracy = Accuracy::double_precision;
    for (const ComplexMatrix& each : {a, without_diagonal(n, 5), saddle_point(n, n / 3, 4)}) {
      const ComplexSolution solution = solve_complex(context, system_of(each), options);
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.method == Method::ldlt);
      CHECK(solution.residual.backward_error <= 1e-14);
    }
    CHECK(solve_complex(context, system_of(a), options).scaled_rows);
    options.type.reset();
    options.accuracy = Accuracy::maximum;
    const ComplexSolution most =
        solve_complex(context, system_of(random_hermitian(n, 12)), options);
    CHECK(most.status == SolveStatus::ok);
    CHECK(most.refinement.accepted);
  });
}

TEST_CASE("L D L^H: an answer whose residual is too large is computed again by LU") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const ComplexSystem system = system_of(random_hermitian(60, 3));
    SolveOptions options = by_ldlt();
    const ComplexSolution usual = solve_complex(context, system, options);
    REQUIRE(usual.method == Method::ldlt);
    REQUIRE(usual.residual.scaled > 0);
    options.max_scaled_residual = usual.residual.scaled / 2;
    const ComplexSolution by_lu = solve_complex(context, system, options);
    CHECK(by_lu.method == Method::lu);
    CHECK_FALSE(by_lu.inertia.has_value());
    CHECK(by_lu.passed_over.find("factors L D L^H left a scaled residual of") != std::string::npos);
  });
}

TEST_CASE("L D L^H: rook pivoting follows where the pivots of Bunch and Kaufman grow") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Index n = 200;  // 2^99
    const ComplexMatrix a = growing(n);
    for (const RealType type : types_of(device.profile)) {
      SolveOptions options = by_ldlt(type);
      const auto check = [&](const ComplexSolution& solution, bool rook = true) {
        CHECK(solution.status == SolveStatus::ok);
        CHECK(solution.method == Method::ldlt);
        CHECK((solution.pivoting == Pivoting::rook) == rook);
        CHECK(solution.inertia == Inertia{n / 2, n / 2, 0});
      };
      const ComplexSolution solution = solve_complex(context, system_of(a, 2), options);
      // What is refined may be good all the same.
      const bool grew = type == RealType::f32 || !solution.passed_over.empty();
      check(solution, grew);
      if (grew)
        CHECK(solution.passed_over.find("factors L D L^H left a scaled residual of") !=
              std::string::npos);
      CHECK(solution.passed_over.find("rook") == std::string::npos);
      options.determinant = options.trust = true;
      const ComplexSolution factors = solve_complex(context, {a, ComplexMatrix(n, 0)}, options);
      check(factors);
      CHECK(std::abs(factors.determinant.phase - 1.0) <= 0.01);
      CHECK(factors.determinant.relative_error < 1);
      CHECK(factors.passed_over.find("the pivots of factors L D L^H grew") != std::string::npos);
    }
    SolveOptions rook;
    rook.pivoting = Pivoting::rook;
    CHECK(solve_complex(context, system_of(a), rook).passed_over.empty());
    rook.method = Method::lu;
    CHECK_THROWS_AS((void)solve_complex(context, system_of(a), rook), UsageError);
  });
}

TEST_CASE("L D L^H: kernels that do not work are not used") {
  on_every_device([](const Device& device) {
    const ComplexSystem system = system_of(random_hermitian(120, 2));
    for (const char* faults : {"ldlt_cpu=wrong", "ldlt_cpu=build"}) {
      Context context = test::context_with_faults(device, faults);
      const ComplexSolution solution = solve_complex(context, system, by_ldlt());
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.method == Method::ldlt);
    }
    Context context = test::context_with_faults(device, "ldlt_cpu=wrong,ldlt=wrong");
    CHECK_THROWS_AS((void)solve_complex(context, system, by_ldlt()), NoUsableKernel);
  });
}
