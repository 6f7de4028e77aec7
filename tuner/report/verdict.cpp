#include "tuner/report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tuner/measure/prime.hpp"

namespace clgauss::tune::report {

namespace {

/// The regret of those of `timings` that `choice` accepts; empty if it has none, or nothing to compare it with.
template <typename Choice>
std::optional<Regret> regret_of(const std::vector<Timing>& timings, const Choice& choice) {
  const Timing* best = best_of(timings);
  std::optional<Regret> least;
  std::size_t timed = 0;
  for (const Timing& timing : timings) {
    if (!timing.ok()) continue;
    ++timed;
    const double regret = timing.median_ms / best->median_ms - 1;
    if (choice(timing) && (!least || regret < least->regret)) least = Regret{regret, timing.n};
  }
  return timed > 1 ? least : std::nullopt;
}

void raise(std::optional<Regret>& worst, const std::optional<Regret>& regret) {
  if (regret && (!worst || regret->regret > worst->regret)) worst = regret;
}

bool by_driver(const Timing& timing) { return timing.rule == "driver"; }

bool driver_timeout(const Timing& timing) {
  return by_driver(timing) && timing.status == Status::timeout;
}

/// "driver" or the size: what --local takes.
std::string local_word(const Timing& timing) {
  return by_driver(timing) ? "driver" : std::to_string(timing.local);
}

/// The choice with the smallest worst regret among those that were timed at the most n. The driver's also answers for `outliers`,
/// for its size depends on n.
std::optional<Advice> advice_of(const EliminationData& data, const EliminationData::ByN& contests,
                                std::size_t first, std::size_t last) {
  struct Choice {
    std::size_t count = 0;
    std::optional<Regret> worst;
  };
  std::map<std::string, Choice> choices;
  Advice advice;
  for (const auto& [n, timings] : contests) {
    if (n < first || n > last || best_of(timings) == nullptr) continue;
    std::set<std::string> words;
    for (const Timing& timing : timings)
      if (timing.ok()) words.insert(local_word(timing));
    if (words.size() < 2) continue;
    advice.from = advice.count == 0 ? n : advice.from;
    advice.to = n;
    ++advice.count;
    for (const std::string& word : words) {
      ++choices[word].count;
      raise(choices[word].worst,
            regret_of(timings, [&](const Timing& t) { return local_word(t) == word; }));
    }
  }
  if (const auto driver = choices.find("driver"); driver != choices.end())
    for (const auto& [n, timings] : data.outliers)
      if (n >= first && n <= last) raise(driver->second.worst, regret_of(timings, by_driver));
  for (const auto* by_n : {&contests, &data.outliers})
    for (const auto& [n, timings] : *by_n)
      if (n >= first && n <= last && std::ranges::any_of(timings, driver_timeout))
        choices.erase("driver");
  const auto better = [](const auto& a, const auto& b) {
    return std::pair(b.second.count, a.second.worst->regret) <
           std::pair(a.second.count, b.second.worst->regret);
  };
  const auto chosen = std::ranges::min_element(choices, better);
  if (chosen == choices.end()) return std::nullopt;
  advice.local = chosen->first;
  advice.worst = *chosen->second.worst;
  return advice;
}

/// Adds what is advised for larger n, or says the same of both.
void add(std::vector<Advice>& all, const Advice& advice) {
  if (all.empty() || all.back().local != advice.local) {
    all.push_back(advice);
    return;
  }
  Advice& both = all.back();
  both.to = advice.to;
  both.count += advice.count;
  if (advice.worst.regret > both.worst.regret) both.worst = advice.worst;
}

std::string rule_sentence(const Verdict& verdict) {
  if (!verdict.rule)
    return "Whether the LCM rule holds on this device the rows do not say: no other size was timed "
           "beside its own (`clgauss-tune rules` does that).";
  const std::string local = std::to_string(*verdict.rule_local);
  const std::string where = verdict.rule_sizes == 1
                                ? fmt::format("at the one n timed, {},", verdict.rule->n)
                                : fmt::format("at all {} n timed", verdict.rule_sizes);
  if (verdict.rule_holds())
    return fmt::format(
        "The LCM rule holds on this device: {} its work-group size, {}, is within {:.0f}\u00a0% of "
        "the "
        "best (at worst {} slower, at n = {}).",
        where, local, 100 * kHoldsWithin, percent(verdict.rule->regret), verdict.rule->n);
  return fmt::format(
      "The LCM rule does not hold on this device: its work-group size, {}, is within {:.0f}\u00a0% "
      "of "
      "the best at {} of the {} n timed; at worst it is {} slower (at n = {}, where {} is best).",
      local, 100 * kHoldsWithin,
      verdict.rule_holds_at > 0 ? std::to_string(verdict.rule_holds_at) : "none",
      verdict.rule_sizes, percent(verdict.rule->regret), verdict.rule->n,
      verdict.rule_best_local > 0 ? std::to_string(verdict.rule_best_local) : "the driver's");
}

std::string driver_sentence(const Verdict& verdict) {
  const auto part = [](const Regret& regret) {
    return regret.regret > 0
               ? fmt::format("up to {} slower than the best size timed beside it (at n = {})",
                             percent(regret.regret), regret.n)
               : std::string("never slower");
  };
  const auto &prime = verdict.driver_prime, &other = verdict.driver_other;
  std::string text;
  if (prime) text += part(*prime) + " where n + 1 is prime";
  if (prime && other) text += ", and ";
  if (other)
    text += part(*other) + (prime ? " elsewhere" : "; no n was timed where n + 1 is prime");
  if (!text.empty()) text = "Left to the driver, the elimination is " + text + ".";
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
    text += fmt::format(
        "{} `--local {}` for {} ({})", text.empty() ? "Use" : ",", advice.local, sizes,
        advice.worst.regret > 0 ? fmt::format("at worst {} slower than the best, at n = {}",
                                              percent(advice.worst.regret), advice.worst.n)
        : advice.count == 1     ? "the best there"
                                : "the best at every n timed");
  }
  return text.empty() ? text : text + ".";
}

}  // namespace

