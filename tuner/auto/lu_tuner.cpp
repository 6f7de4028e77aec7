#include "tuner/auto/lu_tuner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>
#include <vector>

#include "linalg/transfer.hpp"
#include "statistics.hpp"

namespace clgauss::tune {

namespace {

/// What one number may be tried with. PERSISTENT is not among them: without it partial pivoting becomes tournament pivoting.
struct Choice {
  const char* name;
  std::vector<int> values;
};

std::vector<Choice> choices_of(LuFamily family) {
  if (family == LuFamily::cpu)
    return {{"NB", {48, 96, 144, 192, 240, 288}},
            {"TILE_ROWS", {48, 96, 144, 192, 288}},
            {"SOLVE_BLOCK", {96, 192, 384}}};
  return {{"NB", {32, 64, 96, 128, 192, 256}},
          {"SUB_GROUPS_4", {4, 8, 15}},
          {"GROUP_ROWS", {0, 256, 512}},
          {"TOURNAMENT_GROUP", {64, 128, 256, 512}},
          {"STRIP", {8, 16, 32}}};
}

MatrixView copy_target(const Context& context, const MatrixView& like, Index rows,
                       RealType type) {
  return {context.allocate(rows * like.ld * bytes_of(type), "a copy of the system"), 0, like.ld};
}

void copy(const cl::CommandQueue& queue, const MatrixView& from, const MatrixView& to, Index rows,
          RealType type) {
  queue.enqueueCopyBuffer(from.buffer, to.buffer, 0, 0, rows * from.ld * bytes_of(type));
}

}  // namespace

LuBench::LuBench(Context& context, RealType type, Index n)
    : context_(context),
      type_(type),
      n_(n),
      system_{random_matrix(n, n, 1), random_matrix(n, 1, 2)} {
  const Index ld = (n + 15) / 16 * 16 + 16;  // aligned, and no power of two
  original_ = to_device(context, type, system_.a, ld, "a system to tune for");
  b_original_ = to_device(context, type, system_.b, 1, "a system to tune for");
  a_ = copy_target(context, original_, n, type);
  b_ = copy_target(context, b_original_, n, type);
}

double LuBench::timed(Lu& lu) {
  const cl::CommandQueue& queue = context_.queue();
  copy(queue, original_, a_, n_, type_);
  copy(queue, b_original_, b_, n_, type_);
  queue.finish();
  const auto start = std::chrono::steady_clock::now();
  lu.factor_and_solve(a_, b_, 1);
  queue.finish();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

double LuBench::scaled_residual(Lu& lu) {
  static_cast<void>(lu.failed_column());
  Values x = download(context_.queue(), b_.buffer, type_, n_);
  return compute_residual(system_, Matrix(n_, 1, std::move(x)), unit_roundoff(type_)).scaled;
}

Outcome LuBench::measure(const LuSpec& spec, int repetitions, std::optional<double> best_ns,
                         std::optional<double> timeout_ns) {
  return guarded([&]() -> Outcome {
    LuOptions options;
    options.spec = spec;
    try {
      check_lu_spec(spec, context_.profile(), type_);
    } catch (const UsageError& error) {
      return {Status::constraint, error.what(), {}};
    }
    const auto lu = make_lu(context_, type_, n_, options);
    lu->prepare(a_, 1);
    const double first = timed(*lu);  // warms up, and leaves x
    if (timeout_ns && first > *timeout_ns)
      return {Status::timeout, fmt::format("{:.3g} s an LU", first * 1e-9), {}};
    const double residual = scaled_residual(*lu);
    if (!(residual <= kScaledResidualBound))
      return {Status::wrong_result, "scaled residual " + std::to_string(residual), {}};
    Outcome outcome;
    for (int i = 0; i < repetitions; ++i) {
      outcome.times_ns.push_back(timed(*lu));
      if (best_ns && outcome.times_ns.front() > 2 * *best_ns) break;
    }
    return outcome;
  });
}

std::pair<double, double> LuBench::compare(const LuSpec& a, const LuSpec& b, int pairs) {
  const auto make = [&](const LuSpec& spec) {
    LuOptions options;
    options.spec = spec;
    auto lu = make_lu(context_, type_, n_, options);
    lu->prepare(a_, 1);
    return lu;
  };
  const auto lu_a = make(a), lu_b = make(b);
  std::vector<double> times_a, times_b;
  for (int pair = -1; pair < pairs; ++pair) {
    const double time_a = timed(*lu_a), time_b = timed(*lu_b);
    if (pair < 0) continue;  // warms up
    times_a.push_back(time_a);
    times_b.push_back(time_b);
  }
  return {median(times_a), median(times_b)};
}

LuTuningResult tune_lu(Context& context, RealType type, Index n, const StopCondition& stop,
                       const std::function<void()>& between) {
  constexpr int kRepetitions = 5, kPairs = 11;
  constexpr double kGain = 0.99;  // less is not told from noise
  LuBench bench(context, type, n);
  LuTuningResult result;
  result.built_in = result.best = default_lu_spec(context, type, n);
  const Outcome built_in = bench.measure(result.built_in, kRepetitions);
  if (built_in.status != Status::ok) throw DeviceLimit("the built-in LU fails: " + built_in.detail);
  double best_ns = median(built_in.times_ns);
  for (const Choice& choice : choices_of(result.built_in.family))
    for (const int value : choice.values) {
      if (value == result.best.value(choice.name) || stop(result.tried)) continue;
      between();
      LuSpec spec = result.best;
      set_value(spec.parameters, choice.name, value);
      const Outcome outcome = bench.measure(spec, kRepetitions, best_ns);
      ++result.tried;
      if (outcome.status != Status::ok || !(median(outcome.times_ns) <= kGain * best_ns)) continue;
      best_ns = median(outcome.times_ns);
      result.best = spec;
    }
  std::tie(result.built_in_ns, result.best_ns) =
      bench.compare(result.built_in, result.best, kPairs);
  return result;
}

}  // namespace clgauss::tune
