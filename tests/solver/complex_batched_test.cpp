#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <clgauss/batched.hpp>
#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <cmath>
#include <complex>
#include <functional>
#include <utility>

#include "constants.hpp"
#include "matrix/transfer.hpp"
#include "support/bits.hpp"
#include "support/devices.hpp"
#include "support/thorough.hpp"

#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <lapacke.h>
#endif

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::types_of;
using Complex = std::complex<double>;

namespace {

Batch random_numbers(Index count, Index rows, Index cols, RealType type, unsigned seed) {
  Matrix values = random_matrix(1, count * rows * 2 * cols, seed);
  if (type == RealType::f32)
    for (double& v : values.values()) v = static_cast<double>(static_cast<float>(v));
  return {count, rows, 2 * cols, {values.values().begin(), values.values().end()}};
}

void set(Batch& batch, Index s, Index i, Index j, Complex value) {
  double* const number = batch.matrix(s).data() + i * batch.cols + 2 * j;
  number[0] = value.real();
  number[1] = value.imag();
}

Complex at(const Batch& batch, Index s, Index i, Index j) {
  const double* const number = batch.matrix(s).data() + i * batch.cols + 2 * j;
  return {number[0], number[1]};
}

/// Random systems; in turn as they are, with a zero leading pivot, with a first column of equal
/// |re| + |im|, with graded rows.
BatchedSystem complex_batch(Index batch, Index n, Index nrhs, RealType type) {
  BatchedSystem system{random_numbers(batch, n, n, type, 11),
                       random_numbers(batch, n, nrhs, type, 12), false, true};
  for (Index s = 0; s < batch; ++s) {
    if (s % 4 == 1 && n > 1) set(system.a, s, 0, 0, 0);
    if (s % 4 == 2)
      for (Index i = 0; i < n; ++i)
        set(system.a, s, i, 0, i % 3 == 1 ? Complex(0, -0.5) : Complex(0.25, 0.25));
    if (s % 4 == 3)
      for (Index i = 0; i < n; ++i)
        for (double& part : system.a.matrix(s).subspan(2 * i * n, 2 * n))
          part = std::ldexp(part, static_cast<int>(i % 8) - 4);
  }
  return system;
}

/// The same Hermitian and positive definite, and graded by rows and columns in turn; a power of two
/// a system.
BatchedSystem definite_complex_batch(Index batch, Index n, Index nrhs, RealType type,
                                     int exponent) {
  BatchedSystem system = complex_batch(batch, n, nrhs, type);
  for (Index s = 0; s < batch; ++s) {
    const auto size = [&](Index i) { return s % 4 == 3 ? static_cast<int>(i % 8) - 4 : 0; };
    for (Index i = 0; i < n; ++i) {
      set(system.a, s, i, i, 32 * static_cast<double>(n));  // rows have numbers of up to 8
      for (Index j = 0; j < i; ++j) set(system.a, s, j, i, std::conj(at(system.a, s, i, j)));
    }
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        const double by = std::ldexp(1.0, size(i) + size(j) + exponent);
        set(system.a, s, i, j, at(system.a, s, i, j) * by);
      }
  }
  return system;
}

/// Every type that the device has, by the kernels that it chooses, and f64 by the others, too.
void on_every_complex_kernel(
    const std::function<void(Context&, RealType, const BatchedLuOptions&)>& body) {
  on_every_device([&](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const BatchedKernel kernel :
           {BatchedKernel::automatic, BatchedKernel::tile, BatchedKernel::panels}) {
        if (kernel != BatchedKernel::automatic && type == RealType::f32) continue;
        BatchedLuOptions options{kernel};
        options.complex = true;
        CAPTURE(std::string(complex_type_name(type)));
        CAPTURE(batched_kernel_name(kernel));
        body(context, type, options);
      }
  });
}

/// Whether these kernels take a system of n; `small` are the sizes that are enough of those that
/// the device does not choose by itself.
bool takes(Context& context, const BatchedLuOptions& lu, Index n,
           std::initializer_list<Index> small) {
  if (n > 33 && test::is_slow(context)) return false;
  return lu.kernel == BatchedKernel::automatic || std::ranges::count(small, n) > 0 ||
         (lu.kernel == BatchedKernel::panels && n == 256);
}

