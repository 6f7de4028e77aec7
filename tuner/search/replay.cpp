#include "tuner/search/replay.hpp"

#include <algorithm>
#include <clgauss/error.hpp>

#include "statistics.hpp"

namespace clgauss::tune {

RecordedSpace recorded_space(const T4File& file) {
  std::vector<Configuration> configurations;
  for (const T4Result& result : file.results) configurations.push_back(result.configuration);
  RecordedSpace recorded{Space(configurations), {}, 0};
  for (const T4Result& result : file.results) {
    recorded.times_ns.push_back(result.time_ns);
    if (result.time_ns && (recorded.best_ns == 0 || *result.time_ns < recorded.best_ns))
      recorded.best_ns = *result.time_ns;
  }
  if (recorded.best_ns == 0) throw UsageError("no configuration of the recorded space is correct");
  return recorded;
}

std::vector<std::size_t> best_of(const T4File& file, const Space& space, std::size_t count) {
  std::vector<const T4Result*> correct;
  for (const T4Result& result : file.results)
    if (result.time_ns) correct.push_back(&result);
  std::ranges::stable_sort(correct, {}, [](const T4Result* result) { return *result->time_ns; });
  std::vector<std::size_t> seeds;
  for (const T4Result* result : correct) {
    if (seeds.size() == count) break;
    if (const auto number = space.find(result->configuration)) seeds.push_back(*number);
  }
  return seeds;
}

std::vector<std::size_t> replay_once(const RecordedSpace& recorded, Searcher& searcher,
                                     std::size_t evaluations) {
  std::vector<std::size_t> tried;
  while (tried.size() < evaluations) {
    const auto configuration = searcher.next();
    if (!configuration) break;
    searcher.report(*configuration, recorded.times_ns[*configuration]);
    tried.push_back(*configuration);
  }
  return tried;
}

std::vector<double> shares_found(const RecordedSpace& recorded,
                                 const std::vector<std::size_t>& tried, std::size_t evaluations) {
  std::vector<double> shares;
  double best = 0;  // share of the optimum
  for (const std::size_t configuration : tried) {
    if (const auto time = recorded.times_ns[configuration])
      best = std::max(best, recorded.best_ns / *time);
    shares.push_back(best);
  }
  shares.resize(evaluations, best);
  return shares;
}

std::vector<ReplayFigure> replay(const RecordedSpace& recorded, std::string_view strategy,
                                 const ReplayOptions& options) {
  if (options.repeats == 0) throw UsageError("a replay needs at least 1 repeat");
  if (options.evaluations.empty() || std::ranges::min(options.evaluations) == 0)
    throw UsageError("a replay needs at least 1 evaluation");
  const std::size_t most = std::ranges::max(options.evaluations);
  std::vector<std::vector<double>> fractions(options.evaluations.size());
  for (std::size_t repeat = 0; repeat < options.repeats; ++repeat) {
    const auto searcher =
        make_searcher(strategy, recorded.space, {options.seeds, options.random_seed + repeat});
    const std::vector<std::size_t> tried = replay_once(recorded, *searcher, most);
    if (options.trace) options.trace(repeat, tried);
    const std::vector<double> found = shares_found(recorded, tried, most);
    for (std::size_t i = 0; i < fractions.size(); ++i)
      fractions[i].push_back(found[options.evaluations[i] - 1]);
    if (options.progress)
      options.progress(static_cast<double>(repeat + 1) / static_cast<double>(options.repeats));
  }
  std::vector<ReplayFigure> figures;
  for (std::size_t i = 0; i < fractions.size(); ++i)
    figures.push_back({options.evaluations[i], median(fractions[i]), quantile(fractions[i], 0.1)});
  return figures;
}

}  // namespace clgauss::tune
