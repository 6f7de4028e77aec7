#pragma once
/// A X = B in complex numbers, by LU with partial pivoting on the device. Its products are Gemm's,
/// of real matrices.

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

/// Where A and B lie, side by side in one buffer, as real matrices of twice as many columns. The
/// columns between them and behind B belong to nobody, and are to be zeros.
struct ComplexLayout {
  ComplexLayout(RealType type, Index n, Index nrhs, const Parameters& parameters)
      : ComplexLayout(type, n, n, nrhs, parameters) {}
  /// Of an m-by-n A, m >= n.
  ComplexLayout(RealType type, Index m, Index n, Index nrhs, const Parameters& parameters);

  Index m, n, nrhs;
  Index b;    // first column of B, in REALs
  Index end;  // of the columns that are worked on
  Index ld;
};

/// One way to do what ComplexLu does.
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
};

class ComplexLu {
 public:
  /// n, nrhs > 0. On a GPU whose work-groups may wait for each other as a real LU, unless `options`
  /// ask for tournament pivoting: so repeat_until_co_resident() ends with what waits for nobody.
  /// Pivoting is partial always, but for LuOptions::positive_definite, as Lu has it: of a Hermitian
  /// A the lower triangle is read, and of its diagonal the real parts; L and U = D L^H come of half
  /// the flops, and pivots() exchange nothing. Throws NoUsableKernel, OutOfMemory.
  ComplexLu(Context& context, RealType type, Index n, Index nrhs, const LuOptions& options);
  /// For the factors alone of an m-by-n A, m >= n > 0: there is no B, and nothing is solved with
  /// them. 4 m n^2 - 4/3 n^3 flops, by work-groups that wait for nobody. Throws NoUsableKernel,
  /// OutOfMemory.
  [[nodiscard]] static ComplexLu tall(Context& context, RealType type, Index m, Index n);

  /// Bytes of all that it holds beside A and B.
  [[nodiscard]] static std::uint64_t bytes(const DeviceProfile& device, RealType type, Index n,
                                           Index nrhs);

  [[nodiscard]] const ComplexLayout& layout() const { return layout_; }

  /// A <- L and U, for `a` of that layout. 8/3 n^3 flops.
  void factor(const cl::CommandQueue& queue, const MatrixView& a,
              const ProgressCallback& progress = {}) {
    way_->factor(queue, a, progress);
  }
  /// B <- A^-1 B, once after factor(), which may have begun it.
  void solve(const cl::CommandQueue& queue, const MatrixView& a) { way_->solve(queue, a); }

  /// B <- A^-1 B for another B in the place of the first, of up to columns_at_once() columns.
  void solve_again(const cl::CommandQueue& queue, const MatrixView& a, Index columns) {
    way_->solve_again(queue, a, columns);
  }
  /// B <- A^-H B for one, too. Throws NoUsableKernel, as prepare_transposed(), which builds its
  /// kernels and asks them.
  void solve_transposed(const cl::CommandQueue& queue, const MatrixView& a, Index columns) {
    way_->solve_transposed(queue, a, columns);
  }
  [[nodiscard]] Index columns_at_once() const { return way_->columns_at_once(); }
  void prepare_transposed() { way_->prepare_transposed(); }

  /// The first column whose pivot is 0 or not finite, or not positive. Throws CoResidencyLost where
  /// work-groups waited in vain, of factor() or of a solve: to be asked after each. Waits, as
  /// pivots(), the rows exchanged with each.
  [[nodiscard]] std::optional<Index> failed_column(const cl::CommandQueue& queue) const {
    return way_->failed_column(queue);
  }
  [[nodiscard]] std::vector<Index> pivots(const cl::CommandQueue& queue) const {
    return way_->pivots(queue);
  }

 private:
  ComplexLu(const ComplexLayout& layout, std::unique_ptr<ComplexLuWay> way)
      : layout_(layout), way_(std::move(way)) {}

  ComplexLayout layout_;
  std::unique_ptr<ComplexLuWay> way_;
};

}  // namespace clgauss
