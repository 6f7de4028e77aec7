#pragma once
/// The GEMM kernels as data: what each is built with, so that a tuner can vary it.

#include <clgauss/device.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/lab/parameters.hpp>
#include <clgauss/lab/program.hpp>
#include <clgauss/real_type.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace clgauss {

/// What a build of a kernel computes.
enum class GemmUse {
  general,  // C <- alpha A B + beta C
  update    // C <- C - A B: the trailing update of an LU factorisation
};

/// One way to build and launch a GEMM kernel of cl/gemm_*.cl, where each parameter is explained. For gemm_cpu.cl KC, MC and NC are
/// no macros but the blocks that the host cuts k, m and n into.
struct GemmSpec {
  std::string name;
  std::string file;
  RealType type = RealType::f32;
  GemmUse use = GemmUse::general;
  Parameters parameters;  // every one that the file has

  /// Throws UsageError if the spec has no such parameter.
  [[nodiscard]] int value(std::string_view name) const { return value_of(parameters, name); }
  [[nodiscard]] Defines defines() const;

  [[nodiscard]] bool is_for_cpu() const { return file == "gemm_cpu.cl"; }

  // Of the kernels for GPUs:

  [[nodiscard]] bool needs_nvidia() const;
  [[nodiscard]] bool transposes() const { return !needs_nvidia(); }
  [[nodiscard]] std::size_t work_group_size() const;
  /// Work-groups that an m-by-n C takes.
  [[nodiscard]] std::size_t tiles(Index m, Index n) const;
  /// Static local memory of a work-group, in bytes.
  [[nodiscard]] std::size_t local_bytes() const;
  /// Offsets and leading dimensions must be multiples of this many elements.
  [[nodiscard]] Index alignment() const;
};

/// All specs for GPUs. Of those that fit a large product the first is the fastest.
[[nodiscard]] const std::vector<GemmSpec>& gemm_specs();

/// The spec that CPU devices take.
[[nodiscard]] GemmSpec default_cpu_gemm_spec(const DeviceProfile& device, RealType type);

/// Throws UsageError if the file is unknown, or a parameter missing, unknown or senseless. Whether the kernel builds, fits and
/// works on a device is another question, which Gemm answers.
void check_gemm_spec(const GemmSpec& spec);

/// The spec with the macros TRANS_A and TRANS_B set.
[[nodiscard]] GemmSpec transposed(GemmSpec spec, bool transpose_a, bool transpose_b);

}  // namespace clgauss
