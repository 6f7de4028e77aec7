#pragma once
/// The methods of solve(), a row each: their names, what they can be asked for, and what is tried
/// where they fail.

#include <clgauss/context.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/solve.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "linalg/solve/factored.hpp"
#include "linalg/solve/plan.hpp"

namespace clgauss {

struct Answer;

/// What not every method can be asked for.
enum Wish : unsigned {
  kEquilibration = 1,
  kPivoting = 2,    // of a choice
  kTournament = 4,  // as that
  kJudgeByDevice = 16,
  kMaximumAccuracy = 32,
  kTypeOfFactors = 64,  // and, with it, an accuracy of single
  kInPlace = 128,
  kDeterminant = 256,
  kTrust = 512,
  kIterations = 1024,      // their number
  kWorkGroupSizes = 2048,  // and the other options of Method::gauss
  kComplexSystems = 4096,
  kBatches = 8192
};

/// What follows an answer, or a plan that came to none (NoUsableKernel).
struct Next {
  std::string doubt = {};  // why the answer will not do; empty where there is none, and it may do
  std::optional<Plan> plan = {};  // to be tried then
  bool lapack = false;            // else, the host's
};

/// What Next is decided by.
struct Tried {
  Context& context;
  const SolveOptions& options;
  Index n, nrhs;
  const Plan& plan;
  const Answer* answer;  // null: there is none
};

struct MethodRow {
  Method method;
  std::string_view name, help;           // as typed, and what help says of it
  std::string_view told = {};            // what the report says was done
  std::optional<RealType> factors = {};  // that they are always in; x is refined to double accuracy
  std::optional<std::uint64_t> seed = {};  // of the random butterflies that it factors between
  bool symmetric = false;                  // A has to be
  bool definite = false;                   // and positive definite
  unsigned wishes = 0;
  /// Null: it has no factors.
  Solved (*factor)(Context&, const System&, const FactorCall&, const ProgressCallback&) = nullptr;
  Next (*next)(const Tried&) = nullptr;

  [[nodiscard]] bool allows(Wish wish) const { return (wishes & wish) != 0; }
};

/// Why an x that factors in f32 and refinement led to, or what they say of A, will not do; empty:
/// it does.
[[nodiscard]] std::string doubt_about_f32(const Refinement& done, const std::optional<Trust>& trust,
                                          Accuracy accuracy);

/// Of Method::automatic, too, which allows what one of the methods allows that it chooses from, and
/// has no more.
[[nodiscard]] std::span<const MethodRow> all_methods();
[[nodiscard]] const MethodRow& row_of(Method method);

/// "lu, mixed and rbt", or with another last word: the methods that allow `wish`, without
/// automatic.
[[nodiscard]] std::string methods_that_allow(Wish wish, std::string_view last = "and");

}  // namespace clgauss
