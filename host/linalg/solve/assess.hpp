#pragma once
/// From a first answer to the one that is given, and to what is said of it.

#include <clgauss/context.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/solve.hpp>
#include <optional>
#include <string>

#include "linalg/solve/factored.hpp"
#include "linalg/solve/plan.hpp"

namespace clgauss {

/// Up to here an LU by one core of the host takes less time than building the kernels that estimate
/// with the device's factors.
inline constexpr Index kLargestOnHost = 256;

/// What the pivots and x say; whether x is accurate is for the residual to say.
[[nodiscard]] SolveStatus outcome_of(const EliminationResult& result);

/// Corrections by factors of which rounding has left nothing may shrink, too: they count where A is
/// not singular to f64, by rcond or, which no scaling of rows spoils, by how far its errors reach
/// x. Where they do, they tell more of x's error than its residual.
void judge_by_condition(std::optional<Trust>& trust, Index n, Refinement& refinement);

struct Answer {
  EliminationResult result;
  Residual residual;          // of result.x, if there is one
  Judge judge = Judge::host;  // who computed that
  Plan plan;                  // that gave it
  std::string passed_over;    // why the first plan did not; empty: it did
  bool by_lapack = false;
  std::optional<Trust> trust;
};

/// Refines answer.result as answer.plan asks, measures its residual, and estimates rcond and errors
/// where `options` want them: all by `factors` that the plan made, from `scaled_x` in extra
/// precision. What it says and the times it took come into `answer`; an x that the plan's method
/// can only refuse is not measured. Cost: a pass over A for the residual, some solves for the rest.
void assess(Context& context, Factored& factors, const System& system, Matrix scaled_x,
            const SolveOptions& options, const ProgressCallback& progress, Answer& answer);

}  // namespace clgauss
