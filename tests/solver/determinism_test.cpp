/// The same input on the same device gives the same bits, in any run, beside any load, with any
/// number of the host's threads.

#include <doctest/doctest.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <clgauss/batched.hpp>
#include <clgauss/complex.hpp>
#include <clgauss/inverse.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/least_squares.hpp>
#include <clgauss/solve.hpp>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "linalg/qr/host_products.hpp"
#include "linalg/solve/methods.hpp"
#include "support/devices.hpp"
#include "support/padded_matrix.hpp"

using namespace clgauss;

namespace {

/// Threads that take every core of the machine by turns.
class CoreLoad {
 public:
  CoreLoad() {
    for (unsigned i = 0; i < std::max(2U, std::thread::hardware_concurrency()); ++i)
      threads_.emplace_back([this] {
        while (!ended_) {
          for (int turn = 0; turn < 200'000 && !ended_; ++turn) sum_ = sum_ + 1;
          std::this_thread::sleep_for(std::chrono::milliseconds(3));
        }
      });
  }
  CoreLoad(const CoreLoad&) = delete;
  CoreLoad& operator=(const CoreLoad&) = delete;
  ~CoreLoad() {
    ended_ = true;
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::atomic<bool> ended_ = false;
  std::atomic<std::uint64_t> sum_ = 0;
  std::vector<std::thread> threads_;
};

/// While it lives, this thread and those it starts have one core, and the library one thread.
class OneCore {
 public:
  OneCore() {
    REQUIRE(sched_getaffinity(0, sizeof all_, &all_) == 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int core = 0; core < CPU_SETSIZE && CPU_COUNT(&one) == 0; ++core)
      if (CPU_ISSET(core, &all_)) CPU_SET(core, &one);
    REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  }
  OneCore(const OneCore&) = delete;
  OneCore& operator=(const OneCore&) = delete;
  ~OneCore() { sched_setaffinity(0, sizeof all_, &all_); }

 private:
  cpu_set_t all_;
};

using Bits = std::vector<std::uint64_t>;

void add(Bits& bits, std::span<const double> values) {
  for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
}

/// x and what the report says of it, but for times.
Bits bits_of(const Matrix& x, const SolveOutcome& outcome, double logarithm) {
  Bits bits;
  add(bits, x.values());
  add(bits, std::vector{outcome.residual.scaled, logarithm});
  if (outcome.trust) {
    add(bits, std::vector{outcome.trust->rcond, outcome.trust->reciprocal_growth});
    add(bits, outcome.trust->forward_error);
  }
  return bits;
}

/// One call of the library with inputs of its own.
struct Call {
  std::string name;
  std::function<Bits(Context&)> run;
};

/// Strictly diagonally dominant and, for what asks for that, symmetric and positive definite.
Matrix dominant_matrix(Index n, bool symmetric) {
  Matrix a = random_matrix(n, n, 3);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; symmetric && j < i; ++j) a(i, j) = a(j, i);
    a(i, i) = static_cast<double>(n) + a(i, i);
  }
  return a;
}

Values random_values(Index count) {
  const Matrix random = random_matrix(1, count, 11);
  return {random.values().begin(), random.values().end()};
}

/// Every method, in f64's accuracy and to the last digit, and what else solves.
std::vector<Call> all_calls(bool fp64, Index n) {
  std::vector<Call> calls;
  for (const MethodRow& row : all_methods()) {
    const bool iterates = row.allows(kIterations);
    const System system{
        iterates || row.symmetric ? dominant_matrix(n, row.symmetric) : random_matrix(n, n, 5),
        random_matrix(n, 2, 4)};
    for (const bool to_the_last_digit : {false, true}) {
      if (to_the_last_digit && !row.allows(kMaximumAccuracy)) continue;
      if (to_the_last_digit && !fp64 && row.method != Method::mixed) continue;
      SolveOptions options;
      options.method = row.method;
      options.trust = row.allows(kTrust);
      options.determinant = row.allows(kDeterminant);
      if (to_the_last_digit) options.accuracy = Accuracy::maximum;
      calls.push_back({std::string(row.name) + (to_the_last_digit ? ", max" : ""),
                       [system, options](Context& on) {
                         const Solution solution = solve(on, system, options);
                         return bits_of(solution.x, solution, solution.determinant.log10_abs);
                       }});
    }
  }
  SolveOptions trusting;
  trusting.trust = true;
  calls.push_back({"by columns",
                   [a = random_matrix(n, n, 5), b = random_matrix(n, 1, 6), trusting](Context& on) {
                     const Solution solution = solve_transposed(on, {a, b}, trusting);
                     return bits_of(solution.x, solution, 0);
                   }});
  calls.push_back({"complex", [a = ComplexMatrix(random_matrix(n, 2 * n, 7)),
                               b = ComplexMatrix(random_matrix(n, 2, 8)), trusting](Context& on) {
                     const ComplexSolution solution = solve_complex(on, {a, b}, trusting);
                     return bits_of(solution.x.parts(), solution, solution.determinant.log10_abs);
                   }});
  calls.push_back({"inverse", [a = random_matrix(n, n, 5)](Context& on) {
                     const Inverse inverse = invert(on, a);
                     return bits_of(inverse.x, {}, inverse.rcond);
                   }});
  calls.push_back({"least squares",
                   [a = random_matrix(2 * n, n, 9), b = random_matrix(2 * n, 1, 10)](Context& on) {
                     return bits_of(least_squares(on, a, b).x, {}, 0);
                   }});
  const Index rank = n - n / 6;
  const Matrix deficient =
      test::product(random_matrix(2 * n, rank, 12), random_matrix(rank, n, 13));
  for (const RealType type : {RealType::f32, RealType::f64})
    for (const bool wide : {false, true}) {
      if (type == RealType::f64 && !fp64) continue;
      LeastSquaresOptions options;
      options.type = type;
      const Matrix a = wide ? transposed_in_parallel(deficient) : deficient;
      calls.push_back({"least squares of a deficient rank",
                       [a, b = random_matrix(a.rows(), 9, 14), options, rank](Context& on) {
                         const LeastSquares answer = least_squares(on, a, b, options);
                         REQUIRE(answer.rank == rank);
                         return bits_of(answer.x, {}, answer.rcond);
                       }});
    }
  const Index count = 12, order = std::min<Index>(n, 60);
  calls.push_back({"batch", [system = BatchedSystem{
                                 {count, order, order, random_values(count * order * order)},
                                 {count, order, 1, random_values(count * order)}}](Context& on) {
                     Bits bits;
                     add(bits, solve_batched(on, system).x.values);
                     return bits;
                   }});
  return calls;
}

}  // namespace

