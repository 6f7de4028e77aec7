#include "tuner/report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <tuple>

#include "statistics.hpp"
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

/// What --local may be for this launch: every size that was timed as it, of one group over the
/// whole range the largest there is, and the rule fit where it comes to it.
std::vector<std::string> names_of_choice(const Timing& timing, std::size_t limit) {
  if (timing.by_driver()) return {"driver"};
  constexpr std::string_view split = "SPLIT=";
  const std::string way =
      timing.parameters.empty() ? "" : " --split " + timing.parameters.substr(split.size());
  std::set<std::size_t> locals(timing.locals.begin(), timing.locals.end());
  if (timing.group > timing.n && limit >= timing.group) locals.insert(limit);
  std::vector<std::string> names;
  for (const std::size_t local : locals)
    if (local > 0) names.push_back(std::to_string(local) + way);
  if (timing.has_rule("fit")) names.emplace_back("fit");
  return names;
}

/// Whether `name` comes to this launch: also one with a way of launching a remainder that is not
/// there.
bool is_choice(const Timing& timing, const std::string& name, std::size_t limit) {
  const std::vector<std::string> names = names_of_choice(timing, limit);
  const auto has = [&](std::string_view one) {
    return std::ranges::find(names, one) != names.end();
  };
  const bool divides = timing.parameters.empty() && timing.group > 0 && !timing.by_driver() &&
                       (timing.n + 1) % timing.group == 0;
  const std::size_t way = name.find(" --split ");
  return has(name) || (divides && way != std::string::npos && !name.ends_with("tall") &&
                       has(std::string_view(name).substr(0, way)));
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
/// told from it, but nothing that is slower than the driver's own.
struct Choices {
  std::map<std::string, const Timing*> by_name;
  std::set<std::string> timed;  // also what is slower
  bool driver_is_best = false;  // and is not safe

  Choices(const ContestResult& contest, std::size_t limit) {
    const Timing* const fastest = fastest_choice(contest, limit);
    if (fastest == nullptr) return;
    const Timing* const own = contest.of_rule("driver");
    const auto slower_than_own = [&](const Timing& timing) {
      return own != nullptr && own->ok() && contest.order(timing, *own) == Order::slower;
    };
    for (const Timing& timing : contest.timings) {
      if (!timing.ok() || timing.parameters == "SPLIT=non_uniform") continue;
      const std::vector<std::string> names = names_of_choice(timing, limit);
      timed.insert(names.begin(), names.end());
      if (timing.by_driver() && !driver_is_safe(timing.n, limit)) continue;
      if (&timing != fastest && contest.order(timing, *fastest) != Order::tie) continue;
      if (slower_than_own(timing)) {
        driver_is_best = true;
        continue;
      }
      for (const std::string& name : names) by_name.emplace(name, &timing);
    }
  }
};

const Timing* find_choice(const ContestResult& contest, const std::string& name,
                          std::size_t limit) {
  for (const Timing& timing : contest.timings)
    if (timing.ok() && is_choice(timing, name, limit)) return &timing;
  return nullptr;
}

/// Of `name` in `contests`; empty where it and the driver's own were timed nowhere together.
std::optional<Standing> standing_of(const ByN& contests, const std::string& name,
                                    std::size_t limit) {
  Standing standing;
  standing.choice = name;
  std::vector<double> gains, losses;
  std::optional<Cost> worst_gain, worst_loss;
  for (const auto& [n, contest] : contests) {
    const Timing *own = contest.of_rule("driver"), *it = find_choice(contest, name, limit);
    if (own == nullptr || !own->ok() || it == nullptr) continue;
    const Estimate gain = ratio_of(*own, *it), loss = ratio_of(*it, *contest.best());
    gains.push_back(gain.median);
    losses.push_back(loss.median);
    lower(worst_gain, {gain, n});
    raise(worst_loss, {loss, n});
    standing.slower += contest.order(*it, *own) == Order::slower;
  }
  if (gains.empty()) return std::nullopt;
  standing.count = gains.size();
  standing.gain = median(gains);
  standing.loss = median(losses);
  standing.worst_gain = *worst_gain;
  standing.worst_loss = *worst_loss;
  return standing;
}

/// The choice of `count` n, see Verdict.
std::optional<Standing> best_standing(const ByN& contests, std::size_t count,
                                      const std::optional<Standing>& fit, std::size_t limit) {
  std::set<std::string> names;
  for (const auto& [n, contest] : contests)
    for (const Timing& timing : contest.timings)
      if (timing.ok() && !timing.by_driver())
        for (const std::string& name : names_of_choice(timing, limit)) names.insert(name);
  if (std::ranges::all_of(contests,
                          [&](const auto& of_n) { return driver_is_safe(of_n.first, limit); }))
    names.insert("driver");
  std::optional<Standing> best = fit;
  const auto rank = [](const Standing& one) {
    return std::tuple(one.slower, one.gain < 1, one.worst_loss.ratio.median * one.loss);
  };
  for (const std::string& name : names) {
    const auto standing = standing_of(contests, name, limit);
    if (standing && standing->count == count && (!best || rank(*standing) < rank(*best)))
      best = standing;
  }
  constexpr double alike = 1.05;  // in the median and at worst
  const bool fit_does = fit && fit->slower <= best->slower && (fit->gain >= 1 || best->gain < 1) &&
                        fit->loss <= alike * best->loss &&
                        fit->worst_loss.ratio.median <= alike * best->worst_loss.ratio.median;
  return fit_does ? fit : best;
}

/// Advice for neighbouring n that share a choice; of several that which was found at the most n,
/// fit, which needs no number, or the fastest on the whole. Where a choice was not timed, nothing
/// is said against it.
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
      return std::tuple(found.sizes.size(), name == "fit", name == of_rule_, -found.cost,
                        std::strtol(name.c_str(), nullptr, 10), -name.size());
    });
    Advice advice{at.sizes.front(), at.sizes.back(), at.sizes.size(), local, {}, {}};
    if (local != "driver")
      for (const std::size_t n : at.sizes) {
        const ContestResult& contest = contests.at(n);
        const Timing* const own = contest.of_rule("driver");
        const Timing* const it = Choices(contest, limit_).by_name.at(local);
        if (own == nullptr || !own->ok()) continue;
        lower(advice.least, {ratio_of(*own, *it), n});
        raise(advice.most, {ratio_of(*own, *it), n});
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
    text += fmt::format(". Cut so, it is \"the largest multiple of {} up to the limit\"",
                        verdict.multiple);
  text += fmt::format(
      ". At {} of the {} n timed it is the best or statistically tied with the best",
      verdict.rule_ties == 0 ? "none" : std::to_string(verdict.rule_ties), verdict.rule_sizes);
  if (verdict.rule_ties == verdict.rule_sizes && verdict.rule_unclear > 0)
    return text + ", by noise alone: whether the rule holds cannot be decided.";
  if (verdict.rule_ties == verdict.rule_sizes) return text + ": the rule holds.";
  return text + fmt::format(
                    ". At worst it takes {} times as long (n = {}, where {} is best): the rule "
                    "does not hold.",
                    ratio_words(*verdict.rule), verdict.rule->n, verdict.rule_best);
}

