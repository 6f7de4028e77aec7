#pragma once
/// The GEMM kernels as data: their build parameters, so that a tuner can vary them.

#include <clgauss/device.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lab/parameters.hpp>
#include <clgauss/lab/program.hpp>
#include <clgauss/lab/variant.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// What a build of a kernel computes.
enum class GemmUse {
  general,  // C <- alpha A B + beta C
  update    // C <- C - A B: the trailing update of an LU factorisation
};

/// One way to build and launch a GEMM kernel of cl/gemm/gemm_*.cl; these files explain the
/// parameters. For gemm_cpu.cl, KC, MC and NC are not macros but the blocks into which the host
/// cuts k, m and n.
struct GemmSpec {
  std::string name;
  std::string file;
  RealType type = RealType::f32;
  GemmUse use = GemmUse::general;
  Parameters parameters;  // all parameters that the file has

  /// Throws UsageError if the spec has no such parameter.
  [[nodiscard]] int value(std::string_view name) const { return value_of(parameters, name); }
  [[nodiscard]] Defines defines() const;

  /// The variant of the file. Throws UsageError if there is none.
  [[nodiscard]] const KernelVariant& variant() const;
  /// Whether the variant has such a parameter.
  [[nodiscard]] bool has(std::string_view name) const;

  [[nodiscard]] bool is_for_cpu() const;
  /// Whether it uses the matrix units of compute capability 8.0.
  [[nodiscard]] bool needs_ptx() const;

  // For the GPU kernels:

  [[nodiscard]] bool transposes() const { return has("TRANS_A"); }
  [[nodiscard]] std::size_t work_group_size() const;
  /// Work-groups that compute an m-by-n C.
  [[nodiscard]] std::size_t tiles(Index m, Index n) const;
  /// Static local memory of a work-group, in bytes.
  [[nodiscard]] std::size_t local_bytes() const;
  /// Offsets and leading dimensions must be multiples of this many elements.
  [[nodiscard]] Index alignment() const;
};

/// The variants that multiply matrices, each in its own file.
[[nodiscard]] Variants gemm_variants();

/// All specs for GPUs. The first one that fits a large product is the fastest for it.
[[nodiscard]] const std::vector<GemmSpec>& gemm_specs();

/// The spec that CPU devices use by default.
[[nodiscard]] GemmSpec default_cpu_gemm_spec(const DeviceProfile& device, RealType type);

/// Throws UsageError if the file is unknown, or a parameter is missing, unknown or invalid. It does
/// not check whether the kernel builds, fits and works on a device; Gemm does that.
void check_gemm_spec(const GemmSpec& spec);

/// The spec with the macros TRANS_A and TRANS_B set.
[[nodiscard]] GemmSpec transposed(GemmSpec spec, bool transpose_a, bool transpose_b);

}  // namespace clgauss
