#pragma once
/// The inverse of one matrix that is too large for small_solver.hpp.

#include <memory>
#include <optional>

#include "session.hpp"

namespace clgauss::python {

/// What is known of an inverse X.
struct InverseReport {
  std::optional<Index> failed_column;  // from 0; there is no X
  /// of A (X s) = s for a vector s of signs, over n eps ||A|| ||X||, infinity norms: it costs n^2,
  /// and not n^3 as A X = I does
  double scaled_residual = 0;
  double rcond = 0;  // 1 / (||A|| ||X||), infinity norms
};

/// A^-1 to `x`, of its shape and type, row by row; by the device's LU in the type of `a`.
[[nodiscard]] InverseReport invert(const std::shared_ptr<Session>& session, const Array& a,
                                   const WritableArray& x);

}  // namespace clgauss::python