std::string counts_words(const Counts& counts) {
  const std::size_t all = counts.faster + counts.ties + counts.slower;
  std::string text = fmt::format("faster at {} n, the same at {}, slower at {}", counts.faster,
                                 counts.ties, counts.slower);
  if (counts.worst && all > 0)
    text += fmt::format("; at worst it takes {} times as long (n = {})", ratio_words(*counts.worst),
                        counts.worst->n);
  return text;
}

std::string driver_sentence(const Verdict& verdict) {
  const auto any = [](const Counts& counts) {
    return counts.faster + counts.ties + counts.slower > 0;
  };
  std::string text;
  if (any(verdict.small_divisor))
    text += fmt::format(", where the largest divisor of n + 1 within {} is below {}: {}.",
                        verdict.limit, kSmallDivisor, counts_words(verdict.small_divisor));
  if (any(verdict.other))
    text += fmt::format(
        "{}: {}.",
        text.empty() ? fmt::format(", where the largest divisor of n + 1 within {} is {} or more",
                                   verdict.limit, kSmallDivisor)
                     : " Elsewhere",
        counts_words(verdict.other));
  if (!text.empty()) text = "The driver's own size beside the LCM rule's" + text;
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
    std::string worth = "the driver's own was not timed beside it";
    if (advice.local == "driver")
      worth = "nothing else is faster by more than the noise";
    else if (advice.most && advice.most->ratio.low <= 1)
      worth = "no different from the driver's own, within the noise";
    else if (advice.most && advice.least->n != advice.most->n)
      worth = fmt::format("worth {} (n = {}) to {} (n = {}) times the driver's own",
                          ratio_words(*advice.least), advice.least->n, ratio_words(*advice.most),
                          advice.most->n);
    else if (advice.most)
      worth = fmt::format("worth {} times the driver's own", ratio_words(*advice.most));
    text += fmt::format("{} {} ({})", text.empty() ? "Size by size: use" : ",",
                        choice_words(advice), worth);
  }
  if (!text.empty()) text += ".";
  if (!verdict.driver_best.empty())
    text += fmt::format(
        "{}At {} n, first at n = {}, nothing that can be set is as fast as the driver's own.",
        text.empty() ? "" : " ", verdict.driver_best.size(), verdict.driver_best.front());
  return text;
}

