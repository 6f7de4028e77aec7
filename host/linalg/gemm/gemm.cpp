#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/lab/launch.hpp>
#include <optional>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/gemm/gemm_backend.hpp"
#include "launch/queue_order.hpp"
#include "matrix/transfer.hpp"
#include "matrix/view_check.hpp"
#include "opencl_error.hpp"

namespace clgauss {

/// The device's backend, and what all backends share.
class Gemm::Implementation {
 public:
  Implementation(Context& context, RealType type, const GemmOptions& options)
      : context_(context), type_(type), backend_(make_backend(context, type, options)) {}

  void multiply(const GemmCall& call, const EnqueueOptions& enqueue) {
    const auto& [m, n, k, transpose_a, transpose_b, lower] = call.shape;
    check_view(call.c, m, n, type_, "C");
    if (call.alpha != 0) {
      check_view(call.a, transpose_a ? k : m, transpose_a ? m : k, type_, "A");
      check_view(call.b, transpose_b ? n : k, transpose_b ? k : n, type_, "B");
    }
    order_.run(context_, enqueue, [&](const cl::CommandQueue& queue) {
      if (m > 0 && n > 0) launch(queue, call);
    });
  }

  std::string kernel_name(const GemmCall& call) { return backend_->kernel_name(call); }

 private:
  void launch(const cl::CommandQueue& queue, const GemmCall& call) {
    if (call.shape.k > 0 && call.alpha != 0) {
      backend_->multiply(queue, call);
      return;
    }
    if (!scale_) scale_ = context_.programs().kernel("scale.cl", "scale", real_defines(type_));
    scale_->set_arguments(call.c.buffer, cl_ulong{call.c.offset}, cl_ulong{call.c.ld});
    set_real(*scale_, 3, type_, call.beta);
    enqueue_kernel(queue, *scale_, cl::NDRange(call.shape.n, call.shape.m));
  }

  static std::unique_ptr<GemmBackend> make_backend(Context& context, RealType type,
                                                   const GemmOptions& options) {
    if (options.strict)
      return options.preferred.front().is_for_cpu() ? make_gemm_cpu(context, type, options)
                                                    : make_gemm_gpu(context, type, options);
    try {
      if (suits_cpu_kernels(context)) return make_gemm_cpu(context, type, options);
    } catch (const NoUsableKernel&) {  // fall through to the kernels for GPUs, which run anywhere
    }
    return make_gemm_gpu(context, type, options);
  }

  Context context_;
  RealType type_;
  std::unique_ptr<GemmBackend> backend_;
  std::optional<Kernel> scale_;  // for products with k = 0 or alpha = 0
  QueueOrder order_;
};

Gemm::Gemm(Context& context, RealType type, const GemmOptions& options) {
  if (options.strict && options.preferred.empty())
    throw UsageError("a strict GEMM needs a preferred spec");
  for (const GemmSpec& spec : options.preferred) check_gemm_spec(spec);
  implementation_ = translate_opencl_errors(
      [&] { return std::make_unique<Implementation>(context, type, options); });
}

Gemm::Gemm(Gemm&&) noexcept = default;
Gemm& Gemm::operator=(Gemm&&) noexcept = default;
Gemm::~Gemm() = default;

void Gemm::multiply(const GemmShape& shape, double alpha, const MatrixView& a, const MatrixView& b,
                    double beta, const MatrixView& c, const EnqueueOptions& enqueue) {
  translate_opencl_errors([&] {
    implementation_->multiply({shape, alpha, a, b, beta, c}, enqueue);
  });
}

void Gemm::update(Index m, Index n, Index k, const MatrixView& a, const MatrixView& b,
                  const MatrixView& c, const EnqueueOptions& enqueue) {
  multiply({m, n, k}, -1, a, b, 1, c, enqueue);
}

void Gemm::prepare_update(Index m, Index n, Index k, const MatrixView& a, const MatrixView& b,
                          const MatrixView& c) {
  if (m == 0 || n == 0 || k == 0) return;
  translate_opencl_errors([&] { (void)implementation_->kernel_name({{m, n, k}, -1, a, b, 1, c}); });
}

std::string Gemm::kernel_name(const GemmShape& shape, const MatrixView& a, const MatrixView& b,
                              const MatrixView& c, double alpha, double beta) const {
  return translate_opencl_errors([&] {
    return implementation_->kernel_name({shape, alpha, a, b, beta, c});
  });
}

void multiply_or_prepare(Gemm& gemm, const cl::CommandQueue* queue, const GemmCall& call) {
  const auto& [shape, alpha, a, b, beta, c, share, batch] = call;
  if (queue == nullptr)
    (void)gemm.kernel_name(shape, a, b, c, alpha, beta);
  else
    gemm.multiply(shape, alpha, a, b, beta, c, {queue});
}

void set_real(Kernel& kernel, cl_uint index, RealType type, double value) {
  if (type == RealType::f32)
    kernel.set_arguments_from(index, static_cast<cl_float>(value));
  else
    kernel.set_arguments_from(index, cl_double{value});
}

Matrix gemm(Context& context, RealType type, double alpha, const Matrix& a, bool transpose_a,
            const Matrix& b, bool transpose_b, double beta, const Matrix& c) {
  const Index m = transpose_a ? a.cols() : a.rows(), k = transpose_a ? a.rows() : a.cols();
  const Index n = transpose_b ? b.rows() : b.cols(), k_of_b = transpose_b ? b.cols() : b.rows();
  const bool has_c = beta != 0;
  if (k != k_of_b || (has_c && (c.rows() != m || c.cols() != n)))
    throw DimensionError(fmt::format("the product of {} x {} and {} x {} does not fit C, {} x {}",
                                     m, k, k_of_b, n, c.rows(), c.cols()));
  return translate_opencl_errors([&] {
    Gemm product(context, type);
    const auto operand = [&](const Matrix& matrix) {
      return to_device(context, type, matrix, matrix.cols(), "a GEMM operand");
    };
    const MatrixView result = operand(has_c ? c : Matrix(m, n));
    product.multiply({m, n, k, transpose_a, transpose_b}, alpha, operand(a), operand(b), beta,
                     result);
    return Matrix(m, n, download(context.queue(), result.buffer, type, m * n));
  });
}

}  // namespace clgauss
