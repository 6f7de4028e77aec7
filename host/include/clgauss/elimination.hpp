#pragma once
/// What every direct method leaves behind: Gauss elimination step by step, or a blocked LU.

#include <clgauss/matrix.hpp>
#include <clgauss/pivoting.hpp>
#include <optional>

namespace clgauss {

/// Wall-clock seconds of one solve, which they add up to; each part ends with a finished queue.
struct SolveTimes {
  double build = 0;  // and all that precedes the upload
  double upload = 0, forward = 0, backward = 0, download = 0;
  double check = 0;  // of the answer on the host; in place also reading A again
  double free = 0;   // giving the device's memory back

  [[nodiscard]] double sum() const {
    return build + upload + forward + backward + download + check + free;
  }
};

/// What an elimination leaves. A zero pivot is an outcome, not an error.
struct EliminationResult {
  Matrix x;                 // n-by-nrhs; meaningless if there is a failed_column
  Values pivots;            // the diagonal of U
  Index row_exchanges = 0;  // exchanges of two different rows
  // 0-based column of the first exactly zero or non-finite pivot
  std::optional<Index> failed_column;
  Pivoting pivoting = Pivoting::partial;  // as it was done
  bool repeated =
      false;  // by tournament, after the work-groups of partial pivoting's panels did not all run at once
  SolveTimes times;
};

}  // namespace clgauss
