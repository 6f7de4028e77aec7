#include "tuner/report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

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

/// What --local may be for this launch: every size that was timed as it, and, of one group over the
/// whole range, the largest there is.
std::vector<std::string> names_of_choice(const Timing& timing, std::size_t limit) {
  if (timing.by_driver()) return {"driver"};
  std::vector<std::string> names;
  for (const std::size_t local : timing.locals)
    if (local > 0) names.push_back(std::to_string(local));
  if (timing.group > timing.n && limit >= timing.group) names.push_back(std::to_string(limit));
  return names;
}

/// The LCM rule's launch; null where it has no time, or is another than `of_rule` because the cores
/// were counted otherwise.
const Timing* rule_timing(const ContestResult& contest, std::string_view of_rule) {
  const Timing* const rule = contest.of_rule("lcm");
  const bool is_it =
      rule != nullptr && rule->ok() && std::ranges::any_of(rule->locals, [&](std::size_t local) {
        return std::to_string(local) == of_rule;
      });
  return is_it ? rule : nullptr;
}

/// What one may use at one n, by the name that --local takes: the fastest choice and what cannot be
/// told from it.
struct Choices {
  std::map<std::string, const Timing*> by_name;
  std::set<std::string> timed;  // also what is slower

  Choices(const ContestResult& contest, std::size_t limit) {
    const Timing* const fastest = fastest_choice(contest, limit);
    if (fastest == nullptr) return;
    for (const Timing& timing : contest.timings) {
      if (!timing.ok() || !timing.parameters.empty()) continue;
      const std::vector<std::string> names = names_of_choice(timing, limit);
      timed.insert(names.begin(), names.end());
      if (timing.by_driver() && !driver_is_safe(timing.n, limit)) continue;
      if (&timing != fastest && contest.order(timing, *fastest) != Order::tie) continue;
      for (const std::string& name : names) by_name.emplace(name, &timing);
    }
  }
};

/// Advice for neighbouring n that share a choice; of several that which was found at the most n,
/// the LCM rule's own, or the fastest on the whole. Where a choice was not timed, nothing is said
/// against it.
class Adviser {
 public:
  Adviser(const ByN& contests, std::optional<std::size_t> rule, std::size_t limit)
      : of_rule_(rule ? std::to_string(*rule) : ""), limit_(limit) {
    for (const auto& [n, contest] : contests) {
      const Choices choices(contest, limit);
      if (choices.by_name.empty() || contest.timings.size() < 2) continue;
      const auto found = [&](const auto& shared) { return choices.by_name.contains(shared.first); };
      const auto timed = [&](const auto& shared) { return choices.timed.contains(shared.first); };
      if (std::ranges::none_of(shared_, found)) {
        if (!shared_.empty() && std::ranges::none_of(shared_, timed)) continue;
        conclude(contests);
        for (const auto& [name, timing] : choices.by_name) shared_[name];
      }
      std::erase_if(shared_, [&](const auto& shared) { return timed(shared) && !found(shared); });
      for (auto& [name, at] : shared_)
        if (const auto choice = choices.by_name.find(name); choice != choices.by_name.end()) {
          at.sizes.push_back(n);
          at.cost += std::log(choice->second->ms.median);
        }
    }
    conclude(contests);
  }

  [[nodiscard]] std::vector<Advice> take() { return std::move(advice_); }

 private:
  /// The n at which a choice was found, and the sum of the logarithms of its times.
  struct Found {
    std::vector<std::size_t> sizes;
    double cost = 0;
  };

  void conclude(const ByN& contests) {
    if (shared_.empty()) return;
    // Of names of the same launches the largest number, which larger n may share.
    const auto& [local, at] = *std::ranges::max_element(shared_, {}, [&](const auto& shared) {
      const auto& [name, found] = shared;
      return std::tuple(found.sizes.size(), name == of_rule_, -found.cost,
                        name == "driver" ? 0L : std::stol(name));
    });
    Advice advice{at.sizes.front(), at.sizes.back(), at.sizes.size(), local, {}, {}};
    if (local != of_rule_)
      for (const std::size_t n : at.sizes) {
        const ContestResult& contest = contests.at(n);
        const Timing* const rule = rule_timing(contest, of_rule_);
        const Timing* const own = Choices(contest, limit_).by_name.at(local);
        if (rule == nullptr) continue;
        lower(advice.least, {ratio_of(*rule, *own), n});
        raise(advice.most, {ratio_of(*rule, *own), n});
      }
    advice_.push_back(std::move(advice));
    shared_.clear();
  }

  std::string of_rule_;
  std::size_t limit_;
  std::vector<Advice> advice_;
  std::map<std::string, Found> shared_;
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
  text += fmt::format(". At {} of the {} n timed it is the best or cannot be told from it",
                      verdict.rule_ties == 0 ? "none" : std::to_string(verdict.rule_ties),
                      verdict.rule_sizes);
  if (verdict.rule_ties == verdict.rule_sizes) return text + ": it holds.";
  return text + fmt::format(
                    "; at worst it takes {} times as long (n = {}, where {} is best): it "
                    "does not hold.",
                    ratio_words(*verdict.rule), verdict.rule->n, verdict.rule_best);
}

