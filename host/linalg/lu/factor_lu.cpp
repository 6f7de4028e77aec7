#include "linalg/lu/factor_lu.hpp"

#include <algorithm>
#include <clgauss/error.hpp>
#include <limits>
#include <utility>

#include "io/memory.hpp"
#include "kernels/estimates/upper_maxima.hpp"
#include "kernels/lu/lu_small.hpp"
#include "lap_timer.hpp"
#include "launch/staging.hpp"
#include "linalg/estimates/norm_estimator.hpp"
#include "linalg/lu/kept_lu.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "linalg/lu/mapped_factors.hpp"
#include "linalg/lu/pivots.hpp"
#include "linalg/refinement/device_operator.hpp"
#include "linalg/refinement/extra_precise.hpp"
#include "linalg/solve/memory_need.hpp"
#include "linalg/solve/solve_again.hpp"
#include "matrix/scaling.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

/// Throws OutOfMemory unless the memory of the whole solve is there.
void require_memory_for(Context& context, SystemSize size, const FactorCall& call) {
  const auto [n, nrhs] = size;
  const RealType type = call.type;
  const LuSpec spec = lu_spec_for(context, type, n, call.lu);
  const std::uint64_t element = bytes_of(type);
  MemoryNeed need{system_text(size, type), type, n * padded_ld(n, type) * element,
                  n * nrhs * element};
  need.workspace =
      n * element + lu_workspace_bytes(context.profile(), spec, type, n, nrhs, call.lu);
  if (call.keeps_f64)
    need.workspace +=
        n * padded_ld(n, RealType::f64) * sizeof(double) + DeviceOperator::bytes(n, nrhs);
  if (call.extra_precise && context.profile().fp64)
    need.workspace += ExtraPreciseDevice::bytes(n, nrhs);
  need.host_copy = call.give_up_a == nullptr ? n * n * sizeof(double) : 0;
  require_memory(need, context.profile(), io::physical_memory());
}

/// Up to this n the host's cores estimate as fast as the device's kernels, which then need not be
/// built. Above it the LU for CPUs needs these kernels for x, too.
constexpr Index kMostMapped = 1023;

double least_normal(RealType type) {
  return type == RealType::f32 ? static_cast<double>(std::numeric_limits<float>::min())
                               : std::numeric_limits<double>::min();
}

/// A becomes L and U, or Cholesky's factor, and B becomes X.
class LuFactors : public Factored {
 public:
  /// Allocates the memory, and builds and self-tests the kernels.
  LuFactors(Context& context, SystemSize size, const FactorCall& call);

  void upload(const System& system);
  /// Fills in the times of the factorisation and of the solve.
  void factor_and_solve(SolveTimes& times, const ProgressCallback& progress);
  /// Reads X, the pivots and what follows from them; also X' if `call.extra_precise`.
  void read(Solved& solved);

  [[nodiscard]] double reciprocal_growth(const Matrix& a) override {
    return largest_of_scaled(a, call_.transposed ? transposed(scaling_) : scaling_) /
           upper_maximum(context_, queue(), call_.type, a_, n_);
  }
  [[nodiscard]] std::unique_ptr<Factored> on_host() override;
  [[nodiscard]] DeviceOperator* in_f64() override { return in_f64_ ? &*in_f64_ : nullptr; }
  [[nodiscard]] std::optional<DeviceFactors> device_factors() override;
  void start_first_product() override {
    question_.start(queue(), [this](const MatrixView& b, Index columns) {
      (void)lu().getrs(queue(), a_, b, columns);
    });
  }
  [[nodiscard]] Matrix take_first_product() override;
  void release() override;

 protected:
  void apply_inverse(bool transposed, const Scaling& by, Matrix& x) override;

 private:
  /// Whether one launch factors and solves.
  [[nodiscard]] bool by_gesv() const { return n_ <= kLargestSmallSystem && nrhs_ <= 1; }
  void build();
  void build_for_refinement();
  void upload_a(const System& system);
  [[nodiscard]] const cl::CommandQueue& queue() const { return context_.queue(); }
  [[nodiscard]] LuBackend& lu() const { return *work_.backend; }
  [[nodiscard]] Index question_columns() const { return mapped_ ? 0 : call_.question_columns(); }

  Context& context_;
  FactorCall call_;
  Index n_, nrhs_;
  bool mapped_;                 // whether on_host() serves estimates, which then need no kernels
  std::optional<LuKind> kind_;  // under which work_ is kept
  MatrixView a_, b_, a64_;
  FirstProduct question_;
  Exchanges exchanges_;
  SolveBlock block_;
  LuWork work_;
  std::optional<DeviceOperator> in_f64_;
};

