#include "tuner/search/gemm_search.hpp"

#include "statistics.hpp"

namespace clgauss::tune {

namespace {

constexpr std::size_t kRounds = 7;
constexpr double kTimeoutNs = 10e9;

}  // namespace

GemmSearchResult search_gemm(Context& context, const GemmTask& task,
                             const GemmSearchOptions& options) {
  const GemmSpace space = gemm_space(context, task, options.kernel, options.vary);
  SearchStart start{space.seeds, options.random_seed};
  for (const Configuration& seed : options.seeds)
    if (const auto number = space.space.find(seed)) start.seeds.push_back(*number);
  const auto searcher = make_searcher(options.strategy, space.space, start);
  GemmBench bench(context, task);
  GemmSearchResult result;
  result.built_in = built_in_gemm_spec(context, task);
  result.space_size = space.space.size();
  result.parameters = space.space.parameters();
  std::optional<double> best_ns;
  while (!options.stop(result.trials.size())) {
    const auto configuration = searcher->next();
    if (!configuration) break;
    GemmTrial trial{*configuration, space.spec(*configuration), {}, {}};
    trial.outcome = bench.measure(trial.spec, {options.repetitions, best_ns, kTimeoutNs});
    if (trial.outcome.status == Status::ok) trial.time_ns = median(trial.outcome.times_ns);
    searcher->report(*configuration, trial.time_ns);
    if (trial.time_ns && (!best_ns || *trial.time_ns < *best_ns)) {
      best_ns = trial.time_ns;
      result.best = trial.spec;
    }
    if (options.progress) options.progress(trial, result.trials.size() + 1, result.space_size);
    result.trials.push_back(std::move(trial));
  }
  if (result.best) result.last = bench.compare(*result.best, result.built_in, kRounds);
  return result;
}

}  // namespace clgauss::tune
