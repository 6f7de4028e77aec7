#include "linalg/lu/factor_lu.hpp"

#include <clgauss/error.hpp>
#include <utility>

#include "io/memory.hpp"
#include "lap_timer.hpp"
#include "launch/staging.hpp"
#include "linalg/lu/rbt.hpp"
#include "linalg/refinement/refine.hpp"
#include "linalg/solve/memory_need.hpp"
#include "linalg/solve/solve_again.hpp"
#include "matrix/scaling.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

void require_memory_for(const Context& context, const System& system, RealType input) {
  const DeviceProfile& device = context.profile();
  const Index n = system.a.rows(), nrhs = system.b.cols();
  MemoryNeed need{system_text(system, input), input, n * padded_ld(n, input) * bytes_of(input),
                  n * nrhs * sizeof(float)};
  need.workspace = rbt_workspace_bytes(device, RealType::f32, n, nrhs);
  if (input == RealType::f64) need.workspace += DeviceOperator::bytes(n, nrhs);
  need.host_copy = n * n * sizeof(double);
  require_memory(need, device, io::physical_memory());
}

/// Keeps A in `input`. The factors are in f32, and A was not scaled.
class RbtFactors : public Factored {
 public:
  RbtFactors(Context& context, RealType input, const System& system, const FactorCall& call);

  /// Returns whether A can be factored without scaling.
  [[nodiscard]] bool upload(const System& system, Equilibration equilibration);
  /// Returns whether the factors may be usable.
  [[nodiscard]] bool factor(const ProgressCallback& progress);

  [[nodiscard]] double reciprocal_growth(const Matrix& /*a*/) override { return 1 / growth_; }
  [[nodiscard]] DeviceOperator* in_f64() override { return in_f64_ ? &*in_f64_ : nullptr; }
  [[nodiscard]] std::optional<DeviceFactors> device_factors() override {
    return DeviceFactors{b_.buffer, [this] { rbt_->solve(context_.queue(), b_, b_.ld); }};
  }
  void release() override;

 protected:
  void apply_inverse(bool transposed, const Scaling& by, Matrix& x) override;

 private:
  Context& context_;
  RealType input_;
  bool transposed_;
  MatrixView a_, b_;
  SolveBlock block_;
  std::optional<RbtLu> rbt_;
  std::optional<DeviceOperator> in_f64_;
  double growth_ = 0;
};

RbtFactors::RbtFactors(Context& context, RealType input, const System& system,
                       const FactorCall& call)
    : context_(context), input_(input), transposed_(call.transposed) {
  const Index n = system.a.rows(), nrhs = system.b.cols();
  a_.ld = padded_ld(n, input);
  a_.buffer = context.staging().matrices().take(context, n * a_.ld * bytes_of(input), "A");
  b_ = {context.allocate(n * nrhs * sizeof(float), "B"), 0, nrhs};
  block_ = SolveBlock(b_);
  RbtOptions options;
  options.gemm = call.lu.gemm;
  const auto build = [&] {
    in_f64_.reset();
    rbt_.reset();
    rbt_.emplace(context, RealType::f32, input, n, options);
    rbt_->prepare(nrhs);
    if (call.estimate_columns > 0) {
      try {
        rbt_->prepare_both(call.estimate_columns);
      } catch (const NoUsableKernel&) {  // the self-tests say why; there will be no estimate
      }
    }
    if (input == RealType::f64) in_f64_.emplace(context, a_, n, nrhs);
  };
  context.programs().prepare(build, call.later);
}

bool RbtFactors::upload(const System& system, Equilibration equilibration) {
  const Sizes sizes = upload_and_measure(context_, a_, input_, system, transposed_);
  scaling_ = scaling_for(sizes, system, transposed_, RealType::f32, equilibration);
  if (in_f64_) in_f64_->set_right_hand_sides(system.b);
  // Butterflies add rows to rows and columns to columns. If f32 holds A only when scaled, its rows
  // or columns differ too much in size for that.
  return scaling_.finite && scaling_.keeps_matrix();
}

bool RbtFactors::factor(const ProgressCallback& progress) {
  rbt_->factor(context_.queue(), a_, progress);
  context_.queue().finish();
  const RbtOutcome outcome = rbt_->outcome(context_.queue());
  growth_ = outcome.growth;
  return outcome.ok();
}

void RbtFactors::apply_inverse(bool transposed, const Scaling& by, Matrix& x) {
  block_.solve(context_, RealType::f32, by, x, [&](const MatrixView& b, Index columns) {
    if (transposed)
      rbt_->solve_transposed(context_.queue(), b, columns);
    else
      rbt_->solve(context_.queue(), b, columns);
  });
}

void RbtFactors::release() {
  const std::uint64_t bytes = a_.buffer.getInfo<CL_MEM_SIZE>();
  in_f64_.reset();
  rbt_->release();
  rbt_.reset();
  context_.staging().matrices().give(context_, std::exchange(a_, {}).buffer, bytes);
}

}  // namespace

void prepare_rbt(Context& context, const System& system, const FactorCall& call) {
  const RealType input = context.profile().fp64 ? RealType::f64 : RealType::f32;
  require_memory_for(context, system, input);
  RbtFactors(context, input, system, call);
}

Solved factor_rbt(Context& context, const System& system, const FactorCall& call,
                  const ProgressCallback& progress) {
  check_shapes(system);
  if (system.a.rows() == 0 || system.b.cols() == 0) return {};
  const RealType input = context.profile().fp64 ? RealType::f64 : RealType::f32;
  require_memory_for(context, system, input);
  Solved solved;
  SolveTimes& times = solved.result.times;
  solved.result.pivoting = Pivoting::none;
  LapTimer timer;
  if (progress) progress("building the kernels", 0);
  auto factors = std::make_unique<RbtFactors>(context, input, system, call);
  times.build = timer.lap();
  if (progress) progress("upload", 0);
  const bool plain = factors->upload(system, call.equilibration);
  times.upload = timer.lap();
  if (!plain) return solved;
  if (progress) progress("factorisation", 0);
  const bool usable = factors->factor(progress);
  times.forward = timer.lap();
  if (!usable) return solved;
  if (factors->in_f64() == nullptr || system.b.cols() > 1) {
    if (progress) progress("substitution", 0);
    solved.result.x = system.b;
    factors->solve(solved.result.x);
    times.backward = timer.lap();
  }
  solved.factors = std::move(factors);
  return solved;
}

}  // namespace clgauss
