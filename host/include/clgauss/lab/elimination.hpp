#pragma once
/// The result of every direct method: Gauss elimination step by step, or a blocked LU.

#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/pivoting.hpp>
#include <clgauss/refinement.hpp>
#include <cstdint>
#include <optional>

namespace CLGAUSS_EXPORT clgauss {

/// Whether the rows and columns of A are equilibrated before it is factored: their largest
/// magnitudes are scaled to [1, 2) by powers of two, so that nothing is rounded. Scaling rows can
/// change the pivots; scaling columns does not.
enum class Equilibration {
  /// As LAPACK's dgesvx: columns or rows whose largest magnitudes differ by a factor of 10 or more.
  /// Rows are scaled only if columns alone are not enough. Also if the range of the type requires
  /// it.
  automatic,
  on,  // always
  off  // only if the range of the type requires it
};

/// Wall-clock seconds of the parts of one solve; their sum is its total. Each part ends with a
/// finished queue.
struct SolveTimes {
  double build = 0;  // and everything else before the upload
  double upload = 0, forward = 0, backward = 0, download = 0;
  double refine = 0;
  double trust = 0;  // estimating rcond and the forward error
  double check = 0;  // checking the answer on the host; in place, also reading A again
  double free = 0;   // freeing the device's memory

  [[nodiscard]] double sum() const {
    return build + upload + forward + backward + download + refine + trust + check + free;
  }
};

/// How many eigenvalues of a symmetric A are above, below and exactly 0, from its pivots. They are
/// those of a matrix that differs from A by rounding errors; they are certain if
/// Determinant::relative_error is below 1.
struct Inertia {
  Index positive = 0, negative = 0, zero = 0;
  bool operator==(const Inertia&) const = default;
};

/// The result of an elimination. A zero pivot is an outcome, not an error.
struct EliminationResult {
  Matrix x;                   // n-by-nrhs; meaningless if there is a failed_column
  Values pivots;              // the diagonal of U, for the matrix after scaling
  std::int64_t exponent = 0;  // det A is +- 2^exponent times the product of the pivots
  Index row_exchanges = 0;    // exchanges of two different rows
  Index column_exchanges = 0;
  std::optional<Inertia> inertia;  // of L D L^T
  /// Row k was exchanged with row pivot_rows[k]; empty without A = P^T L U.
  std::vector<Index> pivot_rows;
  std::optional<Index> failed_column;  // 0-based, of the first exactly zero or non-finite pivot
  bool positive_definite = false;      // required of A; the failed column may have a negative pivot
  bool finite_input = true;            // no NaN and no Inf in A and b
  bool scaled_rows = false, scaled_columns = false;  // before A was factored
  bool may_underflow = false;  // A exceeds the type's range: a pivot of 0 may be an underflow
  Pivoting pivoting = Pivoting::partial;  // as performed
  /// The factorisation was repeated without look-ahead or with tournament pivoting, because the
  /// work-groups of panels did not all run at once.
  bool repeated = false;
  Refinement refinement;  // without backward errors: none was requested
  SolveTimes times;
};

}  // namespace clgauss
