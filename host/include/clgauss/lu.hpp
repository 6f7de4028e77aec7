#pragma once
/// LU factorisation with pivoting, entirely on the device, and solves with its factors.

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
  Pivoting pivoting = Pivoting::partial;  // partial, tournament or, with `symmetric`, rook
  /// Overrides the tuned spec and default_lu_spec(); it determines the family.
  std::optional<LuSpec> spec = {};
  GemmOptions gemm = {};           // for the trailing updates
  bool positive_definite = false;  // A is symmetric positive definite: use Cholesky, see Lu
  bool symmetric = false;          // A is symmetric, may be indefinite: use L D L^T, see Lu
  /// Allow factoring the next block during the update of the last one, if the spec says so.
  bool look_ahead = true;
};

/// For P A P^T = L D L^T: for k = 0, 1, ..., column k of A was exchanged with column exchanges[k],
/// and row k with that row, as LAPACK's sytrf_rook does. For the first column of a 2-by-2 block of
/// D, `below` holds the number below the diagonal and `pairs` is true. Such a block has a negative
/// determinant. In complex numbers `below` holds two parts for each column, and the diagonal is
/// real.
struct SymmetricPivots {
  std::vector<double> diagonal, below;
  std::vector<Index> exchanges;
  std::vector<bool> pairs;
};

/// A = P^T L U for one size and type, and solves with the factors. It owns its workspace and keeps
/// its context's device open. It can be reused: factor() with another matrix replaces the factors.
///
/// Matrices are row-major. Operations on views are enqueued in order and do not wait; functions
/// that return numbers wait. A failed factorisation cannot go unnoticed in a solve: on the host
/// solve() throws, on the device it gives NaN.
///
/// With LuOptions::positive_definite it is Cholesky's factorisation without square roots, A = L D
/// L^T. It is stored as the LU without exchanges that it is, U = D L^T. It reads only the lower
/// triangle of A and takes half the flops. failed_column() is then the first column whose pivot is
/// not a positive number; a symmetric A is in that case not positive definite.
///
/// With LuOptions::symmetric it is P A P^T = L D L^T with the pivots of Bunch and Kaufman. It takes
/// the same flops as Cholesky and also reads one triangle. D has 1-by-1 and 2-by-2 blocks. The two
/// rows of a 2-by-2 block are exchanged and the block is factored, so that the factors are those of
/// an LU with exchanged rows (pivots()) and columns (symmetric_pivots().exchanges). factor() then
/// waits for each panel. Pivoting::rook bounds the numbers of L by 2.8, and so the growth of the
/// pivots in practice; each pivot then takes as many columns as its search looks at.
class Lu {
 public:
  /// Throws DimensionError (n above 2^30), DeviceLimit, OutOfMemory (the workspace does not fit),
  /// BuildError, NoUsableKernel, UsageError (a pivoting that the factorisation does not have), and
  /// for `options.spec` as check_lu_spec() does.
  Lu(Context& context, RealType type, Index n, const LuOptions& options = {});
  Lu(Lu&&) noexcept;
  Lu& operator=(Lu&&) noexcept;
  ~Lu();

  /// Rows and columns of the matrices that can be factored.
  [[nodiscard]] Index n() const;
  [[nodiscard]] RealType type() const;

  /// Builds and self-tests every kernel that factor() and solve() use for views with the offset and
  /// leading dimension of `a`. Otherwise they do so when they first need a kernel. Factors stay.
  void prepare(const MatrixView& a, Index nrhs);

  /// The same for solve_transposed(), for any view.
  void prepare_transposed(Index nrhs);

  /// Factors the n-by-n `a` in place: its strict lower part becomes L (unit diagonal not stored),
  /// its upper part U. The buffer must not change while the factors are used. An exactly zero or
  /// NaN pivot is reported by failed_column(), not thrown. 2/3 n^3 flops. Throws DimensionError for
  /// a view that cannot hold A, and OpenClError.
  void factor(const MatrixView& a, const EnqueueOptions& enqueue = {});

  /// Copies the host matrix `a` to the device and factors it there; waits for the copy. Throws
  /// DimensionError if it is not n-by-n, ValueError for a number outside the range of f32,
  /// OutOfMemory, OpenClError.
  void factor(const Matrix& a);

  /// B <- A^-1 B, n-by-nrhs, with the factors of the last factor(); NaN if they are singular or
  /// invalid. 2 n^2 nrhs flops. Throws UsageError if nothing was factored, DimensionError for a
  /// view that cannot hold B, OpenClError.
  void solve(const MatrixView& b, Index nrhs, const EnqueueOptions& enqueue = {});

  /// A^-1 B for a host matrix. Throws DimensionError if b does not have n rows, SingularFactors,
  /// CoResidencyLost.
  [[nodiscard]] Matrix solve(const Matrix& b);

  /// B <- A^-T B, and A^-T B for a host matrix, as solve() with the transposed A.
  void solve_transposed(const MatrixView& b, Index nrhs, const EnqueueOptions& enqueue = {});
  [[nodiscard]] Matrix solve_transposed(const Matrix& b);

  /// factor() and solve() together; a small system takes one launch.
  void factor_and_solve(const MatrixView& a, const MatrixView& b, Index nrhs,
                        const EnqueueOptions& enqueue = {});

  /// The largest |U(i, j)| of the last factor(); NaN if U holds one. Waits.
  [[nodiscard]] double largest_of_u();

  /// The column, 0-based, of the first exactly zero or NaN pivot. Waits. Throws CoResidencyLost if
  /// the factors are invalid because work-groups that wait for each other did not all run at once.
  [[nodiscard]] std::optional<Index> failed_column();

  /// For each row j, the row that it was exchanged with, 0-based: LAPACK's ipiv - 1. Waits.
  [[nodiscard]] std::vector<Index> pivots();

  /// The pivots of the last factor() with LuOptions::symmetric; otherwise empty. Waits.
  [[nodiscard]] std::optional<SymmetricPivots> symmetric_pivots();

  /// The pivoting in use: a GPU where work-groups must not wait for each other replaces partial by
  /// tournament pivoting.
  [[nodiscard]] Pivoting pivoting();

 private:
  class CLGAUSS_HIDDEN Implementation;
  std::unique_ptr<Implementation> implementation_;
};

/// Lu(), and factor() of the caller's n-by-n view.
[[nodiscard]] Lu lu_factor(Context& context, RealType type, const MatrixView& a, Index n,
                           const LuOptions& options = {}, const EnqueueOptions& enqueue = {});

/// Lu(), and factor() of a host matrix, which is unchanged.
[[nodiscard]] Lu lu_factor(Context& context, RealType type, const Matrix& a,
                           const LuOptions& options = {});

}  // namespace clgauss
