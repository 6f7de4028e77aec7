#pragma once
/// Complex matrices as real ones of twice the order.

#include <clgauss/complex.hpp>

namespace clgauss {

/// phi(M) = [[Re M, -Im M], [Im M, Re M]], 2 rows by 2 columns. phi(A B) = phi(A) phi(B), and the
/// magnitudes of row i, as those of row i + M.rows(), add up to at least the moduli of M's row i.
[[nodiscard]] Matrix real_operator(const ComplexMatrix& m);

}  // namespace clgauss
