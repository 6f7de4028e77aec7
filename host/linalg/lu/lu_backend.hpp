#pragma once
/// The implementations behind Lu: one for CPU devices, one for all others.

#include <clgauss/error.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/progress.hpp>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "launch/queue_progress.hpp"

namespace clgauss {

/// Progress of an LU, block by block.
class LuProgress {
 public:
  /// The LU takes `share` n^3 flops.
  LuProgress(const cl::CommandQueue& queue, const ProgressCallback& callback, Index n, Index block,
             double share = 2.0 / 3)
      : n_(static_cast<double>(n)),
        blocks_(queue, callback, "factorisation", (n + block - 1) / block, share * n_ * n_ * n_) {}

  /// Reports that block `index` is enqueued. `rest` columns are left; they take `share` rest^3
  /// flops.
  void block_enqueued(std::size_t index, Index rest) {
    const double left = static_cast<double>(rest) / n_;
    blocks_.step_enqueued(index, 1 - left * left * left);
  }
  void finish() { blocks_.finish(); }

 private:
  double n_;
  QueueProgress blocks_;
};

/// Calls attempt(options), a function of LuOptions. If it throws CoResidencyLost, calls it again:
/// first without look-ahead, if that was active, then with tournament pivoting.
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

/// The operations of Lu, on views that have been checked. They are enqueued on `queue`; those that
/// return numbers wait for it.
class LuBackend {
 public:
  LuBackend() = default;
  virtual ~LuBackend() = default;
  LuBackend(const LuBackend&) = delete;
  LuBackend& operator=(const LuBackend&) = delete;

  /// For getrf(), and for getrs() and gesv() with `nrhs` right-hand sides.
  virtual void prepare(const MatrixView& a, Index nrhs) = 0;
  /// For gesv() alone.
  virtual void prepare_gesv(const MatrixView& a, Index nrhs) { prepare(a, nrhs); }
  /// For getrs(), where prepare_gesv() need not have done that.
  virtual void prepare_getrs(Index /*nrhs*/) {}
  virtual void prepare_transposed(Index nrhs) = 0;
  /// Prepares both plain and transposed solves.
  virtual void prepare_both(Index nrhs) { prepare_transposed(nrhs); }
  /// If `progress` is given, it receives the number of blocks done, and getrf() waits for the
  /// device on the way and at the end.
  virtual void getrf(const cl::CommandQueue& queue, const MatrixView& a,
                     const ProgressCallback& progress) = 0;
  void getrf(const cl::CommandQueue& queue, const MatrixView& a) { getrf(queue, a, {}); }
  /// B <- A^-1 B with the factors `lu` of the last getrf(). Returns true if its own kernels leave
  /// NaN in B after a failed factorisation. If it returns false, the caller must call
  /// poison_if_failed().
  virtual bool getrs(const cl::CommandQueue& queue, const MatrixView& lu, const MatrixView& b,
                     Index nrhs) = 0;
  /// B <- A^-T B. The caller must then call poison_if_failed().
  virtual void getrs_transposed(const cl::CommandQueue& queue, const MatrixView& lu,
                                const MatrixView& b, Index nrhs) = 0;
  /// Fills the n-by-nrhs B with NaN if the factorisation failed.
  virtual void poison_if_failed(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs) = 0;
  /// getrf() and getrs(), in one launch for a small system. Returns the same as getrs().
  virtual bool gesv(const cl::CommandQueue& queue, const MatrixView& a, const MatrixView& b,
                    Index nrhs) {
    getrf(queue, a);
    return getrs(queue, a, b, nrhs);
  }
  [[nodiscard]] virtual std::optional<Index> failed_column(const cl::CommandQueue& queue) = 0;
  [[nodiscard]] virtual std::vector<Index> pivots(const cl::CommandQueue& queue) = 0;
  /// The pivots of L D L^T, whose D has blocks of up to two columns.
  [[nodiscard]] virtual std::optional<SymmetricPivots> symmetric_pivots(
      const cl::CommandQueue& /*queue*/) {
    return std::nullopt;
  }
  [[nodiscard]] virtual Pivoting pivoting() = 0;
  /// The kernel of cl/common/diagonal.cl, if one of the backend's programs contains it.
  [[nodiscard]] virtual std::optional<Kernel> diagonal_kernel() { return std::nullopt; }
};

/// The spec for an LU of order n: that of the options; else the tuned one for n, the device's
/// family and the pivoting; else the default. Throws UsageError and DeviceLimit for a spec of the
/// options.
[[nodiscard]] LuSpec lu_spec_for(Context& context, RealType type, Index n,
                                 const LuOptions& options);

/// The backend for the context's device and `spec`, from lu_spec_for(). If the kernels for CPUs do
/// not work and the options name no spec, returns the backend for GPUs, which runs anywhere. Throws
/// as Lu().
[[nodiscard]] std::unique_ptr<LuBackend> make_lu_backend(Context& context, RealType type, Index n,
                                                         const LuOptions& options,
                                                         const LuSpec& spec);

/// The backend for devices whose work-group runs on one core: panels in local work, partial
/// pivoting. `spec` must be of this family and checked; the same holds for make_lu_gpu().
[[nodiscard]] std::unique_ptr<LuBackend> make_lu_cpu(Context& context, RealType type, Index n,
                                                     const LuOptions& options, const LuSpec& spec);

/// The backend with persistent or tournament panels, and tiles in local memory or on matrix units.
[[nodiscard]] std::unique_ptr<LuBackend> make_lu_gpu(Context& context, RealType type, Index n,
                                                     const LuOptions& options, const LuSpec& spec);

/// As make_lu_gpu() for complex numbers, each of two of `type`; views and columns are counted in
/// complex numbers. Pivots partially by |re| + |im|, with panels whose work-groups wait for each
/// other; throws NoUsableKernel if those do not work. Transposed solves are solves with A^H.
[[nodiscard]] std::unique_ptr<LuBackend> make_complex_lu_gpu(Context& context, RealType type,
                                                             Index n, const LuOptions& options,
                                                             const LuSpec& spec);
[[nodiscard]] LuSpec complex_lu_spec(const DeviceProfile& device, RealType type, Index n);

}  // namespace clgauss
