#pragma once
/// LU factorisation with pivoting, wholly on the device, and the solves with its factors.

#include <clgauss/context.hpp>
#include <clgauss/enqueue.hpp>
#include <clgauss/export.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/lab/lu_spec.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/pivoting.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <memory>
#include <optional>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

struct LuOptions {
  Pivoting pivoting = Pivoting::partial;  // partial or tournament
  /// instead of what was tuned, or default_lu_spec(); it decides the family
  std::optional<LuSpec> spec = {};
  GemmOptions gemm = {};           // of the trailing updates
  bool positive_definite = false;  // A is symmetric and positive definite: by Cholesky, see Lu
  bool symmetric = false;          // A is symmetric and may be indefinite: by L D L^T, see Lu
  /// the next block may be factored while the last one's update runs, where the spec says so
  bool look_ahead = true;
};

/// Of P A P^T = L D L^T: column k of A changed places with column exchanges[k], and row k with that
/// row, one k after the other. In the first column of a block with two, `below` has the number
/// below the diagonal and `pairs` is true. Such a block has a negative determinant.
struct SymmetricPivots {
  std::vector<double> diagonal, below;
  std::vector<Index> exchanges;
  std::vector<bool> pairs;
};

/// A = P^T L U of one size and type, and the solves with it. It owns its workspace, keeps its
/// context's device open and may be used as long as it lives, again and again: factor() with
/// another matrix replaces the factors.
///
/// Matrices are row-major. Operations on views are enqueued in order and wait for nothing; those
/// that return numbers wait. A factorisation that failed cannot be solved with unnoticed: on the
/// host solve() throws, on the device it gives NaN.
///
/// With LuOptions::positive_definite it is Cholesky's factorisation without its square roots, A = L
/// D L^T, stored as the LU without exchanges that it is, U = D L^T. It reads the lower triangle of
/// A alone and takes half the flops; failed_column() is then the first whose pivot is not a
/// positive number, and A, if it is symmetric, not positive definite.
///
/// With LuOptions::symmetric it is P A P^T = L D L^T with the pivots of Bunch and Kaufman, which
/// takes as much and reads as little. D has blocks of one and two columns; where one has two, its
/// rows change places and it is factored itself, and so the factors are those of an LU whose rows,
/// by pivots(), and columns, by symmetric_pivots().exchanges, were exchanged. factor() then waits
/// for each panel.
class Lu {
 public:
  /// Throws DimensionError (n above 2^30), DeviceLimit, OutOfMemory (the workspace does not fit),
  /// BuildError, NoUsableKernel, and for `options.spec` as check_lu_spec().
  Lu(Context& context, RealType type, Index n, const LuOptions& options = {});
  Lu(Lu&&) noexcept;
  Lu& operator=(Lu&&) noexcept;
  ~Lu();

  /// Rows and columns of the matrices that it takes.
  [[nodiscard]] Index n() const;
  [[nodiscard]] RealType type() const;

  /// Builds, and self-tests, every kernel that factor() and solve() take for views
  /// with the offset and leading dimension of `a`. Without it they do so when they first need one.
  void prepare(const MatrixView& a, Index nrhs);

  /// The same for solve_transposed(), for any view.
  void prepare_transposed(Index nrhs);

  /// Factors the n-by-n `a` in place: its strict lower part then holds L (unit diagonal not
  /// stored), its upper part U; the buffer stays in use as long as the factors are. An exactly zero
  /// or NaN pivot is reported by failed_column(), not thrown. 2/3 n^3 flops. Throws DimensionError
  /// for a view that cannot hold A, OpenClError.
  void factor(const MatrixView& a, const EnqueueOptions& enqueue = {});

  /// Copies the host matrix `a` to the device and factors it there; waits for the copy. Throws
  /// DimensionError if it is not n-by-n, ValueError for a number outside f32's range, OutOfMemory,
  /// OpenClError.
  void factor(const Matrix& a);

  /// B <- A^-1 B, n-by-nrhs, with the factors of the last factor(); NaN if they are singular or
  /// worthless. 2 n^2 nrhs flops. Throws
  /// UsageError if nothing was factored, DimensionError for a view that cannot hold B, OpenClError.
  void solve(const MatrixView& b, Index nrhs, const EnqueueOptions& enqueue = {});

  /// A^-1 B of a host matrix. Throws DimensionError if b has not n rows, SingularFactors,
  /// CoResidencyLost.
  [[nodiscard]] Matrix solve(const Matrix& b);

  /// B <- A^-T B and A^-T B, as solve() with the transposed A.
  void solve_transposed(const MatrixView& b, Index nrhs, const EnqueueOptions& enqueue = {});
  [[nodiscard]] Matrix solve_transposed(const Matrix& b);

  /// factor() and solve() together; a small system takes one launch.
  void factor_and_solve(const MatrixView& a, const MatrixView& b, Index nrhs,
                        const EnqueueOptions& enqueue = {});

  /// The largest |U(i, j)| of the last factor(); NaN if there is one. Waits.
  [[nodiscard]] double largest_of_u();

  /// 0-based column of the first exactly zero or NaN pivot. Waits. Throws CoResidencyLost if the
  /// factors are worthless because work-groups that wait for each other did not all run at once.
  [[nodiscard]] std::optional<Index> failed_column();

  /// Row exchanged with row j, 0-based: LAPACK's ipiv - 1. Waits.
  [[nodiscard]] std::vector<Index> pivots();

  /// The pivots of the last factor() where LuOptions::symmetric asked for them; else empty. Waits.
  [[nodiscard]] std::optional<SymmetricPivots> symmetric_pivots();

  /// What is really done: a GPU where no kernel may wait for another one's groups answers partial
  /// with tournament.
  [[nodiscard]] Pivoting pivoting();

 private:
  class CLGAUSS_HIDDEN Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Lu(), and factor() of the caller's n-by-n view.
[[nodiscard]] Lu lu_factor(Context& context, RealType type, const MatrixView& a, Index n,
                           const LuOptions& options = {}, const EnqueueOptions& enqueue = {});

/// Lu(), and factor() of a host matrix, which stays as it is.
[[nodiscard]] Lu lu_factor(Context& context, RealType type, const Matrix& a,
                           const LuOptions& options = {});

}  // namespace clgauss
