#include <clgauss/distributed.hpp>
#include <clgauss/error.hpp>

#include "lap_timer.hpp"
#include "linalg/refinement/refine.hpp"
#include "matrix/scaling.hpp"

namespace clgauss {

namespace {

/// The system A X = B, for refinement.
class ColumnsOperator : public SystemOperator {
 public:
  ColumnsOperator(const DistributedLu& lu, const Matrix& b) : lu_(lu), b_(b) {}

  void residual(const Matrix& x, Matrix& r, Matrix& d) override {
    r = lu_.subtract_product(b_, x, &d);
  }
  Matrix product(const Matrix& v) override {
    Matrix product = lu_.subtract_product(Matrix(v.rows(), 1), v);
    for (double& value : product.values()) value = -value;
    return product;
  }

 private:
  const DistributedLu& lu_;
  const Matrix& b_;
};

/// X with row i multiplied by 2^-exponents[i].
Matrix divided(Matrix x, const std::vector<int>& exponents) {
  for (Index i = 0; i < exponents.size(); ++i)
    for (double& value : x.row(i)) value = times_power(value, -exponents[i]);
  return x;
}

/// Products with (R A C)^-1 = C^-1 A^-1 R^-1.
InverseProducts scaled_inverse_of(DistributedLu& lu) {
  const auto &rows = lu.row_exponents(), &columns = lu.column_exponents();
  return {lu.n(), [&](const Matrix& x) { return divided(lu.solve(divided(x, rows)), columns); },
          [&](const Matrix& x) { return divided(lu.solve_transposed(divided(x, columns)), rows); }};
}

/// Measures, refines and estimates the error of an x.
class Check {
 public:
  Check(DistributedLu& lu, const Matrix& b, const DistributedSolveOptions& options,
        const ProgressCallback& progress, DistributedSolution& solution)
      : lu_(lu), b_(b), options_(options), progress_(progress), solution_(solution) {}

  void run() {
    const bool narrow = options_.lu.type == RealType::f32;
    if (narrow && solution_.accuracy == Accuracy::double_precision) refine_x();
    measure();
    // Rare with f64 factors: pivot growth has cost digits.
    if (!narrow && !(solution_.residual.scaled <= 1)) {
      refine_x();
      measure();
    }
    if (!(solution_.residual.scaled <= options_.max_scaled_residual))
      solution_.status = SolveStatus::inaccurate;
    if (options_.trust) estimate();
    if (options_.determinant) {
      solution_.determinant = lu_.determinant();
      if (solution_.trust)
        solution_.determinant.relative_error = solution_.trust->determinant_error;
    }
  }

 private:
  void refine_x() {
    ColumnsOperator system(lu_, b_);
    const ApproximateSolve solve = [this](Matrix& r) { r = lu_.solve(r, progress_); };
    solution_.refinement = refine(system, solve, solution_.x, progress_);
  }

  void measure() {
    r_ = lu_.subtract_product(b_, solution_.x, &d_);
    solution_.residual = lu_.judge(b_, solution_.x, r_);
    if (solution_.accuracy == Accuracy::double_precision)
      solution_.residual.scaled = solution_.residual.backward_error /
                                  (unit_roundoff(RealType::f64) * static_cast<double>(lu_.n()));
  }

  void estimate() {
    if (progress_) progress_("condition", 0);
    const ConditionAndError found =
        estimate_trust(inverse_of(lu_), lu_.size().norm1, {solution_.x, r_, d_});
    Trust trust{found.rcond, found.forward_error, lu_.reciprocal_growth(), 0};
    // Scaling leaves det A unchanged, but not rcond.
    const bool scaled = solution_.scaled_rows || solution_.scaled_columns;
    const double rcond = options_.determinant && scaled
                             ? reciprocal_condition(scaled_inverse_of(lu_), lu_.scaled_size().norm1)
                             : trust.rcond;
    trust.determinant_error =
        determinant_error(lu_.n(), unit_roundoff(options_.lu.type), trust.reciprocal_growth, rcond);
    solution_.trust = std::move(trust);
  }

  DistributedLu& lu_;
  const Matrix& b_;
  const DistributedSolveOptions& options_;
  const ProgressCallback& progress_;
  DistributedSolution& solution_;
  Matrix r_, d_;
};

}  // namespace

InverseProducts inverse_of(DistributedLu& lu) {
  return {lu.n(), [&lu](const Matrix& x) { return lu.solve(x); },
          [&lu](const Matrix& x) { return lu.solve_transposed(x); }};
}

DistributedSolution solve_distributed(Engine& engine, const ColumnSource& source,
                                      const MakeRightHandSides& make_b,
                                      const DistributedSolveOptions& options,
                                      const ProgressCallback& progress) {
  if (options.accuracy == Accuracy::maximum)
    throw UsageError(
        "accuracy max is for one device: several devices do not compute residuals in twice the "
        "precision of f64");
  DistributedSolution solution;
  LapTimer timer;
  DistributedLu lu(engine, source, options.lu);
  const Matrix b = make_b(lu);
  solution.type = options.lu.type;
  solution.accuracy =
      solution.type == RealType::f64 ? Accuracy::double_precision : options.accuracy;
  solution.scaled_rows = !lu.row_exponents().empty();
  solution.scaled_columns = !lu.column_exponents().empty();
  solution.block_columns = lu.block_columns();
  solution.resumed_blocks = lu.resumed_blocks();
  solution.load_s = timer.lap();
  solution.x = lu.factor_and_solve(b, progress);
  solution.solve_s = timer.lap();
  solution.failed_column = lu.failed_column();
  if (solution.failed_column) {
    solution.status = SolveStatus::singular;
    if (options.determinant) solution.determinant = lu.determinant();
    return solution;
  }
  solution.pivot_rows = lu.pivots();
  Check(lu, b, options, progress, solution).run();
  solution.check_s = timer.lap();
  return solution;
}

}  // namespace clgauss
