// Batches by L D L^T of symmetric matrices that may be indefinite.
#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/batched.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <cmath>
#include <functional>
#include <string>

#include "constants.hpp"
#include "kernels/batched/batched_backend.hpp"
#include "matrix/transfer.hpp"
#include "support/bits.hpp"
#include "support/devices.hpp"
#include "support/indefinite.hpp"
#include "support/padded_matrix.hpp"
#include "support/thorough.hpp"

#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <lapacke.h>
#endif

using namespace clgauss;
using clgauss::test::all_nan;
using clgauss::test::exchange_matrix;
using clgauss::test::indefinite_kinds;
using clgauss::test::interior_point;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::random_symmetric;
using clgauss::test::rounded;
using clgauss::test::saddle_point;
using clgauss::test::types_of;
using clgauss::test::without_diagonal;

namespace {

Batch stack_of(const std::vector<Matrix>& matrices, RealType type) {
  const Index n = matrices.front().rows(), cols = matrices.front().cols();
  Batch batch{matrices.size(), n, cols, {}};
  for (const Matrix& matrix : matrices) {
    const Matrix exact = rounded(matrix, type);
    batch.values.insert(batch.values.end(), exact.values().begin(), exact.values().end());
  }
  return batch;
}

/// Two systems of every kind of matrix, in turn.
BatchedSystem every_kind(Index n, Index nrhs, RealType type) {
  std::vector<Matrix> matrices, sides;
  for (int repeat = 0; repeat < 2; ++repeat)
    for (const test::IndefiniteKind& kind : indefinite_kinds()) {
      matrices.push_back(n == 1 ? random_symmetric(1, matrices.size() + 1) : kind.make(n));
      sides.push_back(random_matrix(n, nrhs, 100 + matrices.size()));
    }
  return {stack_of(matrices, type), stack_of(sides, type)};
}

BatchedSystem with_ones(const std::vector<Matrix>& matrices, RealType type) {
  const Index n = matrices.front().rows();
  Batch b{matrices.size(), n, 1, Values(matrices.size() * n, 1.0)};
  return {stack_of(matrices, type), std::move(b)};
}

BatchedSolution solve_symmetric(Context& context, const BatchedSystem& system, RealType type,
                                Index chunk = 0) {
  BatchedOptions options;
  options.type = type;
  options.lu.symmetric = true;
  options.chunk = chunk;
  return solve_batched(context, system, options);
}

void on_every_type(const std::function<void(Context&, RealType)>& body) {
  on_every_device([&](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      CAPTURE(std::string(real_type_name(type)));
      body(context, type);
    }
  });
}

const std::vector<Index> kLdltSizes{1, 2, 3, 15, 16, 17, 31, 33, 64, 100, 129, 255, 256};

/// norm1(P A P^T - L D L^T) / (n norm1(A) eps) of the factors in the lower triangle.
double error_of_ldlt(std::span<const double> a, std::span<const double> factors,
                     std::span<const cl_int> permutation, Index n, double eps) {
  Matrix l(n, n), ld(n, n);
  std::vector<Index> rows(n);
  for (Index i = 0; i < n; ++i) {
    const cl_int entry = permutation[i];
    rows[i] = static_cast<Index>(entry < 0 ? -1 - entry : entry);
    l(i, i) = 1;
    for (Index j = 0; j < i; ++j) l(i, j) = factors[i * n + j];
  }
  for (Index k = 0; k + 1 < n; ++k)
    if (permutation[k] < 0) l(k + 1, k) = 0;
  for (Index k = 0; k < n; ++k) {
    const bool first = permutation[k]<0, second = k> 0 && permutation[k - 1] < 0;
    for (Index i = 0; i < n; ++i) {
      ld(i, k) = l(i, k) * factors[k * n + k];
      if (first) ld(i, k) += l(i, k + 1) * factors[(k + 1) * n + k];
      if (second) ld(i, k) += l(i, k - 1) * factors[k * n + k - 1];
    }
  }
  double error = 0, norm = 0;
  for (Index j = 0; j < n; ++j) {
    double column_error = 0, column = 0;
    for (Index i = 0; i < n; ++i) {
      double product = 0;
      for (Index k = 0; k <= j; ++k) product += ld(i, k) * l(j, k);
      const double original = a[rows[i] * n + rows[j]];
      column_error += std::abs(original - product);
      column += std::abs(original);
    }
    error = std::max(error, column_error);
    norm = std::max(norm, column);
  }
  return error / (static_cast<double>(n) * norm * eps);
}

}  // namespace

