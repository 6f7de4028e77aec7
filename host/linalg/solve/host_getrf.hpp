#pragma once
/// LU and products of small matrices in host memory, f64 or f32, on one core, with the processor's
/// widest vectors.

#include <clgauss/matrix.hpp>
#include <span>

namespace clgauss {

/// Columns of a panel. Rows begin at multiples of this many numbers.
template <typename Real>
inline constexpr Index kHostPanel = 64 / sizeof(Real);

/// Leading dimension for a matrix with `columns` columns: whole vectors, and no multiple of 512
/// bytes, at which the numbers of a column would share few sets of the cache.
template <typename Real>
[[nodiscard]] Index host_ld(Index columns);

/// One build of the loops. The rows of every matrix are `ld` numbers apart; `ld` is at least the
/// columns rounded up to kHostPanel<Real>. The padding between rows takes part in the computation.
template <typename Real>
struct HostLuKernels {
  const char* name;
  bool (*runs_here)();  // whether this processor has the vectors

  /// P A = L U in place with partial pivoting; row k was exchanged with row pivots[k]. If a column
  /// has only zeros left, its pivot is 0.
  void (*getrf)(Index n, Real* a, Index lda, Index* pivots);
  /// B <- A^-1 B with these factors. Not finite if a pivot is 0.
  void (*getrs)(Index n, const Real* lu, Index lda, const Index* pivots, Index nrhs, Real* b,
                Index ldb);
  /// The same for one right-hand side, stored contiguously.
  void (*getrs_vector)(Index n, const Real* lu, Index lda, const Index* pivots, Real* b);
  /// B <- U^-1 B with the upper triangle of these factors.
  void (*solve_upper)(Index n, const Real* lu, Index lda, Index nrhs, Real* b, Index ldb);
  /// C <- C - A B for a rows-by-depth A and a depth-by-columns B. A row of C has the same bits
  /// whatever other rows there are.
  void (*subtract_product)(Index rows, Index depth, Index columns, const Real* a, Index lda,
                           const Real* b, Index ldb, Real* c, Index ldc);
};

/// All builds, the widest first. The last one runs everywhere.
template <typename Real>
[[nodiscard]] std::span<const HostLuKernels<Real>> all_host_lu_kernels();

/// The first build that runs on this processor.
template <typename Real>
[[nodiscard]] const HostLuKernels<Real>& host_lu_kernels();

}  // namespace clgauss
