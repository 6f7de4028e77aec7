#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <clgauss/batched.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>

#include "constants.hpp"
#include "matrix/transfer.hpp"
#include "support/bits.hpp"
#include "support/devices.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::all_nan;
using clgauss::test::on_every_device;
using clgauss::test::types_of;

namespace {

Batch random_batch(Index count, Index rows, Index cols, RealType type, unsigned seed) {
  Matrix values = random_matrix(1, count * rows * cols, seed);
  if (type == RealType::f32)
    for (double& v : values.values()) v = static_cast<double>(static_cast<float>(v));
  return {count, rows, cols, {values.values().begin(), values.values().end()}};
}

/// Random systems; in turn as they are, with a zero leading pivot, with a first column of equal
/// magnitudes, with graded rows.
BatchedSystem make_system(Index batch, Index n, Index nrhs, RealType type) {
  BatchedSystem system{random_batch(batch, n, n, type, 11), random_batch(batch, n, nrhs, type, 12)};
  for (Index s = 0; s < batch; ++s) {
    const auto a = system.a.matrix(s);
    if (s % 4 == 1 && n > 1) a[0] = 0;
    if (s % 4 == 2)
      for (Index i = 0; i < n; ++i) a[i * n] = i % 3 == 1 ? -0.5 : 0.5;
    if (s % 4 == 3)
      for (Index i = 0; i < n * n; ++i) a[i] = std::ldexp(a[i], static_cast<int>(i / n % 8) - 4);
  }
  return system;
}

/// Whether `lu` are kernels that the device does not choose by itself, of which a sample of sizes
/// is enough: PoCL builds each for seconds.
bool is_spare(const BatchedLuOptions& lu) { return lu.kernel != BatchedKernel::automatic; }

/// Whether a test of `n` is to be one of `lu`; `small` are the sizes up to 128 that are enough of
/// spare kernels.
bool is_tried(Context& context, const BatchedLuOptions& lu, Index n,
              std::initializer_list<Index> small) {
  if (n > 33 && n != 129 && test::is_slow(context)) return false;
  if (lu.kernel == BatchedKernel::blocks) return n == 7 || n == 33 || n == 129 || n == 300;
  if (n > 256) return lu.kernel == BatchedKernel::automatic;
  if (n > 128) return lu.kernel != BatchedKernel::tile;
  return !is_spare(lu) || std::ranges::count(small, n) > 0;
}

/// Every type that the device has, by the kernels that it chooses; f64 also by the portable ones.
void on_every_kernel(const std::function<void(Context&, RealType, const BatchedLuOptions&)>& body) {
  on_every_device([&](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const BatchedKernel kernel : {BatchedKernel::automatic, BatchedKernel::tile,
                                         BatchedKernel::panels, BatchedKernel::blocks}) {
        const BatchedLuOptions options{kernel, 0};
        if (is_spare(options) && type == RealType::f32) continue;
        CAPTURE(std::string(real_type_name(type)));
        CAPTURE(batched_kernel_name(options.kernel));
        body(context, type, options);
      }
  });
}

/// The same positive definite, and graded by rows and columns in turn; a power of two a system.
BatchedSystem make_definite_system(Index batch, Index n, Index nrhs, RealType type, int exponent) {
  BatchedSystem system = make_system(batch, n, nrhs, type);
  for (Index s = 0; s < batch; ++s) {
    const auto a = system.a.matrix(s);
    const auto size = [&](Index i) { return s % 4 == 3 ? static_cast<int>(i % 8) - 4 : 0; };
    for (Index i = 0; i < n; ++i) {
      a[i * n + i] = 2 * static_cast<double>(n);
      for (Index j = 0; j < i; ++j) a[j * n + i] = a[i * n + j];
    }
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        a[i * n + j] = std::ldexp(a[i * n + j], size(i) + size(j) + exponent);
  }
  return system;
}

BatchedSolution solve(Context& context, const BatchedSystem& system, RealType type,
                      const BatchedLuOptions& lu, Index chunk = 0) {
  BatchedOptions options;
  options.type = type;
  options.lu = lu;
  options.chunk = chunk;
  return solve_batched(context, system, options);
}

