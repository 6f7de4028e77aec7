#include <fmt/format.h>

#include <algorithm>
#include <clgauss/batched.hpp>
#include <clgauss/error.hpp>
#include <cmath>

#include "linalg/batched_backend.hpp"
#include "linalg/cpu_tile.hpp"
#include "linalg/transfer.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

std::unique_ptr<BatchedBackend> make_backend(DeviceContext& context, RealType type, Index n,
                                             const BatchedLuOptions& options) {
  const bool automatic = options.kernel == BatchedKernel::automatic && options.grid == 0;
  if (options.kernel == BatchedKernel::cpu || automatic) {
    if (suits_cpu_kernels(context)) return make_batched_cpu(context, type, n);
    if (!automatic)
      throw DeviceLimit(context.profile().name + " does not run the batched kernels for CPUs");
  }
  if (options.kernel == BatchedKernel::nvidia || automatic) {
    if (auto backend = make_batched_nvidia(context, type, n)) return backend;
    if (!automatic)
      throw DeviceLimit(context.profile().name + " does not run the batched kernels for NVIDIA");
  }
  return make_batched_tile(context, type, n, options.grid);
}

void check_n(Index n) {
  if (n == 0) throw DimensionError("the systems of the batch are empty (0 x 0)");
  if (n > kLargestBatchedSystem)
    throw DimensionError(
        fmt::format("the systems of the batch are {} x {}; batched solves take up to {} x {}, and "
                    "`clgauss solve` without --batched one large system",
                    n, n, kLargestBatchedSystem, kLargestBatchedSystem));
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
    case BatchedKernel::nvidia:
      break;
  }
  return "nvidia";
}

class BatchedLu::Implementation {
 public:
  explicit Implementation(std::unique_ptr<BatchedBackend> chosen) : backend(std::move(chosen)) {}
  std::unique_ptr<BatchedBackend> backend;
};

BatchedLu::BatchedLu(DeviceContext& context, RealType type, Index n,
                     const BatchedLuOptions& options) {
  check_n(n);
  translate_opencl_errors([&] {
    implementation_ = std::make_unique<Implementation>(make_backend(context, type, n, options));
  });
}

BatchedLu::~BatchedLu() = default;

void BatchedLu::prepare(Index nrhs) {
  translate_opencl_errors([&] { implementation_->backend->prepare(nrhs); });
}

BatchFactors BatchedLu::factor(const BatchView& a, Index batch, const cl::Buffer& permutation,
                               const cl::Buffer& info) {
  return translate_opencl_errors([&] {
    BatchFactors factors{a, batch, permutation, info};
    if (batch > 0) implementation_->backend->factor(factors);
    return factors;
  });
}

void BatchedLu::solve(const BatchFactors& factors, const BatchView& b, Index nrhs) {
  if (factors.batch == 0 || nrhs == 0) return;
  translate_opencl_errors([&] { implementation_->backend->solve(factors, b, nrhs); });
}

void BatchedLu::factor_and_solve(const BatchView& a, const BatchView& b, Index nrhs, Index batch,
                                 const cl::Buffer& info) {
  if (batch == 0) return;
  translate_opencl_errors(
      [&] { implementation_->backend->factor_and_solve(a, b, nrhs, batch, info); });
}

std::string BatchedLu::kernel_name() const { return implementation_->backend->name(); }

void pass_batch(Kernel& kernel, cl_uint& index, const BatchView& view) {
  kernel.set_arguments_from(index, view.buffer, cl_ulong{view.offset},
                            static_cast<cl_uint>(view.ld), cl_ulong{view.stride});
  index += 4;
}

}  // namespace clgauss