LuFactors::LuFactors(Context& context, SystemSize size, const FactorCall& call)
    : context_(context),
      call_(call),
      n_(size.n),
      nrhs_(size.nrhs),
      mapped_(n_ <= kMostMapped && maps_factors(context)),
      kind_(KeptLu::kind_of(call.type, n_, nrhs_, call.estimate_columns, question_columns(),
                            call.lu)) {
  if (kind_) kind_->refines = call.refines;
  const RealType type = call.type;
  const std::string what = system_text(size, type);
  MatrixMemory& matrices = context.staging().matrices();
  std::optional<LuWork> kept = context.kept_lu().take(kind_);
  a_.ld = padded_ld(n_, type);
  a_.buffer = matrices.take(context, n_ * a_.ld * bytes_of(type), what);
  const bool is_new = !kept;
  work_ = kept ? *std::move(kept)
               : LuWork::without_backend(context, type, n_, nrhs_, question_columns(), what);
  b_ = {work_.b, 0, nrhs_};
  block_ = SolveBlock(b_);
  if (call.keeps_f64) {
    a64_.ld = padded_ld(n_, RealType::f64);
    a64_.buffer = matrices.take(context, n_ * a64_.ld * sizeof(double), "A in f64, for residuals");
  }
  context.programs().prepare(
      [&] {
        in_f64_.reset();
        if (is_new) build();
        build_for_refinement();
      },
      call.later);
}

void LuFactors::build() {
  const RealType type = call_.type;
  work_.build(context_, type, a_, n_, nrhs_, call_.lu, by_gesv());
  const Index asked = question_columns();
  if (asked > 0 && asked != nrhs_) lu().prepare(a_, asked);
  if (by_gesv() && (call_.refines || asked == nrhs_)) lu().prepare_getrs(nrhs_);
  const bool by_device = call_.estimate_columns > 0 && !mapped_;
  if (by_device || call_.growth) {
    try {
      prepare_upper_maximum(context_, type, n_);
      if (by_device) lu().prepare_both(call_.estimate_columns);
    } catch (const NoUsableKernel&) {  // the self-tests say why; there will be no estimate
    }
  }
}

void LuFactors::build_for_refinement() {
  if (call_.extra_precise && context_.profile().fp64) {
    try {
      ExtraPreciseDevice::prepare(context_, nrhs_);
    } catch (const NoUsableKernel&) {  // the self-tests say why; the host does it instead
    }
  }
  if (call_.keeps_f64) {
    try {
      in_f64_.emplace(context_, a64_, n_, nrhs_);
    } catch (const NoUsableKernel&) {  // the self-tests say why; the host does it instead
    }
  }
}

void LuFactors::upload_a(const System& system) {
  if (call_.give_up_a != nullptr)
    upload_and_release(context_, a_.buffer, a_.ld, call_.type, *call_.give_up_a, scaling_);
  else if (call_.transposed)
    upload_turned(context_, a_.buffer, a_.ld, call_.type, system.a, scaling_);
  else
    upload_rows(context_, a_.buffer, a_.ld, call_.type, {scaled_matrix(system, scaling_)});
}

void LuFactors::upload(const System& system) {
  const RealType type = call_.type;
  const Sizes sizes =
      in_f64_ ? upload_and_measure(context_, in_f64_->a(), RealType::f64, system, call_.transposed)
      : call_.give_up_a == nullptr
          ? upload_and_measure(context_, a_, type, system, call_.transposed)
          : sizes_of(system.a.values(), n_);
  const std::span<const double> a = system.a.values(), b = system.b.values();
  scaling_ = call_.lu.positive_definite ? definite_scaling_for(sizes, nrhs_, a, b, type)
             : call_.lu.symmetric
                 ? symmetric_scaling_for(sizes, nrhs_, a, b, type)
                 : scaling_for(sizes, system, call_.transposed, type, call_.equilibration);
  if (in_f64_) in_f64_->set_right_hand_sides(system.b);
  if (call_.give_up_a != nullptr || !scaling_.keeps_matrix()) {
    upload_a(system);
  } else if (in_f64_) {
    if (type == RealType::f32)
      in_f64_->demote(a_);
    else
      in_f64_->copy_matrix(a_.buffer);
  }
  upload_rows(context_, b_.buffer, b_.ld, type, {scaled_right_hand_sides(system, scaling_)});
  if (question_columns() > 0 && scaling_.keeps_matrix())
    question_.upload(context_, work_.question, type, call_.question);
}