const Timing* best_of(const std::vector<Timing>& timings) {
  const Timing* best = nullptr;
  for (const Timing& timing : timings)
    if (timing.ok() && (best == nullptr || timing.median_ms < best->median_ms)) best = &timing;
  return best;
}

EliminationData::ByN contests_of(const EliminationData& data) {
  EliminationData::ByN contests = data.sweep;
  for (const auto& [n, timings] : data.rules) contests[n] = timings;
  return contests;
}

Verdict verdict_of(const EliminationData& data) {
  Verdict verdict;
  verdict.rule_local = data.rule_local();
  const EliminationData::ByN contests = contests_of(data);
  const auto note_driver = [&](const std::vector<Timing>& timings) {
    for (const Timing& timing : timings)
      if (driver_timeout(timing)) verdict.driver_timeouts.push_back(timing.n);
    if (const auto regret = regret_of(timings, by_driver))
      raise(is_prime(regret->n + 1) ? verdict.driver_prime : verdict.driver_other, regret);
  };
  for (const auto& [n, timings] : contests) {
    note_driver(timings);
    const auto regret = regret_of(timings, [&](const Timing& timing) {
      return !by_driver(timing) && timing.local == verdict.rule_local;
    });
    if (!regret) continue;
    ++verdict.rule_sizes;
    if (regret->regret <= kHoldsWithin) ++verdict.rule_holds_at;
    raise(verdict.rule, regret);
    if (verdict.rule->n == n) verdict.rule_best_local = best_of(timings)->local;
  }
  for (const auto& [n, timings] : data.outliers) note_driver(timings);
  constexpr std::size_t large = 1000;  // where the source divides its figures
  for (const auto& [first, last] : {std::pair<std::size_t, std::size_t>{0, large - 1}, {large, -1}})
    if (const auto advice = advice_of(data, contests, first, last)) add(verdict.advice, *advice);
  return verdict;
}

std::vector<std::string> sentences(const Verdict& verdict) {
  std::vector<std::string> all{rule_sentence(verdict)};
  for (const auto& sentence : {driver_sentence(verdict), advice_sentence(verdict)})
    if (!sentence.empty()) all.push_back(sentence);
  return all;
}

std::string percent(double share) {
  return share >= 9 ? fmt::format("{:.0f}\u00a0times", share + 1)
                    : fmt::format("{:.{}f}\u00a0%", 100 * share, share < 0.1 ? 1 : 0);
}

}  // namespace clgauss::tune::report
