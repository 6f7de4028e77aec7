#pragma once
/// The factors in host memory of the ranks, for operations that read each number only once: A^-T B,
/// the determinant, the growth of pivots, gathering all factors on one rank. All ranks must make
/// every call.

#include <clgauss/real_type.hpp>

#include "distributed/block_data.hpp"
#include "distributed/column_cut.hpp"

namespace clgauss {

class HostFactors {
 public:
  /// pivots[i]: the row that row i was exchanged with, for all n rows.
  HostFactors(const Ranks& ranks, const ColumnCut& cut, RealType type, const Blocks& blocks,
              const std::vector<Index>& pivots)
      : ranks_(ranks), cut_(cut), type_(type), blocks_(blocks), pivots_(pivots) {}

  /// X <- (A^-1)^T X.
  void solve_transposed(Matrix& x) const;
  /// The diagonal of U.
  [[nodiscard]] std::vector<double> diagonal() const;
  [[nodiscard]] double largest_of_u() const;
  /// The factors column by column, on rank `to`; empty on the others. If `exchanged`, the exchanges
  /// of later panels are applied to L.
  [[nodiscard]] std::vector<double> gather(int to, bool exchanged) const;

 private:
  /// On the rank that owns block j, calls body(pointer to its numbers); the pointer has the type of
  /// the factors.
  template <typename Body>
  void at_owner(Index j, const Body& body) const;

  const Ranks& ranks_;
  ColumnCut cut_;
  RealType type_;
  const Blocks& blocks_;
  const std::vector<Index>& pivots_;
};

}  // namespace clgauss
