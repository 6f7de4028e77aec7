#pragma once
/// Passes over a row of numbers, in the widest vectors that the processor has. Sums have eight
/// partial sums whatever the width.

#include <algorithm>
#include <clgauss/matrix.hpp>
#include <cmath>
#include <span>

namespace clgauss {

/// The range of magnitudes of the finite nonzero numbers.
struct Range {
  double least = HUGE_VAL, largest = 0;
  bool finite = true;  // no NaN and no Inf, which `largest` may be

  void add(const Range& other) {
    least = std::min(least, other.least);
    largest = std::max(largest, other.largest);
    finite = finite && other.finite;
  }
};

/// The range of a row, and the sum of its magnitudes.
struct RowSize {
  Range range;
  double sum = 0;
};

/// The size of `row`. Also, for every j and where not null: raises largest[j] to |row[j]|, which a
/// NaN does not, and adds |row[j]| to sums[j]. `sums` requires `largest`.
[[nodiscard]] RowSize size_of_row(std::span<const double> row, double* largest = nullptr,
                                  double* sums = nullptr);

struct RowSums {
  double product = 0;    // of a[j] x[j]
  double magnitude = 0;  // of |a[j]| |x[j]|
  double row = 0;        // of |a[j]|
};

/// x must have as many numbers as `a`.
[[nodiscard]] RowSums sums_of_row(std::span<const double> a, const double* x);

/// One build of these functions.
struct RowPasses {
  const char* name;
  bool (*runs_here)();  // whether this processor has the vectors
  RowSize (*size_of_row)(std::span<const double> row, double* largest, double* sums);
  RowSums (*sums_of_row)(std::span<const double> a, const double* x);
};

/// All builds, the widest first. The last one runs everywhere.
[[nodiscard]] std::span<const RowPasses> all_row_passes();

}  // namespace clgauss
