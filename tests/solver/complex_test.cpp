#include <doctest/doctest.h>

#include <clgauss/complex.hpp>
#include <clgauss/device.hpp>
#include <clgauss/error.hpp>
#include <cmath>
#include <limits>

#include "kernels/common/cpu_tile.hpp"
#include "support/complex_matrices.hpp"
#include "support/devices.hpp"
#include "support/thorough.hpp"

#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <lapacke.h>
#endif

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::types_of;
using test::product;
using test::random_complex;
using Complex = std::complex<double>;

namespace {

/// CPUs whose work-items do not each run on a core of their own do the small sizes.
bool takes_complex(Context& context, Index n) {
  return n <= 129 || suits_cpu_kernels(context) || context.profile().type != DeviceType::cpu;
}

#ifdef CLGAUSS_TESTS_WITH_LAPACK
struct ByLapack {
  ComplexMatrix x;
  std::vector<Index> pivots;
  lapack_int info;
};

ByLapack by_lapack(const ComplexSystem& system) {
  const Index n = system.a.rows(), nrhs = system.b.cols();
  const auto numbers = [](const ComplexMatrix& matrix) {
    std::vector<Complex> values;
    for (Index i = 0; i < matrix.rows(); ++i)
      for (Index j = 0; j < matrix.cols(); ++j) values.push_back(matrix(i, j));
    return values;
  };
  std::vector<Complex> a = numbers(system.a), b = numbers(system.b);
  std::vector<lapack_int> exchanges(n);
  const auto theirs = [](std::vector<Complex>& values) {
    return reinterpret_cast<lapack_complex_double*>(values.data());
  };
  const auto size = static_cast<lapack_int>(n), columns = static_cast<lapack_int>(nrhs);
  const lapack_int info = LAPACKE_zgesv(LAPACK_ROW_MAJOR, size, columns, theirs(a), size,
                                        exchanges.data(), theirs(b), columns);
  ByLapack result{ComplexMatrix(n, nrhs, b), {}, info};
  for (const lapack_int row : exchanges) result.pivots.push_back(static_cast<Index>(row) - 1);
  return result;
}
#endif

}  // namespace

TEST_CASE("complex systems of every size: backward error, and LAPACK's exchanges" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : test::kSizesOfAllKinds) {
        if (!takes_complex(context, n)) continue;
        CAPTURE(n);
        const ComplexSystem system{random_complex(n, n, n), random_complex(n, n % 3 + 1, n + 1)};
        SolveOptions options;
        options.type = type;
        const ComplexSolution solution = solve_complex(context, system, options);
        CHECK(solution.status == SolveStatus::ok);
        CHECK(solution.type == type);
        REQUIRE(solution.x.rows() == n);
        REQUIRE(solution.x.cols() == n % 3 + 1);
        CHECK(solution.residual.scaled <= kScaledResidualBound);
#ifdef CLGAUSS_TESTS_WITH_LAPACK
        if (type == RealType::f32) continue;
        const ByLapack expected = by_lapack(system);
        CHECK(solution.pivot_rows == expected.pivots);
        const double theirs = compute_residual(system, expected.x, 0x1p-53).backward_error;
        CHECK(solution.residual.backward_error <= 10 * theirs + 0x1p-53);
#endif
      }
  });
}

TEST_CASE("a complex system whose answer is known, with real and imaginary parts in their places") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    // (1 + i) x + y = 2 + 3i, x - i y = 1: whole numbers all along.
    const std::vector<Complex> a{{1, 1}, {1, 0}, {1, 0}, {0, -1}}, x{{2, -1}, {3, 4}};
    const ComplexMatrix left(2, 2, a), answer(2, 1, x);
    const ComplexSolution solution = solve_complex(context, {left, product(left, answer)});
    REQUIRE(solution.status == SolveStatus::ok);
    for (Index i = 0; i < 2; ++i) CHECK(std::abs(solution.x(i, 0) - x[i]) <= 1e-5);
  });
}

TEST_CASE(
    "complex systems with columns and rows of very different sizes, in the range of the type") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      constexpr Index kN = 67;
      ComplexSystem system{random_complex(kN, kN, 3), random_complex(kN, 2, 4)};
      for (Index i = 0; i < kN; ++i) {
        for (Index j = 0; j < 2 * kN; ++j)
          system.a.parts()(i, j) =
              std::ldexp(system.a.parts()(i, j), static_cast<int>(j / 2 * 9) - 300);
        for (Index c = 0; c < 4; ++c) system.b.parts()(i, c) *= 1e200;
      }
      SolveOptions options;
      options.type = type;
      const ComplexSolution solution = solve_complex(context, system, options);
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.residual.scaled <= kScaledResidualBound);
    }
  });
}

