#pragma once
/// Cuts the columns of a matrix into blocks and deals them out to the ranks in turn.

#include <algorithm>
#include <clgauss/matrix.hpp>

#include "distributed/ranks.hpp"

namespace clgauss {

struct ColumnCut {
  Index n = 0, width = 1;
  int rank = 0, ranks = 1;

  ColumnCut() = default;
  ColumnCut(Index columns_in_all, Index columns_of_block, const Ranks& among)
      : n(columns_in_all), width(columns_of_block), rank(among.rank()), ranks(among.count()) {}

  [[nodiscard]] Index count() const { return (n + width - 1) / width; }
  [[nodiscard]] Index first(Index j) const { return j * width; }
  [[nodiscard]] Index columns(Index j) const { return std::min(width, n - first(j)); }
  [[nodiscard]] int owner(Index j) const { return static_cast<int>(j % static_cast<Index>(ranks)); }
  [[nodiscard]] bool own(Index j) const { return owner(j) == rank; }

  /// Calls body(j, first column, number of columns) for each block j of this rank.
  template <typename Body>
  void each_own_block(const Body& body) const {
    for (Index j = 0; j < count(); ++j)
      if (own(j)) body(j, first(j), columns(j));
  }
};

}  // namespace clgauss