std::string standing_words(const Standing& standing) {
  std::string text = fmt::format(
      "Over {} n it is {} times as fast as the driver's own in the median, {} at worst (n = {}). "
      "It takes {} times as long as the best launch timed in the median, {} at worst (n = {})",
      standing.count, significant(standing.gain, 3), ratio_words(standing.worst_gain),
      standing.worst_gain.n, significant(standing.loss, 3), ratio_words(standing.worst_loss),
      standing.worst_loss.n);
  if (standing.slower > 0)
    text += fmt::format(". At {} of them it is slower than the driver's own", standing.slower);
  return text + ".";
}

/// What to use for any n, and what `--local auto` does.
std::string choice_sentence(const Verdict& verdict) {
  if (verdict.judged == 0) return {};
  if (verdict.judged < kFewestN)
    return fmt::format("What to use for any n cannot be judged: only {} n were timed.",
                       verdict.judged);
  if (!verdict.choice)
    return verdict.noise <= kMostNoiseOfAdvice
               ? "What to use for any n cannot be judged: no launch was timed at all n."
               : fmt::format(
                     "What to use for any n cannot be judged: equal launches differ by {:.0f} % in "
                     "the median.",
                     100 * verdict.noise);
  const std::string_view fit =
      "fit` (one launch of whole groups beyond the end: of 320 to 512 the multiple that leaves the "
      "least there, on a CPU whole rows)";
  if (verdict.choice->choice == "fit")
    return fmt::format("Use `--local {}, as `--local auto` does where nothing is tuned. {}", fit,
                       standing_words(*verdict.choice));
  const std::string use =
      fmt::format("Use `--local {}`. {}", verdict.choice->choice, standing_words(*verdict.choice));
  return verdict.fit ? fmt::format("{} Where nothing is tuned, `--local auto` uses `{}. {}", use,
                                   fit, standing_words(*verdict.fit))
                     : use;
}

std::string split_sentence(const Verdict& verdict) {
  const auto& [faster, ties, slower, most] = verdict.rounded_up;
  if (faster + ties + slower == 0) return {};
  std::string text = fmt::format(
      "The best launch of whole groups beyond the end of the range, as CLBlast does, compared with "
      "the best size in two launches: at {} n faster, {} the same, {} slower",
      faster, ties, slower);
  if (most && most->ratio.low > 1)
    text += fmt::format(", at most {} times as fast (n = {})", ratio_words(*most), most->n);
  return text + ".";
}

