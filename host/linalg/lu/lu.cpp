#include <clgauss/lu.hpp>

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <set>
#include <tuple>
#include <utility>

#include "kernels/cholesky/cholesky_cpu.hpp"
#include "kernels/common/cpu_tile.hpp"
#include "kernels/estimates/upper_maxima.hpp"
#include "kernels/lu/lu_common.hpp"
#include "kernels/lu/lu_cpu.hpp"
#include "launch/queue_order.hpp"
#include "linalg/cholesky/potrf.hpp"
#include "linalg/ldlt/sytrf.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "matrix/view_check.hpp"
#include "opencl_error.hpp"
#include "program/prepared.hpp"

namespace clgauss {

namespace {

bool fits(const LuSpec& spec, const DeviceProfile& device, RealType type) {
  try {
    check_lu_spec(spec, device, type);
  } catch (const UsageError&) {
    return false;
  } catch (const DeviceLimit&) {
    return false;
  }
  return true;
}

}  // namespace

LuSpec lu_spec_for(Context& context, RealType type, Index n, const LuOptions& options) {
  if (options.spec) {
    check_lu_spec(*options.spec, context.profile(), type);
    return *options.spec;
  }
  const LuSpec usual = default_lu_spec(context, type, n, options.pivoting);
  const TunedEntry* tuned = context.tuning().find(kTunedLu, type, n);
  if (tuned == nullptr || tuned->kernel != lu_family_name(usual.family)) return usual;
  const LuSpec spec{usual.family, tuned->parameters};
  return fits(spec, context.profile(), type) ? spec : usual;  // the file may have been edited
}

std::unique_ptr<LuBackend> make_lu_backend(Context& context, RealType type, Index n,
                                           const LuOptions& options, const LuSpec& spec) {
  // Kernels count rows and columns in 32 bits and offsets in 64.
  constexpr Index kLargest = 1U << 30U;
  if (n > kLargest)
    throw DimensionError(fmt::format("n = {} is above the largest that LU takes, {}", n, kLargest));
  if (options.pivoting == Pivoting::none)
    throw UsageError("LU always exchanges rows; elimination without pivoting is the method gauss");
  if (options.symmetric && !options.positive_definite)
    return make_ldlt(context, type, n, options, spec);
  if (options.pivoting == Pivoting::rook) throw UsageError("rook pivoting is that of L D L^T");
  const auto make_gpu = options.positive_definite ? make_cholesky_gpu : make_lu_gpu;
  if (spec.family == LuFamily::gpu) return make_gpu(context, type, n, options, spec);
  if (options.pivoting == Pivoting::tournament && !options.positive_definite)
    throw UsageError("the LU for CPUs has partial pivoting only; tournament needs a spec for GPUs");
  if (const std::string lacks = lu_cpu_variant().lacks(context); !lacks.empty())
    throw DeviceLimit("the LU for CPUs cannot run on " + context.profile().name + ": " + lacks);
  const auto works = options.positive_definite ? cholesky_cpu_works : lu_cpu_works;
  if (!options.spec && !works(context, type, spec))
    return make_gpu(context, type, n, options,
                    default_lu_spec(context.profile(), type, n, LuFamily::gpu));
  return options.positive_definite ? make_cholesky_cpu(context, type, n, options, spec)
                                   : make_lu_cpu(context, type, n, options, spec);
}

class Lu::Implementation {
 public:
  Implementation(Context& context, RealType type, Index n, const LuOptions& options)
      : context_(context), type_(type), n_(n), options_(options), backend_(another_backend()) {}

  [[nodiscard]] Index n() const { return n_; }
  [[nodiscard]] RealType type() const { return type_; }
  [[nodiscard]] LuBackend& backend() { return *backend_; }
  [[nodiscard]] const cl::CommandQueue& queue() const { return order_.last(context_); }

  void factor(const MatrixView& a, const EnqueueOptions& enqueue) {
    check_view(a, n_, n_, type_, "A");
    factors_ = MatrixView(a);
    order_.run(context_, enqueue,
               [&](const cl::CommandQueue& queue) { backend_->getrf(queue, factors_); });
  }

  void factor(const Matrix& a) {
    check_system({a, Matrix(a.rows(), 0)}, type_);
    if (a.rows() != n_)
      throw DimensionError(fmt::format("A has {} rows, the LU is of {}", a.rows(), n_));
    factor(to_device(context_, type_, a, padded_ld(n_, type_), "the matrix to factor"), {});
  }

