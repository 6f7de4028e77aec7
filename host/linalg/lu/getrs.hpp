#pragma once
/// Solves with the factors of an LU. The backends for GPUs use them, and those for CPUs do for many
/// right-hand sides.

#include <clgauss/gemm.hpp>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/lu/laswp_trsm.hpp"
#include "kernels/substitution/trsm_cpu.hpp"
#include "kernels/substitution/trsv.hpp"
#include "kernels/substitution/trsv_columns_cpu.hpp"
#include "linalg/lu/updates.hpp"

namespace clgauss {

class Getrs {
 public:
  /// `kernels` and `updates` are shared with the factorisation. `may_wait`: whether work-groups may
  /// wait for each other.
  Getrs(const LuSetting& setting, LaswpTrsmKernels& kernels, LuUpdates& updates, bool may_wait);

  /// Builds the kernels of solve() for `nrhs` right-hand sides. Throws NoUsableKernel.
  void prepare(Index nrhs);
  /// The same for substitute(), which exchanges no rows.
  void prepare_substitution(Index nrhs);

  /// B <- U^-1 L^-1 P B, n-by-nrhs.
  void solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
             const cl::Buffer& pivots, const MatrixView& b, cl_uint nrhs);

  /// B <- U^-1 L^-1 B, of factors without row exchanges.
  void substitute(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                  const MatrixView& b, cl_uint nrhs);

 private:
  /// The first usable kernel for one right-hand side. Null: one is solved as many are.
  TrsvKernel* way_for_one();
  void solve_many(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                  const MatrixView& b, cl_uint nrhs);

  LuSetting setting_;
  LaswpTrsmKernels& kernels_;
  LuUpdates& updates_;
  std::vector<std::unique_ptr<TrsvKernel>> ways_;  // tried in this order
  std::optional<TrsvKernel*> way_;                 // the one found, once it was looked for
};

/// Solves with few right-hand sides, or transposed solves with any number. Both kinds of backends
/// use it.
class FewSolves {
 public:
  /// `may_wait`: as in make_column_solves().
  FewSolves(Context& context, NumberType number, Index n, const LuSetting* may_wait = nullptr)
      : memo_(context, number),
        waits_(may_wait != nullptr),
        ways_(make_column_solves(context, number, n, may_wait)) {}

  /// Whether it can compute B <- A^-1 B for `nrhs` right-hand sides.
  [[nodiscard]] bool solves_plain(Index nrhs) {
    return nrhs <= ColumnSolves::kMostColumns && way_for(static_cast<cl_uint>(nrhs), false);
  }

  /// Whether solves_plain() is faster than substitution by products: at most two launches per
  /// triangle.
  [[nodiscard]] bool beats_products(Index nrhs) {
    return waits_ && nrhs > 1 && nrhs <= 2 * PersistentTrsv::kMostColumns && solves_plain(nrhs);
  }

  /// Builds the kernels for transposed solves with `nrhs` right-hand sides, and launches each once
  /// on a system of one row. Throws NoUsableKernel.
  void prepare_transposed(Context& context, Index nrhs);
  /// As prepare_transposed(), for both directions, if beats_products(); otherwise does nothing.
  /// Returns beats_products(): whether the kernels of products are not needed.
  bool prepare_faster(Context& context, Index nrhs);
  /// As prepare_transposed(), and for B <- A^-1 B if solves_plain().
  void prepare_both(Context& context, Index nrhs);

  /// B <- A^-1 B if solves_plain(), or B <- A^-T B. `order` is the row order of the factorisation.
  /// Throws NoUsableKernel.
  void solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n, const RowOrder& order,
             const MatrixView& b, cl_uint nrhs, bool transposed);
  /// P as a row order, from the n row exchanges `pivots`. Valid until the next order().
  RowOrder order(const cl::CommandQueue& queue, const cl::Buffer& pivots, cl_uint n);

 private:
  void prepare(Context& context, Index nrhs, std::initializer_list<bool> transposed);
  /// The first way that works; null if none does.
  ColumnSolves* way_for(cl_uint nrhs, bool transposed);
  ColumnSolves& transposed_way_for(cl_uint nrhs);

  KernelMemo memo_;
  bool waits_;
  std::vector<std::unique_ptr<ColumnSolves>> ways_;  // tried in this order
};

/// Solves with many right-hand sides, with factors that other kernels computed. Uses the strip
/// kernel for CPUs if it works, and otherwise Getrs.
class ManySolves {
 public:
  ManySolves(Context& context, RealType type, Index n, const GemmOptions& gemm_options);

  /// Rows of a system just large enough to launch every kernel.
  [[nodiscard]] cl_uint rows_to_prepare() const {
    return products_ ? products_->kernels.solve_block() + 1 : 1;
  }
  /// Builds the kernels for `nrhs` right-hand sides. Throws NoUsableKernel.
  void prepare(Index nrhs) {
    if (products_) products_->solves.prepare(nrhs);
  }
  void solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
             const cl::Buffer& pivots, const MatrixView& b, cl_uint nrhs);
  /// As solve(), for factors without row exchanges.
  void substitute(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                  const MatrixView& b, cl_uint nrhs);

 private:
  struct Products {
    Products(Context& context, RealType type, Index n, const GemmOptions& gemm_options);

    KernelMemo memo;
    LuFlags flags;
    Parameters parameters;
    LuSetting setting;
    Gemm gemm;
    LuUpdates updates;
    LaswpTrsmKernels kernels;
    Getrs solves;
  };

  TrsmCpu strips_;
  std::unique_ptr<Products> products_;  // null: use strips_
};

}  // namespace clgauss
