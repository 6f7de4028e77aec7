#include "tuner/search/gemm_search.hpp"

#include <fmt/format.h>

#include <chrono>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <cmath>

#include "kernels/gemm_backend.hpp"
#include "linalg/transfer.hpp"
#include "statistics.hpp"

namespace clgauss::tune {

namespace {

constexpr int kPairs = 7;
constexpr double kHopeless = 2;  // times the best after the first run

/// Euclidean norms of the rows, or of the columns.
std::vector<double> norms(const Matrix& matrix, bool of_rows) {
  std::vector<double> sums(of_rows ? matrix.rows() : matrix.cols());
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) sums[of_rows ? i : j] += matrix(i, j) * matrix(i, j);
  for (double& sum : sums) sum = std::sqrt(sum);
  return sums;
}

/// A product that no tile, sub-tile or block divides.
GemmShape cut_shape(const GemmSpec& spec) {
  const auto v = [&](const char* name) { return static_cast<Index>(spec.value(name)); };
  if (spec.is_for_cpu()) return {2 * v("MR") + 5, 2 * v("NR") + 7, v("KC") + 3};
  const Index align = spec.alignment();
  const auto cut = [&](Index extent) { return (extent + align) / align * align; };
  return {cut(v("TILE_M") + 5), cut(v("TILE_N") + 7), cut(2 * v("TILE_K") + 3)};
}

}  // namespace

GemmBench::GemmBench(Context& context, const GemmTask& task)
    : context_(context), task_(task) {
  const auto& [m, n, k, transpose_a, transpose_b] = task.shape;
  if (m == 0 || n == 0 || k == 0 || transpose_a || transpose_b)
    throw UsageError("a GEMM is tuned for m, n, k of at least 1 and without transposition");
  const Matrix a = random_matrix(m, k, 1), b = random_matrix(k, n, 2), c = random_matrix(m, n, 3);
  const auto view_of = [&](const Matrix& matrix) {
    return to_device(context, task.type, matrix, matrix.cols(), "an operand of the GEMM to tune");
  };
  a_ = view_of(a);
  b_ = view_of(b);
  c_ = view_of(c);
  c_start_ = view_of(c);
  bounds_of_rows_ = norms(a, true);
  bounds_of_cols_ = norms(b, false);
  Gemm gemm(context, task.type);
  timed(gemm);
  reference_ = download(context.queue(), c_.buffer, task.type, m * n);
}

double GemmBench::timed(Gemm& gemm) {
  const auto start = std::chrono::steady_clock::now();
  const bool update = task_.use == GemmUse::update;
  gemm.multiply(context_.queue(), task_.shape, update ? -1 : 1, a_, b_, update ? 1 : 0, c_);
  context_.queue().finish();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

void GemmBench::restore_c() {
  context_.queue().enqueueCopyBuffer(c_start_.buffer, c_.buffer, 0, 0,
                                     reference_.size() * bytes_of(task_.type));
}

std::string GemmBench::first_wrong_element() const {
  const Values result = download(context_.queue(), c_.buffer, task_.type, reference_.size());
  const Index n = task_.shape.n;
  // |A||B| <= row norm times column norm (Cauchy, Schwarz), |C0| <= 1; twice, because the reference is rounded too.
  const double each = 8 * static_cast<double>(task_.shape.k + 2) * unit_roundoff(task_.type);
  for (Index i = 0; i < reference_.size(); ++i) {
    const double bound = each * (bounds_of_rows_[i / n] * bounds_of_cols_[i % n] + 1);
    if (!(std::abs(result[i] - reference_[i]) <= bound))
      return fmt::format("C({}, {}) is {} instead of {}", i / n, i % n, result[i], reference_[i]);
  }
  return {};
}

Outcome GemmBench::measure(const GemmSpec& spec, const Limits& limits) {
  if (const std::string rule = broken_rule(spec); !rule.empty())
    return {Status::constraint, rule, {}};
  if (const std::string limit = exceeded_limit(spec, context_.profile()); !limit.empty())
    return {Status::device_limit, limit, {}};
  return guarded([&] { return run(spec, limits); });
}

Outcome GemmBench::run(const GemmSpec& spec, const Limits& limits) {
  std::optional<Gemm> built;
  try {
    built.emplace(context_, task_.type, GemmOptions{{spec}, true});
  } catch (const UsageError& error) {  // check_gemm_spec()
    return {Status::constraint, error.what(), {}};
  }
  Gemm& gemm = *built;
  const auto multiply = [&](const GemmCall& call) {
    gemm.multiply(context_.queue(), call.shape, call.alpha, call.a, call.b, call.beta, call.c);
  };
  require_known_answer(context_, task_.type, cut_shape(spec), multiply);
  restore_c();
  context_.queue().finish();
  const double first = timed(gemm);
  if (first > limits.timeout_ns)
    return {Status::timeout, fmt::format("{:.3g} s a product", first * 1e-9), {}};
  if (const std::string wrong = first_wrong_element(); !wrong.empty())
    return {Status::wrong_result, wrong, {}};
  Outcome outcome;
  outcome.times_ns.push_back(timed(gemm));
  if (limits.best_ns && outcome.times_ns.front() > kHopeless * *limits.best_ns) {
    outcome.detail = "over twice the best: timed once";
    return outcome;
  }
  while (outcome.times_ns.size() < static_cast<std::size_t>(limits.repetitions))
    outcome.times_ns.push_back(timed(gemm));
  return outcome;
}

std::pair<double, double> GemmBench::compare(const GemmSpec& a, const GemmSpec& b, int pairs) {
  Gemm gemm_a(context_, task_.type, {{a}}), gemm_b(context_, task_.type, {{b}});
  timed(gemm_a);
  timed(gemm_b);
  std::vector<double> times_a, times_b;
  for (int pair = 0; pair < pairs; ++pair) {
    if (pair % 8 == 0) restore_c();  // repeated updates must not grow without bounds
    times_a.push_back(timed(gemm_a));
    times_b.push_back(timed(gemm_b));
  }
  return {median(times_a), median(times_b)};
}

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
    trial.outcome = bench.measure(trial.spec, {options.repetitions, best_ns});
    if (trial.outcome.status == Status::ok) trial.time_ns = median(trial.outcome.times_ns);
    searcher->report(*configuration, trial.time_ns);
    if (trial.time_ns && (!best_ns || *trial.time_ns < *best_ns)) {
      best_ns = trial.time_ns;
      result.best = trial.spec;
    }
    if (options.progress) options.progress(trial, result.trials.size() + 1, result.space_size);
    result.trials.push_back(std::move(trial));
  }
  if (result.best)
    std::tie(result.best_ns, result.built_in_ns) =
        bench.compare(*result.best, result.built_in, kPairs);
  return result;
}

}  // namespace clgauss::tune