TEST_CASE("batched L D L^T: answers of every size and kind of matrix" *
          test::also_on_slow_devices) {
  on_every_type([](Context& context, RealType type) {
    for (const Index n : test::some_of(kLdltSizes, 4))
      for (const Index nrhs : {Index{1}, Index{3}, Index{11}}) {
        if (n > 33 && (nrhs != 1 || test::is_slow(context))) continue;
        CAPTURE(n);
        CAPTURE(nrhs);
        const BatchedSolution solution = solve_symmetric(context, every_kind(n, nrhs, type), type);
        CHECK(solution.status == SolveStatus::ok);
        CHECK(solution.worst.scaled <= kScaledResidualBound);
        CHECK(solution.kernel.starts_with("ldlt "));
      }
    const BatchedSolution none = solve_symmetric(context, every_kind(3, 0, type), type);
    CHECK(none.status == SolveStatus::ok);
  });
}

TEST_CASE("batched L D L^T: the inertia of every system") {
  on_every_type([](Context& context, RealType type) {
    for (const Index n : test::some_of(std::vector<Index>{2, 3, 16, 33, 129, 256}, 2)) {
      if (n > 33 && test::is_slow(context)) continue;
      CAPTURE(n);
      Matrix negative = generate_matrix("spd", n, 2);
      for (double& value : negative.values()) value = -value;
      const BatchedSolution solution =
          solve_symmetric(context,
                          with_ones({generate_matrix("spd", n, 2), saddle_point(n, n / 3, 0, 5),
                                     exchange_matrix(n), negative, Matrix(n, n)},
                                    type),
                          type, 2);
      CHECK(solution.inertias ==
            std::vector<Inertia>{
                {n, 0, 0}, {n - n / 3, n / 3, 0}, {(n + 1) / 2, n / 2, 0}, {0, n, 0}, {0, 0, n}});
      CHECK(solution.singular == std::vector<Index>{4});
    }
  });
}

TEST_CASE("batched L D L^T: singular systems and NaN are named and leave the others as they are") {
  on_every_type([](Context& context, RealType type) {
    for (const Index n : {Index{1}, Index{3}, Index{17}, Index{65}}) {
      if (n > 33 && test::is_slow(context)) continue;
      CAPTURE(n);
      BatchedSystem system = every_kind(n, 2, type);
      const BatchedSolution before = solve_symmetric(context, system, type);
      const auto zero = system.a.matrix(2), not_a_number = system.a.matrix(5);
      for (Index i = 0; i < n; ++i) zero[i * n + n - 1] = zero[(n - 1) * n + i] = 0;
      not_a_number[0] = kNaN;
      const BatchedSolution solution = solve_symmetric(context, system, type);
      CHECK(solution.status == SolveStatus::singular);
      CHECK(solution.singular == std::vector<Index>{2, 5});
      CHECK(solution.failed_columns == std::vector<Index>{n - 1, 0});
      for (Index s = 0; s < system.a.count; ++s)
        if (s == 2 || s == 5)
          CHECK(all_nan(solution.x.matrix(s)));
        else
          CHECK(test::same_bits(solution.x.matrix(s), before.x.matrix(s)));
    }
  });
}

TEST_CASE("batched L D L^T: a work-group's next system is not told by the one before") {
  on_every_type([](Context& context, RealType type) {
    const Index n = 20, few = 3;
    const Index count = 40 * (test::is_slow(context) ? 2 : context.profile().compute_units);
    std::vector<Matrix> matrices;
    for (Index s = 0; s < count; ++s) matrices.push_back(random_symmetric(n, s + 1));
    BatchedSystem system = with_ones(matrices, type);
    system.a.matrix(1)[0] = kNaN;
    const auto zero = system.a.matrix(2);
    for (Index i = 0; i < n; ++i) zero[i * n + n - 1] = zero[(n - 1) * n + i] = 0;
    const BatchedSolution all = solve_symmetric(context, system, type),
                          apart = solve_symmetric(context, system, type, few);
    CHECK(all.singular == std::vector<Index>{1, 2});
    CHECK(apart.singular == all.singular);
    for (Index s = 0; s < count; ++s) {
      if (s == 1) continue;
      CHECK(all.inertias[s] == apart.inertias[s]);
      if (s != 2) CHECK(test::same_bits(all.x.matrix(s), apart.x.matrix(s)));
    }
  });
}

