#pragma once
/// Solves with the factors of an LU, as the backends for GPUs, and with many right-hand sides also
/// those for CPUs, do them.

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
  /// `kernels` and `updates` are shared with the factorisation. `may_wait`: work-groups may wait
  /// for each other.
  Getrs(const LuSetting& setting, LaswpTrsmKernels& kernels, LuUpdates& updates, bool may_wait);

  /// Builds the kernels for `nrhs` right-hand sides. Throws NoUsableKernel.
  void prepare(Index nrhs);

  /// B <- U^-1 L^-1 P B, n-by-nrhs.
  void solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
             const cl::Buffer& pivots, const MatrixView& b, cl_uint nrhs);

  /// B <- U^-1 L^-1 B, of factors without row exchanges.
  void substitute(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                  const MatrixView& b, cl_uint nrhs);

 private:
  /// The first way for one right-hand side that works; null: as with many.
  TrsvKernel* way_for_one();
  void solve_many(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
                  const MatrixView& b, cl_uint nrhs);

  LuSetting setting_;
  LaswpTrsmKernels& kernels_;
  LuUpdates& updates_;
  std::vector<std::unique_ptr<TrsvKernel>> ways_;  // in the order of trying
  std::optional<TrsvKernel*> way_;                 // that was found
};

/// Solves with a few right-hand sides, or transposed with any number, as both kinds of backends do
/// them.
class FewSolves {
 public:
  /// `may_wait`: as make_column_solves() has it.
  FewSolves(Context& context, NumberType number, Index n, const LuSetting* may_wait = nullptr)
      : memo_(context, number),
        waits_(may_wait != nullptr),
        ways_(make_column_solves(context, number, n, may_wait)) {}

  /// Whether it can do B <- A^-1 B for `nrhs` right-hand sides.
  [[nodiscard]] bool solves_plain(Index nrhs) {
    return nrhs <= ColumnSolves::kMostColumns && way_for(static_cast<cl_uint>(nrhs), false);
  }

  /// Whether that takes less time than substitution by products: up to two launches a triangle.
  [[nodiscard]] bool beats_products(Index nrhs) {
    return waits_ && nrhs > 1 && nrhs <= 2 * PersistentTrsv::kMostColumns && solves_plain(nrhs);
  }

  /// Builds the kernels for `nrhs` right-hand sides, transposed, and launches each once, on a
  /// system of one row. Throws NoUsableKernel.
  void prepare_transposed(Context& context, Index nrhs) { prepare(context, nrhs, {true}); }
  /// The same for B <- A^-1 B, if beats_products().
  void prepare_faster(Context& context, Index nrhs);
  /// The same for both directions, where it has them.
  void prepare_both(Context& context, Index nrhs);

  /// B <- A^-1 B, for which solves_plain(), or B <- A^-T B. `order` belongs to the row exchanges.
  /// Throws NoUsableKernel.
  void solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n, const RowOrder& order,
             const MatrixView& b, cl_uint nrhs, bool transposed);
  /// P of the n row exchanges `pivots`; valid until the next order().
  RowOrder order(const cl::CommandQueue& queue, const cl::Buffer& pivots, cl_uint n);

 private:
  void prepare(Context& context, Index nrhs, std::initializer_list<bool> transposed);
  /// The first that works; null if none does.
  ColumnSolves* way_for(cl_uint nrhs, bool transposed);
  ColumnSolves& transposed_way_for(cl_uint nrhs);

  KernelMemo memo_;
  bool waits_;
  std::vector<std::unique_ptr<ColumnSolves>> ways_;  // in the order of trying
};

/// Solves with many right-hand sides by themselves, with factors that other kernels left: by the
/// kernel for CPUs where that works, else as Getrs.
class ManySolves {
 public:
  ManySolves(Context& context, RealType type, Index n, const GemmOptions& gemm_options);

  /// Rows of a system in which every kernel is launched.
  [[nodiscard]] cl_uint rows_to_prepare() const {
    return products_ ? products_->kernels.solve_block() + 1 : 1;
  }
  /// Builds the kernels for `nrhs` right-hand sides. Throws NoUsableKernel.
  void prepare(Index nrhs) {
    if (products_) products_->solves.prepare(nrhs);
  }
  void solve(const cl::CommandQueue& queue, const MatrixView& lu, cl_uint n,
             const cl::Buffer& pivots, const MatrixView& b, cl_uint nrhs);
  /// The same for factors without row exchanges.
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
  std::unique_ptr<Products> products_;  // null: strips_ works
};

}  // namespace clgauss
