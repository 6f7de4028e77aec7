#include <fmt/format.h>

#include <algorithm>
#include <clgauss/batched.hpp>
#include <clgauss/error.hpp>
#include <limits>
#include <utility>

#include "kernels/batched/batched_backend.hpp"
#include "kernels/batched/known_answers.hpp"
#include "kernels/common/cpu_tile.hpp"
#include "launch/queue_order.hpp"
#include "matrix/view_check.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

/// The n from which blocks are faster than panels, measured with thousands of systems on an H100.
Index blocks_from(RealType type, bool positive_definite) {
  if (positive_definite) return kLargestInPanels + 1;
  return type == RealType::f64 ? 160 : 224;
}

/// The largest n of systems that stay in registers. By Cholesky, panels are faster above it,
/// measured with a thousand systems on an NVIDIA GPU.
Index largest_to_stay(NumberType number, bool positive_definite) {
  const Index largest = largest_in_tile(number);
  return positive_definite ? std::min<Index>(largest, number.complex ? 95 : 64) : largest;
}

/// Whether the matrices are factored as L D L^T with 2 x 2 pivots.
bool is_indefinite(const BatchedLuOptions& options) {
  return options.symmetric && !options.positive_definite;
}

/// The kernels that run on every device; in registers up to n = `largest_in_registers`.
std::unique_ptr<BatchedBackend> make_portable(Context& context, RealType type, Index n,
                                              const BatchedLuOptions& options,
                                              Index largest_in_registers) {
  if (is_indefinite(options)) return make_batched_ldlt(context, type, n, false, false);
  const bool tile = options.kernel == BatchedKernel::tile || options.grid != 0;
  const bool automatic = options.kernel == BatchedKernel::automatic && !tile;
  if (options.kernel == BatchedKernel::blocks ||
      (automatic && !options.complex && n >= blocks_from(type, options.positive_definite)))
    return make_batched_blocks(context, type, n, options);
  if (options.kernel == BatchedKernel::panels && n > kLargestInPanels)
    throw DeviceLimit(
        fmt::format("the batched kernels by panels are of up to {} unknowns", kLargestInPanels));
  if (options.kernel == BatchedKernel::panels || (n > largest_in_registers && !tile))
    return make_batched_panels(context, type, n, options);
  return make_batched_tile(context, type, n, options);
}

/// Throws unless the kernels that `options` name are also of complex numbers.
void check_complex(const BatchedLuOptions& options) {
  using enum BatchedKernel;
  if (options.kernel == each || options.kernel == blocks)
    throw DeviceLimit(fmt::format("the batched kernel {} is of real numbers",
                                  batched_kernel_name(options.kernel)));
}

std::unique_ptr<BatchedBackend> make_backend(Context& context, RealType type, Index n,
                                             const BatchedLuOptions& options) {
  if (options.complex) check_complex(options);
  const bool automatic = options.kernel == BatchedKernel::automatic && options.grid == 0;
  if (is_indefinite(options)) {
    if (options.complex) throw DeviceLimit("batched L D L^T is of real numbers");
    if (options.grid != 0) throw DeviceLimit("batched L D L^T has no grid of work-items");
    if (!automatic)
      throw DeviceLimit(fmt::format("the batched kernel {} is not of L D L^T",
                                    batched_kernel_name(options.kernel)));
    return make_batched_ldlt(context, type, n, suits_cpu_kernels(context));
  }
  if (options.kernel == BatchedKernel::cpu || options.kernel == BatchedKernel::each || automatic) {
    if (suits_cpu_kernels(context))
      return options.kernel == BatchedKernel::each || (automatic && n > kLargestInPanels)
                 ? make_batched_each(context, type, n, options)
                 : make_batched_cpu(context, type, n, options);
    if (!automatic)
      throw DeviceLimit(context.profile().name + " does not run the batched kernels for CPUs");
  }
  const NumberType number(type, options.complex);
  const Index largest = largest_in_ptx(number);
  if (options.kernel == BatchedKernel::ptx ||
      (automatic && !options.positive_definite && n <= largest)) {
    if (options.positive_definite)
      throw DeviceLimit("the batched kernel in PTX is of LU, not of Cholesky");
    if (n > largest)
      throw DeviceLimit(fmt::format("the batched kernel in PTX is of up to {} unknowns", largest));
    if (auto backend = make_batched_ptx(context, number, n)) return backend;
    if (!automatic)
      throw DeviceLimit(context.profile().name + " does not run the batched kernel in PTX");
  }
  return make_portable(context, type, n, options,
                       largest_to_stay(number, options.positive_definite));
}

