#pragma once
/// Products of n-by-n matrices on the device, each kernel checked before it is timed.

#include <array>
#include <clgauss/context.hpp>
#include <span>
#include <string>

#include "tuner/measure/product.hpp"
#include "tuner/measure/timing.hpp"

namespace clgauss::tune {

/// A kernel (a, b, c, n [, local memory]) that computes C = A B, and its NDRange.
struct MatmulKernel {
  std::string file, name;
  Defines defines;
  std::array<std::size_t, 2> local{1, 1}, groups{1, 1};
  std::uint64_t local_bytes = 0;  // of local memory that a group needs
  bool local_argument = false;    // given as the last argument, not declared in the kernel
};

/// A, B and C of one product on the device. All that it prepares writes the one C.
class MatmulBench {
 public:
  /// Throws OutOfMemory if the matrices do not fit. `product` must outlive the bench.
  MatmulBench(Context& context, const Product& product, const TimingOptions& options);

  /// A and B to the device; C back.
  [[nodiscard]] Prepared copy_in();
  [[nodiscard]] Prepared copy_out();
  /// The product by `kernel`. Before all of it is run, a strip of groups tells how long that will
  /// take.
  [[nodiscard]] Prepared multiply(const MatmulKernel& kernel);
  /// The product by clgauss's own GEMM.
  [[nodiscard]] Prepared multiply_by_gemm();
  /// C as it was checked last.
  [[nodiscard]] std::span<const float> result() const {
    return std::span(c_).first(product_.n() * product_.n());
  }

 private:
  void upload();
  void download();
  void spoil_result();
  [[nodiscard]] bool result_is_right();
  [[nodiscard]] double expected_seconds(const Kernel& built, const MatmulKernel& kernel);
  [[nodiscard]] Prepared checked(const std::function<void()>& enqueue);

  Context& context_;
  const Product& product_;
  TimingOptions options_;
  std::vector<float> c_;  // with canaries behind
  cl::Buffer a_device_, b_device_, c_device_;
};

}  // namespace clgauss::tune
