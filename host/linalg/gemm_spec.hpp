#pragma once
/// The GEMM kernels for GPUs as data: what each is built with, so that a tuner can vary it.

#include <clgauss/matrix.hpp>
#include <clgauss/program.hpp>
#include <clgauss/real_type.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace clgauss {

/// What a build of a kernel computes.
enum class GemmUse {
  general,  // C <- alpha A B + beta C
  update    // C <- C - A B: the trailing update of an LU factorisation
};

/// One way to build and launch a GEMM kernel of cl/gemm_*.cl. Its kernel is always called `gemm`.
struct GemmSpec {
  std::string name;
  std::string file;
  RealType type = RealType::f32;
  GemmUse use = GemmUse::general;
  std::vector<std::pair<std::string, int>> parameters;  // every macro of the file and its value

  /// The value of a macro. Throws std::out_of_range if the spec does not have it.
  [[nodiscard]] int value(std::string_view macro) const;
  [[nodiscard]] Defines defines() const;

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

/// All specs. Of those that fit a large product the first is the fastest.
[[nodiscard]] const std::vector<GemmSpec>& gemm_specs();

/// The spec with the macros TRANS_A and TRANS_B set.
[[nodiscard]] GemmSpec transposed(GemmSpec spec, bool transpose_a, bool transpose_b);

}  // namespace clgauss
