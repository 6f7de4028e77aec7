#pragma once
/// A factored system, for further solves and estimates. The factors may be on the device or the
/// host.

#include <clgauss/condition.hpp>
#include <clgauss/context.hpp>
#include <clgauss/lab/elimination.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/progress.hpp>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "linalg/refinement/refine.hpp"
#include "matrix/scaling.hpp"

namespace clgauss {

/// The factors of A' = R A C, where R and C are powers of two.
class Factored {
 public:
  Factored() = default;
  explicit Factored(Scaling scaling) : scaling_(std::move(scaling)) {}
  virtual ~Factored() = default;
  Factored(const Factored&) = delete;
  Factored& operator=(const Factored&) = delete;

  [[nodiscard]] const Scaling& scaling() const { return scaling_; }

  /// X <- A^-1 X and X <- A^-T X, for any number of columns, as accurate as the factors. Both wait,
  /// and throw NoUsableKernel.
  void solve(Matrix& x) { apply_inverse(false, {scaling_.rows, scaling_.columns, {}}, x); }
  void solve_transposed(Matrix& x) {
    apply_inverse(true, {scaling_.columns, scaling_.rows, {}}, x);
  }
  /// As above, with A' instead of A.
  void solve_scaled(Matrix& x) { apply_inverse(false, {}, x); }
  void solve_scaled_transposed(Matrix& x) { apply_inverse(true, {}, x); }

  /// max |A'| / max |U|. `a` is the given A, which may be stored transposed.
  [[nodiscard]] virtual double reciprocal_growth(const Matrix& a) = 0;

  /// Whether the factors are on the device. Estimates then use few vectors at once.
  [[nodiscard]] virtual bool on_device() const { return true; }
  /// The same factors for solves by the host's cores, as estimates use them; null if their memory
  /// is not the host's. They refer to this object, which must not solve while they live.
  [[nodiscard]] virtual std::unique_ptr<Factored> on_host() { return nullptr; }
  /// A and B in f64 on the device, beside the factors; null if they are not kept.
  [[nodiscard]] virtual DeviceOperator* in_f64() { return nullptr; }
  /// If available, solves for one right-hand side with all vectors on the device; in_f64() uses
  /// them to refine x.
  [[nodiscard]] virtual std::optional<DeviceFactors> device_factors() { return std::nullopt; }
  /// Sets the device to work on A^-1 FactorCall::question, if it can, and does not wait.
  virtual void start_first_product() {}
  /// What start_first_product() began, once; otherwise empty. Waits.
  [[nodiscard]] virtual Matrix take_first_product() { return {}; }

  /// Keeps large buffers for the next system. Must be the last call; not called after an exception.
  virtual void release() {}

 protected:
  /// X <- C A'^-1 R X, or C A'^-T R X if `transposed`, with the R and C of `by`.
  virtual void apply_inverse(bool transposed, const Scaling& by, Matrix& x) = 0;

  Scaling scaling_;
};

/// The products with A^-1 and A^-T that estimators call; scaled_inverse_of(): those of A'.
/// `factors` must outlive them.
[[nodiscard]] InverseProducts inverse_of(Factored& factors, Index n);
[[nodiscard]] InverseProducts scaled_inverse_of(Factored& factors, Index n);

/// R X C with powers of two; empty `rows` or `columns` mean all 0. Uses all cores.
[[nodiscard]] Matrix scaled(const Matrix& x, std::span<const int> rows,
                            std::span<const int> columns);

/// max |R A C|.
[[nodiscard]] double largest_of_scaled(const Matrix& a, const Scaling& scaling);

/// Which factors to compute, and what they will be used for.
struct FactorCall {
  RealType type = RealType::f64;  // of the factors
  LuOptions lu = {};
  Equilibration equilibration = Equilibration::automatic;
  bool keeps_f64 = false;  // keeps A and B on the device in f64: in_f64()
  /// Columns of the blocks of vectors in later estimates; 0: there will be no estimate.
  Index estimate_columns = 0;
  /// Probe vectors for estimates, for Factored::start_first_product(); no rows: there are none.
  Matrix question = {};
  /// Whether there will be estimates of which these factors give the growth, even where others give
  /// the rest.
  bool growth = false;
  bool refines = false;  // whether x will be corrected by solves with the factors
  /// Whether refinement in extra precision will follow, which needs A and B again.
  bool extra_precise = false;
  bool transposed = false;  // the system's `a` holds A^T
  /// The system's A, if its memory is to go back to the operating system during the upload. It is
  /// empty afterwards.
  Matrix* give_up_a = nullptr;
  /// For ProgramStore::prepare(): makes the factors that a later program may compute.
  std::function<void()> later = {};

  /// The columns of the question; 0 unless the rows of an A that is not scaled are of about the
  /// same size, as estimate_trust_from() needs them.
  [[nodiscard]] Index question_columns() const {
    const bool even = equilibration != Equilibration::off && !lu.positive_definite && !lu.symmetric;
    return even ? question.cols() : 0;
  }
};

/// The first solution with its times, and the factors.
struct Solved {
  EliminationResult result;  // x without rows: refinement must start from x = 0
  Matrix scaled_x = {};      // X' = C^-1 X, if FactorCall::extra_precise
  /// Null if n = 0 or if the factors are known to be useless.
  std::unique_ptr<Factored> factors = {};
};

}  // namespace clgauss
