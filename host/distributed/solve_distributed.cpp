#include <clgauss/distributed.hpp>

#include "matrix/transfer.hpp"

namespace clgauss {

DistributedSolution solve_distributed(Engine& engine, const ColumnSource& source,
                                      const MakeRightHandSides& make_b,
                                      const DistributedOptions& options, bool refine,
                                      const ProgressCallback& progress) {
  DistributedSolution solution;
  LapTimer timer;
  DistributedLu lu(engine, source, options);
  const Matrix b = make_b(lu);
  solution.block_columns = lu.block_columns();
  solution.resumed_blocks = lu.resumed_blocks();
  solution.load_s = timer.lap();
  solution.x = lu.factor_and_solve(b, progress);
  solution.failed_column = lu.failed_column();
  solution.solve_s = timer.lap();
  if (solution.failed_column) return solution;

  constexpr int kMostRefinements = 10;
  const double n = static_cast<double>(source.n());
  Matrix r = lu.subtract_product(b, solution.x);
  const auto judge = [&] {
    solution.residual = lu.judge(b, solution.x, r);
    if (refine)
      solution.residual.scaled =
          solution.residual.backward_error / (unit_roundoff(RealType::f64) * n);
  };
  judge();
  // A factor in f32 gains some digits at a time; where it gains none, the answer is what it is.
  constexpr double kGoodEnough = 0.1, kGain = 0.5;
  while (refine && solution.residual.scaled > kGoodEnough &&
         solution.refinements < kMostRefinements) {
    const Matrix correction = lu.solve(r, progress);
    const Matrix before = solution.x;
    const double error = solution.residual.scaled;
    for (std::size_t i = 0; i < solution.x.values().size(); ++i)
      solution.x.values()[i] += correction.values()[i];
    r = lu.subtract_product(b, solution.x);
    judge();
    if (!(solution.residual.scaled <= error)) {
      solution.x = before;
      r = lu.subtract_product(b, solution.x);
      judge();
      break;
    }
    ++solution.refinements;
    if (!(solution.residual.scaled <= kGain * error)) break;
  }
  solution.check_s = timer.lap();
  return solution;
}

}  // namespace clgauss
