#pragma once
/// A X = B in complex numbers, by LU with partial pivoting on the device. Gemm computes the
/// products as those of real matrices.

#include <clgauss/context.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/progress.hpp>
#include <clgauss/view.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/complex/complex_lu.hpp"

namespace clgauss {

/// The layout of A and B, side by side in one buffer, as real matrices of twice as many columns.
/// The columns between them and behind B are padding and must be zero.
struct ComplexLayout {
  ComplexLayout(RealType type, Index n, Index nrhs, const Parameters& parameters)
      : ComplexLayout(type, n, n, nrhs, parameters) {}
  /// For an m-by-n A, m >= n.
  ComplexLayout(RealType type, Index m, Index n, Index nrhs, const Parameters& parameters);

  /// B in the buffer of A and its factors `lu`, views in complex numbers.
  [[nodiscard]] MatrixView b_beside(const MatrixView& lu) const { return lu.at(0, b / 2); }

  Index m, n, nrhs;
  Index b;    // first column of B, in REALs
  Index end;  // end of the columns that are computed with
  Index ld;
};

/// One implementation of ComplexLu.
class ComplexLuWay {
 public:
  ComplexLuWay() = default;
  virtual ~ComplexLuWay() = default;
  ComplexLuWay(const ComplexLuWay&) = delete;
  ComplexLuWay& operator=(const ComplexLuWay&) = delete;

  virtual void factor(const cl::CommandQueue& queue, const MatrixView& a,
                      const ProgressCallback& progress) = 0;
  virtual void solve(const cl::CommandQueue& queue, const MatrixView& a) = 0;
  virtual void solve_again(const cl::CommandQueue& queue, const MatrixView& a, Index columns) = 0;
  virtual void solve_transposed(const cl::CommandQueue& queue, const MatrixView& a,
                                Index columns) = 0;
  virtual void prepare_transposed() = 0;
  [[nodiscard]] virtual Index columns_at_once() const = 0;
  [[nodiscard]] virtual std::optional<Index> failed_column(const cl::CommandQueue& queue) = 0;
  [[nodiscard]] virtual std::vector<Index> pivots(const cl::CommandQueue& queue) = 0;
  [[nodiscard]] virtual std::optional<SymmetricPivots> symmetric_pivots(
      const cl::CommandQueue& /*queue*/) {
    return std::nullopt;
  }
};

/// Of a Hermitian A, where A^H = A. Every solve is of all columns.
class HermitianWay : public ComplexLuWay {
 public:
  void solve_again(const cl::CommandQueue& queue, const MatrixView& a,
                   Index /*columns: all*/) override {
    solve(queue, a);
  }
  void solve_transposed(const cl::CommandQueue& queue, const MatrixView& a,
                        Index /*columns: all*/) override {
    solve(queue, a);
  }
  void prepare_transposed() override {}
};

class ComplexLu {
 public:
  /// n, nrhs > 0. On a GPU whose work-groups may wait for each other, factors as a real LU does,
  /// unless `options` ask for tournament pivoting. In that case no work-group waits, so
  /// repeat_until_co_resident() ends there. Pivoting is always partial, except with
  /// LuOptions::positive_definite, which means the same as in Lu: the lower triangle of a Hermitian
  /// A is read, and of its diagonal the real parts. L and U = D L^H then take half the flops, and
  /// pivots() exchange nothing. LuOptions::symmetric means P A P^T = L D L^H, as in Lu. Throws
  /// NoUsableKernel, OutOfMemory.
  ComplexLu(Context& context, RealType type, Index n, Index nrhs, const LuOptions& options);
  /// For the factors alone of an m-by-n A, m >= n > 0. There is no B, and no solve.
  /// 4 m n^2 - 4/3 n^3 flops; work-groups do not wait for each other. Throws NoUsableKernel,
  /// OutOfMemory.
  [[nodiscard]] static ComplexLu tall(Context& context, RealType type, Index m, Index n);

  /// Bytes of all buffers besides A and B.
  [[nodiscard]] static std::uint64_t bytes(const DeviceProfile& device, RealType type, Index n,
                                           Index nrhs, const LuOptions& options);

  [[nodiscard]] const ComplexLayout& layout() const { return layout_; }

  /// A <- L and U, for an `a` of this layout. 8/3 n^3 flops.
  void factor(const cl::CommandQueue& queue, const MatrixView& a,
              const ProgressCallback& progress = {}) {
    way_->factor(queue, a, progress);
  }
  /// B <- A^-1 B. Call it once, after factor(), which may have started the substitution.
  void solve(const cl::CommandQueue& queue, const MatrixView& a) { way_->solve(queue, a); }

  /// B <- A^-1 B for another B, of up to columns_at_once() columns, in place of the first.
  void solve_again(const cl::CommandQueue& queue, const MatrixView& a, Index columns) {
    way_->solve_again(queue, a, columns);
  }
  /// B <- A^-H B, also for another B. Throws NoUsableKernel, as does prepare_transposed(), which
  /// builds and self-tests its kernels.
  void solve_transposed(const cl::CommandQueue& queue, const MatrixView& a, Index columns) {
    way_->solve_transposed(queue, a, columns);
  }
  [[nodiscard]] Index columns_at_once() const { return way_->columns_at_once(); }
  void prepare_transposed() { way_->prepare_transposed(); }

  /// The first column whose pivot is 0 or not finite, or, for Cholesky, not positive. Call it after
  /// factor() and after each solve: it throws CoResidencyLost if their work-groups waited in vain.
  /// Waits. pivots() also waits, and returns the row exchanged with each row.
  [[nodiscard]] std::optional<Index> failed_column(const cl::CommandQueue& queue) const {
    return way_->failed_column(queue);
  }
  [[nodiscard]] std::vector<Index> pivots(const cl::CommandQueue& queue) const {
    return way_->pivots(queue);
  }
  /// The pivots of L D L^H; otherwise empty. Waits.
  [[nodiscard]] std::optional<SymmetricPivots> symmetric_pivots(
      const cl::CommandQueue& queue) const {
    return way_->symmetric_pivots(queue);
  }

 private:
  ComplexLu(const ComplexLayout& layout, std::unique_ptr<ComplexLuWay> way)
      : layout_(layout), way_(std::move(way)) {}

  ComplexLayout layout_;
  std::unique_ptr<ComplexLuWay> way_;
};

}  // namespace clgauss
