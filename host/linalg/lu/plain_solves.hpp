#pragma once
/// Solves with the factors of an LU without row exchanges, for the backends that compute such
/// factors.

#include <clgauss/gemm.hpp>
#include <memory>
#include <optional>

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// The identity as row exchanges of n rows: 0, 1, 2 .. n - 1, as cl_uints.
[[nodiscard]] cl::Buffer no_exchanges(const Context& context, Index n);

class PlainSolves {
 public:
  PlainSolves(const Context& context, Index n);
  virtual ~PlainSolves() = default;
  PlainSolves(const PlainSolves&) = delete;
  PlainSolves& operator=(const PlainSolves&) = delete;

  /// Builds the kernels for `nrhs` right-hand sides. Throws NoUsableKernel.
  virtual void prepare(Index nrhs) = 0;
  /// B <- U^-1 L^-1 B, n-by-nrhs.
  virtual void solve(const cl::CommandQueue& queue, const MatrixView& factors, cl_uint n,
                     const MatrixView& b, Index nrhs) = 0;

  [[nodiscard]] const cl::Buffer& identity() const { return identity_; }  // no_exchanges()

 private:
  cl::Buffer identity_;
};

/// For devices whose work-group runs on one core.
[[nodiscard]] std::unique_ptr<PlainSolves> make_plain_solves_cpu(Context& context, RealType type,
                                                                 Index n,
                                                                 const GemmOptions& gemm_options);

/// For all other devices, with products by `gemm`. `setting` and `gemm` must outlive the result. A
/// solve that waits in vain sets setting.flags. `may_wait`: whether work-groups may wait for each
/// other; if it is not given, they may where those of LU's panels do.
[[nodiscard]] std::unique_ptr<PlainSolves> make_plain_solves_gpu(const LuSetting& setting,
                                                                 Gemm& gemm, bool may_wait);
[[nodiscard]] std::unique_ptr<PlainSolves> make_plain_solves_gpu(const LuSetting& setting,
                                                                 Gemm& gemm);

/// The first column with an unusable pivot, from the flags of factors whose kernels do not wait for
/// each other. Throws CoResidencyLost if a solve waited in vain, DeviceFault for a column that does
/// not exist.
[[nodiscard]] std::optional<Index> failed_column_of(Context& context, const LuFlags::Values& flags,
                                                    Index n);

}  // namespace clgauss
