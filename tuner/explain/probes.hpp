#pragma once
/// Small kernels of which it is known what a work-item does, on which the model's constants are
/// measured and its predictions tried.

#include <array>
#include <clgauss/context.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "tuner/experiments/case.hpp"
#include "tuner/explain/model.hpp"
#include "tuner/rows/experiment_info.hpp"

namespace clgauss::tune {

/// A kernel of probe.cl, on n-by-n numbers.
struct Probe {
  const char* name;
  unsigned dims;
  bool local;  // local memory
  ItemWork work;
  /// element `at` of the result from the 2 n^2 numbers of a
  float (*element)(const std::vector<float>& a, std::size_t n, std::size_t at);
};

[[nodiscard]] std::span<const Probe> probes();
/// Null for any other name.
[[nodiscard]] const Probe* find_probe(std::string_view name);

using Shape = std::array<std::size_t, 2>;
/// The groups that are tried: x work-items of a row in powers of two and between them, and for two
/// dimensions also blocks of 4, 8 and 16 rows.
[[nodiscard]] std::vector<Shape> probe_groups(unsigned dims, std::size_t max_group);

/// One launch with groups of x-by-y over the whole range, beyond its end where it does not divide.
[[nodiscard]] Step probe_step(const Probe& probe, std::size_t n, std::size_t x, std::size_t y);

/// Rows of every probe at every n with every group, with the driver's own, the LCM rule's and the
/// largest divisor's; and of launches that do nothing, by which the constants of launches are told.
/// Each result is checked at 64 places before it is timed.
[[nodiscard]] std::vector<Case> probe_cases(Context& context, const ExperimentInfo& info,
                                            std::span<const std::size_t> sizes,
                                            const TimingOptions& options);

/// The same rows, not measured.
[[nodiscard]] std::vector<Row> probe_rows(const ExperimentInfo& info, std::size_t n);

}  // namespace clgauss::tune
