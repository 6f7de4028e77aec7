#pragma once
/// Many systems A_s x_s = b_s of different n, solved together by LU with partial pivoting.

#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/residual.hpp>
#include <clgauss/solve.hpp>
#include <optional>
#include <span>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

struct VbatchedOptions {
  std::optional<RealType>
      type;  // empty: f32 for single precision; else f64 where the device has it
  /// Empty: that of `type`. What the device's type cannot reach, and Accuracy::maximum, is left to
  /// solve().
  std::optional<Accuracy> accuracy = {};
  double max_scaled_residual = kScaledResidualBound;
  /// As SolveOptions::doubt: the systems in doubt have a Solution::trust.
  bool doubt = false;
  /// On a CPU device, whose cores are the host's, each of these cores solves one system after the
  /// other without kernels, up to n = 512; up to 1024 if that keeps all cores busy. With `doubt` it
  /// computes in f64, whatever the type.
  bool on_host = true;
};

/// Solves every system; the answers are in the order of `systems`. Systems of similar n are sorted
/// into groups of one n. A system that is smaller than its group becomes [A 0; 0 I] on the device,
/// which changes neither x nor the pivots. BatchedLu solves the groups.
///
/// The host checks every answer by its residual. A system for which that is not good, whose numbers
/// need scaling, that is singular or in doubt, that has n > kLargestBatchedSystem, or n > 256 and
/// no similar ones, is left to solve(), whose Solution says what it is; the others are not
/// affected. For all others the Solution has x, status, type and residual; its pivots, determinant
/// and times are empty, NaN and 0.
///
/// 2/3 n^3 + 2 n^2 nrhs flops per system, up to 3.4 times as many where it is padded. The device
/// holds up to 2 GiB of systems at a time. Throws DimensionError (shapes; names the system), and as
/// solve().
[[nodiscard]] std::vector<Solution> solve_vbatched(Context& context,
                                                   std::span<const System> systems,
                                                   const VbatchedOptions& options = {},
                                                   const ProgressCallback& progress = {});

}  // namespace clgauss