std::string counts_words(const Counts& counts) {
  const std::size_t all = counts.faster + counts.ties + counts.slower;
  std::string text = fmt::format("at {} n faster, {} the same, {} slower than the LCM rule",
                                 counts.faster, counts.ties, counts.slower);
  if (counts.worst && all > 0)
    text += fmt::format(", at worst {} times its time (n = {})", ratio_words(*counts.worst),
                        counts.worst->n);
  return text;
}

std::string driver_sentence(const Verdict& verdict) {
  const auto any = [](const Counts& counts) {
    return counts.faster + counts.ties + counts.slower > 0;
  };
  std::string text;
  if (any(verdict.small_divisor))
    text += fmt::format("where the largest divisor of n + 1 within {} is below {}: {}",
                        verdict.limit, kSmallDivisor, counts_words(verdict.small_divisor));
  if (any(verdict.other))
    text += fmt::format(
        "{}{}: {}", text.empty() ? "" : "; ",
        text.empty() ? fmt::format("where the largest divisor of n + 1 within {} is {} or more",
                                   verdict.limit, kSmallDivisor)
                     : "elsewhere",
        counts_words(verdict.other));
  if (!text.empty()) text = "Left to the driver, the elimination is, " + text + ".";
  if (const auto& slow = verdict.driver_timeouts; !slow.empty())
    text +=
        fmt::format("{}The driver's default took too long to be timed at {} n, first at n = {}.",
                    text.empty() ? "" : " ", slow.size(), slow.front());
  return text;
}

std::string choice_words(const Advice& advice) {
  return advice.count == 1
             ? fmt::format("`--local {}` for n = {}", advice.local, advice.from)
             : fmt::format("`--local {}` for n = {} to {}", advice.local, advice.from, advice.to);
}

std::string advice_sentence(const Verdict& verdict) {
  std::string text;
  for (const Advice& advice : verdict.advice) {
    std::string worth = "no other size timed is faster by more than the noise";
    if (advice.most && advice.most->ratio.low > 1 && advice.least->ratio.low <= 1)
      worth = fmt::format("worth up to {} (n = {}) times the LCM rule's speed",
                          ratio_words(*advice.most), advice.most->n);
    else if (advice.most && advice.most->ratio.low > 1 && advice.least->n != advice.most->n)
      worth = fmt::format("worth {} (n = {}) to {} (n = {}) times the LCM rule's speed",
                          ratio_words(*advice.least), advice.least->n, ratio_words(*advice.most),
                          advice.most->n);
    else if (advice.most && advice.most->ratio.low > 1)
      worth = fmt::format("worth {} times the LCM rule's speed", ratio_words(*advice.least));
    text += fmt::format("{} {} ({})", text.empty() ? "Use" : ",", choice_words(advice), worth);
  }
  return text.empty() ? text : text + ".";
}

std::string split_sentence(const Verdict& verdict) {
  const auto& [faster, ties, slower, most] = verdict.rounded_up;
  if (faster + ties + slower == 0) return {};
  std::string text = fmt::format(
      "One launch of whole groups of 256 beyond the end of the range, as CLBlast does, in place of "
      "two launches, compared with the best size in two: at {} n faster, {} the same, {} slower",
      faster, ties, slower);
  if (most && most->ratio.low > 1)
    text += fmt::format(", at most {} times as fast (n = {})", ratio_words(*most), most->n);
  return text + ".";
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
    const Timing *driver = contest.of_rule("driver"),
                 *rule = rule_timing(contest, std::to_string(verdict.rule_local.value_or(0)));
    if (driver == nullptr) return;
    if (driver->status == Status::timeout) verdict.driver_timeouts.push_back(n);
    if (!driver->ok() || rule == nullptr) return;
    const bool small = verdict.limit > 0 && largest_divisor(n + 1, verdict.limit) < kSmallDivisor;
    Counts& counts = small ? verdict.small_divisor : verdict.other;
    const Order order = contest.order(*driver, *rule);
    ++(order == Order::faster ? counts.faster : order == Order::tie ? counts.ties : counts.slower);
    raise(counts.worst, {ratio_of(*driver, *rule), n});
  };
  for (const auto& [n, contest] : contests) {
    if (!data.outliers.contains(n)) note_driver(n, contest);
    const auto rounded = std::ranges::find_if(contest.timings, [](const Timing& timing) {
      return timing.ok() && timing.parameters == "SPLIT=round_up";
    });
    if (const Timing* whole = fastest_choice(contest, 0);
        whole != nullptr && rounded != contest.timings.end()) {
      const Order order = contest.order(*rounded, *whole);
      ++(order == Order::faster ? verdict.rounded_up.faster
         : order == Order::tie  ? verdict.rounded_up.ties
                                : verdict.rounded_up.slower);
      raise(verdict.rounded_up.worst, {ratio_of(*whole, *rounded), n});
    }
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

std::string advice_words(const Verdict& verdict) {
  std::string text;
  for (const Advice& advice : verdict.advice)
    text += (text.empty() ? "" : ", ") + choice_words(advice);
  return text;
}

std::vector<std::string> sentences(const Verdict& verdict) {
  std::vector<std::string> all{rule_sentence(verdict)};
  for (const auto& sentence :
       {driver_sentence(verdict), advice_sentence(verdict), split_sentence(verdict)})
    if (!sentence.empty()) all.push_back(sentence);
  return all;
}

}  // namespace clgauss::tune::report
