#pragma once
/// Cases of the matmul reproductions.

#include "tuner/experiments/lazy.hpp"
#include "tuner/measure/cpu_matmul.hpp"
#include "tuner/measure/matmul_bench.hpp"
#include "tuner/reproduce/reproduction.hpp"

namespace clgauss::tune {

/// A device kernel of a document, as its rows name it.
struct MatmulRung {
  std::string name, parameters;
  std::size_t local = 0;  // work-items of a group
  std::function<MatmulKernel()>
      make;  // throws DeviceLimit where the device lacks what the kernel needs
};
[[nodiscard]] MatmulRung rung_of(std::string name, std::string parameters,
                                 const MatmulKernel& kernel);

/// The rungs of matmul-ladder, matmul-kernels, matmul-cpu-gpu for n-by-n matrices.
[[nodiscard]] std::vector<MatmulRung> ladder_rungs(const DeviceProfile& device, Index n);
[[nodiscard]] std::vector<MatmulRung> kernels_rungs(Context& context, Index n);
[[nodiscard]] std::vector<MatmulRung> steps_rungs(const DeviceProfile& device, Index n);

/// t1 + t2 + t3 of a rung of matmul-ladder here, as its document's times are; a CPU has t2 alone.
[[nodiscard]] std::optional<Estimate> ladder_time(const Measured& measured, std::string_view rung,
                                                  std::size_t n, std::string_view parameters = {});

/// The largest n at which the rungs of the claims have times, else the largest of all; empty
/// without rows.
[[nodiscard]] std::optional<std::size_t> ladder_n(const Measured& measured);

/// The fastest of matmul-cpu-gpu's loops on the CPU.
[[nodiscard]] std::optional<Estimate> best_loop(const Measured& measured, std::size_t n);

/// The sizes asked for, or `initial`.
[[nodiscard]] std::vector<std::size_t> sizes_or(const ReproduceOptions& options,
                                                std::vector<std::size_t> initial);

/// Makes the cases of one n, which share the matrices on the host and on the device.
class MatmulCases {
 public:
  MatmulCases(const Laboratory& laboratory, Index n);

  /// A row that says why n is too large for the device or for the check; empty if it is not.
  [[nodiscard]] std::optional<Case> too_large() const;
  /// The part t1 (copy_in) and t3 (copy_out): rows of the kernel "transfer".
  [[nodiscard]] Case transfer() const;
  /// t2 of a rung.
  [[nodiscard]] Case device(MatmulRung rung) const;
  [[nodiscard]] Case clgauss_gemm() const;
  [[nodiscard]] Case cpu(const CpuLoop& loop) const;
  [[nodiscard]] Case openblas() const;
  /// A row that says that the parameters do not belong together.
  [[nodiscard]] Case constraint(std::string_view rung, std::string_view parameters,
                                std::string_view reason) const;

  [[nodiscard]] Row row(std::string_view kernel, std::string_view part,
                        std::string_view parameters = {}) const;

 private:
  const Laboratory& laboratory_;
  Index n_;
  TimingOptions timing_;
  Lazy<Product> product_;
  Lazy<MatmulBench> bench_;
  Lazy<CpuMatrices> cpu_;
};

/// The side of a square work-group: 32, as in the documents, or 16 or 8 on a device that does not
/// allow 1024 work-items.
[[nodiscard]] std::size_t square_side(const DeviceProfile& device);

}  // namespace clgauss::tune