BatchedSolution answer(Context& context, const BatchedSystem& system, RealType type,
                       const BatchedLuOptions& lu = {}) {
  BatchedOptions options;
  options.type = type;
  options.lu = lu;
  return solve_batched(context, system, options);
}

BatchView on_device(Context& context, RealType type, const Batch& batch) {
  const Matrix values(1, batch.values.size(), batch.values);
  return {to_device(context, type, values, values.cols(), "a test's batch").buffer, 0,
          batch.cols / 2, batch.rows * batch.cols / 2};
}

ComplexMatrix matrix_of(const Batch& batch, Index s) {
  const auto parts = batch.matrix(s);
  return ComplexMatrix(Matrix(batch.rows, batch.cols, {parts.begin(), parts.end()}));
}

#ifdef CLGAUSS_TESTS_WITH_LAPACK
/// The largest |L D^1/2 - zpotrf's factor| over the largest number of system s; `lu` has L and D.
double difference_from_zpotrf(const Batch& a, const Batch& lu, Index s) {
  const Index n = a.rows;
  std::vector<Complex> factor;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) factor.push_back(at(a, s, i, j));
  const auto order = static_cast<lapack_int>(n);
  REQUIRE(LAPACKE_zpotrf(LAPACK_ROW_MAJOR, 'L', order,
                         reinterpret_cast<lapack_complex_double*>(factor.data()), order) == 0);
  double difference = 0, largest = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j) {
      const Complex l = i == j ? Complex(1) : at(lu, s, i, j);
      difference =
          std::max(difference, std::abs(l * std::sqrt(at(lu, s, j, j).real()) - factor[i * n + j]));
      largest = std::max(largest, std::abs(factor[i * n + j]));
    }
  return difference / largest;
}
#endif

/// The largest |P A - L U| over n max |A| eps, and NaN where an |l| is above sqrt(2) by more than
/// rounding.
double error_of_complex_factors(const Batch& a, const Batch& lu, Index s,
                                std::span<const cl_int> permutation, double eps) {
  const Index n = a.rows;
  double error = 0, largest = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      if (j < i && !(std::abs(at(lu, s, i, j)) <= std::sqrt(2.0) + 8 * eps)) return kNaN;
      const Complex original = at(a, s, static_cast<Index>(permutation[i]), j);
      Complex difference = original;
      for (Index k = 0; k <= std::min(i, j); ++k)
        difference -= (k == i ? Complex(1) : at(lu, s, i, k)) * at(lu, s, k, j);
      error = std::max(error, std::abs(difference));
      largest = std::max(largest, std::abs(original));
    }
  return error / (static_cast<double>(n) * largest * eps);
}

/// n, batch and number of right-hand sides.
const std::vector<std::array<Index, 3>> kShapes{{1, 5, 1},    {2, 300, 3}, {7, 100, 1}, {8, 37, 3},
                                                {17, 20, 17}, {33, 5, 1},  {48, 5, 1},  {49, 3, 2},
                                                {96, 3, 1},   {97, 3, 9},  {128, 4, 1}, {129, 5, 1},
                                                {200, 3, 3},  {255, 2, 8}, {256, 4, 1}, {7, 5, 0}};

}  // namespace

TEST_CASE("complex batches: answers are right for every n, batch and number of right-hand sides" *
          test::also_on_slow_devices) {
  on_every_complex_kernel([](Context& context, RealType type, const BatchedLuOptions& lu) {
    for (const auto& [n, batch, nrhs] : test::some_of(kShapes, 4)) {
      if (!takes(context, lu, n, {7, 33})) continue;
      CAPTURE(n);
      CAPTURE(batch);
      CAPTURE(nrhs);
      const BatchedSystem system = complex_batch(batch, n, nrhs, type);
      const BatchedSolution solution = answer(context, system, type, lu);
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.x.cols == 2 * nrhs);
      CHECK(solution.worst.scaled <= kScaledResidualBound);
      double worst = 0;
      for (Index s = 0; s < batch; ++s)
        worst = std::max(worst, compute_residual({matrix_of(system.a, s), matrix_of(system.b, s)},
                                                 matrix_of(solution.x, s), unit_roundoff(type))
                                    .scaled);
      CHECK(worst <= kScaledResidualBound);
      // In f64 both are rounding errors of the same size.
      if (type == RealType::f32)
        CHECK(solution.worst.scaled == doctest::Approx(worst).epsilon(1e-6));
    }
  });
}

