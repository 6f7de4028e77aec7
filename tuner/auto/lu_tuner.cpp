#include "tuner/auto/lu_tuner.hpp"

#include <clgauss/error.hpp>
#include <tuple>
#include <vector>

#include "statistics.hpp"
#include "tuner/measure/lu_bench.hpp"

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

}  // namespace

LuTuningResult tune_lu(Context& context, RealType type, Index n, const StopCondition& stop,
                       const std::function<void()>& between) {
  constexpr std::size_t kRepetitions = 5;
  constexpr int kPairs = 11;
  constexpr double kGain = 0.99;  // less is not told from noise
  LuBench bench(context, type, n);
  LuTuningResult result;
  result.built_in = result.best = default_lu_spec(context, type, n);
  const Outcome built_in = bench.measure(result.built_in, {kRepetitions});
  if (built_in.status != Status::ok) throw DeviceLimit("the built-in LU fails: " + built_in.detail);
  double best_ns = median(built_in.times_ns);
  for (const Choice& choice : choices_of(result.built_in.family))
    for (const int value : choice.values) {
      if (value == result.best.value(choice.name) || stop(result.tried)) continue;
      between();
      LuSpec spec = result.best;
      set_value(spec.parameters, choice.name, value);
      const Outcome outcome = bench.measure(spec, {kRepetitions, best_ns});
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
