#pragma once
/// What every direct method leaves behind: Gauss elimination step by step, or a blocked LU.

#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/pivoting.hpp>
#include <clgauss/refinement.hpp>
#include <cstdint>
#include <optional>

namespace CLGAUSS_EXPORT clgauss {

/// Whether the rows and columns of A are equilibrated before it is factored: to a largest
/// magnitude in [1, 2), by powers of two, so that nothing is rounded. Rows that are scaled decide
/// on other pivots; columns change none.
enum class Equilibration {
  /// As LAPACK's dgesvx: columns or rows whose largest magnitudes differ by a factor of 10 or more.
  /// Rows only where columns alone are not enough. Also where the range of the type asks for it.
  automatic,
  on,  // always
  off  // only where the range of the type asks for it
};

/// Wall-clock seconds of one solve, which they add up to; each part ends with a finished queue.
struct SolveTimes {
  double build = 0;  // and all that precedes the upload
  double upload = 0, forward = 0, backward = 0, download = 0;
  double refine = 0;
  double trust = 0;  // estimating how far x can be trusted
  double check = 0;  // of the answer on the host; in place also reading A again
  double free = 0;   // giving the device's memory back

  [[nodiscard]] double sum() const {
    return build + upload + forward + backward + download + refine + trust + check + free;
  }
};

/// How many eigenvalues of a symmetric A are above, below and exactly 0, by its pivots. They are
/// those of a matrix that differs from A by rounding: sure where Determinant::relative_error is
/// below 1.
struct Inertia {
  Index positive = 0, negative = 0, zero = 0;
  bool operator==(const Inertia&) const = default;
};

/// What an elimination leaves. A zero pivot is an outcome, not an error.
struct EliminationResult {
  Matrix x;                   // n-by-nrhs; meaningless if there is a failed_column
  Values pivots;              // the diagonal of U, of the matrix as it was scaled
  std::int64_t exponent = 0;  // det A is +- 2^exponent times the product of the pivots
  Index row_exchanges = 0;    // exchanges of two different rows
  Index column_exchanges = 0;
  std::optional<Inertia> inertia;  // of L D L^T
  /// row k was exchanged with row pivot_rows[k]; empty without A = P^T L U
  std::vector<Index> pivot_rows;
  std::optional<Index> failed_column;  // 0-based, of the first exactly zero or non-finite pivot
  bool positive_definite = false;      // A was to be: the failed column may have a negative pivot
  bool finite_input = true;            // no NaN and no Inf in A and b
  bool scaled_rows = false, scaled_columns = false;  // before A was factored
  bool may_underflow = false;  // A spans more than the type: a pivot of 0 may be an underflow
  Pivoting pivoting = Pivoting::partial;  // as it was done
  /// so, after the work-groups of panels did not all run at once: without look-ahead or by
  /// tournament
  bool repeated = false;
  Refinement refinement;  // without backward errors: none was asked for
  SolveTimes times;
};

}  // namespace clgauss