void check_n(Index n, const BatchedLuOptions& options) {
  if (n == 0) throw DimensionError("the systems of the batch are empty (0 x 0)");
  const Index largest = options.complex          ? kLargestComplexBatchedSystem
                        : is_indefinite(options) ? kLargestSymmetricBatchedSystem
                                                 : kLargestBatchedSystem;
  if (n > largest)
    throw DimensionError(
        fmt::format("the systems of the batch are {} x {}; batched solves take up to {} x {}{}, "
                    "and {}() one large system",
                    n, n, largest, largest,
                    options.complex          ? " of complex numbers"
                    : is_indefinite(options) ? " by L D L^T"
                                             : "",
                    options.complex ? "solve_complex" : "solve"));
}

}  // namespace

std::string_view batched_kernel_name(BatchedKernel kernel) {
  switch (kernel) {
    case BatchedKernel::automatic:
      return "auto";
    case BatchedKernel::cpu:
      return "cpu";
    case BatchedKernel::tile:
      return "tile";
    case BatchedKernel::ptx:
      return "ptx";
    case BatchedKernel::panels:
      return "panels";
    case BatchedKernel::each:
      return "each";
    case BatchedKernel::blocks:
      break;
  }
  return "blocks";
}

class BatchedLu::Implementation {
 public:
  Implementation(Context& context, RealType type, Index n, const BatchedLuOptions& options)
      : context_(context),
        number_(type, options.complex),
        n_(n),
        options_(options),
        may_change_(options.kernel == BatchedKernel::automatic && options.grid == 0),
        backend_(make_backend(context, type, n, options)) {}

  /// Calls body(backend). If the backend's kernels do not work here, calls it again with the
  /// kernels that run everywhere. Both produce factors in the same form.
  template <typename Body>
  void use(const Body& body) {
    try {
      body(*backend_);
    } catch (const NoUsableKernel&) {
      if (!std::exchange(may_change_, false)) throw;
      backend_ = make_portable(context_, number_.real, n_, options_, largest_in_tile(number_));
      body(*backend_);
    }
  }

  /// The same for body(backend, queue), enqueued as `enqueue` says.
  template <typename Body>
  void run(const EnqueueOptions& enqueue, const Body& body) {
    order_.run(context_, enqueue, [&](const cl::CommandQueue& queue) {
      use([&](BatchedBackend& backend) { body(backend, queue); });
    });
  }

  [[nodiscard]] std::string name() const { return backend_->name(); }

  [[nodiscard]] std::vector<Inertia> inertias() const {
    return translate_opencl_errors([&] { return backend_->inertias(order_.last(context_)); });
  }

  /// Throws DimensionError, which calls the matrices `name`, unless `view` can hold `batch` of them
  /// with n rows.
  void check(const BatchView& view, Index batch, Index cols, const char* name) const {
    const Index parts = number_.parts();
    for (const Index count : {view.offset, view.ld, view.stride, cols})
      if (count > std::numeric_limits<Index>::max() / parts)
        throw DimensionError(fmt::format("{}: {} complex numbers exceed memory", name, count));
    check_batch({view.buffer, parts * view.offset, parts * view.ld, parts * view.stride}, batch, n_,
                parts * cols, number_.real, name);
  }

