#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/gemm.hpp>

#include "linalg/cpu_tile.hpp"
#include "linalg/gemm_backend.hpp"
#include "linalg/transfer.hpp"
#include "opencl_error.hpp"

namespace clgauss {

/// The backend of the device, and what all backends share.
class Gemm::Implementation {
 public:
  Implementation(DeviceContext& context, RealType type, const GemmOptions& options)
      : type_(type),
        backend_(is_for_cpu(context, options) ? make_gemm_cpu(context, type, options)
                                              : make_gemm_gpu(context, type, options)),
        scale_(context.programs().kernel("scale.cl", "scale", real_defines(type))) {}

  void multiply(const cl::CommandQueue& queue, const GemmCall& call) {
    const auto& [m, n, k, transpose_a, transpose_b] = call.shape;
    if (m == 0 || n == 0) return;
    if (k > 0 && call.alpha != 0) {
      backend_->multiply(queue, call);
      return;
    }
    scale_.set_arguments(call.c.buffer, cl_ulong{call.c.offset}, cl_ulong{call.c.ld});
    set_real(scale_, 3, type_, call.beta);
    queue.enqueueNDRangeKernel(scale_.handle, cl::NullRange, cl::NDRange(n, m));
  }

  std::string kernel_name(const GemmCall& call) { return backend_->kernel_name(call); }

 private:
  static bool is_for_cpu(DeviceContext& context, const GemmOptions& options) {
    return options.strict ? options.preferred.front().is_for_cpu() : suits_cpu_kernels(context);
  }

  RealType type_;
  std::unique_ptr<GemmBackend> backend_;
  Kernel scale_;
};

Gemm::Gemm(DeviceContext& context, RealType type, const GemmOptions& options) {
  if (options.strict && options.preferred.empty())
    throw UsageError("a strict GEMM needs a preferred spec");
  for (const GemmSpec& spec : options.preferred) check_gemm_spec(spec);
  implementation_ = translate_opencl_errors(
      [&] { return std::make_unique<Implementation>(context, type, options); });
}

Gemm::~Gemm() = default;

void Gemm::multiply(const cl::CommandQueue& queue, const GemmShape& shape, double alpha,
                    const MatrixView& a, const MatrixView& b, double beta, const MatrixView& c) {
  translate_opencl_errors([&] { implementation_->multiply(queue, {shape, alpha, a, b, beta, c}); });
}

void Gemm::update(const cl::CommandQueue& queue, Index m, Index n, Index k, const MatrixView& a,
                  const MatrixView& b, const MatrixView& c) {
  multiply(queue, {m, n, k}, -1, a, b, 1, c);
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

void set_real(Kernel& kernel, cl_uint index, RealType type, double value) {
  if (type == RealType::f32)
    kernel.set_arguments_from(index, static_cast<cl_float>(value));
  else
    kernel.set_arguments_from(index, cl_double{value});
}

Matrix gemm(DeviceContext& context, RealType type, double alpha, const Matrix& a, bool transpose_a,
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
    product.multiply(context.queue(), {m, n, k, transpose_a, transpose_b}, alpha, operand(a),
                     operand(b), beta, result);
    return Matrix(m, n, download(context.queue(), result.buffer, type, m * n));
  });
}

}  // namespace clgauss
