#include "linalg/lu/factor_lu.hpp"

#include <clgauss/error.hpp>
#include <utility>

#include "io/memory.hpp"
#include "lap_timer.hpp"
#include "launch/staging.hpp"
#include "linalg/lu/kept_lu.hpp"
#include "linalg/lu/rbt.hpp"
#include "linalg/refinement/refine.hpp"
#include "linalg/solve/memory_need.hpp"
#include "linalg/solve/solve_again.hpp"
#include "matrix/scaling.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

void require_memory_for(const Context& context, SystemSize size, RealType input) {
  const DeviceProfile& device = context.profile();
  const auto [n, nrhs] = size;
  MemoryNeed need{system_text(size, input), input, n * padded_ld(n, input) * bytes_of(input),
                  n * nrhs * sizeof(float)};
  need.workspace = rbt_workspace_bytes(device, RealType::f32, n, nrhs);
  if (input == RealType::f64) need.workspace += DeviceOperator::bytes(n, nrhs);
  need.host_copy = n * n * sizeof(double);
  require_memory(need, device, io::physical_memory());
}

/// Keeps A in `input`. The factors are in f32, and A was not scaled.
class RbtFactors : public Factored {
 public:
  RbtFactors(Context& context, RealType input, SystemSize size, const FactorCall& call);

  /// Returns whether A can be factored without scaling.
  [[nodiscard]] bool upload(const System& system, const FactorCall& call);
  /// Returns whether the factors may be usable.
  [[nodiscard]] bool factor(const ProgressCallback& progress);

  [[nodiscard]] double reciprocal_growth(const Matrix& /*a*/) override { return 1 / growth_; }
  [[nodiscard]] DeviceOperator* in_f64() override { return in_f64_ ? &*in_f64_ : nullptr; }
  [[nodiscard]] std::optional<DeviceFactors> device_factors() override {
    return DeviceFactors{b_.buffer, [this] { rbt().solve(context_.queue(), b_, b_.ld); }};
  }
  void start_first_product() override {
    const cl::CommandQueue& queue = context_.queue();
    question_.start(queue,
                    [&](const MatrixView& b, Index columns) { rbt().solve(queue, b, columns); });
  }
  [[nodiscard]] Matrix take_first_product() override;
  void release() override;

 protected:
  void apply_inverse(bool transposed, const Scaling& by, Matrix& x) override;

 private:
  void build(const FactorCall& call, Index n);
  [[nodiscard]] RbtLu& rbt() { return *work_.rbt; }

  Context& context_;
  RealType input_;
  bool transposed_;
  std::optional<LuKind> kind_;  // under which work_ is kept
  MatrixView a_, b_;
  SolveBlock block_;
  FirstProduct question_;
  LuWork work_;
  std::optional<DeviceOperator> in_f64_;
  double growth_ = 0;
};

RbtFactors::RbtFactors(Context& context, RealType input, SystemSize size, const FactorCall& call)
    : context_(context), input_(input), transposed_(call.transposed) {
  const auto [n, nrhs] = size;
  const Index asked = call.question_columns();
  kind_ = KeptLu::kind_of(RealType::f32, n, nrhs, call.estimate_columns, asked, call.lu);
  if (kind_) kind_->butterflies = true;
  std::optional<LuWork> kept = context.kept_lu().take(kind_);
  a_.ld = padded_ld(n, input);
  a_.buffer = context.staging().matrices().take(context, n * a_.ld * bytes_of(input), "A");
  const bool is_new = !kept;
  if (kept) {
    work_ = *std::move(kept);
    rbt().resume();
  } else {
    work_.b = context.allocate(n * nrhs * sizeof(float), "B");
    if (asked > 0) work_.question = context.allocate(n * asked * sizeof(float), "probe vectors");
  }
  b_ = {work_.b, 0, nrhs};
  block_ = SolveBlock(b_);
  context.programs().prepare(
      [&] {
        in_f64_.reset();
        if (is_new) build(call, n);
        if (input == RealType::f64) in_f64_.emplace(context, a_, n, nrhs);
      },
      call.later);
}

void RbtFactors::build(const FactorCall& call, Index n) {
  RbtOptions options;
  options.gemm = call.lu.gemm;
  options.may_wait =
      call.lu.pivoting != Pivoting::tournament;  // as repeat_until_co_resident() says
  work_.rbt.reset();
  work_.rbt.emplace(context_.observer(), RealType::f32, input_, n, options);
  for (const Index columns : {b_.ld, call.question_columns()})
    if (columns > 0) rbt().prepare(columns);
  if (call.estimate_columns > 0) {
    try {
      rbt().prepare_both(call.estimate_columns);
    } catch (const NoUsableKernel&) {  // the self-tests say why; there will be no estimate
    }
  }
}

bool RbtFactors::upload(const System& system, const FactorCall& call) {
  const Sizes sizes = upload_and_measure(context_, a_, input_, system, transposed_);
  scaling_ = scaling_for(sizes, system, transposed_, RealType::f32, call.equilibration);
  if (in_f64_) in_f64_->set_right_hand_sides(system.b);
  // Butterflies add rows to rows and columns to columns. If f32 holds A only when scaled, its rows
  // or columns differ too much in size for that.
  const bool plain = scaling_.finite && scaling_.keeps_matrix();
  if (plain && call.question_columns() > 0)
    question_.upload(context_, work_.question, RealType::f32, call.question);
  return plain;
}

bool RbtFactors::factor(const ProgressCallback& progress) {
  rbt().factor(context_.queue(), a_, progress);
  context_.queue().finish();
  const RbtOutcome outcome = rbt().outcome(context_.queue());
  growth_ = outcome.growth;
  return outcome.ok();
}

void RbtFactors::apply_inverse(bool transposed, const Scaling& by, Matrix& x) {
  block_.solve(context_, RealType::f32, by, x, [&](const MatrixView& b, Index columns) {
    if (transposed)
      rbt().solve_transposed(context_.queue(), b, columns);
    else
      rbt().solve(context_.queue(), b, columns);
  });
}

Matrix RbtFactors::take_first_product() {
  Matrix product = question_.take(context_.queue(), RealType::f32);
  if (!product.empty()) (void)rbt().outcome(context_.queue());  // throws if a kernel waited in vain
  return product;
}

void RbtFactors::release() {
  const std::uint64_t bytes = a_.buffer.getInfo<CL_MEM_SIZE>();
  in_f64_.reset();
  rbt().release();
  if (kind_) context_.kept_lu().give(*kind_, std::move(work_));
  work_ = {};
  context_.staging().matrices().give(context_, std::exchange(a_, {}).buffer, bytes);
}

}  // namespace

void prepare_rbt(Context& context, SystemSize size, const FactorCall& call) {
  const RealType input = context.profile().fp64 ? RealType::f64 : RealType::f32;
  require_memory_for(context, size, input);
  RbtFactors(context, input, size, call);
}

Solved factor_rbt(Context& context, const System& system, const FactorCall& call,
                  const ProgressCallback& progress) {
  check_shapes(system);
  if (system.a.rows() == 0 || system.b.cols() == 0) return {};
  const RealType input = context.profile().fp64 ? RealType::f64 : RealType::f32;
  require_memory_for(context, size_of(system), input);
  Solved solved;
  SolveTimes& times = solved.result.times;
  solved.result.pivoting = Pivoting::none;
  LapTimer timer;
  if (progress) progress("building the kernels", 0);
  auto factors = std::make_unique<RbtFactors>(context, input, size_of(system), call);
  times.build = timer.lap();
  if (progress) progress("upload", 0);
  const bool plain = factors->upload(system, call);
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