TEST_CASE("determinism: the same bits in every run, beside load, with one host's thread or all") {
  on_every_device([](const Device& device) {
    auto context = std::make_unique<Context>(device, ContextOptions::from_environment());
    const int repetitions = std::getenv("LONG") != nullptr ? 200 : test::thorough() ? 12 : 6;
    // Above kLargestOnHost, so that the device makes the estimates, too.
    const Index n = test::is_slow(*context) || !context->runs_long_loops() ? 70 : 300;
    const std::vector<Call> calls = all_calls(device.profile.fp64, n);
    std::vector<Bits> first;
    for (const Call& call : calls) first.push_back(call.run(*context));
    std::optional<CoreLoad> load;
    std::optional<OneCore> one_core;
    for (int repetition = 1; repetition < repetitions; ++repetition) {
      load.reset();
      one_core.reset();
      if (repetition % 2 == 1) load.emplace();
      if (repetition % 3 == 1) one_core.emplace();
      if (repetition % 50 == 0)
        context = std::make_unique<Context>(device, ContextOptions::from_environment());
      for (std::size_t i = 0; i < calls.size(); ++i) {
        CAPTURE(calls[i].name);
        CAPTURE(repetition);
        REQUIRE((calls[i].run(*context) == first[i]));
      }
    }
  });
}