TEST_CASE("batched L D L^T: a bound that underflows takes no pivot of 0 above other numbers") {
  on_every_type([](Context& context, RealType type) {
    const double e = type == RealType::f64 ? 1e-170 : 1e-23;
    Matrix a(4, 4);
    a(0, 1) = a(1, 0) = e;
    a(1, 2) = a(2, 1) = 1;
    a(2, 2) = 2;
    a(2, 3) = a(3, 2) = 0.5;
    a(3, 3) = 3;
    BatchedSystem system = with_ones({a}, type);
    for (Index i = 0; i < 4; ++i) {
      double sum = 0;
      for (Index j = 0; j < 4; ++j) sum += system.a.matrix(0)[i * 4 + j];
      system.b.matrix(0)[i] = static_cast<double>(static_cast<float>(sum));
    }
    const BatchedSolution solution = solve_symmetric(context, system, type);
    CHECK(solution.status == SolveStatus::ok);
    CHECK(solution.inertias == std::vector<Inertia>{{3, 1, 0}});
  });
}

TEST_CASE("batched L D L^T: chunks and repetitions give the same bits") {
  on_every_type([](Context& context, RealType type) {
    const BatchedSystem system = every_kind(19, 2, type);
    const BatchedSolution whole = solve_symmetric(context, system, type);
    for (const Index chunk : {Index{0}, Index{1}, Index{5}}) {
      const BatchedSolution again = solve_symmetric(context, system, type, chunk);
      CHECK(test::same_bits(again.x.values, whole.x.values));
      CHECK(again.inertias == whole.inertias);
    }
  });
}

TEST_CASE("batched L D L^T: numbers beyond the range of the type are scaled symmetrically") {
  on_every_type([](Context& context, RealType type) {
    for (const int exponent :
         {type == RealType::f32 ? -200 : -900, type == RealType::f32 ? 200 : 900}) {
      CAPTURE(exponent);
      BatchedSystem system = every_kind(20, 1, type);
      for (double& value : system.a.matrix(1)) value = std::ldexp(value, exponent);
      const BatchedSolution solution = solve_symmetric(context, system, type);
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.inertias[1] ==
            solve_symmetric(context, every_kind(20, 1, type), type).inertias[1]);
    }
  });
}

TEST_CASE("batched L D L^T: rcond of every system") {
  on_every_type([](Context& context, RealType type) {
    BatchedOptions options;
    options.type = type;
    options.lu.symmetric = true;
    options.trust = true;
    Matrix graded(3, 3);
    graded(0, 1) = graded(1, 0) = 1;
    graded(2, 2) = 1.0 / 64;
    const BatchedSolution solution =
        solve_batched(context, with_ones({exchange_matrix(3), graded}, type), options);
    REQUIRE(solution.trust.has_value());
    CHECK(solution.trust->worst_system == 1);
    CHECK(solution.trust->worst_rcond == doctest::Approx(1.0 / 64));
    CHECK(solution.trust->below_eps == 0);
    CHECK(solution.inertias == std::vector<Inertia>{{2, 1, 0}, {2, 1, 0}});
  });
}

TEST_CASE("batched L D L^T: systems whose pivots grow are solved again by rook pivoting") {
  on_every_type([](Context& context, RealType type) {
    const Index n = 200;  // 2^99
    const std::vector<Matrix> matrices{test::random_symmetric(n, 1), test::growing(n),
                                       test::random_symmetric(n, 2), test::growing(n)};
    BatchedSystem system = with_ones(matrices, type);
    const Matrix b = random_matrix(n, 4, 3);
    for (Index i = 0; i < b.values().size(); ++i) system.b.values[i] = b.values()[i];
    const BatchedSolution solution = solve_symmetric(context, system, type);
    CHECK(solution.status == SolveStatus::ok);
    CHECK(solution.solved_again == std::vector<Index>{1, 3});
    CHECK(solution.worst.scaled <= kScaledResidualBound);
    for (const Index s : {1, 3}) {
      CHECK(solution.inertias.at(s) == Inertia{n / 2, n / 2, 0});
      Matrix x(n, 1), of_b(n, 1);
      std::ranges::copy(solution.x.matrix(s), x.values().begin());
      std::ranges::copy(system.b.matrix(s), of_b.values().begin());
      CHECK(compute_residual({matrices[s], of_b}, x, unit_roundoff(type)).scaled <=
            kScaledResidualBound);
    }
    BatchedOptions options;
    options.type = type;
    options.lu.symmetric = true;
    options.max_scaled_residual = 1e-9;  // no growth, and nothing that could help
    const BatchedSolution strict = solve_batched(context, with_ones({matrices[0]}, type), options);
    CHECK(strict.status == SolveStatus::inaccurate);
    CHECK(strict.solved_again.empty());
  });
}