  [[nodiscard]] Index n() const { return n_; }

 private:
  Context context_;
  NumberType number_;
  Index n_;
  BatchedLuOptions options_;
  bool may_change_;
  std::unique_ptr<BatchedBackend> backend_;
  QueueOrder order_;
};

BatchedLu::BatchedLu(Context& context, RealType type, Index n, const BatchedLuOptions& options) {
  check_n(n, options);
  translate_opencl_errors(
      [&] { implementation_ = std::make_unique<Implementation>(context, type, n, options); });
}

BatchedLu::BatchedLu(BatchedLu&&) noexcept = default;
BatchedLu& BatchedLu::operator=(BatchedLu&&) noexcept = default;
BatchedLu::~BatchedLu() = default;

void BatchedLu::prepare(Index nrhs) {
  translate_opencl_errors(
      [&] { implementation_->use([&](BatchedBackend& backend) { backend.prepare(nrhs); }); });
}

BatchFactors BatchedLu::factor(const BatchView& a, Index batch, const cl::Buffer& permutation,
                               const cl::Buffer& info, const EnqueueOptions& enqueue) {
  return translate_opencl_errors([&] {
    BatchFactors factors{a, batch, permutation, info};
    if (batch == 0) return factors;
    const Index n = implementation_->n();
    implementation_->check(a, batch, n, "A");
    check_integers(permutation, batch * n, "the permutation");
    check_integers(info, batch, "info");
    implementation_->run(enqueue, [&](BatchedBackend& backend, const cl::CommandQueue& queue) {
      backend.factor(queue, factors);
    });
    return factors;
  });
}

void BatchedLu::solve(const BatchFactors& factors, const BatchView& b, Index nrhs,
                      const EnqueueOptions& enqueue) {
  if (factors.batch == 0 || nrhs == 0) return;
  translate_opencl_errors([&] {
    implementation_->check(b, factors.batch, nrhs, "B");
    implementation_->run(enqueue, [&](BatchedBackend& backend, const cl::CommandQueue& queue) {
      backend.solve(queue, factors, b, nrhs);
    });
  });
}

void BatchedLu::factor_and_solve(const BatchView& a, const BatchView& b, Index nrhs, Index batch,
                                 const cl::Buffer& info, const EnqueueOptions& enqueue) {
  if (batch == 0) return;
  translate_opencl_errors([&] {
    implementation_->check(a, batch, implementation_->n(), "A");
    implementation_->check(b, batch, nrhs, "B");
    check_integers(info, batch, "info");
    implementation_->run(enqueue, [&](BatchedBackend& backend, const cl::CommandQueue& queue) {
      backend.factor_and_solve(queue, a, b, nrhs, batch, info);
    });
  });
}

std::string BatchedLu::kernel_name() const { return implementation_->name(); }

std::vector<Inertia> BatchedLu::inertias() const { return implementation_->inertias(); }

void require_batched_factors(Context& context, NumberType number, Index n, Index nrhs,
                             bool definite, BatchedBackend& backend) {
  require_batched(context, number, n, nrhs, definite, [&](const BatchedQuestion& q) {
    factor_apart_and_solve(context, n, q, backend);
  });
}

void factor_apart_and_solve(Context& context, Index n, const BatchedQuestion& q,
                            BatchedBackend& backend) {
  const BatchFactors factors{
      q.a, q.batch, context.allocate(q.batch * n * sizeof(cl_int), "a known answer"), q.info};
  backend.factor(context.queue(), factors);
  backend.solve(context.queue(), factors, q.b, q.nrhs);
}

void pass_batch(Kernel& kernel, cl_uint& index, const BatchView& view) {
  kernel.set_arguments_from(index, view.buffer, cl_ulong{view.offset},
                            static_cast<cl_uint>(view.ld), cl_ulong{view.stride});
  index += 4;
}

}  // namespace clgauss
