#pragma once
/// Figures of the source documents, as in data/published.

#include <cstddef>
#include <optional>
#include <string_view>

namespace clgauss::tune::published {

/// Vatutin, Martynov, Titov 2013: whole times t1 + t2 + t3 on an i7 4770 with a GTX 770 (tables 2 to 6). `block` 0 where there is
/// none. Empty where the document has no number.
[[nodiscard]] std::optional<double> ladder_seconds(std::string_view rung, std::size_t n,
                                                   std::size_t block);

/// Lopatin 2023, table 1, n = 1000: mean and standard error; `configuration` is DIM, or "8x1" and the like for kernel_1.
struct KernelTime {
  std::string_view kernel, configuration;
  double mean_ms, standard_error_ms;
};
[[nodiscard]] std::optional<KernelTime> kernel_time(std::string_view kernel,
                                                    std::string_view configuration);

/// Tutubalin 2007, GeForce 8800 GTX (peak 86.4 GB/s): best rates found; `width` 1 or 4 floats.
inline constexpr double kBandwidthPeak = 86.4;
[[nodiscard]] double bandwidth_gb_per_s(bool by_columns, unsigned width);

/// Zhao: the best CPU version (ikj), n = 2048, in seconds, and how many times faster the naive GPU kernel is. The tables themselves
/// did not survive in the text.
inline constexpr double kCpuGpuBestCpuSeconds = 18.4;
inline constexpr double kCpuGpuNaiveGain = 400;

}  // namespace clgauss::tune::published
