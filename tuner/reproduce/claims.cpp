#include "tuner/reproduce/claims.hpp"

namespace clgauss::tune {

std::string held(bool holds) { return holds ? kHolds : kDoesNotHold; }

Claim unjudged(std::string claim, std::string published, const std::string& why) {
  return {std::move(claim), std::move(published), "-", "cannot be judged here: " + why};
}

Claim ratio_claim(std::string claim, std::string published, const std::optional<Estimate>& here,
                  double least, const std::string& why_not) {
  if (!here) return unjudged(std::move(claim), std::move(published), why_not);
  Claim judged{std::move(claim), std::move(published), text_of(*here, 1, 3), ""};
  if (here->single())
    judged.verdict = "cannot be judged here: a single run";
  else if (here->low > least)
    judged.verdict = kHolds;
  else
    judged.verdict = here->high < least ? kDoesNotHold : "cannot be told from the noise";
  return judged;
}

Table table_of(const std::vector<Claim>& claims) {
  Table table{"What the document claims", {"claim", "published", "here", "verdict"}, {}, false};
  for (const Claim& claim : claims)
    table.rows.push_back({claim.claim, claim.published, claim.here, claim.verdict});
  return table;
}

}  // namespace clgauss::tune
