#include "tuner/report/elimination_claims.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "tuner/measure/divisors.hpp"
#include "tuner/report/elimination_tables.hpp"
#include "tuner/report/verdict.hpp"
#include "tuner/reproduce/claims.hpp"

namespace clgauss::tune::report {

namespace {

constexpr double kOutlier = 2;  // times the rule's time: a local maximum that a figure shows

/// The verdict on what holds where nothing can be told apart: not if noise alone is why.
std::string held_by_ties(bool all_tied, std::size_t unclear) {
  return all_tied && unclear > 0 ? "cannot be distinguished from noise" : held(all_tied);
}

/// As the source launches: where there is a remainder, it is a launch of its own.
bool in_two_parts(const Timing& timing) {
  return timing.parameters.empty() || timing.parameters == "SPLIT=exact";
}

/// The driver's peaks, of n + 1 prime and of others.
Claim outliers_claim(const EliminationData& data) {
  const std::string claim = "the time jumps up exactly where n + 1 is prime",
                    published = "figure 2";
  const std::size_t limit = data.work_group_limit();
  std::size_t primes = 0, bad_primes = 0, others = 0, bad_others = 0;
  std::optional<std::pair<std::size_t, std::size_t>> example;  // least divisor, n
  for (const auto& [n, contest] : data.outliers) {
    const Timing *driver = contest.of_rule("driver"), *rule = contest.of_rule("lcm");
    if (driver == nullptr || rule == nullptr || !driver->ok() || !rule->ok()) continue;
    const bool prime = is_prime(n + 1), bad = ratio_of(*driver, *rule).low > kOutlier;
    ++(prime ? primes : others);
    if (bad) ++(prime ? bad_primes : bad_others);
    if (!bad || prime || limit == 0) continue;
    const std::pair found{largest_divisor(n + 1, limit), n};
    if (!example || found < *example) example = found;
  }
  if (primes == 0 || others == 0)
    return unjudged(claim, published, "outliers was not run over primes and others");
  return {claim, published,
          fmt::format("over {} times the rule's time: {} of {} primes, {} of {} others{}", kOutlier,
                      bad_primes, primes, bad_others, others,
                      example ? fmt::format(", as at n = {}, whose largest divisor is {}",
                                            example->second, example->first)
                              : ""),
          held(bad_primes == primes && bad_others == 0)};
}

/// What the driver takes where n + 1 is a prime above its limit, as a kernel saw it.
Claim driver_size_claim(const EliminationData& data) {
  const std::string
      claim = "where n + 1 is prime and above the limit the driver makes groups of one work-item",
      published = "stated, as their kernel saw";
  std::size_t all = 0, ones = 0;
  std::set<std::string> seen;
  ByN contests = contests_of(data);
  contests.insert(data.outliers.begin(), data.outliers.end());
  for (const auto& [n, contest] : contests) {
    const Timing* const driver = contest.of_rule("driver");
    if (driver == nullptr || driver->chosen.empty() || !is_prime(n + 1) ||
        n + 1 <= data.work_group_limit())
      continue;
    ++all;
    ones += driver->chosen == "1x1";
    if (seen.size() < 4) seen.insert(driver->chosen);
  }
  if (all == 0)
    return unjudged(claim, published,
                    "no n + 1 above the device's limit is prime, or the rows do not record what "
                    "the driver chose");
  std::string groups;
  for (const std::string& one : seen) groups += (groups.empty() ? "" : ", ") + one;
  return {claim, published,
          fmt::format("at {} of {} such n; seen, columns x rows: {}", ones, all, groups),
          held(ones == all)};
}

/// Size 1 against every other size in no more launches, so that the number of launches does not
/// count as one of the size.
Claim size_one_claim(const EliminationData& data) {
  const std::string claim =
                        "a work-group of one is the worst at every n (of what takes as many "
                        "launches)",
                    published = "figure 3";
  std::size_t all = 0, worst = 0;
  std::optional<Cost> least;
  for (const auto& [n, contest] : data.sweep)
    for (const Timing& one : contest.timings) {
      if (one.local != 1 || !one.ok()) continue;
      ++all;
      worst += std::ranges::all_of(contest.timings, [&](const Timing& other) {
        return !other.ok() || &other == &one || other.launches > one.launches ||
               contest.order(one, other) == Order::slower;
      });
      const Estimate ratio = ratio_of(one, *contest.best());
      if (!least || ratio.median < least->ratio.median) least = {ratio, n};
    }
  if (all == 0) return unjudged(claim, published, "size 1 was not swept");
  return {claim, published,
          fmt::format("at {} of {} n; at least {} times the best (n = {})", worst, all,
                      text_of(least->ratio, 1, 3), least->n),
          held(worst == all)};
}

/// At how many n of a range one of the sizes first..last is statistically tied with the best.
Claim plateau_claim(const EliminationData& data, const char* claim, const char* published,
                    bool large, std::size_t first, std::size_t last) {
  std::size_t all = 0, holds = 0, unclear = 0;
  std::optional<Cost> worst;
  for (const auto& [n, contest] : contests_of(data)) {
    if ((n >= kLarge) != large) continue;
    const Timing* nearest = nullptr;
    for (const Timing& timing : contest.timings)
      if (timing.ok() && in_two_parts(timing) && timing.local >= first && timing.local <= last &&
          (nearest == nullptr || timing.ms.median < nearest->ms.median))
        nearest = &timing;
    if (nearest == nullptr || std::ranges::count_if(contest.timings, &Timing::ok) < 3) continue;
    const Timing& best = *contest.best();
    ++all;
    const Estimate ratio = ratio_of(*nearest, best);
    const bool tie = contest.order_to_best(*nearest) == Order::tie;
    holds += tie;
    unclear += tie && ratio.high > kAlike;
    if (!worst || ratio.median > worst->ratio.median) worst = {ratio, n};
  }
  if (all == 0) return unjudged(claim, published, "no such n and sizes were timed");
  return {claim, published,
          fmt::format("tied with the best at {} of {} n; at worst {} times it (n = {})", holds, all,
                      text_of(worst->ratio, 1, 3), worst->n),
          held_by_ties(holds == all, unclear)};
}

/// How much the time depends on what remains: the worst of 128 to 384 over the best, at its largest
/// below n = 1000 and from there on.
Claim remainder_claim(const EliminationData& data) {
  const std::string claim = "the remainder weighs more on n below 1000 than on larger ones",
                    published = "figures 3 to 6";
  std::optional<Cost> small, large;
  for (const auto& [n, contest] : data.sweep) {
    const Timing *least = nullptr, *most = nullptr;
    for (const Timing& timing : contest.timings) {
      if (!timing.ok() || timing.local < 128 || timing.local > 384) continue;
      if (least == nullptr || timing.ms.median < least->ms.median) least = &timing;
      if (most == nullptr || timing.ms.median > most->ms.median) most = &timing;
    }
    if (least == nullptr || least == most) continue;
    const Cost spread{ratio_of(*most, *least), n};
    std::optional<Cost>& worst = n < kLarge ? small : large;
    if (!worst || spread.ratio.median > worst->ratio.median) worst = spread;
  }
  if (!small || !large)
    return unjudged(claim, published, "sizes 128 to 384 were not swept below and above n = 1000");
  Claim judged = Judge().over(claim, published, small->ratio / large->ratio, 1, "");
  judged.here = fmt::format(
      "sizes 128 to 384 differ by up to {} times below (n = {}), {} above "
      "(n = {})",
      text_of(small->ratio, 1, 3), small->n, text_of(large->ratio, 1, 3), large->n);
  return judged;
}

Claim rule_claim(const EliminationData& data) {
  const Verdict verdict = verdict_of(data);
  const std::string claim = "the LCM rule gives the best size", published = "192 of 192";
  if (!verdict.rule) return unjudged(claim, published, "no other size was timed beside its own");
  return {claim, published,
          fmt::format("{}: tied with the best at {} of {} n; at worst {} times it (n = {})",
                      *verdict.rule_local, verdict.rule_ties, verdict.rule_sizes,
                      text_of(verdict.rule->ratio, 1, 3), verdict.rule->n),
          held_by_ties(verdict.rule_ties == verdict.rule_sizes, verdict.rule_unclear)};
}

/// Whether one has to set the size, and whether the rule is enough for that.
Claim by_hand_claim(const EliminationData& data) {
  const std::string claim = "the size must always be set by hand (conclusion)",
                    published = "stated";
  ByN contests = contests_of(data);
  contests.insert(data.outliers.begin(), data.outliers.end());
  std::size_t all = 0, gains = 0, rule_loses = 0;
  for (const auto& [n, contest] : contests) {
    const Timing *driver = contest.of_rule("driver"), *rule = contest.of_rule("lcm");
    if (driver == nullptr || !driver->ok()) continue;
    const Timing& best = *contest.best();
    ++all;
    gains += !best.by_driver() && contest.order_to_best(*driver) == Order::slower;
    rule_loses += rule != nullptr && rule->ok() && contest.order(*rule, *driver) == Order::slower;
  }
  if (all == 0) return unjudged(claim, published, "the driver's own was not timed");
  return {claim, published,
          fmt::format("at {} of {} n some launch is faster than the driver's own; by the LCM rule "
                      "it is slower than that at {}",
                      gains, all, rule_loses),
          held(gains == all)};
}

/// Whether what suits gauss_fwd suits the whole solve, which is what the source times.
Claim whole_solve_claim(const EliminationData& data) {
  const std::string claim =
                        "the whole solve, which the source times, has the best size of gauss_fwd",
                    published = "figures 3 to 6 are of the whole solve";
  const ByN forward = contests_of(data);
  std::size_t all = 0, same = 0, unclear = 0;
  std::string times;
  for (const auto& [n, contest] : data.solve) {
    const auto found = forward.find(n);
    if (contest.best() == nullptr || found == forward.end() || found->second.best() == nullptr)
      continue;
    const Timing& wanted = *found->second.best();
    const auto alike = std::ranges::find_if(contest.timings, [&](const Timing& timing) {
      return timing.ok() && timing.group == wanted.group && timing.parameters == wanted.parameters;
    });
    if (alike == contest.timings.end()) continue;
    ++all;
    const bool tie = contest.order_to_best(*alike) == Order::tie;
    same += tie;
    unclear += tie && ratio_of(*alike, *contest.best()).high > kAlike;
    times += fmt::format("{}{:.2f} (n = {})", times.empty() ? "" : ", ",
                         contest.best()->ms.median / wanted.ms.median, n);
  }
  if (all == 0) return unjudged(claim, published, "the whole solve was not timed in these ways");
  return {claim, published,
          fmt::format("tied with the solve's best at {} of {} n; a solve takes {} times "
                      "gauss_fwd's time",
                      same, all, times),
          held_by_ties(same == all, unclear)};
}

/// Fixed over shrinking, each with its best launch.
Claim shrinking_claim(const EliminationData& data, const EliminationData* shrinking) {
  const std::string claim = "an NDRange that shrinks saves the overhead of the fixed one",
                    published = "expected, not measured";
  if (data.variant != "fixed" || shrinking == nullptr)
    return unjudged(claim, published, "both were not timed with this type");
  const ByN fixed = contests_of(data), other = contests_of(*shrinking);
  std::optional<Cost> least;
  for (const auto& [n, contest] : other) {
    const auto found = fixed.find(n);
    if (contest.best() == nullptr || found == fixed.end() || found->second.best() == nullptr)
      continue;
    const Estimate ratio = found->second.best()->ms / contest.best()->ms;
    if (!least || ratio.median < least->ratio.median) least = {ratio, n};
  }
  if (!least) return unjudged(claim, published, "both were not timed at one n");
  Claim judged = Judge().over(claim, published, least->ratio, 1, "");
  judged.here = fmt::format("fixed takes at least {} times as long (n = {}; not timed interleaved)",
                            text_of(least->ratio, 1, 3), least->n);
  return judged;
}

Claim raw_claim(const EliminationData& data) {
  const auto raw = data.raw_rule();
  const std::size_t limit = data.work_group_limit();
  const std::string claim = "the LCM rule as printed gives a size that the device takes",
                    published = "192, limit 1024";
  if (!raw || limit == 0) return unjudged(claim, published, "the cores are unknown");
  return {claim, published, fmt::format("{}, limit {}", *raw, limit), held(*raw <= limit)};
}

}  // namespace

Table claims_table(const EliminationData& data, const EliminationData* shrinking) {
  return table_of(std::vector<Claim>{
      outliers_claim(data), driver_size_claim(data), size_one_claim(data),
      plateau_claim(data, "the best size of n below 1000 lies within 192 to 384", "figure 4", false,
                    192, 384),
      remainder_claim(data),
      plateau_claim(data, "the best size of n from 1000 on is 192", "figures 5 and 6", true, 192,
                    192),
      whole_solve_claim(data), raw_claim(data), rule_claim(data), by_hand_claim(data),
      shrinking_claim(data, shrinking),
      unjudged("gauss_bwd_prepare on one work-item beats a round trip to the host", "expected",
               "the round trip was not timed")});
}

}  // namespace clgauss::tune::report