TEST_CASE("complex batches: a singular system and a NaN are named and leave the others") {
  on_every_complex_kernel([](Context& context, RealType type, const BatchedLuOptions& lu) {
    for (const auto& [n, nrhs] : test::some_of(
             std::vector<std::pair<Index, Index>>{{3, 1}, {8, 2}, {40, 1}, {129, 2}}, 2)) {
      if (!takes(context, lu, n, {8})) continue;
      CAPTURE(n);
      const BatchedSystem whole = complex_batch(21, n, nrhs, type);
      BatchedSystem spoilt = whole;
      for (Index i = 0; i < n; ++i) set(spoilt.a, 9, i, n - 1, 0);  // a zero column
      set(spoilt.a, 12, n - 1, n - 1, {1, kNaN});
      const BatchedSolution expected = answer(context, whole, type, lu);
      const BatchedSolution solution = answer(context, spoilt, type, lu);
      CHECK(solution.status == SolveStatus::singular);
      REQUIRE(solution.singular == std::vector<Index>{9, 12});
      CHECK(solution.failed_columns[0] == n - 1);
      for (Index s = 0; s < 21; ++s)
        if (s == 9 || s == 12)
          CHECK(std::ranges::all_of(solution.x.matrix(s), [](double v) { return std::isnan(v); }));
        else
          CHECK(test::same_bits(solution.x.matrix(s), expected.x.matrix(s)));
    }
  });
}

TEST_CASE("complex batches: factors in the caller's buffers, padded, and solves with them") {
  on_every_complex_kernel([](Context& context, RealType type, const BatchedLuOptions& options) {
    for (const Index n : test::some_of(std::vector<Index>{1, 7, 33, 100, 129, 256}, 2)) {
      if (!takes(context, options, n, {7})) continue;
      CAPTURE(n);
      constexpr Index kBatch = 5, kNrhs = 3, kOffset = 5;
      const double eps = unit_roundoff(type);
      const BatchedSystem system = complex_batch(kBatch, n, kNrhs, type);
      // Rows n + 2 apart, matrices 3 numbers apart; what lies between must stay.
      const Index ld = n + 2, stride = n * ld + 3, size = 2 * (kOffset + kBatch * stride);
      Batch padded{1, 1, size, Values(size, 77.0)};
      const auto place = [&](Index s, Index i) {
        return static_cast<std::ptrdiff_t>(2 * (kOffset + s * stride + i * ld));
      };
      for (Index s = 0; s < kBatch; ++s)
        for (Index i = 0; i < n; ++i)
          std::ranges::copy(system.a.matrix(s).subspan(2 * i * n, 2 * n),
                            padded.values.begin() + place(s, i));
      const BatchView a{on_device(context, type, padded).buffer, kOffset, ld, stride},
          b = on_device(context, type, system.b), x = on_device(context, type, system.b);
      const cl::Buffer permutation = context.allocate(kBatch * n * sizeof(cl_int), "a test"),
                       info = context.allocate(kBatch * sizeof(cl_int), "a test");
      BatchedLu lu(context, type, n, options);
      lu.factor_and_solve(a, x, kNrhs, kBatch, info);
      CHECK(download(context.queue(), a.buffer, type, size) == padded.values);
      lu.solve(lu.factor(a, kBatch, permutation, info), b, kNrhs);
      CHECK(test::read_ints(context, info, kBatch) == std::vector<cl_int>(kBatch, 0));
      const auto rows = test::read_ints(context, permutation, kBatch * n);
      Values factors = download(context.queue(), a.buffer, type, size);
      Batch lu_of = system.a;
      for (Index s = 0; s < kBatch; ++s)
        for (Index i = 0; i < n; ++i) {
          const auto row = factors.begin() + place(s, i);
          std::copy_n(row, 2 * n, lu_of.matrix(s).subspan(2 * i * n, 2 * n).begin());
          std::fill_n(row, 2 * n, 77.0);
        }
      CHECK(factors == Values(size, 77.0));
      for (Index s = 0; s < kBatch; ++s) {
        CHECK(error_of_complex_factors(system.a, lu_of, s, std::span(rows).subspan(s * n, n),
                                       eps) <= 30);
        for (const BatchView& view : {b, x}) {
          const Batch answers{kBatch, n, 2 * kNrhs,
                              download(context.queue(), view.buffer, type, kBatch * n * 2 * kNrhs)};
          CHECK(compute_residual({matrix_of(system.a, s), matrix_of(system.b, s)},
                                 matrix_of(answers, s), eps)
                    .scaled <= kScaledResidualBound);
        }
      }
    }
  });
}

