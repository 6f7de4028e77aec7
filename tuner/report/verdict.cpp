#include "tuner/report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "tuner/measure/divisors.hpp"
#include "tuner/report/elimination_tables.hpp"

namespace clgauss::tune::report {

namespace {

void raise(std::optional<Cost>& most, const Cost& cost) {
  if (!most || cost.ratio.median > most->ratio.median) most = cost;
}

void lower(std::optional<Cost>& least, const Cost& cost) {
  if (!least || cost.ratio.median < least->ratio.median) least = cost;
}

/// What one may use at one n, by the name that --local takes: the fastest choice and what cannot be told from it.
struct Choices {
  std::map<std::string, const Timing*> by_name;

  Choices(const ContestResult& contest, std::size_t limit) {
    const Timing* const fastest = fastest_choice(contest, limit);
    if (fastest == nullptr) return;
    for (const Timing& timing : contest.timings) {
      if (!timing.ok() || !timing.parameters.empty()) continue;
      if (timing.by_driver() && !driver_is_safe(timing.n, limit)) continue;
      if (&timing != fastest && contest.order(timing, *fastest) != Order::tie) continue;
      if (timing.by_driver()) by_name.emplace("driver", &timing);
      for (const std::size_t local : timing.locals)
        if (local > 0) by_name.emplace(std::to_string(local), &timing);
    }
  }
};

/// Advice for neighbouring n that share a choice; of several choices the LCM rule's own, else the one that is fastest on the whole.
class Adviser {
 public:
  Adviser(const ByN& contests, std::optional<std::size_t> rule, std::size_t limit) {
    const std::string of_rule = rule ? std::to_string(*rule) : "";
    for (const auto& [n, contest] : contests) {
      const Choices choices(contest, limit);
      if (choices.by_name.empty() || contest.timings.size() < 2) continue;
      std::map<std::string, double> kept;  // name, sum of the logarithms of its times
      for (const auto& [name, timing] : choices.by_name)
        if (sizes_.empty() || shared_.contains(name))
          kept[name] = (sizes_.empty() ? 0 : shared_.at(name)) + std::log(timing->ms.median);
      if (kept.empty()) {
        conclude(contests, of_rule);
        for (const auto& [name, timing] : choices.by_name) kept[name] = std::log(timing->ms.median);
      }
      shared_ = std::move(kept);
      sizes_.push_back(n);
    }
    conclude(contests, of_rule);
  }

  [[nodiscard]] std::vector<Advice> take() { return std::move(advice_); }

 private:
  void conclude(const ByN& contests, const std::string& of_rule) {
    if (sizes_.empty()) return;
    Advice advice{sizes_.front(), sizes_.back(), sizes_.size(), of_rule, {}, {}};
    if (!shared_.contains(of_rule)) {
      advice.local = std::ranges::min_element(shared_, {}, [](const auto& choice) {
                       return choice.second;
                     })->first;
      for (const std::size_t n : sizes_) {
        const ContestResult& contest = contests.at(n);
        const Timing* const rule = contest.of_rule("lcm");
        for (const Timing& timing : contest.timings) {
          const bool is_it =
              timing.ok() && timing.parameters.empty() &&
              (timing.by_driver() ? advice.local == "driver"
                                  : std::ranges::any_of(timing.locals, [&](std::size_t local) {
                                      return std::to_string(local) == advice.local;
                                    }));
          if (!is_it || rule == nullptr || !rule->ok()) continue;
          lower(advice.least, {ratio_of(*rule, timing), n});
          raise(advice.most, {ratio_of(*rule, timing), n});
        }
      }
    }
    advice_.push_back(std::move(advice));
    sizes_.clear();
    shared_.clear();
  }

