#pragma once
/// The inverse of a matrix, checked by its residual.

#include <clgauss/context.hpp>
#include <clgauss/export.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/solve.hpp>
#include <optional>

namespace CLGAUSS_EXPORT clgauss {

struct InverseOptions {
  std::optional<RealType> type = {};  // empty: f64 if the device has it
  Equilibration equilibration = Equilibration::automatic;
  double max_scaled_residual = kScaledResidualBound;
  LuOptions lu = {};  // positive_definite: A is symmetric; uses Cholesky
};

/// How an inverse X was computed, and its accuracy; for complex numbers with moduli.
struct InverseOutcome {
  SolveStatus status = SolveStatus::ok;
  bool complex = false;  // A is complex: each number has two parts of `type`
  RealType type = RealType::f64;
  std::optional<Index> failed_column;  // 0-based
  double failed_pivot = 0;
  double residual = 0;  // ||A X - I||, infinity norm
  /// residual / (n eps ||A|| ||X||), as in LAPACK's dget03; accepted up to 16.
  double scaled_residual = 0;
  double rcond = 0;                                  // 1 / (||A|| ||X||), 1-norm
  bool scaled_rows = false, scaled_columns = false;  // by powers of two, before A was factored
  SolveTimes times;
};

struct Inverse : InverseOutcome {
  Matrix x;  // A^-1; empty if there is none
};

/// A^-1 of a square A by LU with partial pivoting on the device, U^-1 L^-1 P: 11/3 n^3 flops, and 2
/// n^3 for A X, all in one type. A zero pivot is an outcome, not an error; so is a residual that is
/// too large, in which case X is present. Needs memory for three n-by-n matrices on the device.
/// Throws DimensionError, ValueError (with lu.positive_definite, if A is not symmetric),
/// DeviceLimit, NoUsableKernel, OutOfMemory, OpenClError.
[[nodiscard]] Inverse invert(Context& context, const Matrix& a, const InverseOptions& options = {},
                             const ProgressCallback& progress = {});

}  // namespace clgauss