TEST_CASE("complex batches: pivots by |re| + |im|, as LAPACK's, the first among equals") {
  on_every_complex_kernel([](Context& context, RealType type, const BatchedLuOptions& options) {
    if (!takes(context, options, 4, {4})) return;
    // |3 + 3i| < |5|, and -6i, whose |re| + |im| is that of 3 + 3i, comes later.
    Batch a{1, 4, 8, Values(32, 0.0)};
    const std::array<Complex, 4> first{Complex(0, 5), Complex(3, 3), Complex(0, -6), 5};
    for (Index i = 0; i < 4; ++i) {
      set(a, 0, i, 0, first[i]);
      if (i != 1) set(a, 0, i, i == 0 ? 1 : i, 1);
    }
    const cl::Buffer permutation = context.allocate(4 * sizeof(cl_int), "a test"),
                     info = context.allocate(sizeof(cl_int), "a test");
    BatchedLu lu(context, type, 4, options);
    (void)lu.factor(on_device(context, type, a), 1, permutation, info);
    CHECK(test::read_ints(context, info, 1) == std::vector<cl_int>{0});
    CHECK(test::read_ints(context, permutation, 4).front() == 1);
  });
}

TEST_CASE("complex batches: every system is scaled by itself, and rcond is that of moduli") {
  on_every_complex_kernel([](Context& context, RealType type, const BatchedLuOptions& lu) {
    const Index n = lu.kernel == BatchedKernel::automatic && !test::is_slow(context) ? 128 : 7;
    if (!takes(context, lu, n, {7})) return;
    const BatchedSystem plain = complex_batch(9, n, 1, type);
    BatchedSystem system = plain;
    const auto scale = [](std::span<double> values, int exponent) {
      for (double& value : values) value = std::ldexp(value, exponent);
    };
    scale(system.a.matrix(1), 1020);
    scale(system.b.matrix(1), 1020);
    scale(system.a.matrix(2), -900);
    scale(system.b.matrix(3), 1000);
    std::ranges::fill(system.a.matrix(4), 0.0);  // singular
    for (Index i = 0; i < n; ++i) set(system.a, 5, i, n - 1, at(plain.a, 5, i, n - 1) * 1e-300);
    scale(system.a.matrix(6), -600);
    scale(system.b.matrix(6), 600);  // x is beyond every range
    if (n == 128) {
      // The pivots of i W grow by 2 a step.
      const Matrix w = generate_matrix("wilkinson", n, 1);
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) set(system.a, 7, i, j, {0, w(i, j)});
      scale(system.a.matrix(7), type == RealType::f32 ? 100 : 960);
    }
    const BatchedSolution expected = answer(context, plain, type, lu),
                          solution = answer(context, system, type, lu);
    CHECK(expected.status == SolveStatus::ok);
    CHECK(solution.singular == std::vector<Index>{4});
    CHECK(solution.overflowed == (n == 128 ? std::vector<Index>{6, 7} : std::vector<Index>{6}));
    CHECK(solution.worst.scaled <= kScaledResidualBound);
    for (const Index s : {0, 8}) CHECK(test::same_bits(solution.x.matrix(s), expected.x.matrix(s)));
    const auto is_scaled = [&](Index s, int exponent) {
      Values x(solution.x.matrix(s).begin(), solution.x.matrix(s).end());
      scale(x, -exponent);
      return test::same_bits(x, expected.x.matrix(s));
    };
    CHECK(is_scaled(1, 0));
    CHECK(is_scaled(2, 900));
    CHECK(is_scaled(3, 1000));
  });
  on_every_complex_kernel([](Context& context, RealType type, const BatchedLuOptions& lu) {
    if (!takes(context, lu, 2, {2})) return;
    BatchedOptions options;
    options.type = type;
    options.lu = lu;
    options.trust = true;
    BatchedSystem system{{2, 2, 4, Values(16, 0.0)}, {2, 2, 2, Values(8, 1.0)}, false, true};
    for (const Index s : {0, 1}) {
      set(system.a, s, 0, 0, 5);
      set(system.a, s, 1, 0, s == 0 ? Complex(2.5, 6) : 0);
      set(system.a, s, 1, 1, {0, -10});
    }
    const BatchedSolution solution = solve_batched(context, system, options);
    REQUIRE(solution.trust);
    CHECK(solution.trust->worst_system == 0);
    // Columns of A: 5 + 6.5 and 10; of A^-1: 1/5 + 6.5 / (5 * 10) and 1/10.
    CHECK(solution.trust->worst_rcond == doctest::Approx(1 / (11.5 * 0.33)).epsilon(1e-5));
  });
}

