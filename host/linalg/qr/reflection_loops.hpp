#pragma once
/// The inner loops of the QR factorisations in host memory, in the processor's widest vectors.

#include <clgauss/matrix.hpp>
#include <span>

namespace clgauss {

/// One build of the loops, each of which runs on one core.
struct ReflectionLoops {
  const char* name;
  bool (*runs_here)();  // whether this processor has the vectors

  /// sums[j] += by * sum_i factors[i * factor_ld] * from[i * ld + j], i < rows, j < columns.
  void (*add_rows)(Index rows, const double* factors, Index factor_ld, const double* from, Index ld,
                   double by, Index columns, double* sums);
  /// Applies (I - tau v v^T) from the right to `rows` rows. v is 1 where a row's element is in
  /// `diagonal`, elements `diagonal_ld` apart. v's other `length` numbers are those for a row of
  /// `tails`, rows `ld` apart.
  void (*reflect_tails)(Index rows, const double* v, double tau, Index length, double* diagonal,
                        Index diagonal_ld, double* tails, Index ld);
};

/// All builds, the widest first. The last one runs everywhere.
[[nodiscard]] std::span<const ReflectionLoops> all_reflection_loops();

/// The first build that runs on this processor.
[[nodiscard]] const ReflectionLoops& reflection_loops();

}  // namespace clgauss
