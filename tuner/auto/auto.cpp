#include "tuner/auto/auto.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <clgauss/error.hpp>
#include <clgauss/lab/gemm_spec.hpp>
#include <clgauss/version.hpp>

#include "clock.hpp"
#include "tuner/auto/elimination_tuner.hpp"
#include "tuner/auto/lu_tuner.hpp"
#include "tuner/auto/method_tuner.hpp"
#include "tuner/experiments/contest.hpp"
#include "tuner/measure/lu_bench.hpp"
#include "tuner/search/gemm_search.hpp"

namespace clgauss::tune {

namespace {

using Seconds = std::chrono::duration<double>;
using Clock = std::chrono::steady_clock;

/// Of comparisons at neighbouring sizes, and with what a solve takes so far.
constexpr std::size_t kRounds = 7;

/// Columns per trailing update for which the update kernels are tuned: the LU's own choice for
/// large n.
constexpr Index kUpdateDepth = 128;

constexpr const char* kTimeUp = "no time was left: give a longer --budget";

/// One purpose, type and size.
struct Job {
  std::string what;
  RealType type;
  Index n;
};

class AutoTuner {
 public:
  AutoTuner(Context& context, const AutoOptions& options, const AutoProgress& progress)
      : context_(context), options_(options), progress_(progress) {}

  void run(const std::function<void(const AutoResult&)>& found) {
    const std::vector<Job> jobs = jobs_of();
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      const double left_s = options_.budget_s - spent_s();
      if (left_s <= 0) {
        for (; i < jobs.size(); ++i) found(left_out(jobs[i]));
        return;
      }
      now_ = fmt::format("{} {}", jobs[i].what, real_type_name(jobs[i].type));
      if (jobs[i].n > 0) now_ += fmt::format(" n = {}", jobs[i].n);
      between();
      found(tune(jobs[i], Seconds(left_s / static_cast<double>(jobs.size() - i))));
    }
  }

 private:
  /// The small sizes of all purposes first: where time runs out, the large ones go without. The
  /// methods last, which take what the others found.
  [[nodiscard]] std::vector<Job> jobs_of() const {
    std::vector<Job> jobs;
    const auto is_wanted = [&](const char* what) {
      return std::ranges::find(options_.whats, what) != options_.whats.end();
    };
    for (const Index n : options_.sizes)
      for (const std::string& what : options_.whats)
        for (const RealType type : options_.types) {
          if (what == kTunedMethod) continue;
          jobs.push_back({what, type, n});
          const bool updates = what == kTunedGemm && n > 8 * kUpdateDepth &&
                               context_.profile().type != DeviceType::cpu;
          if (updates) jobs.push_back({kTunedGemmUpdate, type, n});
        }
    // Without fp64 there is nothing to choose from.
    if (is_wanted(kTunedMethod) && std::ranges::count(options_.types, RealType::f64) > 0)
      jobs.push_back({kTunedMethod, RealType::f64, 0});
    return jobs;
  }

  [[nodiscard]] double spent_s() const { return seconds_since(start_); }
  void between() const { progress_(std::min(1.0, spent_s() / options_.budget_s), now_); }

  [[nodiscard]] AutoResult result_of(const Job& job) const {
    AutoResult result;
    result.entry = {job.what, job.type, job.n, "", {},        context_.profile().driver_version,
                    "",       0,        0,     "", revision()};
    result.entry.measured = utc_now();
    return result;
  }

  /// What there was no time for.
  [[nodiscard]] AutoResult left_out(const Job& job) const {
    AutoResult result = result_of(job);
    result.problem = kTimeUp;
    return result;
  }

  [[nodiscard]] AutoResult tune(const Job& job, Seconds share) const {
    AutoResult result = result_of(job);
    const Outcome outcome = guarded([&]() -> Outcome {
      if (job.what == kTunedElimination)
        elimination(job, result);
      else if (job.what == kTunedLu)
        lu(job, share, result);
      else if (job.what == kTunedMethod)
        method(share, result);
      else
        gemm(job, share, result);
      return {};
    });
    if (outcome.status != Status::ok) result.problem = outcome.detail;
    if (!result.entry.kernel.empty())
      result.entry.kernel_hash =
          tuned_kernel_hash(result.entry.kernel, context_.programs().kernel_folder());
    return result;
  }

  /// The entry that a solve of this job's size takes so far; nullptr if there is none.
  [[nodiscard]] const TunedEntry* taken_by(const Job& job) const {
    return options_.known == nullptr ? nullptr : options_.known->find(job.what, job.type, job.n);
  }

