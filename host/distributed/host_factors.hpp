#pragma once
/// The factors as the hosts of the ranks hold them, for what takes no more than a look at each
/// number: A^-T B, the determinant, the growth of pivots, the whole of them at one place. All ranks
/// make every call.

#include <clgauss/real_type.hpp>

#include "distributed/block_data.hpp"
#include "distributed/column_cut.hpp"

namespace clgauss {

class HostFactors {
 public:
  /// `pivots`: of all n rows; row exchanged with each.
  HostFactors(const Ranks& ranks, const ColumnCut& cut, RealType type, const Blocks& blocks,
              const std::vector<Index>& pivots)
      : ranks_(ranks), cut_(cut), type_(type), blocks_(blocks), pivots_(pivots) {}

  /// X <- (A^-1)^T X.
  void solve_transposed(Matrix& x) const;
  /// Of U.
  [[nodiscard]] std::vector<double> diagonal() const;
  [[nodiscard]] double largest_of_u() const;
  /// Column by column, at rank `to`; the exchanges reach all of L if `exchanged`. Empty on the
  /// others.
  [[nodiscard]] std::vector<double> gather(int to, bool exchanged) const;

 private:
  /// Calls body(numbers of block j in the type's own, a null of which tells it) on the rank that
  /// owns it.
  template <typename Body>
  void at_owner(Index j, const Body& body) const;

  const Ranks& ranks_;
  ColumnCut cut_;
  RealType type_;
  const Blocks& blocks_;
  const std::vector<Index>& pivots_;
};

}  // namespace clgauss
