#pragma once
/// What stands behind Lu: one implementation for CPU devices, one for all others.

#include <clgauss/error.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/progress.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "launch/queue_progress.hpp"

namespace clgauss {

/// Of an LU, block by block.
class LuProgress {
 public:
  /// Of `share` n^3 flops.
  LuProgress(const cl::CommandQueue& queue, const ProgressCallback& callback, Index n, Index block,
             double share = 2.0 / 3)
      : n_(static_cast<double>(n)),
        blocks_(queue, callback, "factorisation", (n + block - 1) / block, share * n_ * n_ * n_) {}

  /// Block `index` is enqueued, and `rest` columns are left, which take `share` rest^3 flops.
  void block_enqueued(std::size_t index, Index rest) {
    const double left = static_cast<double>(rest) / n_;
    blocks_.step_enqueued(index, 1 - left * left * left);
  }
  void finish() { blocks_.finish(); }

 private:
  double n_;
  QueueProgress blocks_;
};

/// attempt(options), a function of LuOptions; where that ends in CoResidencyLost, once more without
/// look-ahead if there was one, and where that does too, or there was none, with tournament
/// pivoting.
template <typename Attempt>
auto repeat_until_co_resident(LuOptions options, const Attempt& attempt) {
  for (;;) try {
      return attempt(std::as_const(options));
    } catch (const CoResidencyLost& lost) {
      if (options.look_ahead && lost.looked_ahead())
        options.look_ahead = false;
      else if (options.pivoting != Pivoting::tournament)
        options.pivoting = Pivoting::tournament;
      else
        throw;
    }
}

/// The operations of Lu, on views that were checked; they are enqueued on `queue`, or wait for it
/// where they return numbers.
class LuBackend {
 public:
  LuBackend() = default;
  virtual ~LuBackend() = default;
  LuBackend(const LuBackend&) = delete;
  LuBackend& operator=(const LuBackend&) = delete;

  virtual void prepare(const MatrixView& a, Index nrhs) = 0;
  virtual void prepare_transposed(Index nrhs) = 0;
  /// For solves in turn, plain and transposed.
  virtual void prepare_both(Index nrhs) { prepare_transposed(nrhs); }
  /// Where `progress` is given, the device is waited for on the way and in the end; it is told of
  /// blocks done.
  virtual void getrf(const cl::CommandQueue& queue, const MatrixView& a,
                     const ProgressCallback& progress) = 0;
  void getrf(const cl::CommandQueue& queue, const MatrixView& a) { getrf(queue, a, {}); }
  /// With the factors `lu` of the last getrf(). True where its own kernels leave NaN in B if the
  /// factorisation failed; else poison_if_failed() is for the caller to say.
  virtual bool getrs(const cl::CommandQueue& queue, const MatrixView& lu, const MatrixView& b,
                     Index nrhs) = 0;
  /// B <- A^-T B; poison_if_failed() is for the caller to say.
  virtual void getrs_transposed(const cl::CommandQueue& queue, const MatrixView& lu,
                                const MatrixView& b, Index nrhs) = 0;
  /// B <- NaN, n-by-nrhs, if the factorisation failed.
  virtual void poison_if_failed(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) = 0;
  /// getrf() and getrs(), in one launch where the system is small; true as getrs().
  virtual bool gesv(const cl::CommandQueue& queue, const MatrixView& a, const MatrixView& b,
                    Index nrhs) {
    getrf(queue, a);
    return getrs(queue, a, b, nrhs);
  }
  [[nodiscard]] virtual std::optional<Index> failed_column(const cl::CommandQueue& queue) = 0;
  [[nodiscard]] virtual std::vector<Index> pivots(const cl::CommandQueue& queue) = 0;
  /// Of L D L^T with blocks of two columns.
  [[nodiscard]] virtual std::optional<SymmetricPivots> symmetric_pivots(
      const cl::CommandQueue& /*queue*/) {
    return std::nullopt;
  }
  [[nodiscard]] virtual Pivoting pivoting() = 0;
  /// The kernel of cl/common/diagonal.cl, if it is in a program that is built anyway.
  [[nodiscard]] virtual std::optional<Kernel> diagonal_kernel() { return std::nullopt; }
};

/// The spec that an LU of this n takes: of the options, else what was tuned for n and for the
/// family that the device and the pivoting ask for, else the default. Throws UsageError and
/// DeviceLimit for one of the options.
[[nodiscard]] LuSpec lu_spec_for(Context& context, RealType type, Index n,
                                 const LuOptions& options);

/// The backend for the context's device and `spec`, which lu_spec_for() gave; where the kernels for
/// CPUs do not work and the options name no spec, the one for GPUs, which runs anywhere. Throws as
/// Lu().
[[nodiscard]] std::unique_ptr<LuBackend> make_lu_backend(Context& context, RealType type, Index n,
                                                         const LuOptions& options,
                                                         const LuSpec& spec);

/// Panels of local work for devices whose work-group is a core; true partial pivoting. `spec` is of
/// the family and was checked, as with make_lu_gpu().
[[nodiscard]] std::unique_ptr<LuBackend> make_lu_cpu(Context& context, RealType type, Index n,
                                                     const LuOptions& options, const LuSpec& spec);

/// Persistent or tournament panels, tiles in local memory or on the matrix units.
[[nodiscard]] std::unique_ptr<LuBackend> make_lu_gpu(Context& context, RealType type, Index n,
                                                     const LuOptions& options, const LuSpec& spec);

/// The same for complex numbers of two of `type`, in which views and columns are counted: partial
/// pivoting by |re| + |im|, with panels whose work-groups wait for each other, or NoUsableKernel.
/// Transposed solves are those with A^H.
[[nodiscard]] std::unique_ptr<LuBackend> make_complex_lu_gpu(Context& context, RealType type,
                                                             Index n, const LuOptions& options,
                                                             const LuSpec& spec);
[[nodiscard]] LuSpec complex_lu_spec(const DeviceProfile& device, RealType type, Index n);

}  // namespace clgauss
