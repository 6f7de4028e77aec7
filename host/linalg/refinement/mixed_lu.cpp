#include <clgauss/error.hpp>
#include <clgauss/mixed_lu.hpp>

#include "linalg/lu/lu_backend.hpp"
#include "linalg/lu/rbt.hpp"
#include "linalg/refinement/device_operator.hpp"
#include "linalg/refinement/refine.hpp"
#include "linalg/solve/solve_again.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "matrix/view_check.hpp"
#include "opencl_error.hpp"
#include "program/prepared.hpp"

namespace clgauss {

/// A named namespace, because classes in a header have members of these types.
namespace mixed {

/// Factors in f32, on the device, of an f64 system.
class Factors {
 public:
  virtual ~Factors() = default;
  virtual void factor(const cl::CommandQueue& queue, DeviceOperator& system) = 0;
  /// b <- ~A^-1 b, where b is n-by-nrhs.
  virtual void solve(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) = 0;
  /// Whether every column had a usable pivot. Waits.
  [[nodiscard]] virtual bool usable(const cl::CommandQueue& queue) = 0;
};

class PivotedFactors : public Factors {
 public:
  PivotedFactors(Context& context, Index n, Index nrhs, const LuOptions& options)
      : lu_(make_lu_backend(context, RealType::f32, n, options,
                            lu_spec_for(context, RealType::f32, n, options))) {
    factors_.ld = padded_ld(n, RealType::f32);
    factors_.buffer = context.allocate(n * factors_.ld * sizeof(float), "factors in f32");
    lu_->prepare(factors_, nrhs);
  }

  void factor(const cl::CommandQueue& queue, DeviceOperator& system) override {
    system.demote(factors_);
    lu_->getrf(queue, factors_);
  }
  void solve(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) override {
    (void)lu_->getrs(queue, factors_, b, nrhs);
  }
  bool usable(const cl::CommandQueue& queue) override { return !lu_->failed_column(queue); }

 private:
  std::unique_ptr<LuBackend> lu_;
  MatrixView factors_;
};

class ButterflyFactors : public Factors {
 public:
  ButterflyFactors(Context& context, Index n, Index nrhs, const LuOptions& options)
      : rbt_(context, RealType::f32, RealType::f64, n, {kRbtSeed, {}, options.gemm}) {
    rbt_.prepare(nrhs);
  }

  void factor(const cl::CommandQueue& queue, DeviceOperator& system) override {
    rbt_.factor(queue, system.a());
  }
  void solve(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) override {
    rbt_.solve(queue, b, nrhs);
  }
  bool usable(const cl::CommandQueue& queue) override { return rbt_.outcome(queue).ok(); }

 private:
  RbtLu rbt_;
};

std::unique_ptr<Factors> make_factors(Context& context, Index n, Index nrhs, MixedFactors factors,
                                      const LuOptions& options) {
  if (!context.profile().fp64)
    throw DeviceLimit(context.profile().name + " has no fp64 for the residuals of MixedLu");
  if (factors == MixedFactors::butterflies)
    return std::make_unique<ButterflyFactors>(context, n, nrhs, options);
  return std::make_unique<PivotedFactors>(context, n, nrhs, options);
}

}  // namespace mixed

class MixedLu::Implementation {
 public:
  Implementation(Context& context, Index n, Index nrhs, MixedFactors factors,
                 const LuOptions& options)
      : context_(context),
        n_(n),
        nrhs_(nrhs),
        factors_(mixed::make_factors(context_, n, nrhs, factors, options)),
        b_{context_.allocate(n * nrhs * sizeof(float), "right-hand sides in f32"), 0, nrhs},
        system_(context_, MatrixView{}, n, nrhs) {}

  Refinement solve(const MatrixView& a, const MatrixView& b) {
    check_view(a, n_, n_, RealType::f64, "A");
    check_view(b, n_, nrhs_, RealType::f64, "B");
    const cl::CommandQueue& queue = context_.queue();
    system_.set_a(a);
    const auto getrs = [&] { factors_->solve(queue, b_, nrhs_); };
    SolveBlock block(b_);
    const ApproximateSolve solve = [&](Matrix& r) {  // with all right-hand sides, or one from GMRES
      block.solve(context_, RealType::f32, {}, r, [&](const MatrixView& some, Index columns) {
        factors_->solve(queue, some, columns);
      });
    };
    Refinement refinement;
    if (nrhs_ == 1) {
      system_.copy_right_hand_side(b);
      factors_->factor(queue, system_);
      refinement = refine_from_zero(system_, {b_.buffer, getrs}, solve);
      system_.copy_x(b);
    } else {
      Matrix x = read_matrix(queue, b, n_, nrhs_);
      system_.set_right_hand_sides(x);
      factors_->factor(queue, system_);
      solve(x);
      refinement = refine(system_, solve, x);
      write_matrix(queue, b, x);
    }
    if (!factors_->usable(queue)) refinement.accepted = false;
    return refinement;
  }

 private:
  Context context_;
  Index n_, nrhs_;
  std::unique_ptr<mixed::Factors> factors_;
  MatrixView b_;
  DeviceOperator system_;
};

MixedLu::MixedLu(Context& context, Index n, Index nrhs, MixedFactors factors,
                 const LuOptions& options)
    : implementation_(translate_opencl_errors([&] {
        return prepared(context.programs(), [&] {
          return std::make_unique<Implementation>(context, n, nrhs, factors, options);
        });
      })) {}

MixedLu::MixedLu(MixedLu&&) noexcept = default;
MixedLu& MixedLu::operator=(MixedLu&&) noexcept = default;
MixedLu::~MixedLu() = default;

Refinement MixedLu::solve(const MatrixView& a, const MatrixView& b) {
  return translate_opencl_errors([&] { return implementation_->solve(a, b); });
}

}  // namespace clgauss