  /// Fills in what came of the last comparison, and of that with what a solve takes so far, where
  /// that is an entry that works.
  static bool judge(AutoResult& result, const Duel& last, bool taken_known,
                    const std::function<Duel()>& against_taken) {
    Duel duel = last;
    bool wins = last.order() == Order::faster;
    if (wins && taken_known) {
      const Outcome outcome = guarded([&]() -> Outcome {
        duel = against_taken();
        return {};
      });
      if (outcome.status == Status::ok) wins = duel.order() == Order::faster;
    }
    result.gain = duel.gain();
    result.entry.time_ns = estimate(duel.a_ns).median;
    result.entry.default_time_ns = estimate(duel.b_ns).median;
    return wins;
  }

  [[nodiscard]] std::vector<TunedEntry> seeds_for(const Job& job) const {
    std::vector<TunedEntry> seeds;
    for (const TunedEntry& entry : options_.seeds)
      if (entry.what == job.what && entry.type == job.type) seeds.push_back(entry);
    return seeds;
  }

  void elimination(const Job& job, AutoResult& result) const {
    std::vector<std::size_t> seeds;
    for (const TunedEntry& seed : seeds_for(job))
      for (const auto& [name, value] : seed.parameters)
        if (name == "LOCAL" && value > 0) seeds.push_back(static_cast<std::size_t>(value));
    std::optional<LaunchChoice> taken;
    if (const TunedEntry* entry = taken_by(job)) {
      taken =
          fixed_candidate(static_cast<std::size_t>(value_of(entry->parameters, "LOCAL"))).choice;
      taken->split = tuned_split(*entry);
    }
    const EliminationTuning tuned = tune_elimination(context_, job.type, job.n, seeds,
                                                     taken ? &*taken : nullptr, [&] { between(); });
    result.entry.kernel = "gauss.cl";
    result.entry.parameters = {{"LOCAL", static_cast<int>(tuned.local)},
                               {"SPLIT", static_cast<int>(tuned.split)}};
    result.entry.time_ns = 1e6 * tuned.best.ms.median;
    result.entry.default_time_ns = 1e6 * tuned.incumbent.ms.median;
    if (tuned.incumbent.ok()) result.gain = ratio_of(tuned.incumbent, tuned.best);
    result.tried = tuned.tried;
    result.worth_storing = tuned.wins;
  }

  void gemm(const Job& job, Seconds share, AutoResult& result) const {
    // Rows aligned as those of an LU: with n = 8010 itself the kernels would be without vectors,
    // and lose at n = 8192.
    const Index n = (job.n + 15) / 16 * 16;
    GemmTask task{job.type, GemmUse::general, {n, n, n}};
    if (job.what == kTunedGemmUpdate) {
      task.use = GemmUse::update;
      task.shape.k = kUpdateDepth;
    }
    GemmSearchOptions search;
    for (const TunedEntry& seed : seeds_for(job)) {
      search.seeds.emplace_back();
      for (const auto& [name, value] : seed.parameters)
        search.seeds.back().emplace_back(name, std::int64_t{value});
    }
    search.stop = after_duration(0.8 * share);  // the rest is for the last comparison
    search.progress = [&](const GemmTrial&, std::size_t, std::size_t) { between(); };
    const GemmSearchResult found = search_gemm(context_, task, search);
    result.tried = found.trials.size();
    if (!found.best) throw DeviceLimit(without_best(found));
    result.entry.kernel = found.best->file;
    result.entry.parameters = found.best->parameters;
    const TunedEntry* const taken = taken_by(job);
    const auto against_taken = [&] {
      const GemmSpec spec{"taken", taken->kernel, job.type, task.use, taken->parameters};
      return GemmBench(context_, task).compare(*found.best, spec, kRounds);
    };
    result.worth_storing =
        judge(result, found.last, taken != nullptr, against_taken) &&
        holds_nearby(n, [&](Index near) {
          const Index k = task.use == GemmUse::update ? task.shape.k : near;
          const GemmTask other{task.type, task.use, {near, near, k}};
          return GemmBench(context_, other)
              .compare(*found.best, built_in_gemm_spec(context_, other), kRounds);
        });
  }

  /// Why a search has no best kernel.
  static std::string without_best(const GemmSearchResult& found) {
    const std::size_t tried = found.trials.size();
    if (tried == 0) return kTimeUp;
    if (tried < found.space_size)
      return fmt::format(
          "the time ran out after {} of {} GEMM kernels, and none of these works: give a longer "
          "--budget",
          tried, found.space_size);
    return "no GEMM kernel of the space works";
  }

