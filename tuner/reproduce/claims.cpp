#include "tuner/reproduce/claims.hpp"

#include <fmt/format.h>

namespace clgauss::tune {

std::string held(bool holds) { return holds ? kHolds : kDoesNotHold; }

Claim unjudged(std::string claim, std::string published, const std::string& why) {
  return {std::move(claim), std::move(published), "-", "cannot be judged here: " + why};
}

Claim Judge::over(std::string claim, std::string published, const std::optional<Estimate>& here,
                  double least, const std::string& why_not) const {
  if (!here) return unjudged(std::move(claim), std::move(published), why_not);
  Claim judged{std::move(claim), std::move(published), text_of(*here, 1, 3), ""};
  if (here->single())
    judged.verdict = "cannot be judged here: a single run";
  else if (here->low > least * (1 + floor_))
    judged.verdict = kHolds;
  else
    judged.verdict =
        here->high * (1 + floor_) < least ? kDoesNotHold : "cannot be distinguished from noise";
  return judged;
}

Claim Judge::under(std::string claim, std::string published, const std::optional<Estimate>& here,
                   double most, const std::string& why_not) const {
  Claim judged = over(std::move(claim), std::move(published),
                      here ? std::optional(inverse(*here)) : here, 1 / most, why_not);
  if (here) judged.here = text_of(*here, 1, 3);
  return judged;
}

Claim Judge::between(std::string claim, std::string published, const std::optional<Estimate>& here,
                     double least, double most, const std::string& why_not) const {
  Claim judged = over(claim, published, here, least, why_not);
  const Claim above = under(std::move(claim), std::move(published), here, most, why_not);
  if (judged.verdict == kHolds || above.verdict == kDoesNotHold) judged.verdict = above.verdict;
  return judged;
}

Table table_of(const std::vector<Claim>& claims, std::optional<std::size_t> n) {
  Table table{n ? fmt::format("What the document claims, judged at n = {}", *n)
                : std::string("What the document claims"),
              {"claim", "published", "here", "verdict"},
              {},
              false};
  for (const Claim& claim : claims)
    table.rows.push_back({claim.claim, claim.published, claim.here, claim.verdict});
  return table;
}

}  // namespace clgauss::tune
