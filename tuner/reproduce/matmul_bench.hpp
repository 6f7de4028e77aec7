#pragma once
/// Products of n-by-n matrices on the device, each kernel checked before it is timed.

#include <array>
#include <clgauss/context.hpp>
#include <span>
#include <string>

#include "tuner/reproduce/product.hpp"
#include "tuner/reproduce/timing.hpp"

namespace clgauss::tune {

/// ceil(n / size): groups that cover n.
[[nodiscard]] inline std::size_t groups_for(Index n, std::size_t size) {
  return (n + size - 1) / size;
}

/// A kernel (a, b, c, n [, local memory]) that computes C = A B, and its NDRange.
struct MatmulKernel {
  std::string file, name;
  Defines defines;
  std::array<std::size_t, 2> local{1, 1}, groups{1, 1};
  std::uint64_t local_bytes = 0;  // of local memory that a group needs
  bool local_argument = false;    // given as the last argument, not declared in the kernel
};

/// Throws DeviceLimit if the device has less local memory than `bytes` for `what`. NVIDIA's driver takes more than it reports (48
/// KiB), so there the attempt decides.
void require_local_memory(const DeviceProfile& device, std::uint64_t bytes,
                          const std::string& what);

/// Throws DeviceLimit, naming the limit, if the device forbids this kernel groups of `local`.
void require_group(const DeviceProfile& device, const Kernel& kernel,
                   std::array<std::size_t, 2> local);

/// A, B and C of one product on the device.
class MatmulBench {
 public:
  /// Throws OutOfMemory if the matrices do not fit. `product` must outlive the bench.
  MatmulBench(Context& context, const Product& product, const TimingOptions& options);

  /// A and B to the device; C back.
  [[nodiscard]] Outcome copy_in();
  [[nodiscard]] Outcome copy_out();
  /// The product by `kernel`. Before all of it is run, a strip of groups tells how long that will take.
  [[nodiscard]] Outcome multiply(const MatmulKernel& kernel);
  /// The product by clgauss's own GEMM.
  [[nodiscard]] Outcome multiply_by_gemm();
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
  [[nodiscard]] Outcome check_and_time(const std::function<void()>& enqueue);

  Context& context_;
  const Product& product_;
  TimingOptions options_;
  std::vector<float> c_;  // with canaries behind
  cl::Buffer a_device_, b_device_, c_device_;
};

}  // namespace clgauss::tune