/// norm1(P A - L U) / (n norm1(A) eps), and NaN where an |l| is above 1 by more than rounding.
double error_of_factors(std::span<const double> a, std::span<const double> lu,
                        std::span<const cl_int> permutation, Index n, double eps) {
  double error = 0, norm = 0;
  for (Index j = 0; j < n; ++j) {
    double column_error = 0, column = 0;
    for (Index i = 0; i < n; ++i) {
      const double l = j < i ? lu[i * n + j] : 0;
      if (!(std::abs(l) <= 1 + 4 * eps)) return kNaN;
      const double original = a[static_cast<Index>(permutation[i]) * n + j];
      double product = i <= j ? lu[i * n + j] : 0;
      for (Index k = 0; k < std::min(i, j + 1); ++k) product += lu[i * n + k] * lu[k * n + j];
      column_error += std::abs(original - product);
      column += std::abs(original);
    }
    error = std::max(error, column_error);
    norm = std::max(norm, column);
  }
  return error / (static_cast<double>(n) * norm * eps);
}

BatchView upload(Context& context, RealType type, const Batch& batch) {
  const Matrix values(1, batch.values.size(), batch.values);
  return {to_device(context, type, values, values.cols(), "a test's batch").buffer, 0, batch.cols,
          batch.rows * batch.cols};
}

}  // namespace

TEST_CASE("batched: answers are right for every n, batch and number of right-hand sides" *
          test::also_on_slow_devices) {
  on_every_kernel([](Context& context, RealType type, const BatchedLuOptions& lu) {
    const std::vector<std::array<Index, 3>> all{
        {1, 5, 1},   {1, 1000, 1}, {2, 1, 1},    {2, 1000, 3}, {7, 1000, 1},
        {7, 5, 0},   {8, 37, 3},   {17, 20, 17}, {31, 21, 1},  {32, 33, 1},
        {32, 5, 3},  {33, 5, 1},   {40, 6, 40},  {64, 5, 1},   {100, 3, 3},
        {128, 4, 9}, {128, 4, 1},  {129, 5, 1},  {160, 1, 17}, {200, 4, 3},
        {255, 2, 8}, {256, 4, 1},  {257, 3, 1},  {300, 3, 20}, {513, 2, 1}};
    for (const auto& [n, batch, nrhs] : test::some_of(all, 4)) {
      if (!is_tried(context, lu, n, {7, 33})) continue;
      CAPTURE(n);
      CAPTURE(batch);
      CAPTURE(nrhs);
      const BatchedSystem system = make_system(batch, n, nrhs, type);
      const BatchedSolution solution = solve(context, system, type, lu);
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.worst.scaled <= kScaledResidualBound);
      CHECK(solution.worst_system.has_value());
      CHECK(solution.x.values.size() == batch * n * nrhs);
    }
  });
}

TEST_CASE("batched: the empty batch has an empty answer") {
  on_every_kernel([](Context& context, RealType type, const BatchedLuOptions& lu) {
    const BatchedSolution solution = solve(context, make_system(0, 7, 1, type), type, lu);
    CHECK(solution.status == SolveStatus::ok);
    CHECK(solution.x.values.empty());
    CHECK_FALSE(solution.worst_system.has_value());
  });
}

TEST_CASE("batched: a singular system and a NaN are named and leave the others as they are") {
  on_every_kernel([](Context& context, RealType type, const BatchedLuOptions& lu) {
    for (const auto& [n, nrhs] : test::some_of(
             std::vector<std::pair<Index, Index>>{
                 {1, 1}, {3, 1}, {8, 2}, {32, 1}, {40, 1}, {129, 1}, {256, 3}, {300, 17}},
             2)) {
      if (!is_tried(context, lu, n, {8})) continue;
      CAPTURE(n);
      const BatchedSystem whole = make_system(21, n, nrhs, type);
      BatchedSystem spoilt = whole;
      for (Index i = 0; i < n; ++i) spoilt.a.matrix(9)[i * n + n - 1] = 0;  // a zero column
      for (Index j = 0; j < n; ++j) spoilt.a.matrix(10)[j] = 0;             // a zero row
      spoilt.a.matrix(12)[n * n - 1] = kNaN;
      const BatchedSolution expected = solve(context, whole, type, lu);
      const BatchedSolution solution = solve(context, spoilt, type, lu);
      CHECK(solution.status == SolveStatus::singular);
      REQUIRE(solution.singular == std::vector<Index>{9, 10, 12});
      CHECK(solution.failed_columns[0] == n - 1);
      CHECK(solution.failed_columns[1] == n - 1);
      CHECK(solution.worst.scaled <= kScaledResidualBound);
      for (Index s = 0; s < 21; ++s) {
        const bool spoilt_one = s == 9 || s == 10 || s == 12;
        if (spoilt_one)
          CHECK(all_nan(solution.x.matrix(s)));
        else
          CHECK(test::same_bits(solution.x.matrix(s), expected.x.matrix(s)));
      }
    }
  });
}