TEST_CASE("batched L D L^T: what is not symmetric, complex or too large is refused") {
  Context context(open_device(), ContextOptions::from_environment());
  BatchedSystem system = every_kind(4, 1, RealType::f32);
  system.a.matrix(3)[1] += 1;  // element (0, 1)
  try {
    (void)solve_symmetric(context, system, RealType::f32);
    FAIL("an asymmetric system was solved");
  } catch (const ValueError& error) {
    const std::string text = error.what();
    CHECK(text.starts_with(
        "system [3]: A is not symmetric, which the method ldlt needs: element (2, 1) is "));
  }
  BatchedLuOptions options;
  options.symmetric = true;
  CHECK_THROWS_AS((BatchedLu{context, RealType::f32, 257, options}), DimensionError);
  CHECK_THROWS_AS((BatchedLu{context, RealType::f32, 0, options}), DimensionError);
  for (const BatchedKernel kernel : {BatchedKernel::cpu, BatchedKernel::tile, BatchedKernel::panels,
                                     BatchedKernel::blocks, BatchedKernel::each}) {
    options.kernel = kernel;
    CHECK_THROWS_AS((BatchedLu{context, RealType::f32, 8, options}), DeviceLimit);
  }
  options.kernel = BatchedKernel::automatic;
  options.complex = true;
  CHECK_THROWS_AS((BatchedLu{context, RealType::f32, 8, options}), DeviceLimit);
  CHECK(BatchedLu(context, RealType::f32, 8).inertias().empty());
}

TEST_CASE("batched L D L^T: factors of the lower triangles alone, padded, by every kernel" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    struct Way {
      bool cpu, packed;
    };
    for (const RealType type : types_of(device.profile))
      for (const auto& [cpu, packed] : {Way{true, false}, {false, true}, {false, false}})
        for (const Index n : cpu ? std::vector<Index>{1, 3, 17, 33, 129, 256}
                                 : std::vector<Index>{1, 2, 5, 17, 33, 70}) {
          if (cpu && !batched_ldlt_cpu_variant().lacks(context).empty()) continue;
          if (n > 33 && test::is_slow(context)) continue;
          if (!test::thorough() && n > 17 && n != 33) continue;
          CAPTURE(std::string(real_type_name(type)));
          CAPTURE(cpu);
          CAPTURE(packed);
          CAPTURE(n);
          const Index nrhs = n % 2 == 0 ? 1 : 3;
          const BatchedSystem system = every_kind(n, nrhs, type);
          const Index batch = system.a.count;
          Matrix lower(batch * n, n, system.a.values), sides(batch * n, nrhs, system.b.values);
          for (Index s = 0; s < batch; ++s)
            for (Index i = 0; i < n; ++i)
              for (Index j = i + 1; j < n; ++j) lower(s * n + i, j) = 77;
          const PaddedMatrix a(context, type, lower, 5, 3), b(context, type, sides, 5, 3),
              at_once(context, type, sides, 5, 3);
          const auto view = [&](const PaddedMatrix& m) {
            return BatchView{m.view.buffer, m.view.offset, m.view.ld, n * m.view.ld};
          };
          const cl::Buffer permutation = context.allocate(batch * n * sizeof(cl_int), "a test"),
                           info = context.allocate(batch * sizeof(cl_int), "a test");
          const auto backend = make_batched_ldlt(context, type, n, cpu, packed);
          backend->factor_and_solve(context.queue(), view(a), view(at_once), nrhs, batch, info);
          const auto inertias = backend->inertias(context.queue());
          const BatchFactors factors{view(a), batch, permutation, info};
          backend->factor(context.queue(), factors);
          backend->solve(context.queue(), factors, view(b), nrhs);
          REQUIRE(inertias.size() == batch);
          CHECK(backend->inertias(context.queue()) == inertias);
          CHECK(test::read_ints(context, info, batch) == std::vector<cl_int>(batch, 0));
          const auto rows = test::read_ints(context, permutation, batch * n);
          const Matrix written = a.read(context, type), x = b.read(context, type),
                       same = at_once.read(context, type);
          const double eps = unit_roundoff(type);
          for (Index s = 0; s < batch; ++s) {
            CAPTURE(s);
            const auto part = [&](const Matrix& m) {
              return std::span(m.values()).subspan(s * n * m.cols(), n * m.cols());
            };
            CHECK(error_of_ldlt(system.a.matrix(s), part(written),
                                std::span(rows).subspan(s * n, n), n, eps) <= 30);
            bool untouched = true;
            for (Index i = 0; i < n; ++i)
              for (Index j = i + 1; j < n; ++j) untouched &= written(s * n + i, j) == 77;
            CHECK(untouched);
            for (const Matrix* answer : {&x, &same})
              CHECK(compute_residual(n, nrhs, system.a.matrix(s), system.b.matrix(s), part(*answer),
                                     eps)
                        .scaled <= kScaledResidualBound);
          }
        }
  });
}

