#pragma once
/// Chooses what solve() tries first.

#include <clgauss/context.hpp>
#include <clgauss/solve.hpp>
#include <string_view>

namespace clgauss {

struct MethodRow;

/// What is tried, and the accuracy by which the answer is judged.
struct Plan {
  Method method = Method::lu;  // never automatic
  RealType type = RealType::f64;
  Accuracy accuracy = Accuracy::double_precision;
  std::string_view chosen_by = {};            // MethodChoice::source(), if it decided
  std::optional<ArithmeticRates> rates = {};  // MethodChoice::rates
  bool in_place = false;                      // A's memory was freed during the upload
  bool transposed = false;                    // the system's `a` holds A^T, a column-major A
  bool rook = false;                          // L D L^T by Pivoting::rook, or what follows that

  /// Whether x is refined beyond the factors' own accuracy.
  [[nodiscard]] bool refines() const {
    return type == RealType::f32 && accuracy != Accuracy::single_precision;
  }

  /// The unit roundoff by which backward errors are measured.
  [[nodiscard]] double eps() const {
    return unit_roundoff(accuracy == Accuracy::single_precision ? RealType::f32 : RealType::f64);
  }
};

/// The method asked for, also by the pivoting: without it gauss, ldlt by Pivoting::rook.
[[nodiscard]] Method method_of(const SolveOptions& options);

/// The pivoting of the plan's factors. LU, where it follows L D L^T, has partial pivoting.
[[nodiscard]] Pivoting pivoting_of(const Plan& plan, const SolveOptions& options);

/// Throws UsageError if `options`, or the accuracy `wanted`, ask for something that the method does
/// not allow; DeviceLimit if the device cannot compute residuals as they ask.
void require_allowed(const DeviceProfile& device, const MethodRow& row, const SolveOptions& options,
                     Accuracy wanted);

/// Throws UsageError for a combination that no method allows, DeviceLimit for a type that the
/// device does not support.
[[nodiscard]] Plan make_plan(Context& context, const SolveOptions& options, Index n, Index nrhs);

/// The plan to try first for this A, if the method is left open and make_plan() returned `plan`:
/// Cholesky, if A may be positive definite and Cholesky is faster, or L D L^T.
[[nodiscard]] Plan plan_for(Context& context, const SolveOptions& options, const Matrix& a,
                            const Plan& plan);

/// Whether f32 factors and refinement are faster than f64 factors, and A fits in both types.
[[nodiscard]] bool mixed_is_better(Context& context, Index n, Index nrhs);

/// Whether L D L^T of a symmetric A is faster than `plan`.
[[nodiscard]] bool ldlt_is_better(Context& context, const Plan& plan, Index n);

}  // namespace clgauss
