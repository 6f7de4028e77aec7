#include "tuner/report/elimination_claims.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tuner/measure/divisors.hpp"
#include "tuner/report/elimination_tables.hpp"
#include "tuner/report/verdict.hpp"
#include "tuner/reproduce/claims.hpp"

namespace clgauss::tune::report {

namespace {

constexpr std::size_t kLarge = 1000;  // where the source divides its figures
constexpr double kOutlier = 2;        // times the rule's time: a local maximum that a figure shows

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

/// Size 1 against every other size.
Claim size_one_claim(const EliminationData& data) {
  const std::string claim = "a work-group of one is the worst at every n", published = "figure 3";
  std::size_t all = 0, worst = 0;
  std::optional<Cost> least;
  for (const auto& [n, contest] : data.sweep)
    for (const Timing& one : contest.timings) {
      if (one.local != 1 || !one.ok()) continue;
      ++all;
      worst += std::ranges::all_of(contest.timings, [&](const Timing& other) {
        return !other.ok() || &other == &one || contest.order(one, other) == Order::slower;
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

/// At how many n of a range one of the sizes first..last cannot be told from the best.
Claim plateau_claim(const EliminationData& data, const char* claim, const char* published,
                    bool large, std::size_t first, std::size_t last) {
  std::size_t all = 0, holds = 0;
  std::optional<Cost> worst;
  for (const auto& [n, contest] : contests_of(data)) {
    if ((n >= kLarge) != large) continue;
    const Timing* nearest = nullptr;
    for (const Timing& timing : contest.timings)
      if (timing.ok() && timing.parameters.empty() && timing.local >= first &&
          timing.local <= last && (nearest == nullptr || timing.ms.median < nearest->ms.median))
        nearest = &timing;
    if (nearest == nullptr || std::ranges::count_if(contest.timings, &Timing::ok) < 3) continue;
    const Timing& best = *contest.best();
    ++all;
    holds += nearest == &best || contest.order(*nearest, best) == Order::tie;
    const Estimate ratio = ratio_of(*nearest, best);
    if (!worst || ratio.median > worst->ratio.median) worst = {ratio, n};
  }
  if (all == 0) return unjudged(claim, published, "no such n and sizes were timed");
  return {claim, published,
          fmt::format("not told from the best at {} of {} n; at worst {} times it (n = {})", holds,
                      all, text_of(worst->ratio, 1, 3), worst->n),
          held(holds == all)};
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
          fmt::format("{}: not told from the best at {} of {} n; at worst {} times it (n = {})",
                      *verdict.rule_local, verdict.rule_ties, verdict.rule_sizes,
                      text_of(verdict.rule->ratio, 1, 3), verdict.rule->n),
          held(verdict.rule_ties == verdict.rule_sizes)};
}

/// The source sets the size of gauss_fwd alone: what the other kernels take beside it, each with
/// its best size.
Claim other_kernels_claim(const EliminationData& data) {
  const std::string
      claim = "only the second kernel's size matters: the others take little time (under 20 %)",
      published = "its figures are of gauss_fwd";
  const ByN contests = contests_of(data);
  std::optional<std::size_t> largest;
  for (const auto& [kernel, sweep] : data.other_kernels)
    for (const auto& [n, contest] : sweep)
      if (contest.best() != nullptr && contests.contains(n) && contests.at(n).best() != nullptr)
        largest = std::max(largest.value_or(0), n);
  if (!largest) return unjudged(claim, published, "the other kernels were not timed at its n");
  const double forward_ms = contests.at(*largest).best()->ms.median;
  double others_ms = 0;
  std::string parts;
  for (const auto& [kernel, sweep] : data.other_kernels) {
    const auto found = sweep.find(*largest);
    if (found == sweep.end() || found->second.best() == nullptr) continue;
    others_ms += found->second.best()->ms.median;
    parts += fmt::format("{}{} {:.1f} %", parts.empty() ? "" : ", ", kernel,
                         100 * found->second.best()->ms.median / forward_ms);
  }
  return {claim, published,
          fmt::format("together {:.0f} % of gauss_fwd's time at n = {}: {}",
                      100 * others_ms / forward_ms, *largest, parts),
          held(others_ms < 0.2 * forward_ms)};
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

Table claims_table(const EliminationData& data) {
  return table_of(
      std::vector<Claim>{outliers_claim(data), size_one_claim(data),
                         plateau_claim(data, "the best size of n below 1000 lies within 192 to 384",
                                       "figure 4", false, 192, 384),
                         remainder_claim(data),
                         plateau_claim(data, "the best size of n from 1000 on is 192",
                                       "figures 5 and 6", true, 192, 192),
                         other_kernels_claim(data), raw_claim(data), rule_claim(data)});
}

}  // namespace clgauss::tune::report