TEST_CASE("a singular complex matrix: the column is named, as LAPACK does, and there is no x") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index zero : {0, 40, 69}) {
        constexpr Index kN = 70;
        ComplexSystem system{random_complex(kN, kN, 5), random_complex(kN, 1, 6)};
        for (Index i = 0; i < kN; ++i) system.a.set(i, zero, 0);
        SolveOptions options;
        options.type = type;
        const ComplexSolution solution = solve_complex(context, system, options);
        CHECK(solution.status == SolveStatus::singular);
        CHECK(solution.failed_column == zero);
        CHECK(solution.failed_pivot == 0);
        CHECK(solution.x.empty());
      }
  });
}

TEST_CASE("of rows that are equally good pivots the first is taken") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    constexpr Index kN = 131;
    ComplexSystem system{random_complex(kN, kN, 9), random_complex(kN, 1, 10)};
    const Complex units[] = {{0, 1}, {-1, 0}, {0.5, -0.5}, {1, 0}};
    for (Index i = 0; i < kN; ++i) system.a.set(i, 0, i == 0 ? Complex(0.25) : units[i % 4]);
    const ComplexSolution solution = solve_complex(context, system);
    CHECK(solution.status == SolveStatus::ok);
    CHECK(solution.pivot_rows[0] == 1);
  });
}

TEST_CASE("NaN and Inf in complex systems leave no x") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const double bad :
         {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
      for (const bool in_a : {true, false}) {
        ComplexSystem system{random_complex(20, 20, 7), random_complex(20, 1, 8)};
        (in_a ? system.a : system.b).set(11, 0, {1, bad});
        const ComplexSolution solution = solve_complex(context, system);
        CHECK(solution.status == (in_a ? SolveStatus::singular : SolveStatus::overflow));
        CHECK(solution.x.empty());
      }
  });
}

TEST_CASE("the complex residual is that of the real system it stands for, but for moduli") {
  const ComplexSystem system{random_complex(30, 30, 1), random_complex(30, 2, 2)};
  const ComplexMatrix x = random_complex(30, 2, 3);
  const ComplexMatrix ax = product(system.a, x);
  double residual[2] = {}, of_x[2] = {}, of_b[2] = {}, of_a = 0, worst = 0;
  for (Index i = 0; i < 30; ++i) {
    double sum = 0;
    for (Index j = 0; j < 30; ++j) sum += std::abs(system.a(i, j));
    of_a = std::max(of_a, sum);
    for (Index c = 0; c < 2; ++c) {
      residual[c] = std::max(residual[c], std::abs(system.b(i, c) - ax(i, c)));
      of_x[c] = std::max(of_x[c], std::abs(x(i, c)));
      of_b[c] = std::max(of_b[c], std::abs(system.b(i, c)));
    }
  }
  for (Index c = 0; c < 2; ++c) worst = std::max(worst, residual[c] / (of_a * of_x[c] + of_b[c]));
  const Residual found = compute_residual(system, x, 0x1p-53);
  CHECK(found.backward_error == doctest::Approx(worst));
  CHECK(found.scaled == doctest::Approx(worst * 0x1p53 / 30));
}

TEST_CASE("what is no complex system is refused, and an empty one has the empty answer") {
  CHECK_THROWS_AS(ComplexMatrix(Matrix(2, 3)), DimensionError);
  CHECK_THROWS_AS(ComplexMatrix(2, 2, std::vector<Complex>(3)), DimensionError);
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    CHECK_THROWS_AS((void)solve_complex(context, {ComplexMatrix(3, 2), ComplexMatrix(3, 1)}),
                    DimensionError);
    CHECK_THROWS_AS((void)solve_complex(context, {ComplexMatrix(3, 3), ComplexMatrix(2, 1)}),
                    DimensionError);
    const ComplexSolution empty = solve_complex(context, {ComplexMatrix(), ComplexMatrix()});
    CHECK(empty.status == SolveStatus::ok);
    CHECK(empty.x.rows() == 0);
  });
}