TEST_CASE("batched: the worst of thousands of systems is the first of those with its residual") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      BatchedSystem system = make_system(9000, 7, 1, type);
      for (double& v : system.a.matrix(8200)) v = 0;
      for (const Index s : {700, 8300}) {  // the same system twice
        std::ranges::copy(system.a.matrix(5), system.a.matrix(s).begin());
        std::ranges::copy(system.b.matrix(5), system.b.matrix(s).begin());
      }
      const BatchedSolution solution = solve(context, system, type, {});
      double worst = -1;
      Index first = 0;
      for (Index s = 0; s < 9000; ++s) {
        if (s == 8200) continue;
        const double scaled =
            compute_residual(7, 1, system.a.matrix(s), system.b.matrix(s),
                             std::as_const(solution.x).matrix(s), unit_roundoff(type))
                .scaled;
        if (!(scaled <= worst)) first = s;
        worst = std::max(worst, scaled);
      }
      CHECK(solution.worst_system == first);
      CHECK(solution.worst.scaled == worst);
    }
  });
}

TEST_CASE("batched: chunks give the answers of the whole") {
  on_every_kernel([](Context& context, RealType type, const BatchedLuOptions& lu) {
    if (is_spare(lu)) return;
    BatchedSystem system = make_system(50, 9, 2, type);
    for (double& v : system.a.matrix(33)) v = 0;
    const BatchedSolution whole = solve(context, system, type, lu);
    const BatchedSolution parts = solve(context, system, type, lu, 16);
    CHECK(parts.singular == std::vector<Index>{33});
    CHECK(parts.worst_system == whole.worst_system);
    for (Index s = 0; s < 50; ++s)
      if (s != 33) CHECK(test::same_bits(parts.x.matrix(s), whole.x.matrix(s)));
  });
}

TEST_CASE("batched: rcond of every system, the worst and how many are nearly singular") {
  on_every_kernel([](Context& context, RealType type, const BatchedLuOptions& lu) {
    const double eps = unit_roundoff(type);
    BatchedOptions options;
    options.type = type;
    options.lu = lu;
    options.trust = true;
    // Singular, 1 / 21, far beyond f32's range and eps / 4, in chunks of two.
    BatchedSystem system{{4, 2, 2, {1, 2, 2, 4, 1, 2, 3, 4, 1e-60, 0, 0, 1e-61, 1, 0, 0, eps / 4}},
                         {4, 2, 1, Values(8, 1.0)}};
    options.chunk = 2;
    const BatchedSolution solution = solve_batched(context, system, options);
    REQUIRE(solution.trust);
    CHECK(solution.trust->worst_system == 3);
    CHECK(solution.trust->worst_rcond == doctest::Approx(eps / 4));
    CHECK(solution.trust->below_eps == 1);
    const auto rcond_of_first = [&](Values a) {
      const BatchedSystem one{{1, 2, 2, std::move(a)}, {1, 2, 1, {1, 1}}};
      return solve_batched(context, one, options).trust;
    };
    CHECK(rcond_of_first({1, 2, 3, 4})->worst_rcond == doctest::Approx(1.0 / 21).epsilon(1e-5));
    CHECK(rcond_of_first({1e-60, 0, 0, 1e-61})->worst_rcond == doctest::Approx(0.1).epsilon(1e-5));
    CHECK_FALSE(rcond_of_first({1, 2, 2, 4}));  // singular: nothing to trust
    options.trust = false;
    CHECK_FALSE(solve_batched(context, system, options).trust);
  });
}