void LuFactors::factor_and_solve(SolveTimes& times, const ProgressCallback& progress) {
  LapTimer timer;
  if (progress) progress("factorisation", 0);
  if (by_gesv()) {
    (void)lu().gesv(queue(), a_, b_, nrhs_);  // failed_column() reports a failure
    queue().finish();
    times.forward = timer.lap();
    return;
  }
  lu().getrf(queue(), a_, progress);
  queue().finish();
  times.forward = timer.lap();
  if (progress) progress("substitution", 0);
  (void)lu().getrs(queue(), a_, b_, nrhs_);
  queue().finish();
  times.backward = timer.lap();
}

void LuFactors::read(Solved& solved) {
  const RealType type = call_.type;
  EliminationResult& result = solved.result;
  result.pivoting = lu().pivoting();
  result.failed_column = lu().failed_column(queue());
  enqueue_diagonal(queue(), *work_.diagonal_kernel, a_, n_, work_.diagonal);
  result.pivots = download_diagonal(queue(), a_, work_.diagonal, type, n_);
  exchanges_.rows = read_twice([&] { return lu().pivots(queue()); });
  judge_pivots(result, exchanges_.rows,
               call_.lu.positive_definite ? std::optional(least_normal(type)) : std::nullopt);
  if (const auto symmetric = lu().symmetric_pivots(queue())) {
    judge_pivots(result, *symmetric);
    exchanges_.columns = symmetric->exchanges;
  }
  result.x = Matrix(n_, nrhs_, download(queue(), b_.buffer, type, n_ * nrhs_));
  if (call_.extra_precise) solved.scaled_x = result.x;
  scale_back(scaling_, result);
}

Matrix LuFactors::take_first_product() {
  Matrix product = question_.take(queue(), call_.type);
  if (!product.empty()) (void)lu().failed_column(queue());  // throws if a kernel waited in vain
  return product;
}

std::unique_ptr<Factored> LuFactors::on_host() {
  if (!mapped_) return nullptr;
  return std::make_unique<MappedFactors>(queue(), call_.type, a_, n_, exchanges_, scaling_,
                                         [this](const Matrix& a) { return reciprocal_growth(a); });
}

std::optional<DeviceFactors> LuFactors::device_factors() {
  if (call_.type != RealType::f32 || !scaling_.keeps_matrix()) return std::nullopt;
  return DeviceFactors{b_.buffer, [this] { (void)lu().getrs(queue(), a_, b_, nrhs_); }};
}

void LuFactors::apply_inverse(bool transposed, const Scaling& by, Matrix& x) {
  block_.solve(context_, call_.type, by, x, [&](const MatrixView& b, Index columns) {
    if (transposed)
      lu().getrs_transposed(queue(), a_, b, columns);
    else
      (void)lu().getrs(queue(), a_, b, columns);
  });
}

void LuFactors::release() {
  if (kind_) context_.kept_lu().give(*kind_, std::move(work_));
  in_f64_.reset();
  MatrixMemory& matrices = context_.staging().matrices();
  if (call_.keeps_f64)
    matrices.give(context_, std::exchange(a64_, {}).buffer,
                  n_ * padded_ld(n_, RealType::f64) * sizeof(double));
  matrices.give(context_, std::exchange(a_, {}).buffer,
                n_ * padded_ld(n_, call_.type) * bytes_of(call_.type));
}

}  // namespace

void prepare_lu(Context& context, SystemSize size, const FactorCall& call) {
  require_memory_for(context, size, call);
  LuFactors(context, size, call);
}

Solved factor_lu(Context& context, const System& system, const FactorCall& call,
                 const ProgressCallback& progress) {
  check_shapes(system);
  if (system.a.rows() == 0) return {empty_result(system, call.lu.pivoting)};
  require_memory_for(context, size_of(system), call);
  Solved solved;
  SolveTimes& times = solved.result.times;
  LapTimer timer;
  if (progress) progress("building the kernels", 0);
  auto factors = std::make_unique<LuFactors>(context, size_of(system), call);
  times.build = timer.lap();
  if (progress) progress("upload", 0);
  factors->upload(system);
  times.upload = timer.lap();
  factors->factor_and_solve(times, progress);
  (void)timer.lap();
  factors->read(solved);
  times.download = timer.lap();
  solved.factors = std::move(factors);
  return solved;
}

}  // namespace clgauss