TEST_CASE("complex batches: Cholesky's answers are right, and what is not positive definite named" *
          test::also_on_slow_devices) {
  on_every_complex_kernel([](Context& context, RealType type, const BatchedLuOptions& kernels) {
    BatchedLuOptions lu = kernels;
    lu.positive_definite = true;
    for (const auto& [n, batch, nrhs] : test::some_of(kShapes, 4)) {
      if (!takes(context, lu, n, {7, 33})) continue;
      CAPTURE(n);
      CAPTURE(batch);
      CAPTURE(nrhs);
      for (const int exponent : {0, type == RealType::f32 ? -200 : 900}) {
        const BatchedSystem system = definite_complex_batch(batch, n, nrhs, type, exponent);
        const BatchedSolution solution = answer(context, system, type, lu);
        CHECK(solution.status == SolveStatus::ok);
        CHECK(solution.worst.scaled <= kScaledResidualBound);
        for (Index s = 0; s < batch; s += 3)
          CHECK(compute_residual({matrix_of(system.a, s), matrix_of(system.b, s)},
                                 matrix_of(solution.x, s), unit_roundoff(type))
                    .scaled <= kScaledResidualBound);
      }
      BatchedSystem system = definite_complex_batch(batch, n, nrhs, type, 0);
      const BatchedSolution before = answer(context, system, type, lu);
      const Index bad = batch / 2, column = n / 2;
      set(system.a, bad, column, column, n % 2 == 0 ? -1 : kNaN);
      const BatchedSolution solution = answer(context, system, type, lu);
      CHECK(solution.status == SolveStatus::not_positive_definite);
      CHECK(solution.singular == std::vector<Index>{bad});
      CHECK(solution.failed_columns == std::vector<Index>{column});
      CHECK(std::ranges::all_of(solution.x.matrix(bad), [](double v) { return std::isnan(v); }));
      for (Index s = 0; s < batch; ++s)
        if (s != bad) CHECK(test::same_bits(solution.x.matrix(s), before.x.matrix(s)));
      set(system.a, bad, column, column, {1, 1e-30});
      CHECK_THROWS_AS((void)answer(context, system, type, lu), ValueError);
      if (n == 1) continue;
      system = definite_complex_batch(batch, n, nrhs, type, 0);
      set(system.a, bad, n - 1, 0, std::conj(at(system.a, bad, n - 1, 0)));  // symmetric there
      CHECK_THROWS_AS((void)answer(context, system, type, lu), ValueError);
    }
  });
}

