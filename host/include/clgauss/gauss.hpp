#pragma once
/// Gauss elimination on the device, one launch a kernel and step: the method of Baranov and
/// Vlatskaya (2013).

#include <clgauss/context.hpp>
#include <clgauss/io.hpp>
#include <clgauss/launch.hpp>
#include <clgauss/matrix.hpp>
#include <optional>
#include <vector>

namespace clgauss {

enum class RealType { f32, f64 };
[[nodiscard]] const char* real_type_name(RealType type);
/// Distance from 1 to the nearest number below it: 2^-24 or 2^-53, the eps of every bound in
/// clgauss.
[[nodiscard]] double unit_roundoff(RealType type);

/// What cl/gauss.cl is built with for `type`.
[[nodiscard]] Defines gauss_defines(RealType type);

enum class Pivoting {
  none,    // the paper's algorithm: the pivot of step k is A(k, k) as it stands
  partial  // rows are exchanged so that the pivot is the largest of its column
};

enum class NdRangeMode {
  fixed,     // every step launches over the whole matrix, as for the paper's curves
  shrinking  // every step launches over what is left
};

struct GaussOptions {
  RealType type = RealType::f64;
  Pivoting pivoting = Pivoting::partial;
  NdRangeMode ndrange = NdRangeMode::fixed;
};

/// Wall-clock seconds; each part ends with a finished queue.
struct GaussTimes {
  double build = 0, upload = 0, forward = 0, backward = 0, download = 0;
};

/// What an elimination leaves. A zero pivot is an outcome, not an error.
struct GaussResult {
  Matrix x;                    // n-by-nrhs; meaningless if there is a failed_column
  std::vector<double> pivots;  // the diagonal of U
  Index row_exchanges = 0;     // exchanges of two different rows
  std::optional<Index>
      failed_column;  // 0-based column of the first exactly zero or non-finite pivot
  GaussTimes times;
};

/// Solves A X = B by (2/3) n^3 + 2 n^2 nrhs flops (of useful work; the fixed NDRange starts 3 times
/// the work-items).
///
/// A is n-by-n, B n-by-nrhs; both are rounded to `options.type`. Every kernel is enqueued through
/// `launcher`, without waiting for the device inside the elimination; `progress` hears of it.
/// Throws DimensionError for shapes that do not fit, ValueError for a number outside f32's range,
/// DeviceLimit where the device forbids the work-group size, OutOfMemory where n (n + 2 nrhs + 2)
/// elements do not fit, OpenClError.
[[nodiscard]] GaussResult gauss_solve(DeviceContext& context, Launcher& launcher,
                                      const System& system, const GaussOptions& options,
                                      const ProgressCallback& progress = {});

}  // namespace clgauss