  void solve(const MatrixView& b, Index nrhs, const EnqueueOptions& enqueue) {
    require_factored();
    check_view(b, n_, nrhs, type_, "B");
    if (n_ == 0) nrhs = 0;  // B is empty, whatever nrhs is
    order_.run(context_, enqueue, [&](const cl::CommandQueue& queue) {
      if (!backend_->getrs(queue, factors_, b, nrhs)) backend_->poison_if_failed(queue, b, nrhs);
    });
  }

  void solve_transposed(const MatrixView& b, Index nrhs, const EnqueueOptions& enqueue) {
    require_factored();
    check_view(b, n_, nrhs, type_, "B");
    if (n_ == 0) nrhs = 0;  // B is empty, whatever nrhs is
    order_.run(context_, enqueue, [&](const cl::CommandQueue& queue) {
      backend_->getrs_transposed(queue, factors_, b, nrhs);
      backend_->poison_if_failed(queue, b, nrhs);
    });
  }

  /// A^-1 B or A^-T B. Throws SingularFactors if the factorisation failed, instead of returning
  /// NaN.
  Matrix solve(const Matrix& b, bool transposed) {
    require_factored();
    if (b.rows() != n_) throw DimensionError(fmt::format("b has {} rows, A has {}", b.rows(), n_));
    build_for(factors_, b.cols(), transposed);
    const MatrixView x = on_device(b);
    order_.run(context_, {}, [&](const cl::CommandQueue& queue) {
      if (transposed)
        backend_->getrs_transposed(queue, factors_, x, b.cols());
      else
        (void)backend_->getrs(queue, factors_, x, b.cols());
    });
    if (const auto column = backend_->failed_column(queue())) throw SingularFactors(*column);
    return {b.rows(), b.cols(), download(queue(), x.buffer, type_, b.rows() * b.cols())};
  }

  void factor_and_solve(const MatrixView& a, const MatrixView& b, Index nrhs,
                        const EnqueueOptions& enqueue) {
    check_view(a, n_, n_, type_, "A");
    check_view(b, n_, nrhs, type_, "B");
    factors_ = MatrixView(a);
    order_.run(context_, enqueue, [&](const cl::CommandQueue& queue) {
      if (!backend_->gesv(queue, factors_, b, nrhs)) backend_->poison_if_failed(queue, b, nrhs);
    });
  }

  void prepare(const MatrixView& a, Index nrhs) {
    build_for(a, nrhs, false);
    beside_factors([&](LuBackend& backend) { backend.prepare(a, nrhs); });
  }

  void prepare_transposed(Index nrhs) {
    build_for({{}, 0, padded_ld(n_, type_)}, nrhs, true);
    beside_factors([&](LuBackend& backend) { backend.prepare_transposed(nrhs); });
  }

  double largest_of_u() {
    require_factored();
    return upper_maximum(context_, queue(), type_, factors_, n_);
  }

  void require_factored() const {
    if (factors_.buffer() == nullptr && n_ > 0)
      throw UsageError("there is nothing to solve with: factor a matrix first");
  }

 private:
  /// Copies B to the device. Condition estimates solve repeatedly, so a small B uses a buffer that
  /// is kept.
  MatrixView on_device(const Matrix& b) {
    constexpr std::size_t kMostKept = 1U << 20U;
    constexpr const char* kWhat = "the right-hand sides";
    const std::size_t bytes = b.values().size() * bytes_of(type_);
    if (bytes > kMostKept) return to_device(context_, type_, b, b.cols(), kWhat);
    if (few_() == nullptr || few_.getInfo<CL_MEM_SIZE>() < bytes)
      few_ = context_.allocate(bytes, kWhat);
    upload_rows(context_, few_, b.cols(), type_, {&b});
    return {few_, 0, b.cols()};
  }

  /// Builds in parallel the kernels of factor() and solve() for views like `a`, or those of
  /// transposed solves, which are the same for all views.
  void build_for(const MatrixView& a, Index nrhs, bool transposed) {
    const std::tuple kind{transposed ? 0 : a.offset, transposed ? 0 : a.ld, nrhs, transposed};
    if (n_ == 0 || built_.contains(kind)) return;
    context_.programs().build_for([&] {
      const auto backend = another_backend();
      if (transposed)
        backend->prepare_transposed(nrhs);
      else
        backend->prepare({{}, a.offset, a.ld}, nrhs);
    });
    built_.insert(kind);
  }

  /// Calls body(backend), of another one where first launches would overwrite the pivots.
  template <typename Body>
  void beside_factors(const Body& body) {
    if (factors_.buffer() == nullptr)
      body(*backend_);
    else
      body(*another_backend());
  }

