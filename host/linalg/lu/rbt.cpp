#include "linalg/lu/rbt.hpp"

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <clgauss/lab/variant.hpp>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/gemm/gemm_backend.hpp"
#include "kernels/lu/butterfly.hpp"
#include "kernels/lu/lu_window.hpp"
#include "launch/staging.hpp"
#include "linalg/lu/getrs.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "linalg/lu/pivots.hpp"
#include "linalg/lu/plain_solves.hpp"
#include "linalg/solve/memory_need.hpp"
#include "matrix/shapes.hpp"
#include "matrix/view_check.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

/// Indices of the measured values in the device's buffer.
enum Figure : cl_uint {
  kLargestOfMatrix,
  kLargestOfL,
  kLargestOfU,
  kUnused,
  kSmallestPivot,
  kFigures = 8
};

Parameters checked_parameters(const Context& context, RealType type, Index n,
                              const RbtOptions& options) {
  Parameters parameters =
      options.parameters.value_or(default_rbt_parameters(context.profile(), type, n));
  check_parameters("the spec of an RBT LU", rbt_variants(), parameters, type);
  if (const std::string more = exceeded_demand(rbt_variants(), parameters, context.profile(), type);
      !more.empty())
    throw DeviceLimit(more);
  return parameters;
}

}  // namespace

Parameters default_rbt_parameters(const DeviceProfile& device, RealType type, Index n) {
  return usual_parameters(rbt_variants(), {device, type, n});
}

bool RbtOutcome::ok() const {
  return !first_bad_pivot && std::isfinite(growth) && std::isfinite(largest_factor);
}

class RbtLu::Implementation {
 public:
  Implementation(Context& context, RealType factor_type, RealType input_type, Index n,
                 const RbtOptions& options)
      : context_(context),
        n_(checked_order(factor_type, input_type, n)),
        seed_(options.seed),
        parameters_(checked_parameters(context, factor_type, n, options)),
        lu_parameters_(
            default_lu_spec(context.profile(), factor_type, n, LuFamily::gpu).parameters),
        input_(context_, input_type),
        factors_(context_, factor_type),
        flags_(context_),
        setting_{factors_, flags_, lu_parameters_, n},
        gemm_(context_, factor_type, gemm_options_for_lu(context, factor_type, n, options.gemm)),
        butterflies_(input_type == factor_type ? factors_ : input_, factors_, parameters_, n,
                     options.seed),
        kernels_(factors_, flags_, parameters_),
        waits_(options.may_wait && value_of(lu_parameters_, "PERSISTENT") == 1),
        solves_(suits_cpu_kernels(context_)
                    ? make_plain_solves_cpu(context_, factor_type, n, options.gemm)
                    : make_plain_solves_gpu(setting_, gemm_, waits_)),
        few_(context_, factor_type, n, waits_ ? &setting_ : nullptr),
        mixed_(matrix(kMixed)),
        lu_(matrix(kFactors)),
        work_(context_.allocate(kernels_.work() * bytes_of(factor_type),
                                "the workspace of a diagonal block")),
        sources_(rows(kernels_.window())),
        order_(rows(n)),
        positions_(rows(n)),
        figures_(context_.allocate(kFigures * sizeof(cl_float), "the growth of an LU")) {}

  [[nodiscard]] std::uint64_t seed() const { return seed_; }

  void release() {
    for (MatrixView* const matrix : {&mixed_, &lu_})
      context_.staging().matrices().give(context_, std::exchange(*matrix, {}).buffer,
                                         bytes_of_matrix());
  }

  void resume() {
    mixed_ = matrix(kMixed);
    lu_ = matrix(kFactors);
    factored_ = false;
  }

  void prepare(Index nrhs) {
    if (n_ == 0) return;
    ask_own_kernels();
    for_each_block([&](const Block& at) {
      if (at.rest == 0) return;
      (void)gemm_.kernel_name({at.rest, at.size, at.size}, at.left, at.upper_inverse, at.l21, 1, 0);
      (void)gemm_.kernel_name({at.size, at.rest, at.size}, at.lower_inverse, at.right, at.u12, 1,
                              0);
      gemm_.prepare_update(at.rest, at.rest, at.size, at.l21, at.u12, at.corner);
      if (may_wait(at))
        gemm_.prepare_update(at.rest, at.rest, 2 * at.size, at.l21, at.u12, at.corner);
    });
    prepare_solves(nrhs);
  }

