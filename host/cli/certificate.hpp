#pragma once
/// Certificates that commands ask for.

#include <clgauss/certify.hpp>
#include <clgauss/lab/program.hpp>
#include <optional>

#include "cli/report.hpp"
#include "lap_timer.hpp"

namespace clgauss::cli {

/// The certificate of a real or complex `solution`; empty if it has no x. Adds its time to `times`,
/// and that of kernel builds to the solution's own times.
template <typename SystemOf, typename SolutionOf>
std::optional<Certificate> certificate_of(Context& context, const SystemOf& system,
                                          SolutionOf& solution, const ProgressCallback& progress,
                                          ProgramTimes& times) {
  if (!has_answer(solution.status)) return std::nullopt;
  LapTimer timer;
  const double built = context.programs().build_seconds();
  Certificate certificate = certify(context, system, solution, {}, progress);
  const double building = context.programs().build_seconds() - built;
  solution.times.build += building;
  times.certify = timer.lap() - building;
  return certificate;
}

}  // namespace clgauss::cli
