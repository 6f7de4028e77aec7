#pragma once
/// The first screen of the page: what the work-group size is worth on each device, and the devices
/// side by side.

#include <optional>
#include <string>
#include <vector>

#include "tuner/report/elimination_data.hpp"
#include "tuner/report/figure.hpp"
#include "tuner/report/verdict.hpp"
#include "tuner/rows/table.hpp"

namespace clgauss::tune::report {

/// What is gained by the best launch timed at each n over another choice.
struct Gain {
  std::size_t count = 0;  // of the n
  double median = 1;
  Cost least, most;
};

/// One device with rows of the elimination: of its types and NDRange modes the one that was timed
/// at the most n.
struct Overview {
  std::string device;  // with its driver where another one bears the same name
  std::size_t place;   // among the devices of the page
  EliminationData data;
  Verdict verdict;

  /// Over the choice of `rule`, at all n of all experiments; empty if it has no time anywhere.
  [[nodiscard]] std::optional<Gain> gain_over(std::string_view rule) const;
};

/// One for each device of `devices`, as by_device() divides them, that has such rows.
[[nodiscard]] std::vector<Overview> overviews(const std::vector<std::vector<Results>>& devices);

/// What each rule costs: median and range over all n.
[[nodiscard]] std::optional<Figure> choices_figure(const Overview& overview);

/// The devices side by side: a line each; empty for none.
[[nodiscard]] Table devices_table(const std::vector<Overview>& all);
/// Time against the work-group size at the largest n that was swept on each of them, and the
/// driver's default over the LCM rule at all n. Empty for fewer than two devices.
[[nodiscard]] std::vector<Figure> devices_figures(const std::vector<Overview>& all);

}  // namespace clgauss::tune::report