  void prepare_both(Index nrhs) {
    prepare_solves(nrhs);
    few_.prepare_both(context_, nrhs);
  }

  void factor(const cl::CommandQueue& queue, const MatrixView& a,
              const ProgressCallback& callback) {
    check_view(a, n_, n_, input_.type(), "A");
    factored_ = true;
    flags_.reset(queue);
    if (n_ == 0) return;
    ask_own_kernels();
    std::array<cl_float, kFigures> initial{};  // a fill pattern's size must be a power of two
    initial[kUnused] = initial[kSmallestPivot] = std::numeric_limits<float>::infinity();
    queue.enqueueFillBuffer(figures_, initial, 0, sizeof initial);
    queue.enqueueCopyBuffer(identity(), order_, 0, 0, n_ * sizeof(cl_int));
    butterflies_.two_sided(queue, a, mixed_);  // A_r = U^T A V
    kernels_.extremes(queue, mixed_, n_, {figures_, kLargestOfMatrix, kLargestOfMatrix, kUnused});
    LuProgress progress(queue, callback, n_, kernels_.block());
    bool pending = false;  // whether the last block's update of the rest is still to be done
    for_each_block([&](const Block& at) {
      kernels_.diagonal(queue, {at.diagonal, at.factors, work_, sources_, at.window, at.size,
                                at.k});  // P_k A(:, 1) = L U
      kernels_.exchange(queue, {mixed_, lu_, sources_, order_, at.k, at.window, n_});  // A = P_k A
      if (at.rest == 0) return;
      gemm_.multiply({at.rest, at.size, at.size}, 1, at.left, at.upper_inverse, 0, at.l21,
                     {&queue});  // L21 = A21 U11^-1
      gemm_.multiply({at.size, at.rest, at.size}, 1, at.lower_inverse, at.right, 0, at.u12,
                     {&queue});  // U12 = L11^-1 A12
      pending = update_rest(queue, at, pending);
      progress.block_enqueued(at.k / kernels_.block(), at.rest);
    });
    kernels_.invert(queue, order_, n_, positions_);
    kernels_.extremes(queue, lu_, n_, {figures_, kLargestOfL, kLargestOfU, kSmallestPivot});
    if (callback) progress.finish();
  }

  void solve(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) {
    if (!factored_) throw UsageError("there is nothing to solve with: factor a matrix first");
    check_view(b, n_, nrhs, factors_.type(), "B");
    if (n_ == 0 || nrhs == 0) return;
    const auto columns = static_cast<cl_uint>(nrhs);
    const MatrixView& y = right_hand_sides(nrhs);
    butterflies_.transposed(queue, Butterfly::u, b, y, columns, positions_);  // Y = P U^T B
    solves_->solve(queue, lu_, n_, y, nrhs);                                  // Y = R^-1 L^-1 Y
    butterflies_.forward(queue, Butterfly::v, y, b, columns, identity());     // B = V Y
  }

  void solve_transposed(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) {
    if (!factored_) throw UsageError("there is nothing to solve with: factor a matrix first");
    check_view(b, n_, nrhs, factors_.type(), "B");
    if (n_ == 0 || nrhs == 0) return;
    const auto columns = static_cast<cl_uint>(nrhs);
    const MatrixView& y = right_hand_sides(nrhs);
    butterflies_.transposed(queue, Butterfly::v, b, y, columns, identity());  // Y = V^T B
    few_.solve(queue, lu_, n_, {identity(), 0}, y, columns, true);            // Y = L^-T R^-T Y
    butterflies_.forward(queue, Butterfly::u, y, b, columns, positions_);     // B = U P^T Y
  }

  RbtOutcome outcome(const cl::CommandQueue& queue) {
    const std::optional<Index> failed = failed_column_of(context_, flags_.read(queue), n_);
    std::array<cl_float, kFigures> figures{};
    queue.enqueueReadBuffer(figures_, CL_TRUE, 0, sizeof figures, figures.data());
    RbtOutcome outcome;
    outcome.first_bad_pivot = failed;
    if (n_ == 0) return outcome;
    const double matrix = figures[kLargestOfMatrix];
    outcome.growth = figures[kLargestOfU] / matrix;
    outcome.smallest_pivot = figures[kSmallestPivot] / matrix;
    outcome.largest_factor = figures[kLargestOfL];
    return outcome;
  }

