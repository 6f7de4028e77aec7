#pragma once

#include <clgauss/export.hpp>

namespace CLGAUSS_EXPORT clgauss {

/// How rows are exchanged for numerical stability.
enum class Pivoting {
  none,        // no exchanges: the pivot of step k is A(k, k) (Gauss elimination only)
  partial,     // the pivot is the largest number of its column
  tournament,  // the pivots of a panel win a tournament of groups of rows (CALU; LU only): nearly
               // as stable in practice, with fewer points where all groups wait for each other
  rook         // the pivot is the largest number of its column and of its row, or close to it (L D
               // L^T only): the numbers of L are bounded, too
};

}  // namespace clgauss