TEST_CASE("batched: a subnormal pivot is a pivot") {
  on_every_kernel([](Context& context, RealType type, const BatchedLuOptions& lu) {
    if (type == RealType::f32) return;  // f32 subnormals are optional in OpenCL
    const double tiny = std::ldexp(1.0, -1060);
    const BatchedSystem system{{1, 2, 2, {tiny, tiny, -tiny, 3 * tiny}},
                               {1, 2, 1, {2 * tiny, 2 * tiny}}};
    const BatchedSolution solution = solve(context, system, type, lu);
    CHECK(solution.singular.empty());
    CHECK(solution.x.values == Values{1, 1});
  });
}

TEST_CASE("batched: factors in the caller's buffers, padded, and solves with them" *
          test::also_on_slow_devices) {
  on_every_kernel([](Context& context, RealType type, const BatchedLuOptions& options) {
    for (const Index n :
         test::some_of(std::vector<Index>{1, 2, 7, 32, 33, 100, 129, 256, 300}, 2)) {
      if (!is_tried(context, options, n, {7})) continue;
      CAPTURE(n);
      constexpr Index kBatch = 9, kNrhs = 3, kOffset = 5;
      const double eps = unit_roundoff(type);
      const BatchedSystem system = make_system(kBatch, n, kNrhs, type);
      // Rows n + 2 apart, matrices 3 numbers apart; what lies between must stay.
      const Index ld = n + 2, stride = n * ld + 3;
      Batch padded{1, 1, kOffset + kBatch * stride, {}};
      padded.values.assign(padded.cols, 77);
      for (Index s = 0; s < kBatch; ++s)
        for (Index i = 0; i < n; ++i)
          std::ranges::copy(
              system.a.matrix(s).subspan(i * n, n),
              padded.values.begin() + static_cast<std::ptrdiff_t>(kOffset + s * stride + i * ld));
      const BatchView a{upload(context, type, padded).buffer, kOffset, ld, stride};
      const BatchView b = upload(context, type, system.b);
      const cl::Buffer permutation = context.allocate(kBatch * n * sizeof(cl_int), "a test"),
                       info = context.allocate(kBatch * sizeof(cl_int), "a test");
      BatchedLu lu(context, type, n, options);

      const BatchView x = upload(context, type, system.b);
      lu.factor_and_solve(a, x, kNrhs, kBatch, info);
      CHECK(download(context.queue(), a.buffer, type, padded.cols) == padded.values);
      const auto at_once = download(context.queue(), x.buffer, type, system.b.values.size());

      lu.solve(lu.factor(a, kBatch, permutation, info), b, kNrhs);
      const auto answers = download(context.queue(), b.buffer, type, system.b.values.size());
      const auto factors = download(context.queue(), a.buffer, type, padded.cols);
      const auto rows = test::read_ints(context, permutation, kBatch * n);
      CHECK(test::read_ints(context, info, kBatch) == std::vector<cl_int>(kBatch, 0));
      bool alive = true;
      for (Index s = 0; s < kBatch; ++s) {
        Batch lu_of{1, n, n, Values(n * n, 0.0)};
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < ld; ++j) {
            const double value = factors[kOffset + s * stride + i * ld + j];
            if (j < n)
              lu_of.values[i * n + j] = value;
            else
              alive = alive && value == 77;
          }
        CHECK(error_of_factors(system.a.matrix(s), lu_of.values, std::span(rows).subspan(s * n, n),
                               n, eps) <= 30);
        for (const auto* all : {&answers, &at_once})
          CHECK(compute_residual(n, kNrhs, system.a.matrix(s), system.b.matrix(s),
                                 std::span(*all).subspan(s * n * kNrhs, n * kNrhs), eps)
                    .scaled <= kScaledResidualBound);
      }
      CHECK(alive);
    }
  });
}

