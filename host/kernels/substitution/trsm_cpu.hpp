#pragma once
/// Solves with the factors of an LU for many right-hand sides on CPUs, cl/substitution/trsm_cpu.cl.

#include <clgauss/lab/variant.hpp>

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

[[nodiscard]] const KernelVariant& trsm_cpu_variant();

class TrsmCpu {
 public:
  TrsmCpu(Context& context, RealType type, Index n);

  /// Bytes of its workspace for `nrhs` right-hand sides.
  [[nodiscard]] static std::uint64_t bytes(const DeviceProfile& device, RealType type, Index n,
                                           Index nrhs);

  /// Whether the device suits its kernel and the kernel passed its self-test.
  bool works();

  /// B <- U^-1 L^-1 P B, n-by-nrhs, where P are the row exchanges `pivots`; null means the
  /// identity.
  void solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
             const cl::Buffer* pivots, const MatrixView& b, cl_uint nrhs);

 private:
  /// How B is cut: `items` work-items process strips of `panels` panels.
  struct Cut {
    cl_uint panels, items;
  };
  /// The parameters that the kernel is built and launched with.
  struct Numbers {
    explicit Numbers(const Setting& setting);

    [[nodiscard]] Cut cut(cl_uint nrhs) const;
    /// Elements of the workspace for n rows.
    [[nodiscard]] std::uint64_t elements(cl_uint n, const Cut& cut) const;

    Parameters parameters;
    cl_uint mr, nr, block, most_panels, compute_units;
  };

  Kernel& kernel();
  void launch(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
              const cl::Buffer* pivots, const MatrixView& b, cl_uint nrhs, const Cut& cut);

  KernelMemo memo_;
  Numbers numbers_;
  cl::Buffer workspace_;
};

}  // namespace clgauss
