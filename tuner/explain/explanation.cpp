#include "tuner/explain/explanation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "statistics.hpp"
#include "tuner/rows/csv.hpp"

namespace clgauss::tune {

namespace {

constexpr std::size_t kMostFitted = 400;
constexpr double kGoodPick = 1.1;

/// How fast the weight of a row falls with the square of how often its group is twice as wide or as
/// high, or its n twice as large; with another number of launches; and the weight of the model
/// itself. Of seven sets tried on the laboratories' rows, all left 8 to 13 % under PoCL.
constexpr double kByGroup = 4, kByN = 1, kByLaunches = 1, kModelWeight = 0.1;

double squared_doublings(std::size_t a, std::size_t b) {
  const double doublings = std::log2(static_cast<double>(a) / static_cast<double>(b));
  return doublings * doublings;
}

/// How much `fitted` says of `one`: 1 where groups, n and launches are the same.
double weight_of(const Observed& fitted, const Observed& one) {
  const bool same_launches =
      fitted.observation.steps.front().size() == one.observation.steps.front().size();
  return std::exp(
      -kByGroup * (squared_doublings(fitted.x, one.x) + squared_doublings(fitted.y, one.y)) -
      kByN * squared_doublings(fitted.row.n, one.row.n) - (same_launches ? 0 : kByLaunches));
}

/// What the constants leave over of `fitted`, rows of the kernel of `one`, as a factor for `one`:
/// how well a compiler did with a kernel no constant of a device tells.
double left_over(const std::vector<const Explained*>& fitted, const Observed& one) {
  double weights = kModelWeight, sum = 0;
  for (const Explained* of : fitted) {
    const double weight = weight_of(of->observed, one);
    weights += weight;
    sum += weight * std::log(of->observed.observation.ns / of->prediction.ns);
  }
  return std::exp(sum / weights);
}

/// Of what is not fitted, all times by what is left over of the same kernel's fitted rows.
void correct_by_kernel(std::vector<Explained>& explained) {
  std::map<std::pair<std::string, std::string>, std::vector<const Explained*>> fitted;
  for (const Explained& one : explained)
    if (one.fitted) fitted[{one.observed.row.kernel, one.observed.row.type}].push_back(&one);
  for (Explained& one : explained) {
    if (one.fitted) continue;
    const auto of_kernel = fitted.find({one.observed.row.kernel, one.observed.row.type});
    if (of_kernel == fitted.end()) continue;
    const double factor = left_over(of_kernel->second, one.observed);
    one.prediction.ns *= factor;
    one.prediction.device_ns *= factor;
    for (double& term : one.prediction.terms) term *= factor;
  }
}

}  // namespace

double Pick::loss() const {
  return picked->observed.observation.ns / best->observed.observation.ns;
}

DeviceConstants constants_from(const std::vector<Observed>& observed, const DeviceProfile& device) {
  std::vector<Observation> all;
  const std::size_t stride = observed.size() / kMostFitted + 1;
  for (std::size_t i = 0; i < observed.size(); i += stride) all.push_back(observed[i].observation);
  return fit(all, first_guess(all, device.compute_units, device.preferred_multiple),
             device.type == DeviceType::cpu ? 0 : device.max_work_group_size);
}

std::vector<Explained> explain(const std::vector<Observed>& observed, const DeviceConstants& device,
                               const std::function<bool(const Row&)>& fitted) {
  std::vector<Explained> explained;
  for (const Observed& one : observed)
    explained.push_back(
        {one, predict(device, one.observation.steps), one.observation.ns > 0 && fitted(one.row)});
  correct_by_kernel(explained);
  return explained;
}

std::vector<Explained> explain_each_kernel(const std::vector<Observed>& observed,
                                           const DeviceProfile& device) {
  std::set<std::string> kernels;
  for (const Observed& one : observed) kernels.insert(one.row.kernel);
  std::vector<Explained> all;
  for (const std::string& kernel : kernels) {
    if (kernel == kEmptyKernel) continue;  // by which the constants of launches are told
    std::vector<Observed> left_out, others;
    for (const Observed& one : observed)
      (one.row.kernel == kernel ? left_out : others).push_back(one);
    std::erase_if(others, [](const Observed& one) { return one.observation.ns == 0; });
    std::ranges::move(
        explain(left_out, constants_from(others, device), [](const Row&) { return false; }),
        std::back_inserter(all));
  }
  return all;
}

std::vector<Pick> picks_of(std::span<const Explained> explained) {
  std::map<std::tuple<std::string, std::string, std::size_t>, std::vector<const Explained*>> cases;
  for (const Explained& one : explained) {
    const Row& row = one.observed.row;
    if (one.observed.observation.ns > 0 && row.kernel != kEmptyKernel)
      cases[{row.kernel, row.type, row.n}].push_back(&one);
  }
  std::vector<Pick> picks;
  for (const auto& [key, of] : cases)
    if (of.size() > 1)
      picks.push_back(
          {*std::ranges::min_element(
               of, {},
               [](auto* one) { return std::pair(one->prediction.ns, one->prediction.device_ns); }),
           *std::ranges::min_element(of, {},
                                     [](auto* one) { return one->observed.observation.ns; })});
  return picks;
}

ModelError error_of(std::span<const Explained> explained) {
  std::vector<Explained> judged;
  std::vector<double> errors;
  for (const Explained& one : explained) {
    if (one.fitted || one.observed.observation.ns == 0) continue;
    judged.push_back(one);
    errors.push_back(std::abs(one.prediction.ns / one.observed.observation.ns - 1));
  }
  ModelError error{errors.size(), 0, 0, 0};
  if (errors.empty()) return error;
  error.median_error = median(errors);
  const std::vector<Pick> picks = picks_of(judged);
  error.picks = picks.size();
  const auto good =
      std::ranges::count_if(picks, [](const Pick& pick) { return pick.loss() <= kGoodPick; });
  if (!picks.empty())
    error.good_picks = static_cast<double>(good) / static_cast<double>(picks.size());
  return error;
}

std::string explained_csv(std::span<const Explained> explained) {
  std::string text =
      "device,kernel,type,n,rule,local,x,y,parameters,fitted,predicted_ns,measured_ns,dominant\n";
  for (const Explained& one : explained) {
    const Row& row = one.observed.row;
    const double measured = one.observed.observation.ns;
    text += fmt::format("{},{},{},{},{},{},{},{},{},{:d},{:.4g},{},{}\n", csv_field(row.device),
                        row.kernel, row.type, row.n, row.rule, row.local, one.observed.x,
                        one.observed.y, row.parameters, one.fitted, one.prediction.ns,
                        measured > 0 ? fmt::format("{:.4g}", measured) : "",
                        term_name(one.prediction.dominant()));
  }
  return text;
}

}  // namespace clgauss::tune
