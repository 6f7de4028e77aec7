#include "linalg/solve/methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "enumeration.hpp"
#include "linalg/lu/factor_lu.hpp"
#include "linalg/lu/rbt.hpp"
#include "linalg/solve/assess.hpp"
#include "matrix/symmetry.hpp"

namespace clgauss {

namespace {

/// Whether factors of A + E in f32 estimate ||A^-1|| within a factor of 3. A correction multiplies
/// the residual by E (A + E)^-1. If that shrinks the residual fast, without GMRES, it is small in
/// the directions of the small singular values, and the factors have A's small singular values.
/// (With randsvd matrices in tests/solver/condition_test.cpp, rcond was 0.58 to 1.04 times LAPACK's
/// at ratios up to 1 / 4, and 0.16 to 14 times with GMRES.)
bool tell_of_inverse(const Refinement& refinement) {
  const std::vector<double>& errors = refinement.backward_errors;
  return errors.size() < 2 || (refinement.gmres_steps == 0 && errors[1] <= errors[0] / 4);
}

/// Why a whole answer is not good enough, including a failed one; empty if it is.
std::string doubt_about(const Answer& answer) {
  const EliminationResult& result = answer.result;
  if (result.failed_column)
    return fmt::format("in f32 the pivot of column {} is {}", *result.failed_column + 1,
                       row_of(answer.plan.method).definite ? "not positive" : "zero or not finite");
  if (result.x.empty() && !result.refinement.accepted) return {};
  return doubt_about_f32(result.refinement, answer.trust, answer.plan.accuracy);
}

/// Next: factors in f64 by `method`, or the host's LAPACK if the device has no fp64.
Next in_f64(const Tried& tried, Method method, std::string doubt) {
  if (tried.context.profile().fp64)
    return {std::move(doubt), Plan{method, RealType::f64, tried.plan.accuracy}};
  return {std::move(doubt), std::nullopt, true};
}

/// The same, if f32 factors gave an answer that is not good enough; otherwise nothing.
Next after_f32(const Tried& tried, Method method) {
  std::string doubt = doubt_about(*tried.answer);
  return doubt.empty() ? Next{} : in_f64(tried, method, std::move(doubt));
}

Next after_mixed(const Tried& tried) {
  return tried.answer == nullptr ? Next{} : after_f32(tried, Method::lu);
}

/// If the method was left open and `tried.plan` was a guess, goes on with make_plan()'s choice.
Next after_guess(const Tried& tried, std::string doubt = {}) {
  if (method_of(tried.options) != Method::automatic) return {};
  Plan plan = make_plan(tried.context, tried.options, tried.system.a.rows(), tried.system.b.cols());
  if (tried.plan.method != Method::ldlt &&
      ldlt_is_better(tried.context, plan, tried.system.a.rows()))
    plan.method = Method::ldlt;
  return {std::move(doubt), plan};
}

Next after_rbt(const Tried& tried) {
  Refinement none;
  const Refinement& refinement = tried.answer ? tried.answer->result.refinement : none;
  if (refinement.accepted && (!tried.answer->trust || tell_of_inverse(refinement))) return {};
  const DeviceProfile& device = tried.context.profile();
  // If x is good and only the inverse is in doubt, other f32 factors would show no more about the
  // inverse.
  const bool doubts_inverse = refinement.accepted && device.fp64;
  const bool prefers_f32 =
      tried.options.method == Method::rbt ||
      mixed_is_better(tried.context, tried.system.a.rows(), tried.system.b.cols());
  return {"factors between random butterflies are not accurate enough",
          prefers_f32 && !doubts_inverse ? Plan{Method::mixed, RealType::f32, tried.plan.accuracy}
                                         : Plan{Method::lu, RealType::f64, tried.plan.accuracy}};
}

Next after_cholesky(const Tried& tried) {
  if (tried.answer == nullptr) return after_guess(tried);
  const bool open = tried.options.method == Method::automatic, narrow = tried.plan.refines();
  const auto failed = tried.answer->result.failed_column;
  if (failed && (narrow || open)) {
    std::string doubt =
        fmt::format("A is not positive definite{} (Cholesky's pivot of column {} is {:.2g})",
                    narrow ? " to f32" : "", *failed + 1, tried.answer->result.pivots[*failed]);
    if (open) return after_guess(tried, std::move(doubt));
    return tried.context.profile().fp64 ? in_f64(tried, Method::cholesky, std::move(doubt))
                                        : Next{};
  }
  return narrow ? after_f32(tried, Method::cholesky) : Next{};
}

std::string doubt_about_growth(const Tried& tried, std::string_view factors) {
  const Answer& answer = *tried.answer;
  return doubt_about_growth(outcome_of(answer.result), answer.residual, answer.trust,
                            answer.result.pivoting, tried.options, factors);
}

/// Where the pivots of a symmetric A grow by any other pivoting. It may be tried once.
Next after_lu(const Tried& tried) {
  if (tried.answer == nullptr || tried.plan.rook || tried.plan.in_place ||
      method_of(tried.options) != Method::automatic)
    return {};
  const double residual = tried.answer->residual.scaled;
  if (residual > tried.options.max_scaled_residual && residual <= 1) return {};  // it did not grow
  std::string doubt = doubt_about_growth(tried, "L U");
  if (doubt.empty() || asymmetric_element(tried.system.a)) return {};
  return {std::move(doubt), after_growth(tried.plan, tried.answer->result.pivoting)};
}

Next after_ldlt(const Tried& tried) {
  const Plan& plan = tried.plan;
  if (tried.answer == nullptr)
    return plan.rook ? Next{.plan = after_growth(plan, Pivoting::rook)} : after_guess(tried);
  const Plan following = after_growth(plan, tried.answer->result.pivoting);
  if (plan.refines()) {
    Next next = after_f32(tried, Method::ldlt);
    if (next.lapack && following.method == Method::ldlt) next = {std::move(next.doubt), following};
    return next;
  }
  std::string doubt = doubt_about_growth(tried, row_of(plan.method).told);
  return doubt.empty() ? Next{} : Next{std::move(doubt), following};
}

constexpr unsigned kOfFactors = kJudgeByDevice | kTrust;
constexpr unsigned kOfSymmetric = kOfFactors | kMaximumAccuracy | kTypeOfFactors | kDeterminant;
constexpr unsigned kOfMixed = kOfFactors | kEquilibration | kPivoting | kTournament |
                              kMaximumAccuracy | kInPlace | kDeterminant | kComplexSystems;
constexpr unsigned kOfLu = kOfMixed | kTypeOfFactors | kBatches;
constexpr unsigned kOfLdlt = kOfSymmetric | kPivoting | kRook | kComplexSystems | kBatches;

constexpr std::array kMethods{
    MethodRow{.method = Method::automatic,
              .name = "auto",
              .help =
                  "gauss if one of its options is given, else lu, mixed or, where A is symmetric, "
                  "cholesky or ldlt, whichever is faster",
              .wishes = kOfLu | kOfLdlt},
    MethodRow{.method = Method::lu,
              .name = "lu",
              .help = "blocked",
              .told = "LU",
              .wishes = kOfLu,
              .factor = factor_lu,
              .prepare = prepare_lu,
              .next = after_lu},
    MethodRow{.method = Method::mixed,
              .name = "mixed",
              .help =
                  "blocked in f32, x refined to double accuracy; f64 or the host's LAPACK where "
                  "that fails",
              .told = "LU",
              .factors = RealType::f32,
              .wishes = kOfMixed,
              .factor = factor_lu,
              .prepare = prepare_lu,
              .next = after_mixed},
    MethodRow{.method = Method::rbt,
              .name = "rbt",
              .help = "the same between random butterflies",
              .told = "LU",
              .factors = RealType::f32,
              .seed = kRbtSeed,
              .wishes = kOfFactors,
              .factor = factor_rbt,
              .prepare = prepare_rbt,
              .next = after_rbt},
    MethodRow{.method = Method::cholesky,
              .name = "cholesky",
              .help = "for a symmetric, or complex and Hermitian, positive definite A",
              .told = "Cholesky",
              .symmetric = true,
              .definite = true,
              .wishes = kOfSymmetric | kComplexSystems | kBatches,
              .factor = factor_lu,
              .prepare = prepare_lu,
              .next = after_cholesky},
    MethodRow{.method = Method::ldlt,
              .name = "ldlt",
              .help = "for a symmetric, or complex and Hermitian, A, which may be indefinite",
              .told = "L D L^T",
              .symmetric = true,
              .wishes = kOfLdlt,
              .factor = factor_lu,
              .prepare = prepare_lu,
              .next = after_ldlt},
    MethodRow{.method = Method::jacobi,
              .name = "jacobi",
              .help = "for learning: iterations, for a strictly diagonally dominant A",
              .told = "iterations of Jacobi",
              .wishes = kTypeOfFactors | kIterations},
    MethodRow{.method = Method::seidel,
              .name = "seidel",
              .help = "the same, one number of x after the other",
              .told = "iterations of Seidel",
              .wishes = kTypeOfFactors | kIterations},
    MethodRow{.method = Method::gauss,
              .name = "gauss",
              .help = "the elimination of Baranov and Vlatskaya (2013)",
              .told = "Gauss elimination",
              .wishes = kPivoting | kTypeOfFactors | kDeterminant | kWorkGroupSizes}};

}  // namespace

std::string doubt_about_f32(const Refinement& done, const std::optional<Trust>& trust,
                            Accuracy accuracy) {
  if (done.accepted && trust && !tell_of_inverse(done))
    return fmt::format("rcond {:.1e} is at the limit of factors in f32", trust->rcond);
  if (done.accepted) return {};
  if (accuracy == Accuracy::maximum)
    return "corrections by factors in f32 do not lead to the digits of x";
  return fmt::format(
      "factors in f32 left a backward error of {:.2g} after {} correction{}{}",
      done.backward_errors.back(), done.corrections(), done.corrections() == 1 ? "" : "s",
      done.gmres_steps > 0 ? fmt::format(" and {} steps of GMRES", done.gmres_steps) : "");
}

std::string doubt_about_growth(SolveStatus status, const Residual& residual,
                               const std::optional<Trust>& trust, Pivoting pivoting,
                               const SolveOptions& options, std::string_view factors) {
  const bool rook = pivoting == Pivoting::rook;
  const std::string by = fmt::format("factors {}{}", factors, rook ? " by rook pivoting" : "");
  if (status == SolveStatus::overflow) return by + " left the range of their type";
  if (!has_answer(status)) return {};
  if (!(residual.scaled <= options.max_scaled_residual))
    return fmt::format("{} left a scaled residual of {:.2g}", by, residual.scaled);
  const bool unsure = options.determinant && trust && !(trust->determinant_error < 1);
  return !rook && unsure && trust->determinant_error * trust->reciprocal_growth < 1
             ? fmt::format("the pivots of {} grew {:.2g} times", by, 1 / trust->reciprocal_growth)
             : std::string();
}

Plan after_growth(const Plan& plan, Pivoting pivoting) {
  const bool is_rook = plan.rook || pivoting == Pivoting::rook;
  Plan next{is_rook ? Method::lu : Method::ldlt, plan.type, plan.accuracy};
  next.rook = true;
  return next;
}

std::span<const MethodRow> all_methods() { return kMethods; }

const MethodRow& row_of(Method method) {
  return *std::ranges::find(kMethods, method, &MethodRow::method);
}

std::vector<SolveOptions> factorizations_on(const DeviceProfile& device) {
  std::vector<SolveOptions> all;
  for (const RealType type : {RealType::f64, RealType::f32}) {
    for (const MethodRow& row : kMethods) {
      const bool is_second = row.factors && type == RealType::f32;
      const bool has_type = row.factors || type == RealType::f32 || device.fp64;
      if (row.factor == nullptr || is_second || !has_type) continue;
      SolveOptions options;
      options.method = row.method;
      options.trust = true;
      if (!row.factors) options.type = type;
      all.push_back(options);
    }
  }
  return all;
}

std::string methods_that_allow(Wish wish, std::string_view last) {
  std::vector<std::string_view> names;
  for (const MethodRow& row : kMethods)
    if (row.method != Method::automatic && row.allows(wish)) names.push_back(row.name);
  return enumeration(names, last);
}

std::string_view method_name(Method method) { return row_of(method).name; }

}  // namespace clgauss
