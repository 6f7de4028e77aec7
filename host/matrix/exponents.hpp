#pragma once
/// What scaling asks of a matrix, wherever its numbers lie.

#include <clgauss/real_type.hpp>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "matrix/scaling.hpp"

namespace clgauss {

/// Of a matrix whose rows and columns are multiplied by powers of two: exponents of the largest
/// numbers, and of the least.
struct Exponents {
  /// Of a number that has none: 0, Inf, NaN.
  static constexpr int kNone = std::numeric_limits<int>::min();

  std::vector<int> rows, columns;
  int least = std::numeric_limits<int>::max();
};

/// Of row-major numbers; exponents of the powers may be empty: all 0.
[[nodiscard]] Exponents exponents_of(Index rows, Index columns, std::span<const double> values,
                                     std::span<const int> row_scale,
                                     std::span<const int> column_scale);

/// The same of the matrix of which these are the columns, its rows and columns as many.
[[nodiscard]] Exponents exponents_of_transposed(Index n, std::span<const double> values,
                                                std::span<const int> row_scale,
                                                std::span<const int> column_scale);

/// The same of one n-by-n matrix.
using ExponentsOf =
    std::function<Exponents(std::span<const int> row_scale, std::span<const int> column_scale)>;

/// scaling_for() of a matrix of which its sizes are known, and which is looked at up to four times
/// if these ask for it. B may be empty.
[[nodiscard]] Scaling scaling_for(const Sizes& sizes, const ExponentsOf& of_a, Index nrhs,
                                  std::span<const double> b, RealType type,
                                  Equilibration equilibration);

/// Completes a scaling of A by what B, n-by-nrhs, needs.
void scale_right_hand_sides(Scaling& scaling, Index n, Index nrhs, std::span<const double> b,
                            RealType type);

}  // namespace clgauss
