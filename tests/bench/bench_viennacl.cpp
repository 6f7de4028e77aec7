// ViennaCL must see this before its first header.
#define VIENNACL_WITH_OPENCL

#include <viennacl/linalg/lu.hpp>
#include <viennacl/linalg/prod.hpp>
#include <viennacl/matrix.hpp>
#include <viennacl/ocl/backend.hpp>
#include <viennacl/vector.hpp>

#include "bench_contestant.hpp"

namespace clgauss::bench {

namespace {

/// ViennaCL's context number 0, made of ours: its kernels run on the same queue.
viennacl::context shared_context(const Context& context) {
  static const bool set_up = [&] {
    viennacl::ocl::setup_context(0, context.context()(),
                                 context.queue().getInfo<CL_QUEUE_DEVICE>()(), context.queue()());
    return true;
  }();
  static_cast<void>(set_up);
  return viennacl::context(viennacl::ocl::get_context(0));
}

/// ViennaCL's own matrix: it pads both sizes for its kernels, so our buffers would not do.
template <typename T>
using DeviceMatrix = viennacl::matrix<T, viennacl::row_major>;

template <typename T>
DeviceMatrix<T> to_viennacl(const Matrix& matrix, viennacl::context context) {
  DeviceMatrix<T> copy(matrix.rows(), matrix.cols(), context);
  Matrix padded(copy.internal_size1(), matrix.cols());
  std::ranges::copy(matrix.values(), padded.values().begin());
  std::vector<T> values = typed_rows<T>(padded, copy.internal_size2());
  viennacl::fast_copy(values.data(), values.data() + values.size(), copy);
  return copy;
}

template <typename T>
class ViennaClGemm : public Contestant {
 public:
  ViennaClGemm(const DeviceProblem& device, viennacl::context context)
      : device_(device),
        a_(to_viennacl<T>(device.problem().a, context)),
        b_(to_viennacl<T>(device.problem().b, context)),
        c_(to_viennacl<T>(device.problem().c, context)),
        work_(c_) {}

  void restore() override {
    work_ = c_;
    device_.context().queue().finish();
  }

  void run() override {
    work_ -= viennacl::linalg::prod(a_, b_);
    device_.context().queue().finish();
  }

  [[nodiscard]] Matrix result() override {
    std::vector<T> values(work_.internal_size());
    viennacl::fast_copy(work_, values.data());
    return matrix_of(values.data(), work_.size1(), work_.size2(), work_.internal_size2());
  }

  [[nodiscard]] std::string detail() const override { return "own padded copy"; }

 private:
  const DeviceProblem& device_;
  DeviceMatrix<T> a_, b_, c_, work_;
};

template <typename T>
class ViennaClLu : public Contestant {
 public:
  ViennaClLu(const DeviceProblem& device, viennacl::context context)
      : device_(device),
        solve_(device.problem().size.what == What::solve),
        a_(to_viennacl<T>(device.problem().a, context)),
        work_(a_),
        b_(device.problem().b.rows(), context),
        x_(b_) {
    const std::vector<T> values = typed_rows<T>(device.problem().b, 1);
    viennacl::copy(values, b_);
  }

  void restore() override {
    work_ = a_;
    x_ = b_;
    device_.context().queue().finish();
  }

  void run() override {
    viennacl::linalg::lu_factorize(work_);
    if (solve_) viennacl::linalg::lu_substitute(work_, x_);
    device_.context().queue().finish();
  }

  [[nodiscard]] Matrix result() override {
    if (!solve_) viennacl::linalg::lu_substitute(work_, x_);
    std::vector<T> values(x_.size());
    viennacl::copy(x_, values);
    return matrix_of(values.data(), values.size(), 1, 1);
  }

  [[nodiscard]] std::string detail() const override { return "no pivoting, own padded copy"; }

 private:
  const DeviceProblem& device_;
  bool solve_;
  DeviceMatrix<T> a_, work_;
  viennacl::vector<T> b_, x_;
};

template <typename T>
std::unique_ptr<Contestant> make_in_type(const DeviceProblem& problem) {
  const viennacl::context context = shared_context(problem.context());
  if (problem.problem().size.what == What::gemm)
    return std::make_unique<ViennaClGemm<T>>(problem, context);
  return std::make_unique<ViennaClLu<T>>(problem, context);
}

}  // namespace

std::unique_ptr<Contestant> make_viennacl(const DeviceProblem& problem) {
  if (problem.problem().size.type == RealType::f32) return make_in_type<float>(problem);
  return make_in_type<double>(problem);
}

}  // namespace clgauss::bench
