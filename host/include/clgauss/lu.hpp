#pragma once
/// LU factorisation with pivoting, wholly on the device, and the solves with its factors.

#include <clgauss/context.hpp>
#include <clgauss/lab/elimination.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/io.hpp>
#include <clgauss/lab/lu_spec.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/pivoting.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace clgauss {

struct LuOptions {
  Pivoting pivoting = Pivoting::partial;  // partial or tournament
  bool substitute =
      false;  // solve with diagonal blocks by substitution, not by their inverses (a check)
  std::optional<LuSpec> spec = {};  // instead of default_lu_spec(); it decides the family
  GemmOptions gemm = {};            // of the trailing updates
};

/// A = P^T L U of one size, type and context: factor() and solve() may be called again and again, with the same
/// workspace. Everything is enqueued in order on the context's queue; only the functions that return
/// numbers wait for it.
///
/// CPU and GPU devices have implementations of their own behind it.
class Lu {
 public:
  virtual ~Lu() = default;
  Lu(const Lu&) = delete;
  Lu& operator=(const Lu&) = delete;

  /// Builds, and checks by known answers, every kernel that factor() and solve() take for views with the offset and
  /// leading dimension of `a`. Without it they do so when they first need one.
  virtual void prepare(const MatrixView& a, Index nrhs) = 0;

  /// Factors the n-by-n `a` in place: its strict lower part then holds L (unit diagonal not stored), its upper part
  /// U. An exactly zero or NaN pivot is reported by failed_column(), not thrown. 2/3 n^3 flops.
  virtual void factor(const MatrixView& a) = 0;

  /// B <- A^-1 B, n-by-nrhs, with the factors of the last factor(). 2 n^2 nrhs flops. What a factorisation that failed leaves
  /// in B is worthless: ask failed_column(), or enqueue poison_if_failed(). Throws UsageError if nothing was factored.
  virtual void solve(const MatrixView& b, Index nrhs) = 0;

  /// factor() and solve() together; a small system takes one launch.
  virtual void factor_and_solve(const MatrixView& a, const MatrixView& b, Index nrhs) {
    factor(a);
    solve(b, nrhs);
  }

  /// B <- NaN, n-by-nrhs, if the factorisation had a zero or NaN pivot or lost its co-residency; enqueued, nothing waits.
  virtual void poison_if_failed(const MatrixView& b, Index nrhs) = 0;

  /// 0-based column of the first exactly zero or NaN pivot. Waits for the queue. Throws CoResidencyLost if the factors are
  /// worthless because work-groups that wait for each other did not all run at once.
  [[nodiscard]] virtual std::optional<Index> failed_column() = 0;

  /// Row exchanged with row j, 0-based: LAPACK's ipiv - 1. Waits for the queue.
  [[nodiscard]] virtual std::vector<Index> pivots() = 0;

  /// The kernel of cl/diagonal.cl for the type of the factors, if it is in a program that is built anyway.
  [[nodiscard]] virtual std::optional<Kernel> diagonal_kernel() { return std::nullopt; }

  /// What is really done: a GPU where no kernel may wait for another one's groups answers partial with tournament.
  [[nodiscard]] virtual Pivoting pivoting() const = 0;

 protected:
  Lu() = default;
};

/// The implementation for the context's device. Throws DeviceLimit, OutOfMemory (the workspace does not fit), BuildError, and
/// for `options.spec` as check_lu_spec().
[[nodiscard]] std::unique_ptr<Lu> make_lu(Context& context, RealType type, Index n,
                                          const LuOptions& options = {});

/// The factors of one matrix on the device, for as many solves as wanted. The context must outlive them.
struct LuFactors {
  std::unique_ptr<Lu> lu;
  Context* context = nullptr;
  RealType type = RealType::f64;
  Index n = 0;
  MatrixView factors;  // L and U, in the caller's buffer or in one of clgauss
};

/// Factors the n-by-n view `a` of the caller's buffer in place, enqueued on the context's queue; see Lu::factor(). Throws
/// DimensionError for a view that cannot hold A, and as make_lu().
[[nodiscard]] LuFactors lu_factor(Context& context, RealType type, const MatrixView& a,
                                  Index n, const LuOptions& options = {});

/// Copies the host matrix `a`, which stays as it is, to the device and factors it there. Throws DimensionError if it is not
/// square, ValueError for a number outside f32's range, and as make_lu().
[[nodiscard]] LuFactors lu_factor(Context& context, RealType type, const Matrix& a,
                                  const LuOptions& options = {});

/// B <- A^-1 B for the n-by-nrhs view `b` of the caller's buffer, enqueued; NaN if the factors are singular or worthless, which
/// factors.lu->failed_column() tells. Throws DimensionError for a view that cannot hold B, UsageError for factors that were moved
/// from.
void lu_solve(const LuFactors& factors, const MatrixView& b, Index nrhs);

/// A^-1 B of a host matrix. Throws DimensionError if b has not n rows, SingularFactors, CoResidencyLost.
[[nodiscard]] Matrix lu_solve(const LuFactors& factors, const Matrix& b);

/// Solves A X = B of host matrices by LU, with times and pivots; what solve() calls. Memory on the device: n (ld + nrhs)
/// elements, ld slightly above n, and the workspace of Lu; whether all of it is there is asked before anything starts. Where
/// panels with partial pivoting lose each other (CoResidencyLost), it is done once more with tournament pivoting. Throws as
/// gauss_solve().
[[nodiscard]] EliminationResult lu_solve_system(Context& context, const System& system,
                                                RealType type, const LuOptions& options = {},
                                                const ProgressCallback& progress = {});

/// Reads A once more, as it was.
using ReadMatrix = std::function<Matrix()>;

/// The same without keeping A: system.a is given back to the operating system row by row while it is uploaded, and left empty.
/// On a CPU device, whose memory is the host's, A is so there once and not twice. `read_again` is called only where it has to
/// be done once more.
[[nodiscard]] EliminationResult lu_solve_in_place(Context& context, System& system,
                                                  RealType type, const ReadMatrix& read_again,
                                                  const LuOptions& options = {},
                                                  const ProgressCallback& progress = {});

}  // namespace clgauss
