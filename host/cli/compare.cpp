#include "cli/compare.hpp"

#include <limits>

#include "statistics.hpp"

namespace clgauss::cli {

double ComparedPolicy::median() const { return clgauss::median(seconds); }

Comparison compare_policies(Context& context, const System& system, const SolveOptions& options,
                            int repetitions, int warmups, const ProgressCallback& progress) {
  SolveOptions driver_options = options;
  driver_options.method = Method::gauss;
  SolveOptions chosen_options = driver_options;
  driver_options.policy = {WorkGroupPolicy::Rule::driver, 0};
  Comparison comparison;
  const auto run = [&](ComparedPolicy& compared, const SolveOptions& run_options, bool timed) {
    compared.solution = solve(context, system, run_options, progress);
    const SolveTimes& times = compared.solution.times;
    if (timed) compared.seconds.push_back(times.forward + times.backward);
  };
  for (int pair = -warmups; pair < repetitions; ++pair) {
    run(comparison.driver, driver_options, pair >= 0);
    run(comparison.chosen, chosen_options, pair >= 0);
  }
  const Matrix& x = comparison.chosen.solution.x;
  const Matrix& y = comparison.driver.solution.x;
  comparison.max_difference =
      x.rows() == y.rows() ? max_difference(x, y) : std::numeric_limits<double>::quiet_NaN();
  return comparison;
}

}  // namespace clgauss::cli