  std::vector<Advice> advice_;
  std::vector<std::size_t> sizes_;
  std::map<std::string, double> shared_;
};

std::string ratio_words(const Cost& cost) { return text_of(cost.ratio, 1, 3); }

std::string rule_sentence(const Verdict& verdict) {
  if (!verdict.rule)
    return "Whether the LCM rule holds on this device the rows do not say: no other size was timed "
           "beside its own (`clgauss-tune rules` does that).";
  std::string text = fmt::format("The LCM rule gives {} here", *verdict.rule_local);
  if (verdict.rule_raw && *verdict.rule_raw != *verdict.rule_local)
    text +=
        fmt::format(" (as printed {}, above the limit of {})", *verdict.rule_raw, verdict.limit);
  if (verdict.rule_is_largest())
    text += fmt::format(
        "; so cut it says the same as \"the largest multiple of {} up to the limit\", and what "
        "remains of it is the advice to set a size at all",
        verdict.multiple);
  text += fmt::format(". It cannot be told from the best at {} of the {} n timed",
                      verdict.rule_ties == 0 ? "none" : std::to_string(verdict.rule_ties),
                      verdict.rule_sizes);
  if (verdict.rule_ties == verdict.rule_sizes) return text + ": it holds.";
  return text + fmt::format(
                    "; at worst it takes {} times as long (n = {}, where {} is best): it "
                    "does not hold.",
                    ratio_words(*verdict.rule), verdict.rule->n, verdict.rule_best);
}

std::string counts_words(const DriverCounts& counts) {
  const std::size_t all = counts.faster + counts.ties + counts.slower;
  std::string text = fmt::format("at {} n faster, {} the same, {} slower than the LCM rule",
                                 counts.faster, counts.ties, counts.slower);
  if (counts.worst && all > 0)
    text += fmt::format(", at worst {} times its time (n = {})", ratio_words(*counts.worst),
                        counts.worst->n);
  return text;
}

std::string driver_sentence(const Verdict& verdict) {
  const auto any = [](const DriverCounts& counts) {
    return counts.faster + counts.ties + counts.slower > 0;
  };
  std::string text;
  if (any(verdict.small_divisor))
    text += fmt::format("where the largest divisor of n + 1 within {} is below {}: {}",
                        verdict.limit, kSmallDivisor, counts_words(verdict.small_divisor));
  if (any(verdict.other))
    text += fmt::format(
        "{}{}: {}", text.empty() ? "" : "; ",
        text.empty() ? fmt::format("where it is {} or more", kSmallDivisor) : "elsewhere",
        counts_words(verdict.other));
  if (!text.empty()) text = "Left to the driver, the elimination is, " + text + ".";
  if (const auto& slow = verdict.driver_timeouts; !slow.empty())
    text +=
        fmt::format("{}The driver's default took too long to be timed at {} n, first at n = {}.",
                    text.empty() ? "" : " ", slow.size(), slow.front());
  return text;
}

std::string advice_sentence(const Verdict& verdict) {
  std::string text;
  for (const Advice& advice : verdict.advice) {
    const std::string sizes = advice.count == 1
                                  ? fmt::format("n = {}", advice.from)
                                  : fmt::format("n = {} to {}", advice.from, advice.to);
    std::string worth = "nothing timed is faster by more than the noise";
    if (advice.most && advice.most->ratio.low > 1 && advice.least->n != advice.most->n)
      worth = fmt::format("worth {} (n = {}) to {} (n = {}) times the LCM rule's speed",
                          ratio_words(*advice.least), advice.least->n, ratio_words(*advice.most),
                          advice.most->n);
    else if (advice.most && advice.most->ratio.low > 1)
      worth = fmt::format("worth {} times the LCM rule's speed", ratio_words(*advice.least));
    text += fmt::format("{} `--local {}` for {} ({})", text.empty() ? "Use" : ",", advice.local,
                        sizes, worth);
  }
  return text.empty() ? text : text + ".";
}

}  // namespace

bool Verdict::rule_is_largest() const {
  return rule_local && multiple > 0 && limit > 0 && *rule_local == limit / multiple * multiple;
}

ByN contests_of(const EliminationData& data) {
  ByN contests = data.sweep;
  for (const auto& [n, contest] : data.rules) contests[n] = contest;
  return contests;
}

Verdict verdict_of(const EliminationData& data) {
  Verdict verdict;
  verdict.rule_local = data.rule_local();
  verdict.rule_raw = data.raw_rule();
  verdict.multiple = data.preferred_multiple();
  verdict.limit = data.work_group_limit();
  const ByN contests = contests_of(data);
  const auto note_driver = [&](std::size_t n, const ContestResult& contest) {
    const Timing *driver = contest.of_rule("driver"), *rule = contest.of_rule("lcm");
    if (driver == nullptr) return;
    if (driver->status == Status::timeout) verdict.driver_timeouts.push_back(n);
    if (!driver->ok() || rule == nullptr || !rule->ok()) return;
    const bool small = verdict.limit > 0 && largest_divisor(n + 1, verdict.limit) < kSmallDivisor;
    DriverCounts& counts = small ? verdict.small_divisor : verdict.other;
    const Order order = contest.order(*driver, *rule);
    ++(order == Order::faster ? counts.faster : order == Order::tie ? counts.ties : counts.slower);
    raise(counts.worst, {ratio_of(*driver, *rule), n});
  };
  for (const auto& [n, contest] : contests) {
    if (!data.outliers.contains(n)) note_driver(n, contest);
    const Timing* rule = nullptr;
    for (const Timing& timing : contest.timings)
      if (verdict.rule_local && timing.ok() && !timing.by_driver() && timing.parameters.empty() &&
          std::ranges::find(timing.locals, *verdict.rule_local) != timing.locals.end())
        rule = &timing;
    if (rule == nullptr || std::ranges::count_if(contest.timings, &Timing::ok) < 2) continue;
    const Timing& best = *contest.best();
    ++verdict.rule_sizes;
    if (rule == &best || contest.order(*rule, best) == Order::tie) ++verdict.rule_ties;
    raise(verdict.rule, {ratio_of(*rule, best), n});
    if (verdict.rule->n == n) verdict.rule_best = best.name();
  }
  for (const auto& [n, contest] : data.outliers) note_driver(n, contest);
  verdict.advice = Adviser(contests, verdict.rule_local, verdict.limit).take();
  return verdict;
}

std::vector<std::string> sentences(const Verdict& verdict) {
  std::vector<std::string> all{rule_sentence(verdict)};
  for (const auto& sentence : {driver_sentence(verdict), advice_sentence(verdict)})
    if (!sentence.empty()) all.push_back(sentence);
  return all;
}

}  // namespace clgauss::tune::report