void note_rounded_up(Counts& counts, const ContestResult& contest) {
  const Timing *rounded = fastest_of(contest, "SPLIT=round_up"), *two = fastest_of(contest, "");
  if (rounded == nullptr || two == nullptr) return;
  const Order order = contest.order(*rounded, *two);
  ++(order == Order::faster ? counts.faster : order == Order::tie ? counts.ties : counts.slower);
  raise(counts.worst, {ratio_of(*two, *rounded), rounded->n});
}

double median_floor(const ByN& contests) {
  std::vector<double> floors;
  for (const auto& [n, contest] : contests)
    if (contest.controlled) floors.push_back(contest.floor);
  return floors.empty() ? 0 : median(floors);
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
    note_rounded_up(verdict.rounded_up, contest);
    if (Choices(contest, verdict.limit).driver_is_best &&
        Choices(contest, verdict.limit).by_name.empty())
      verdict.driver_best.push_back(n);
    const Timing* rule = nullptr;
    for (const Timing& timing : contest.timings)
      if (verdict.rule_local && timing.ok() && !timing.by_driver() && timing.parameters.empty() &&
          std::ranges::find(timing.locals, *verdict.rule_local) != timing.locals.end())
        rule = &timing;
    if (rule == nullptr || std::ranges::count_if(contest.timings, &Timing::ok) < 2) continue;
    const Timing& best = *contest.best();
    ++verdict.rule_sizes;
    if (contest.order_to_best(*rule) == Order::tie) {
      ++verdict.rule_ties;
      verdict.rule_unclear += ratio_of(*rule, best).high > kAlike;
    }
    raise(verdict.rule, {ratio_of(*rule, best), n});
    if (verdict.rule->n == n) verdict.rule_best = best.name();
  }
  for (const auto& [n, contest] : data.outliers) note_driver(n, contest);
  verdict.advice = Adviser(contests, verdict.rule_local, verdict.limit).take();
  ByN all = contests;
  all.insert(data.outliers.begin(), data.outliers.end());
  verdict.noise = median_floor(all);
  verdict.fit = standing_of(all, "fit", verdict.limit);
  // Where the rule was timed with other cores, few sizes were.
  ByN rules = data.rules;
  std::erase_if(rules, [&](const auto& of_n) {
    return of_n.second.of_rule("lcm") != nullptr &&
           rule_timing(of_n.second, std::to_string(verdict.rule_local.value_or(0))) == nullptr;
  });
  const auto own_timed = [](const auto& of_n) {
    const Timing* const own = of_n.second.of_rule("driver");
    return own != nullptr && own->ok();
  };
  verdict.judged = verdict.fit ? verdict.fit->count
                               : static_cast<std::size_t>(std::ranges::count_if(rules, own_timed));
  if (verdict.judged >= kFewestN && verdict.noise <= kMostNoiseOfAdvice)
    verdict.choice =
        best_standing(verdict.fit ? all : rules, verdict.judged, verdict.fit, verdict.limit);
  return verdict;
}

std::string advice_words(const Verdict& verdict) {
  if (verdict.choice) return fmt::format("`--local {}`", verdict.choice->choice);
  std::string text;
  for (const Advice& advice : verdict.advice)
    text += (text.empty() ? "" : ", ") + choice_words(advice);
  return text;
}

std::vector<std::string> sentences(const Verdict& verdict) {
  std::vector<std::string> all;
  for (const auto& sentence :
       {choice_sentence(verdict), rule_sentence(verdict), driver_sentence(verdict),
        advice_sentence(verdict), split_sentence(verdict)})
    if (!sentence.empty()) all.push_back(sentence);
  return all;
}

}  // namespace clgauss::tune::report