 private:
  /// The parts of the matrix in one step of the factorisation.
  struct Block {
    cl_uint k, size, rest, window;
    MatrixView diagonal, left, right, corner;  // A11, A21, A12, A22
    MatrixView factors, l21, u12;
    MatrixView lower_inverse, upper_inverse;  // L11^-1, U11^-1
  };

  static constexpr const char *kMixed = "the matrix that butterflies mixed",
                              *kFactors = "the factors of an RBT LU";

  static cl_uint checked_order(RealType factor_type, RealType input_type, Index n) {
    if (bytes_of(factor_type) > bytes_of(input_type))
      throw UsageError("the factors of an RBT LU may not be wider than the matrix");
    // Kernels count rows and columns in 32 bits and offsets in 64.
    constexpr Index kLargest = 1U << 30U;
    if (n > kLargest)
      throw DimensionError("n = " + std::to_string(n) + " is above the largest that LU takes, " +
                           std::to_string(kLargest));
    return static_cast<cl_uint>(n);
  }

  void prepare_solves(Index nrhs) {
    solves_->prepare(nrhs);
    (void)right_hand_sides(nrhs);
  }

  /// Runs the self-tests of the kernels, once. Throws NoUsableKernel.
  void ask_own_kernels() {
    if (asked_) return;
    butterflies_.prepare();
    kernels_.prepare();
    asked_ = true;
  }

  [[nodiscard]] std::uint64_t bytes_of_matrix() const {
    return n_ * padded_ld(n_, factors_.type()) * bytes_of(factors_.type());
  }

  [[nodiscard]] MatrixView matrix(const char* what) const {
    return {context_.staging().matrices().take(context_, bytes_of_matrix(), what), 0,
            padded_ld(n_, factors_.type())};
  }

  [[nodiscard]] cl::Buffer rows(Index count) const {
    return context_.allocate(count * sizeof(cl_int), "the row exchanges of an LU");
  }

  /// 0, 1, 2 .. n - 1.
  [[nodiscard]] const cl::Buffer& identity() const { return solves_->identity(); }

  /// Workspace for `nrhs` right-hand sides.
  const MatrixView& right_hand_sides(Index nrhs) {
    if (nrhs > y_columns_) {
      const std::uint64_t bytes = n_ * nrhs * bytes_of(factors_.type());
      y_ = MatrixView{context_.allocate(bytes, "the right-hand sides of a solve"), 0, nrhs};
      y_columns_ = nrhs;
    }
    y_.ld = nrhs;
    return y_;
  }

  /// Whether this block's update can be deferred and joined with the next block's.
  [[nodiscard]] bool may_wait(const Block& at) const {
    return value_of(parameters_, "PAIRED") == 1 && at.rest > kernels_.window();
  }

  /// A22 = A22 - L21 U12. A deferred update does only the parts that the next block needs: the rows
  /// of its window and its columns. The next block's update then does the rest for both. Returns
  /// whether this update is deferred; `pending`: whether the last one was.
  bool update_rest(const cl::CommandQueue& queue, const Block& at, bool pending) {
    const cl_uint nb = kernels_.block(), size = at.size, rest = at.rest;
    const auto update = [&](cl_uint first_row, cl_uint rows, cl_uint columns) {
      if (rows > 0)
        gemm_.update(rows, columns, size, at.l21.at(first_row, 0), at.u12,
                     at.corner.at(first_row, 0), {&queue});
    };
    if (pending) {
      const cl_uint done = at.window - size;  // window rows that the last block has already updated
      update(0, done, rest);
      if (rest > done)
        gemm_.update(rest - done, rest, 2 * nb, lu_.at(at.k + at.window, at.k - nb),
                     lu_.at(at.k - nb, at.k + nb), at.corner.at(done, 0), {&queue});
      return false;
    }
    if (!may_wait(at)) {
      update(0, rest, rest);
      return false;
    }
    const cl_uint window = kernels_.window();
    update(0, window, rest);
    update(window, rest - window, nb);
    return true;
  }

