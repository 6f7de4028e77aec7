#pragma once
/// Refines the first solution, measures its residual and estimates its errors.

#include <clgauss/context.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/solve.hpp>
#include <optional>
#include <string>

#include "linalg/solve/factored.hpp"
#include "linalg/solve/plan.hpp"

namespace clgauss {

/// Up to this n, an LU on one core of the host takes less time than building the estimation kernels
/// for the device's factors.
inline constexpr Index kLargestOnHost = 256;

/// Whether the host makes such an LU. Where rook pivoting was needed, it may grow, too.
[[nodiscard]] constexpr bool estimates_on_host(Index n, Pivoting pivoting) {
  return n <= kLargestOnHost && pivoting != Pivoting::rook;
}

/// Whether the growth is that of the method's own factors, not of such an LU: L D L^T's.
[[nodiscard]] constexpr bool tells_growth(Method method) { return method == Method::ldlt; }

/// The status that the pivots and x imply. The residual decides later whether x is accurate.
[[nodiscard]] SolveStatus outcome_of(const EliminationResult& result);

/// Decides whether a refinement counts. Corrections may shrink even if rounding has destroyed the
/// factors. They count only if A is not singular to f64: by rcond, or by the forward error bound,
/// which scaling of rows does not affect. Then their error estimates replace those of the residual.
void judge_by_condition(std::optional<Trust>& trust, Index n, Refinement& refinement);

struct Answer {
  EliminationResult result;
  Residual residual;          // of result.x, if there is one
  Judge judge = Judge::host;  // who computed it
  Plan plan;                  // the plan that gave `result`
  std::string passed_over;    // why earlier plans were rejected; empty: none was
  bool by_lapack = false;
  std::optional<Trust> trust;
};

/// Refines answer.result as answer.plan requires, measures its residual, and estimates rcond and
/// errors if `options` ask for them. All use `factors`, which the plan made; refinement in extra
/// precision starts from `scaled_x`. Results and times go into `answer`. If the plan's method
/// rejects x, its residual is not measured. Cost: one pass over A for the residual, a few solves
/// for the rest.
void assess(Context& context, Factored& factors, const System& system, Matrix scaled_x,
            const SolveOptions& options, const ProgressCallback& progress, Answer& answer);

}  // namespace clgauss
