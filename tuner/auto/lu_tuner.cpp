#include "tuner/auto/lu_tuner.hpp"

#include <clgauss/error.hpp>
#include <vector>

#include "statistics.hpp"
#include "tuner/measure/lu_bench.hpp"

namespace clgauss::tune {

LuTuningResult tune_lu(Context& context, RealType type, Index n, const StopCondition& stop,
                       const std::function<void()>& between) {
  constexpr std::size_t kRepetitions = 5;
  constexpr std::size_t kRounds = 11;
  constexpr double kGain = 0.99;  // less is not told from noise
  LuBench bench(context, type, n);
  LuTuningResult result;
  result.built_in = result.best = default_lu_spec(context, type, n);
  const Outcome built_in = bench.measure(result.built_in, {kRepetitions});
  if (built_in.status != Status::ok) throw DeviceLimit("the built-in LU fails: " + built_in.detail);
  double best_ns = median(built_in.times_ns);
  const auto try_value = [&](const ParameterSpec& parameter, int value) {
    if (value == result.best.value(parameter.name) || stop(result.tried)) return;
    between();
    LuSpec spec = result.best;
    set_value(spec.parameters, parameter.name, value);
    const Outcome outcome = bench.measure(spec, {kRepetitions, best_ns});
    ++result.tried;
    if (outcome.status != Status::ok || !(median(outcome.times_ns) <= kGain * best_ns)) return;
    best_ns = median(outcome.times_ns);
    result.best = spec;
  };
  for (const KernelVariant* variant : variants_of(result.built_in.family))
    for (const ParameterSpec& parameter : variant->parameters)
      for (const int value : parameter.tried) try_value(parameter, value);
  result.last = bench.compare(result.best, result.built_in, kRounds);
  return result;
}

}  // namespace clgauss::tune