TEST_CASE("complex batches: Cholesky's factors are an LU, of the lower triangles alone") {
  on_every_complex_kernel([](Context& context, RealType type, const BatchedLuOptions& kernels) {
    BatchedLuOptions options = kernels;
    options.positive_definite = true;
    for (const Index n : test::some_of(std::vector<Index>{1, 7, 33, 50, 129, 200, 256}, 3)) {
      if (!takes(context, options, n, {7})) continue;
      CAPTURE(n);
      constexpr Index kBatch = 6, kNrhs = 3;
      const BatchedSystem system = definite_complex_batch(kBatch, n, kNrhs, type, 0);
      Batch lower = system.a;
      for (Index s = 0; s < kBatch; ++s)
        for (Index i = 0; i < n; ++i) {
          set(lower, s, i, i, {at(lower, s, i, i).real(), kNaN});
          for (Index j = i + 1; j < n; ++j) set(lower, s, i, j, {kNaN, kNaN});
        }
      BatchedLu lu(context, type, n, options);
      const cl::Buffer permutation = context.allocate(kBatch * n * sizeof(cl_int), "a test"),
                       info = context.allocate(kBatch * sizeof(cl_int), "a test");
      const BatchView a = on_device(context, type, lower), b = on_device(context, type, system.b),
                      x = on_device(context, type, system.b);
      lu.factor_and_solve(a, x, kNrhs, kBatch, info);
      CHECK(test::same_bits(download(context.queue(), a.buffer, type, lower.values.size()),
                            lower.values));
      lu.solve(lu.factor(a, kBatch, permutation, info), b, kNrhs);
      CHECK(test::read_ints(context, info, kBatch) == std::vector<cl_int>(kBatch, 0));
      const auto order = test::read_ints(context, permutation, kBatch * n);
      const Batch factors{kBatch, n, 2 * n,
                          download(context.queue(), a.buffer, type, lower.values.size())};
      const double eps = unit_roundoff(type);
      for (Index s = 0; s < kBatch; ++s) {
        double worst = 0;
        for (Index i = 0; i < n; ++i) {
          CHECK(order[s * n + i] == static_cast<cl_int>(i));
          const Complex d = at(factors, s, i, i);
          CHECK(d.imag() == 0);
          for (Index j = i + 1; j < n; ++j) {
            const Complex u = at(factors, s, i, j), l = at(factors, s, j, i);
            worst = std::max(worst, std::abs(u - d * std::conj(l)) / std::abs(u));
          }
        }
        CHECK(worst <= 4 * eps);
#ifdef CLGAUSS_TESTS_WITH_LAPACK
        if (type == RealType::f64) CHECK(difference_from_zpotrf(system.a, factors, s) <= 1e-14);
#endif
        for (const BatchView& view : {b, x}) {
          const Batch answers{kBatch, n, 2 * kNrhs,
                              download(context.queue(), view.buffer, type, kBatch * n * 2 * kNrhs)};
          CHECK(compute_residual({matrix_of(system.a, s), matrix_of(system.b, s)},
                                 matrix_of(answers, s), eps)
                    .scaled <= kScaledResidualBound);
        }
      }
    }
  });
}

TEST_CASE("complex batches: what they do not take is refused") {
  const Device device = open_device();
  Context context(device, ContextOptions::from_environment());
  BatchedLuOptions options;
  options.complex = true;
  CHECK_THROWS_AS((BatchedLu{context, RealType::f32, kLargestComplexBatchedSystem + 1, options}),
                  DimensionError);
  for (const auto& [kernel, n] : {std::pair<BatchedKernel, Index>{BatchedKernel::each, 8},
                                  {BatchedKernel::blocks, 8},
                                  {BatchedKernel::ptx, 129}}) {
    options.kernel = kernel;
    CHECK_THROWS_AS((BatchedLu{context, RealType::f32, n, options}), DeviceLimit);
  }
  options.kernel = BatchedKernel::tile;
  CHECK_THROWS_AS((BatchedLu{context, RealType::f32, 129, options}), UsageError);
  options.kernel = BatchedKernel::automatic;
  CHECK_THROWS_AS(
      (void)answer(context, {{1, 1, 1, {1}}, {1, 1, 2, {1, 1}}, false, true}, RealType::f32),
      DimensionError);
  CHECK_THROWS_AS(
      (void)answer(context, {{1, 1, 2, {1, 1}}, {1, 1, 1, {1}}, false, true}, RealType::f32),
      DimensionError);
}