TEST_CASE("batched: the pivots are those of partial pivoting, the first among equals") {
  on_every_kernel([](Context& context, RealType type, const BatchedLuOptions& options) {
    for (const Index n : {7, 33, 129, 200, 255, 256, 300}) {
      if (!is_tried(context, options, n, {7})) continue;
      CAPTURE(n);
      constexpr Index kBatch = 3;
      // In column k one row is far above the others, but in the first another has the same
      // magnitude further down.
      Batch a = random_batch(kBatch, n, n, type, 13);
      std::vector<cl_int> expected;
      std::mt19937 random(1);
      for (Index s = 0; s < kBatch; ++s) {
        std::vector<cl_int> rows(n);
        std::iota(rows.begin(), rows.end(), 0);
        std::ranges::shuffle(rows, random);
        if (rows[0] + 1 == static_cast<cl_int>(n)) std::swap(rows[0], rows[1]);
        for (Index k = 0; k < n; ++k)
          a.matrix(s)[static_cast<Index>(rows[k]) * n + k] = 4 * static_cast<double>(n);
        a.matrix(s)[static_cast<Index>(rows[0] + 1) * n] = -4 * static_cast<double>(n);
        expected.insert(expected.end(), rows.begin(), rows.end());
      }
      const cl::Buffer permutation = context.allocate(kBatch * n * sizeof(cl_int), "a test"),
                       info = context.allocate(kBatch * sizeof(cl_int), "a test");
      BatchedLu lu(context, type, n, options);
      (void)lu.factor(upload(context, type, a), kBatch, permutation, info);
      CHECK(test::read_ints(context, permutation, kBatch * n) == expected);
      CHECK(test::read_ints(context, info, kBatch) == std::vector<cl_int>(kBatch, 0));
    }
  });
}

TEST_CASE("batched: shapes and numbers that do not fit are refused") {
  const Device device = open_device();
  Context context(device, ContextOptions::from_environment());
  const auto refused = [&](const BatchedSystem& system) {
    BatchedOptions options;
    options.type = RealType::f32;
    return solve_batched(context, system, options);
  };
  const Batch zeros{2, 3, 3, Values(18, 0.0)};
  CHECK_THROWS_AS((void)refused({zeros, {1, 3, 1, {1, 1, 1}}}), DimensionError);
  CHECK_THROWS_AS((void)refused({zeros, {2, 2, 1, {1, 1, 1, 1}}}), DimensionError);
  CHECK_THROWS_AS((void)refused({{1, 1, 2, {1, 1}}, {1, 1, 1, {1}}}), DimensionError);
  CHECK_THROWS_AS((void)refused({{1, 0, 0, {}}, {1, 0, 1, {}}}), DimensionError);
  CHECK_THROWS_AS((BatchedLu{context, RealType::f32, kLargestBatchedSystem + 1}), DimensionError);
  CHECK_THROWS_AS((BatchedLu{context, RealType::f32, 129, {BatchedKernel::ptx}}), DeviceLimit);
  CHECK_THROWS_AS((BatchedLu{context, RealType::f32, 257, {BatchedKernel::panels}}), DeviceLimit);
  CHECK_THROWS_AS((BatchedLu{context, RealType::f32, 129, {BatchedKernel::tile}}), UsageError);
  CHECK_THROWS_AS((BatchedLu{context, RealType::f32, 8, {BatchedKernel::tile, 3}}), UsageError);
}

TEST_CASE("batched: Cholesky's answers are right, and what is not positive definite is named" *
          test::also_on_slow_devices) {
  on_every_kernel([](Context& context, RealType type, const BatchedLuOptions& kernels) {
    BatchedLuOptions lu = kernels;
    lu.positive_definite = true;
    const std::vector<std::array<Index, 3>> all{
        {1, 1000, 1}, {2, 5, 3},    {3, 5, 0},   {7, 100, 1}, {8, 37, 17}, {31, 21, 1},
        {32, 33, 3},  {33, 5, 1},   {40, 6, 40}, {64, 5, 1},  {100, 3, 9}, {128, 4, 1},
        {129, 5, 1},  {160, 1, 17}, {200, 4, 3}, {255, 2, 8}, {256, 4, 1}, {300, 3, 20}};
    for (const auto& [n, batch, nrhs] : test::some_of(all, 3)) {
      if (!is_tried(context, lu, n, {7, 33})) continue;
      CAPTURE(n);
      CAPTURE(batch);
      CAPTURE(nrhs);
      // What is beyond f32's range is scaled as symmetrically as it came.
      for (const int exponent : {0, type == RealType::f32 ? -200 : 900}) {
        BatchedSystem system = make_definite_system(batch, n, nrhs, type, exponent);
        const BatchedSolution solution = solve(context, system, type, lu);
        CHECK(solution.status == SolveStatus::ok);
        CHECK(solution.worst.scaled <= kScaledResidualBound);
      }
      if (batch == 1000) continue;
      BatchedSystem system = make_definite_system(batch, n, nrhs, type, 0);
      const BatchedSolution before = solve(context, system, type, lu);
      const Index bad = batch / 2, column = n / 2;
      system.a.matrix(bad)[column * n + column] = n % 2 == 0 ? -1 : kNaN;
      const BatchedSolution solution = solve(context, system, type, lu);
      CHECK(solution.status == SolveStatus::not_positive_definite);
      CHECK(solution.singular == std::vector<Index>{bad});
      CHECK(solution.failed_columns == std::vector<Index>{column});
      CHECK(all_nan(solution.x.matrix(bad)));
      for (Index s = 0; s < batch; ++s)
        if (s != bad) CHECK(test::same_bits(solution.x.matrix(s), before.x.matrix(s)));
      if (n == 1) continue;
      system.a.matrix(bad)[(n - 1) * n] += 1;
      CHECK_THROWS_AS((void)solve(context, system, type, lu), ValueError);
    }
  });
}

