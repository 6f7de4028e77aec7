#pragma once
/// What the families of batched kernels have in common.

#include <clgauss/batched.hpp>
#include <clgauss/lab/variant.hpp>
#include <memory>
#include <optional>
#include <string>

namespace clgauss {

/// One family of kernels for one n and type; the arguments are those of BatchedLu, never with an
/// empty batch.
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

 protected:
  BatchedBackend() = default;
};

[[nodiscard]] const KernelVariant& batched_cpu_variant();
[[nodiscard]] const KernelVariant& batched_ptx_variant();
[[nodiscard]] const KernelVariant& batched_tile_variant();
[[nodiscard]] const KernelVariant& batched_panels_variant();
[[nodiscard]] const KernelVariant& batched_blocks_variant();
[[nodiscard]] const KernelVariant& batched_panel_ptx_variant();

/// The largest n that the kernels take which hold a matrix in registers: tile and ptx.
inline constexpr Index kLargestInRegisters = 128;
/// The largest that panels takes, a column of which is in local memory, and that a CPU is given
/// systems of in vector lanes.
inline constexpr Index kLargestInPanels = 256;

/// n of the systems that `devices --kernels` asks for.
inline constexpr Index kUsualBatchedN = 24;

[[nodiscard]] std::unique_ptr<BatchedBackend> make_batched_cpu(
    Context& context, RealType type, Index n, const BatchedLuOptions& options = {});
/// `in_registers`: the code for devices whose work-items have registers (GPUs); by itself, what
/// suits the device.
[[nodiscard]] std::unique_ptr<BatchedBackend> make_batched_tile(
    Context& context, RealType type, Index n, const BatchedLuOptions& options = {},
    std::optional<bool> in_registers = {});
/// `parameters`: of batched_panels_variant(); by themselves, the usual ones. `workspace`: bytes of
/// factors that factor_and_solve() has at a time.
[[nodiscard]] std::unique_ptr<BatchedBackend> make_batched_panels(
    Context& context, RealType type, Index n, const BatchedLuOptions& options = {},
    const std::optional<Parameters>& parameters = {},
    std::uint64_t workspace = std::uint64_t{1} << 30);
/// One system after the other as Lu does it, and the solves of batched_cpu.
[[nodiscard]] std::unique_ptr<BatchedBackend> make_batched_each(
    Context& context, RealType type, Index n, const BatchedLuOptions& options = {});
/// Any n. `workspace` as above.
[[nodiscard]] std::unique_ptr<BatchedBackend> make_batched_blocks(
    Context& context, RealType type, Index n, const BatchedLuOptions& options = {},
    const std::optional<Parameters>& parameters = {},
    std::uint64_t workspace = std::uint64_t{1} << 30);
/// Null where it does not build or does not pass a self-test.
[[nodiscard]] std::unique_ptr<BatchedBackend> make_batched_ptx(Context& context, RealType type,
                                                               Index n);

/// Self-tests factor() and solve() of a backend; see require_batched().
void require_batched_factors(Context& context, RealType type, Index n, Index nrhs, bool definite,
                             BatchedBackend& backend);

/// Adds a view's buffer, offset, leading dimension and stride, as the batched kernels take them.
void pass_batch(Kernel& kernel, cl_uint& index, const BatchView& view);

}  // namespace clgauss
