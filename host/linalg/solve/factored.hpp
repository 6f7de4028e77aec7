#pragma once
/// A system that was factored, for what is asked of the factors afterwards, wherever they lie.

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

/// The factors of A' = R A C, A as powers of two scaled it.
class Factored {
 public:
  Factored() = default;
  explicit Factored(Scaling scaling) : scaling_(std::move(scaling)) {}
  virtual ~Factored() = default;
  Factored(const Factored&) = delete;
  Factored& operator=(const Factored&) = delete;

  [[nodiscard]] const Scaling& scaling() const { return scaling_; }

  /// X <- A^-1 X and X <- A^-T X for any number of columns, as good as the factors are. They wait,
  /// and throw NoUsableKernel.
  void solve(Matrix& x) { apply_inverse(false, {scaling_.rows, scaling_.columns, {}}, x); }
  void solve_transposed(Matrix& x) {
    apply_inverse(true, {scaling_.columns, scaling_.rows, {}}, x);
  }
  /// The same with A'.
  void solve_scaled(Matrix& x) { apply_inverse(false, {}, x); }
  void solve_scaled_transposed(Matrix& x) { apply_inverse(true, {}, x); }

  /// max |A'| / max |U|; `a` is the A that was given, or its transpose.
  [[nodiscard]] virtual double reciprocal_growth(const Matrix& a) = 0;

  /// Whether the factors are the device's, for which few columns at once pay in estimates.
  [[nodiscard]] virtual bool on_device() const { return true; }
  /// The same factors by the host's cores, for estimates, where their memory is the host's; null
  /// where it is not. It is used while this lives, and this solves nothing meanwhile.
  [[nodiscard]] virtual std::unique_ptr<Factored> on_host() { return nullptr; }
  /// A and B in f64 beside them on the device; null where there is none.
  [[nodiscard]] virtual DeviceOperator* in_f64() { return nullptr; }
  /// For corrections of a single right-hand side by in_f64(), whose vectors stay on the device, if
  /// that can be.
  [[nodiscard]] virtual std::optional<DeviceFactors> device_factors() { return std::nullopt; }
  /// A^-1 times the question of the FactorCall, where it came with the first solve; else empty.
  [[nodiscard]] virtual Matrix take_first_product() { return {}; }

  /// The last call, where nothing was thrown: large memory stays for the next system.
  virtual void release() {}

 protected:
  /// X <- C A'^-1 R X, or where `transposed` C A'^-T R X, R and C being those of `by`.
  virtual void apply_inverse(bool transposed, const Scaling& by, Matrix& x) = 0;

  Scaling scaling_;
};

/// A^-1 and A^-T, and those of A', as estimators ask for them. `factors` must outlive them.
[[nodiscard]] InverseProducts inverse_of(Factored& factors, Index n);
[[nodiscard]] InverseProducts scaled_inverse_of(Factored& factors, Index n);

/// R X C for matrices of powers of two, of which each may be empty, by all cores.
[[nodiscard]] Matrix scaled(const Matrix& x, std::span<const int> rows,
                            std::span<const int> columns);

/// max |R A C|.
[[nodiscard]] double largest_of_scaled(const Matrix& a, const Scaling& scaling);

/// What factors are to be made, and what will be asked of them.
struct FactorCall {
  RealType type = RealType::f64;  // of the factors
  LuOptions lu = {};
  Equilibration equilibration = Equilibration::automatic;
  bool keeps_f64 = false;  // A and B stay on the device in f64: in_f64()
  /// of the blocks of vectors that estimates will solve with; 0: there will be none
  Index estimate_columns = 0;
  /// solved for beside B, for estimates: without rows, none
  Matrix question = {};
  /// there will be refinement in extra precision: A and B are needed once more
  bool extra_precise = false;
  bool transposed = false;  // the system's `a` holds A^T
  /// the system's A: its memory goes back to the operating system while it is uploaded, and it is
  /// empty then
  Matrix* give_up_a = nullptr;
};

/// The first answer, with its times, and the factors for more.
struct Solved {
  EliminationResult result;  // x without rows: refinement is to begin with x = 0
  Matrix scaled_x = {};      // X' = C^-1 X, where refinement in extra precision was announced
  /// null where there are none: n = 0, or they are known to be of no use
  std::unique_ptr<Factored> factors = {};
};

}  // namespace clgauss