  template <typename Do>
  void for_each_block(const Do& what) const {
    const cl_uint nb = kernels_.block();
    const MatrixView lower{work_, 0, nb};
    for (cl_uint k = 0; k < n_; k += nb) {
      const cl_uint size = std::min(nb, n_ - k), next = k + size;
      what(Block{k, size, n_ - next, std::min(kernels_.window(), n_ - k), mixed_.at(k, k),
                 mixed_.at(next, k), mixed_.at(k, next), mixed_.at(next, next), lu_.at(k, k),
                 lu_.at(next, k), lu_.at(k, next), lower, lower.at(nb, 0)});
    }
  }

  Context context_;
  cl_uint n_;
  std::uint64_t seed_;
  Parameters parameters_, lu_parameters_;  // of rbt_variants(); of the solves
  KernelMemo input_, factors_;
  LuFlags flags_;
  LuSetting setting_;
  Gemm gemm_;
  Butterflies butterflies_;
  WindowKernels kernels_;
  bool waits_;  // whether work-groups of a solve may wait for each other
  std::unique_ptr<PlainSolves> solves_;
  FewSolves few_;          // transposed
  MatrixView mixed_, lu_;  // A_r, whose A22 is updated in place; L\U
  cl::Buffer work_;        // the inverses of a diagonal block's factors
  cl::Buffer sources_;     // the source rows of its window
  cl::Buffer order_;       // row i came from order_[i]
  cl::Buffer positions_;   // row i went to positions_[i]
  cl::Buffer figures_;
  MatrixView y_;  // right-hand sides between the butterflies
  Index y_columns_ = 0;
  bool asked_ = false, factored_ = false;
};

RbtLu::RbtLu(Context& context, RealType factor_type, RealType input_type, Index n,
             const RbtOptions& options)
    : implementation_(translate_opencl_errors([&] {
        return std::make_unique<Implementation>(context, factor_type, input_type, n, options);
      })) {}

RbtLu::RbtLu(RbtLu&&) noexcept = default;
RbtLu& RbtLu::operator=(RbtLu&&) noexcept = default;
RbtLu::~RbtLu() = default;

void RbtLu::prepare(Index nrhs) {
  translate_opencl_errors([&] { implementation_->prepare(nrhs); });
}

void RbtLu::prepare_both(Index nrhs) {
  translate_opencl_errors([&] { implementation_->prepare_both(nrhs); });
}

void RbtLu::factor(const cl::CommandQueue& queue, const MatrixView& a,
                   const ProgressCallback& progress) {
  translate_opencl_errors([&] { implementation_->factor(queue, a, progress); });
}

void RbtLu::solve(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) {
  translate_opencl_errors([&] { implementation_->solve(queue, b, nrhs); });
}

void RbtLu::solve_transposed(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) {
  translate_opencl_errors([&] { implementation_->solve_transposed(queue, b, nrhs); });
}

RbtOutcome RbtLu::outcome(const cl::CommandQueue& queue) {
  return translate_opencl_errors([&] { return implementation_->outcome(queue); });
}

std::uint64_t RbtLu::seed() const { return implementation_->seed(); }

void RbtLu::release() { implementation_->release(); }
void RbtLu::resume() { implementation_->resume(); }

std::uint64_t rbt_workspace_bytes(const DeviceProfile& device, RealType factor_type, Index n,
                                  Index nrhs) {
  const Setting setting{device, factor_type, n};
  const Parameters own = default_rbt_parameters(device, factor_type, n);
  const LuSpec solves = default_lu_spec(device, factor_type, n, LuFamily::gpu);
  std::uint64_t bytes = workspace_bytes(rbt_variants(), own, setting) +
                        workspace_bytes(variants_of(LuFamily::gpu), solves.parameters, setting);
  bytes += n * nrhs * bytes_of(factor_type);
  if (device.type != DeviceType::cpu) return bytes;
  // Only the kernels for CPUs pack the operands of products, or many right-hand sides.
  const GemmSpec gemm = default_cpu_gemm_spec(device, factor_type);
  const auto packed = [&](Index columns, int depth) {
    return gemm_workspace_bytes(gemm, {n, columns, static_cast<Index>(depth)});
  };
  if (nrhs > 1)
    bytes += std::max(TrsmCpu::bytes(device, factor_type, n, nrhs),
                      packed(nrhs, solves.value("SOLVE_BLOCK")));
  return bytes + packed(n, value_of(own, "NB"));
}

}  // namespace clgauss
