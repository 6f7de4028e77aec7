#pragma once
/// LU of small matrices in host memory by one core, in the widest vectors that the processor has.

#include <clgauss/matrix.hpp>
#include <span>

namespace clgauss {

/// Columns that are factored at a time: rows begin at multiples of so many numbers.
inline constexpr Index kHostPanel = 8;

/// From row to row of a matrix with so many columns: whole vectors, and no power of two, by which
/// the numbers of a column would share few places of the cache.
[[nodiscard]] Index host_ld(Index columns);

/// One build of the loops. Of every matrix the rows are `ld` numbers apart, at least its columns
/// rounded up to kHostPanel; what lies between the rows is computed with.
struct HostLuKernels {
  const char* name;
  bool (*runs_here)();  // whether this processor has its vectors

  /// P A = L U in place, with partial pivoting; row k was exchanged with row pivots[k]. Where a
  /// column has no number but 0 to offer, its pivot is 0.
  void (*getrf)(Index n, double* a, Index lda, Index* pivots);
  /// B <- A^-1 B by these factors; not finite where a pivot is 0.
  void (*getrs)(Index n, const double* lu, Index lda, const Index* pivots, Index nrhs, double* b,
                Index ldb);
  /// The same of one right-hand side, its numbers one after the other.
  void (*getrs_vector)(Index n, const double* lu, Index lda, const Index* pivots, double* b);
  /// C <- C - A B for square matrices, of which C is given with its own ld as B's.
  void (*subtract_product)(Index n, const double* a, Index lda, const double* b, double* c,
                           Index ldc);
};

/// All of them, the widest first; the last runs everywhere.
[[nodiscard]] std::span<const HostLuKernels> all_host_lu_kernels();

/// The first that runs here.
[[nodiscard]] const HostLuKernels& host_lu_kernels();

}  // namespace clgauss
