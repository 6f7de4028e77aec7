#pragma once
/// How solve() comes to an answer of the accuracy that is asked for: which factors are tried, and in which order.

#include <clgauss/solve.hpp>
#include <string>

#include "linalg/gesv.hpp"

namespace clgauss {

/// What is tried first, and what the answer is judged by.
struct Plan {
  Method method = Method::lu;  // never automatic
  RealType type = RealType::f64;
  Accuracy accuracy = Accuracy::double_precision;
  std::string_view chosen_by = {};  // MethodChoice::source(), where that decided

  /// Whether x is refined to more than the factors' own accuracy.
  [[nodiscard]] bool refines() const {
    return method == Method::mixed || (method == Method::cholesky && type == RealType::f32 &&
                                       accuracy != Accuracy::single_precision);
  }

  /// The unit roundoff that backward errors are measured in.
  [[nodiscard]] double eps() const {
    return unit_roundoff(accuracy == Accuracy::single_precision ? RealType::f32 : RealType::f64);
  }
};

/// Throws UsageError for a combination that no method offers, DeviceLimit for a type that the device has not.
[[nodiscard]] Plan make_plan(const Context& context, const SolveOptions& options, Index n);

/// The plan to try first for this A where the method is left open and make_plan() said `plan`: by Cholesky if A may be positive definite
/// and that takes less time.
[[nodiscard]] Plan plan_for(const DeviceProfile& device, const SolveOptions& options,
                            const Matrix& a, const Plan& plan);

/// What the pivots and x say; whether x is accurate is for the residual to say.
[[nodiscard]] SolveStatus outcome_of(const EliminationResult& result);

struct LuAnswer {
  EliminationResult result;
  Residual residual;          // of result.x, if there is one
  Judge judge = Judge::host;  // who computed that
  Plan plan;                  // that gave it
  std::string passed_over;    // why the first plan did not; empty: it did
  bool by_lapack = false;
  std::optional<Trust> trust;
};

/// By the plan, which is one of factors; where those in f32 are not good enough, by f64 on the device, else by the host's LAPACK where
/// there is one; where A is not positive definite and the method was left open, by make_plan()'s. Throws as gesv().
[[nodiscard]] LuAnswer solve_by_lu(Context& context, const System& system, const Plan& plan,
                                   const SolveOptions& options, const ProgressCallback& progress);

/// The same as gesv_in_place(): A is read again for the residuals, which the host computes.
[[nodiscard]] LuAnswer solve_by_lu_in_place(Context& context, System system,
                                            const ReadMatrix& read_again, const Plan& plan,
                                            const SolveOptions& options,
                                            const ProgressCallback& progress);

}  // namespace clgauss