  /// Whether the best is no slower than the built-in spec at other sizes that the entry counts for:
  /// how a size divides into tiles and these into compute units decides as much as the kernel
  /// (H200, f64: 1.03 at n = 2016, 0.96 at 2048). `compare` takes the times of both at a size.
  [[nodiscard]] bool holds_nearby(Index n, const std::function<Duel(Index near)>& compare) const {
    return std::ranges::all_of(near_sizes(n), [&](Index near) {
      between();
      return compare(near).order() != Order::slower;
    });
  }

  void lu(const Job& job, Seconds share, AutoResult& result) const {
    const LuTuningResult tuned =
        tune_lu(context_, job.type, job.n, after_duration(0.8 * share), [&] { between(); });
    result.tried = tuned.tried;
    result.entry.kernel = lu_family_name(tuned.best.family);
    result.entry.parameters = tuned.best.parameters;
    const TunedEntry* const taken = taken_by(job);
    const auto against_taken = [&] {
      const LuSpec spec{tuned.built_in.family, taken->parameters};
      return LuBench(context_, job.type, job.n).compare(tuned.best, spec, kRounds);
    };
    const bool same_family = taken != nullptr && taken->kernel == result.entry.kernel;
    result.worth_storing =
        judge(result, tuned.last, same_family, against_taken) &&
        holds_nearby(job.n, [&](Index near) {
          return LuBench(context_, job.type, near)
              .compare(tuned.best, default_lu_spec(context_, job.type, near), kRounds);
        });
  }

  void method(Seconds share, AutoResult& result) const {
    const Tuning nothing;
    const MethodChoice so_far =
        method_choice(context_.profile(), options_.known == nullptr ? nothing : *options_.known);
    const MethodTuning tuned = tune_methods(context_, options_.context, {options_.sizes, so_far},
                                            after_duration(0.8 * share), [&] { between(); });
    result.tried = tuned.tried;
    result.entry.kernel = lu_family_name(default_lu_spec(context_, RealType::f64, tuned.n).family);
    result.entry.parameters = method_parameters(tuned.choice);
    result.entry.time_ns = tuned.best_ns;
    result.entry.default_time_ns = tuned.lu_ns;
    result.gain = tuned.gain;
    result.worth_storing =
        method_parameters(tuned.choice) != method_parameters(so_far) || so_far.entry == nullptr;
  }

  /// Other sizes that an entry for n counts for: a power of two, and those a quarter below and
  /// above.
  static std::array<Index, 3> near_sizes(Index n) {
    return {std::bit_ceil(3 * n / 4), 3 * n / 4 / 16 * 16, 5 * n / 4 / 16 * 16};
  }

  Context& context_;
  const AutoOptions& options_;
  const AutoProgress& progress_;
  Clock::time_point start_ = Clock::now();
  std::string now_;
};

}  // namespace

void tune_automatically(Context& context, const AutoOptions& options, const AutoProgress& progress,
                        const std::function<void(const AutoResult&)>& found) {
  AutoTuner(context, options, progress).run(found);
}

double machine_noise(Context& context) {
  EliminationOptions options;
  options.type = RealType::f32;
  options.repetitions = 21;
  const std::vector<LaunchChoice> sizes{{{WorkGroupPolicy::Rule::fixed, 32}},
                                        {{WorkGroupPolicy::Rule::fixed, 16}}};
  const EliminationResults results = EliminationBench(context, 400, options).measure(sizes);
  double noise = results.floor();
  for (const EliminationResultOf& result : results.choices)
    if (const auto& times = result.outcome.times_ns; !times.empty()) {
      const Estimate ns = estimate(times);
      noise = std::max(noise, (ns.high - ns.low) / 2 / ns.median);
    }
  return noise;
}

std::string noise_text(double noise, double busy, unsigned cores) {
  if (noise <= kMostNoise) return {};
  const std::string load = load_doubt(busy, cores);
  return fmt::format("equal launches differ by {:.0f} % now, too much to say what is faster{}",
                     100 * noise, load.empty() ? "" : " (" + load + ")");
}

std::string noise_refusal(double noise, double busy, unsigned cores) {
  const std::string text = noise_text(noise, busy, cores);
  return text.empty() ? text
                      : text +
                            "; end other programs and run again, or pass --accept-noise, which "
                            "keeps only what wins by more than that";
}

std::vector<Index> default_tuning_sizes(const DeviceProfile& device) {
  if (device.type == DeviceType::cpu) return {508, 1012, 2002, 4006};
  return {508, 1012, 2002, 4006, 8010};
}

}  // namespace clgauss::tune