#ifdef CLGAUSS_TESTS_WITH_LAPACK
namespace {

template <typename Real>
double lapacks_backward_error(const BatchedSystem& system, Index s, std::vector<lapack_int>& ipiv,
                              double eps) {
  const Index n = system.a.rows;
  const auto order = static_cast<lapack_int>(n);
  const auto a = system.a.matrix(s), b = system.b.matrix(s);
  std::vector<Real> factors(a.begin(), a.end()), x(b.begin(), b.end());
  const auto sysv = [&] {
    if constexpr (sizeof(Real) == 4)
      return LAPACKE_ssysv(LAPACK_COL_MAJOR, 'L', order, 1, factors.data(), order, ipiv.data(),
                           x.data(), order);
    else
      return LAPACKE_dsysv(LAPACK_COL_MAJOR, 'L', order, 1, factors.data(), order, ipiv.data(),
                           x.data(), order);
  };
  REQUIRE(sysv() == 0);
  return compute_residual(n, 1, a, b, Values(x.begin(), x.end()), eps).backward_error;
}

}  // namespace

TEST_CASE("batched L D L^T: pivots and backward error beside LAPACK's sysv") {
  on_every_type([](Context& context, RealType type) {
    const double eps = unit_roundoff(type);
    for (const Index n : test::some_of(kLdltSizes, 2)) {
      if (n > 33 && test::is_slow(context)) continue;
      CAPTURE(n);
      const BatchedSystem system = every_kind(n, 1, type);
      const Index batch = system.a.count;
      BatchedLuOptions options;
      options.symmetric = true;
      BatchedLu lu(context, type, n, options);
      const auto buffer = [&](const Batch& of) {
        const Matrix values(1, of.values.size(), of.values);
        return BatchView{to_device(context, type, values, values.cols(), "a test's batch").buffer,
                         0, of.cols, of.rows * of.cols};
      };
      const cl::Buffer permutation = context.allocate(batch * n * sizeof(cl_int), "a test"),
                       info = context.allocate(batch * sizeof(cl_int), "a test");
      const BatchView x = buffer(system.b);
      lu.solve(lu.factor(buffer(system.a), batch, permutation, info), x, 1);
      const auto rows = test::read_ints(context, permutation, batch * n);
      const Values answers = download(context.queue(), x.buffer, type, batch * n);
      for (Index s = 0; s < batch; ++s) {
        CAPTURE(s);
        std::vector<lapack_int> ipiv(n);
        const double theirs = type == RealType::f32
                                  ? lapacks_backward_error<float>(system, s, ipiv, eps)
                                  : lapacks_backward_error<double>(system, s, ipiv, eps);
        const double ours = compute_residual(n, 1, system.a.matrix(s), system.b.matrix(s),
                                             std::span(answers).subspan(s * n, n), eps)
                                .backward_error;
        CHECK(ours <= 8 * theirs + 8 * eps);
        if (s != 4 && s != 10) continue;  // "across", whose pivots no rounding changes
        std::vector<cl_int> order(n);
        for (Index i = 0; i < n; ++i) order[i] = static_cast<cl_int>(i);
        for (Index k = 0; k < n; ++k) {
          if (ipiv[k] > 0) {
            std::swap(order[k], order[static_cast<Index>(ipiv[k] - 1)]);
            continue;
          }
          std::swap(order[k + 1], order[static_cast<Index>(-ipiv[k + 1] - 1)]);
          order[k] = -1 - order[k];
          ++k;
        }
        CHECK(std::ranges::equal(order, std::span(rows).subspan(s * n, n)));
      }
    }
  });
}
#endif
