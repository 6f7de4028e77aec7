#pragma once
/// The common interface of the families of batched kernels.

#include <clgauss/batched.hpp>
#include <clgauss/lab/variant.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/common/number_type.hpp"

namespace clgauss {

struct BatchedQuestion;

/// One family of kernels for one n and type. The arguments are those of BatchedLu, and views are
/// counted in numbers; the batch is never empty.
class BatchedBackend {
 public:
  virtual ~BatchedBackend() = default;
  BatchedBackend(const BatchedBackend&) = delete;
  BatchedBackend& operator=(const BatchedBackend&) = delete;

  virtual void prepare(Index nrhs) = 0;
  virtual void factor(const cl::CommandQueue& queue, const BatchFactors& factors) = 0;
  virtual void solve(const cl::CommandQueue& queue, const BatchFactors& factors, const BatchView& b,
                     Index nrhs) = 0;
  virtual void factor_and_solve(const cl::CommandQueue& queue, const BatchView& a,
                                const BatchView& b, Index nrhs, Index batch,
                                const cl::Buffer& info) = 0;
  [[nodiscard]] virtual std::string name() const = 0;
  /// BatchedLu::inertias(). Waits.
  [[nodiscard]] virtual std::vector<Inertia> inertias(const cl::CommandQueue& /*queue*/) const {
    return {};
  }

 protected:
  BatchedBackend() = default;
};

[[nodiscard]] const KernelVariant& batched_cpu_variant();
[[nodiscard]] const KernelVariant& batched_ptx_variant();
[[nodiscard]] const KernelVariant& batched_tile_variant();
[[nodiscard]] const KernelVariant& batched_panels_variant();
[[nodiscard]] const KernelVariant& batched_cholesky_variant();
[[nodiscard]] const KernelVariant& batched_blocks_variant();
[[nodiscard]] const KernelVariant& batched_panel_ptx_variant();
[[nodiscard]] const KernelVariant& batched_ldlt_cpu_variant();
[[nodiscard]] const KernelVariant& batched_ldlt_variant();

/// The largest n of the kernels that hold a matrix of real numbers in registers (tile and ptx).
inline constexpr Index kLargestInRegisters = 128;
/// The same of tile, and of ptx, for these numbers.
[[nodiscard]] Index largest_in_tile(NumberType number);
[[nodiscard]] Index largest_in_ptx(NumberType number);
/// The largest n of panels, which keeps a column in local memory. Also the largest n of systems
/// that a CPU solves in vector lanes.
inline constexpr Index kLargestInPanels = 256;

/// n of the systems that `devices --kernels` tests.
inline constexpr Index kUsualBatchedN = 24;

[[nodiscard]] std::unique_ptr<BatchedBackend> make_batched_cpu(
    Context& context, RealType type, Index n, const BatchedLuOptions& options = {});
/// `in_registers`: use the code for devices whose work-items have many registers (GPUs). By
/// default, the device decides.
[[nodiscard]] std::unique_ptr<BatchedBackend> make_batched_tile(
    Context& context, RealType type, Index n, const BatchedLuOptions& options = {},
    std::optional<bool> in_registers = {});
/// `parameters`: those of batched_panels_variant(), and `cholesky`: those of
/// batched_cholesky_variant(), by default the usual ones. `workspace`: the most bytes of factors
/// that factor_and_solve() keeps at a time.
[[nodiscard]] std::unique_ptr<BatchedBackend> make_batched_panels(
    Context& context, RealType type, Index n, const BatchedLuOptions& options = {},
    const std::optional<Parameters>& parameters = {},
    std::uint64_t workspace = std::uint64_t{1} << 30,
    const std::optional<Parameters>& cholesky = {});
/// Factors one system after the other with Lu, and solves with the kernels of batched_cpu.
[[nodiscard]] std::unique_ptr<BatchedBackend> make_batched_each(
    Context& context, RealType type, Index n, const BatchedLuOptions& options = {});
/// For any n. `workspace` as above.
[[nodiscard]] std::unique_ptr<BatchedBackend> make_batched_blocks(
    Context& context, RealType type, Index n, const BatchedLuOptions& options = {},
    const std::optional<Parameters>& parameters = {},
    std::uint64_t workspace = std::uint64_t{1} << 30);
/// L D L^T of symmetric matrices. `cpu`: one work-item solves a system, in vectors, else a
/// work-group, n <= kLargestInPanels. `packed`: in local memory; by default, where it fits.
[[nodiscard]] std::unique_ptr<BatchedBackend> make_batched_ldlt(Context& context, RealType type,
                                                                Index n, bool cpu,
                                                                std::optional<bool> packed = {});
/// Null if the kernels do not build or fail their self-test.
[[nodiscard]] std::unique_ptr<BatchedBackend> make_batched_ptx(Context& context, NumberType number,
                                                               Index n);

/// Self-tests factor() and solve() of a backend; see require_batched().
void require_batched_factors(Context& context, NumberType number, Index n, Index nrhs,
                             bool definite, BatchedBackend& backend);

/// Solves the systems of a self-test by factor() and solve() of a backend.
void factor_apart_and_solve(Context& context, Index n, const BatchedQuestion& question,
                            BatchedBackend& backend);

/// Passes a view's buffer, offset, leading dimension and stride as arguments.
void pass_batch(Kernel& kernel, cl_uint& index, const BatchView& view);

}  // namespace clgauss
