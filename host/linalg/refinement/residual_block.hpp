#pragma once
/// Residuals of many right-hand sides, as products of matrices in the widest vectors that the
/// processor has.

#include <clgauss/matrix.hpp>
#include <span>

namespace clgauss {

/// From this many right-hand sides on, add_products() takes less time than a sum for each number.
inline constexpr Index kManyRightHandSides = 8;

/// Rows of A that add_products() goes through before the next of x; of so many it is fastest.
inline constexpr Index kResidualRows = 256;

/// Rows of a matrix with n columns: number j of row i is numbers[i * row_step + j * column_step].
struct StridedRows {
  const double* numbers;
  Index rows, n, row_step, column_step;
};

/// Rows first .. first + count of a row-major A with n columns, or, if `transposed`, of the A whose
/// transpose `a` holds.
inline StridedRows rows_of(std::span<const double> a, Index n, Index first, Index count,
                           bool transposed) {
  return transposed ? StridedRows{a.data() + first, count, n, 1, n}
                    : StridedRows{a.data() + first * n, count, n, n, 1};
}

/// r <- r - A x and, unless `d` is null, d <- d + |A| |x|, for some rows of A. x is n-by-nrhs, r
/// and d are rows-by-nrhs, all row-major. Sums of 128 products are added up, so that the error is
/// below (128 + n / 128) eps |A| |x|. 2 rows n nrhs flops, twice as many with `d`, on one core.
void add_products(const StridedRows& a, const double* x, Index nrhs, double* r, double* d);

/// r <- b - A x and, unless `d` is null, d <- |b| + |A| |x|, as add_products().
void residual_of_rows(const StridedRows& a, std::span<const double> b, const double* x, Index nrhs,
                      double* r, double* d);

/// The sums of |A| over each row.
[[nodiscard]] Values row_sums(const StridedRows& a);

/// One build of the loops.
struct ResidualKernels {
  const char* name;
  bool (*runs_here)();  // whether this processor has the vectors
  void (*add_products)(const StridedRows& a, const double* x, Index nrhs, double* r, double* d);
};

/// All builds, the widest first. The last one runs everywhere.
[[nodiscard]] std::span<const ResidualKernels> all_residual_kernels();

}  // namespace clgauss