TEST_CASE("batched: Cholesky's factors are an LU without exchanges, of the lower triangles alone") {
  on_every_kernel([](Context& context, RealType type, const BatchedLuOptions& kernels) {
    BatchedLuOptions options = kernels;
    options.positive_definite = true;
    for (const Index n :
         test::some_of(std::vector<Index>{1, 7, 32, 50, 129, 200, 255, 256, 300}, 3)) {
      if (!is_tried(context, options, n, {7})) continue;
      CAPTURE(n);
      const Index batch = 6, nrhs = 3;
      const BatchedSystem system = make_definite_system(batch, n, nrhs, type, 0);
      Batch lower = system.a;
      for (Index s = 0; s < batch; ++s)
        for (Index i = 0; i < n; ++i)
          for (Index j = i + 1; j < n; ++j) lower.matrix(s)[i * n + j] = kNaN;
      BatchedLu lu(context, type, n, options);
      const cl::Buffer permutation = context.allocate(batch * n * sizeof(cl_int), "a test"),
                       info = context.allocate(batch * sizeof(cl_int), "a test");
      const BatchView a = upload(context, type, lower), b = upload(context, type, system.b),
                      again = upload(context, type, system.b),
                      untouched = upload(context, type, lower);
      const BatchFactors factors = lu.factor(a, batch, permutation, info);
      lu.solve(factors, b, nrhs);
      CHECK(test::read_ints(context, info, batch) == std::vector<cl_int>(batch, 0));
      const auto order = test::read_ints(context, permutation, batch * n);
      const Values lu_values = download(context.queue(), a.buffer, type, batch * n * n),
                   x = download(context.queue(), b.buffer, type, batch * n * nrhs);
      const double eps = unit_roundoff(type);
      for (Index s = 0; s < batch; ++s) {
        CAPTURE(s);
        const auto factored = std::span(lu_values).subspan(s * n * n, n * n);
        for (Index i = 0; i < n; ++i) CHECK(order[s * n + i] == static_cast<cl_int>(i));
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < i; ++j) {
            const double u = factored[j * n + i], dl = factored[j * n + j] * factored[i * n + j];
            CHECK(std::abs(u - dl) <= 4 * eps * std::abs(u));
          }
        CHECK(compute_residual(n, nrhs, system.a.matrix(s), system.b.matrix(s),
                               std::span(x).subspan(s * n * nrhs, n * nrhs), eps)
                  .scaled <= kScaledResidualBound);
      }
      lu.factor_and_solve(untouched, again, nrhs, batch, info);
      const Values at_once = download(context.queue(), again.buffer, type, batch * n * nrhs);
      for (Index s = 0; s < batch; ++s)
        CHECK(compute_residual(n, nrhs, system.a.matrix(s), system.b.matrix(s),
                               std::span(at_once).subspan(s * n * nrhs, n * nrhs), eps)
                  .scaled <= kScaledResidualBound);
    }
    options.kernel = BatchedKernel::ptx;
    CHECK_THROWS_AS(BatchedLu(context, type, 8, options), DeviceLimit);
  });
}
