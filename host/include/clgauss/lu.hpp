#pragma once
/// LU factorisation with pivoting, wholly on the device, and the solves with its factors.

#include <clgauss/context.hpp>
#include <clgauss/elimination.hpp>
#include <clgauss/io.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/pivoting.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <memory>
#include <optional>
#include <vector>

namespace clgauss {

struct LuOptions {
  Pivoting pivoting = Pivoting::partial;  // partial or tournament
  bool substitute =
      false;  // solve with diagonal blocks by substitution, not by their inverses (a check)
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

  /// Factors the n-by-n `a` in place: its strict lower part then holds L (unit diagonal not stored), its upper part
  /// U. An exactly zero or NaN pivot is reported by failed_column(), not thrown. 2/3 n^3 flops.
  virtual void factor(const MatrixView& a) = 0;

  /// B <- A^-1 B, n-by-nrhs, with the factors of the last factor(). 2 n^2 nrhs flops.
  virtual void solve(const MatrixView& b, Index nrhs) = 0;

  /// factor() and solve() together; a small system takes one launch.
  virtual void factor_and_solve(const MatrixView& a, const MatrixView& b, Index nrhs) {
    factor(a);
    solve(b, nrhs);
  }

  /// 0-based column of the first exactly zero or NaN pivot. Waits for the queue.
  [[nodiscard]] virtual std::optional<Index> failed_column() = 0;

  /// Row exchanged with row j, 0-based: LAPACK's ipiv - 1. Waits for the queue.
  [[nodiscard]] virtual std::vector<Index> pivots() = 0;

  /// What is really done: a GPU where no kernel may wait for another one's groups answers partial with tournament.
  [[nodiscard]] virtual Pivoting pivoting() const = 0;

 protected:
  Lu() = default;
};

/// The implementation for the context's device. Throws DeviceLimit, OutOfMemory (the workspace does not fit), BuildError.
[[nodiscard]] std::unique_ptr<Lu> make_lu(DeviceContext& context, RealType type, Index n,
                                          const LuOptions& options = {});

/// Solves A X = B of host matrices by LU. Memory on the device: n (ld + nrhs) elements, ld slightly above n, and the
/// workspace of Lu. Throws as gauss_solve().
[[nodiscard]] EliminationResult lu_solve(DeviceContext& context, const System& system,
                                         RealType type, const LuOptions& options = {},
                                         const ProgressCallback& progress = {});

}  // namespace clgauss
