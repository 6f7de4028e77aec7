#pragma once
/// Certificates that commands ask for.

#include <clgauss/certify.hpp>
#include <clgauss/lab/program.hpp>
#include <optional>

#include "cli/report.hpp"
#include "lap_timer.hpp"

namespace clgauss::cli {

/// What prove() returns. Its time is in `times`; that of kernel builds is added to the solve's.
template <typename Prove>
auto timed_proof(Context& context, SolveTimes& solve, ProgramTimes& times, const Prove& prove) {
  LapTimer timer;
  const double built = context.programs().build_seconds();
  auto certificate = prove();
  const double building = context.programs().build_seconds() - built;
  solve.build += building;
  times.certify = timer.lap() - building;
  return certificate;
}

/// The certificate of a real or complex `solution`; empty if it has no x.
template <typename SystemOf, typename SolutionOf>
std::optional<Certificate> certificate_of(Context& context, const SystemOf& system,
                                          SolutionOf& solution, const ProgressCallback& progress,
                                          ProgramTimes& times) {
  if (!has_answer(solution.status)) return std::nullopt;
  return timed_proof(context, solution.times, times,
                     [&] { return certify(context, system, solution, {}, progress); });
}

}  // namespace clgauss::cli
