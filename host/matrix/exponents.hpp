#pragma once
/// What scaling needs to know of a matrix, wherever its numbers are stored.

#include <clgauss/real_type.hpp>
#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "matrix/scaling.hpp"

namespace clgauss {

/// Exponents of a matrix whose rows and columns are multiplied by powers of two: those of the
/// largest number of each row and column, and that of the least number.
struct Exponents {
  /// The exponent of a number that has none: 0, Inf, NaN.
  static constexpr int kNone = std::numeric_limits<int>::min();

  std::vector<int> rows, columns;
  int least = std::numeric_limits<int>::max();
};

/// The exponents of row-major numbers. An empty `row_scale` or `column_scale` means all 0. `parts`:
/// 2 for complex numbers, whose parts alternate; the larger one counts.
[[nodiscard]] Exponents exponents_of(Index rows, Index columns, std::span<const double> values,
                                     std::span<const int> row_scale,
                                     std::span<const int> column_scale, Index parts = 1);

/// The same for the n-by-n matrix whose columns `values` holds, one after the other.
[[nodiscard]] Exponents exponents_of_transposed(Index n, std::span<const double> values,
                                                std::span<const int> row_scale,
                                                std::span<const int> column_scale);

/// Returns the same for one n-by-n matrix.
using ExponentsOf =
    std::function<Exponents(std::span<const int> row_scale, std::span<const int> column_scale)>;

/// scaling_for() of a matrix with known sizes. If these need scaling, reads the matrix up to four
/// times. B may be empty.
[[nodiscard]] Scaling scaling_for(const Sizes& sizes, const ExponentsOf& of_a, Index nrhs,
                                  std::span<const double> b, RealType type,
                                  Equilibration equilibration);

/// Completes a scaling of A by what the n-by-nrhs B needs.
void scale_right_hand_sides(Scaling& scaling, Index n, Index nrhs, std::span<const double> b,
                            RealType type);

}  // namespace clgauss
