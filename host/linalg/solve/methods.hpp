#pragma once
/// The methods of solve(), one row each: their names, the options they allow, and what follows if
/// they fail.

#include <clgauss/context.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/solve.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "linalg/solve/factored.hpp"
#include "linalg/solve/plan.hpp"
#include "matrix/shapes.hpp"

namespace clgauss {

struct Answer;

/// Options that not every method allows.
enum Wish : unsigned {
  kEquilibration = 1,
  kPivoting = 2,    // a choice of pivoting
  kTournament = 4,  // tournament pivoting
  kRook = 8,        // rook pivoting
  kJudgeByDevice = 16,
  kMaximumAccuracy = 32,
  kTypeOfFactors = 64,  // and thereby single accuracy
  kInPlace = 128,
  kDeterminant = 256,
  kTrust = 512,
  kIterations = 1024,      // their number
  kWorkGroupSizes = 2048,  // and the other options of Method::gauss
  kComplexSystems = 4096,
  kBatches = 8192
};

/// What follows an answer, or a plan that gave none (NoUsableKernel).
struct Next {
  std::string doubt = {};  // why the answer is not good enough; empty: it is, or there is none
  std::optional<Plan> plan = {};  // to be tried next
  bool lapack = false;            // if there is no plan: the host's LAPACK
};

/// The input of MethodRow::next.
struct Tried {
  Context& context;
  const SolveOptions& options;
  const System& system;
  const Plan& plan;
  const Answer* answer;  // null: the plan gave none
};

struct MethodRow {
  Method method;
  std::string_view name, help;             // as typed; the text in --help
  std::string_view told = {};              // what the report calls it
  std::optional<RealType> factors = {};    // their fixed type; x is refined to double accuracy
  std::optional<std::uint64_t> seed = {};  // of the random butterflies around the factors
  bool symmetric = false;                  // whether A must be symmetric
  bool definite = false;                   // whether A must be positive definite
  unsigned wishes = 0;
  /// Null if the method has no factors. `prepare` does what `factor` does before the upload.
  Solved (*factor)(Context&, const System&, const FactorCall&, const ProgressCallback&) = nullptr;
  void (*prepare)(Context&, SystemSize, const FactorCall&) = nullptr;
  Next (*next)(const Tried&) = nullptr;

  [[nodiscard]] bool allows(Wish wish) const { return (wishes & wish) != 0; }
};

/// Why an x from f32 factors and refinement, or the estimates from those factors, are not good
/// enough. Empty if they are.
[[nodiscard]] std::string doubt_about_f32(const Refinement& done, const std::optional<Trust>& trust,
                                          Accuracy accuracy);

/// Why an answer by `factors`, "L D L^T" or "L U", is not good enough: the pivots grew, and so the
/// residual is too large or, if the determinant is asked for, not even its sign is sure. Empty if
/// it is, or if there is none.
[[nodiscard]] std::string doubt_about_growth(SolveStatus status, const Residual& residual,
                                             const std::optional<Trust>& trust, Pivoting pivoting,
                                             const SolveOptions& options, std::string_view factors);

/// What follows factors by `plan` whose pivots grew, with this pivoting: L D L^T with rook
/// pivoting, and after that LU, in the same type.
[[nodiscard]] Plan after_growth(const Plan& plan, Pivoting pivoting);

/// Includes Method::automatic, which allows what any of the methods it chooses from allows. Its row
/// has nothing else.
[[nodiscard]] std::span<const MethodRow> all_methods();
[[nodiscard]] const MethodRow& row_of(Method method);

/// One choice of options for each method that factors, in each type that both `device` and the
/// method support, with estimates.
[[nodiscard]] std::vector<SolveOptions> factorizations_on(const DeviceProfile& device);

/// The names of the methods that allow `wish`, without automatic: "lu, mixed and rbt", or with
/// another last conjunction.
[[nodiscard]] std::string methods_that_allow(Wish wish, std::string_view last = "and");

}  // namespace clgauss