  std::unique_ptr<LuBackend> another_backend() {
    return make_lu_backend(context_, type_, n_, options_,
                           lu_spec_for(context_, type_, n_, options_));
  }

  Context context_;
  RealType type_;
  Index n_;
  LuOptions options_;
  std::unique_ptr<LuBackend> backend_;
  std::set<std::tuple<Index, Index, Index, bool>> built_;  // the kinds of build_for()
  MatrixView factors_;                                     // of the last factor()
  cl::Buffer few_;
  QueueOrder order_;
};

Lu::Lu(Context& context, RealType type, Index n, const LuOptions& options)
    : implementation_(translate_opencl_errors([&] {
        return prepared(context.programs(), [&] {
          auto made = std::make_unique<Implementation>(context, type, n, options);
          if (n == 0) return made;
          try {  // builds the kernels of factor() and solve() in parallel
            made->prepare({{}, 0, padded_ld(n, type)}, 1);
            prepare_poison(context, type);
          } catch (const NoUsableKernel&) {  // factor() and solve() will throw it
          }
          return made;
        });
      })) {}

Lu::Lu(Lu&&) noexcept = default;
Lu& Lu::operator=(Lu&&) noexcept = default;
Lu::~Lu() = default;

Index Lu::n() const { return implementation_->n(); }

RealType Lu::type() const { return implementation_->type(); }

void Lu::prepare(const MatrixView& a, Index nrhs) {
  translate_opencl_errors([&] { implementation_->prepare(a, nrhs); });
}

void Lu::prepare_transposed(Index nrhs) {
  translate_opencl_errors([&] { implementation_->prepare_transposed(nrhs); });
}

void Lu::factor(const MatrixView& a, const EnqueueOptions& enqueue) {
  translate_opencl_errors([&] { implementation_->factor(a, enqueue); });
}

void Lu::factor(const Matrix& a) {
  translate_opencl_errors([&] { implementation_->factor(a); });
}

void Lu::solve(const MatrixView& b, Index nrhs, const EnqueueOptions& enqueue) {
  translate_opencl_errors([&] { implementation_->solve(b, nrhs, enqueue); });
}

Matrix Lu::solve(const Matrix& b) {
  return translate_opencl_errors([&] { return implementation_->solve(b, false); });
}

void Lu::solve_transposed(const MatrixView& b, Index nrhs, const EnqueueOptions& enqueue) {
  translate_opencl_errors([&] { implementation_->solve_transposed(b, nrhs, enqueue); });
}

Matrix Lu::solve_transposed(const Matrix& b) {
  return translate_opencl_errors([&] { return implementation_->solve(b, true); });
}

void Lu::factor_and_solve(const MatrixView& a, const MatrixView& b, Index nrhs,
                          const EnqueueOptions& enqueue) {
  translate_opencl_errors([&] { implementation_->factor_and_solve(a, b, nrhs, enqueue); });
}

double Lu::largest_of_u() {
  return translate_opencl_errors([&] { return implementation_->largest_of_u(); });
}

std::optional<Index> Lu::failed_column() {
  return translate_opencl_errors([&]() -> std::optional<Index> {
    implementation_->require_factored();
    if (n() == 0) return {};  // no kernel ran
    return implementation_->backend().failed_column(implementation_->queue());
  });
}

std::vector<Index> Lu::pivots() {
  return translate_opencl_errors([&] {
    implementation_->require_factored();
    return implementation_->backend().pivots(implementation_->queue());
  });
}

std::optional<SymmetricPivots> Lu::symmetric_pivots() {
  return translate_opencl_errors([&] {
    implementation_->require_factored();
    return implementation_->backend().symmetric_pivots(implementation_->queue());
  });
}

Pivoting Lu::pivoting() {
  return translate_opencl_errors([&] { return implementation_->backend().pivoting(); });
}

Lu lu_factor(Context& context, RealType type, const MatrixView& a, Index n,
             const LuOptions& options, const EnqueueOptions& enqueue) {
  check_view(a, n, n, type, "A");
  Lu lu(context, type, n, options);
  lu.factor(a, enqueue);
  return lu;
}

Lu lu_factor(Context& context, RealType type, const Matrix& a, const LuOptions& options) {
  check_system({a, Matrix(a.rows(), 0)}, type);
  Lu lu(context, type, a.rows(), options);
  lu.factor(a);
  return lu;
}

}  // namespace clgauss
