#pragma once
/// What solve() tries first.

#include <clgauss/context.hpp>
#include <clgauss/solve.hpp>
#include <string_view>

namespace clgauss {

/// What is tried, and what the answer is judged by.
struct Plan {
  Method method = Method::lu;  // never automatic
  RealType type = RealType::f64;
  Accuracy accuracy = Accuracy::double_precision;
  std::string_view chosen_by = {};            // MethodChoice::source(), where that decided
  std::optional<ArithmeticRates> rates = {};  // MethodChoice::rates
  bool in_place = false;                      // A was given up while it was uploaded
  bool transposed = false;                    // the system's `a` holds A^T, a column-major A

  /// Whether x is refined to more than the factors' own accuracy.
  [[nodiscard]] bool refines() const {
    return type == RealType::f32 && accuracy != Accuracy::single_precision;
  }

  /// The unit roundoff that backward errors are measured in.
  [[nodiscard]] double eps() const {
    return unit_roundoff(accuracy == Accuracy::single_precision ? RealType::f32 : RealType::f64);
  }
};

/// Throws UsageError for a combination that no method offers, DeviceLimit for a type that the
/// device has not.
[[nodiscard]] Plan make_plan(Context& context, const SolveOptions& options, Index n, Index nrhs);

/// The plan to try first for this A where the method is left open and make_plan() said `plan`: by
/// Cholesky if A may be positive definite and that takes less time, or by L D L^T.
[[nodiscard]] Plan plan_for(Context& context, const SolveOptions& options, const Matrix& a,
                            const Plan& plan);

/// Whether factors in f32 and refinement take less time than factors in f64, and A fits in both.
[[nodiscard]] bool mixed_is_better(Context& context, Index n, Index nrhs);

/// Whether L D L^T of a symmetric A takes less time than `plan`.
[[nodiscard]] bool ldlt_is_better(Context& context, const Plan& plan, Index n);

}  // namespace clgauss
