#include "tuner/reproduce/published.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace clgauss::tune::published {

namespace {

struct LadderTime {
  std::string_view rung;
  std::size_t block;
  std::array<double, 4> seconds;  // n = 256, 512, 1024, 2048; 0 = not published
};

constexpr LadderTime kLadder[]{
    {"cpu_naive", 0, {0.045, 0.41, 3.3, 103}},
    {"naive", 0, {0.055, 0.075, 0.21, 1.3}},
    {"buffered_column", 0, {0.054, 0.104, 0.777, 0}},
    {"buffered_row", 0, {0.055, 0.061, 0.12, 0}},
    {"blocked", 1, {0.099, 0.397, 0, 0}},
    {"blocked", 2, {0.060, 0.108, 0.471, 0}},
    {"blocked", 4, {0.059, 0.064, 0.129, 0.647}},
    {"blocked", 8, {0.052, 0.055, 0.075, 0.218}},
    {"blocked", 16, {0.057, 0.059, 0.065, 0.141}},
    {"blocked", 32, {0.055, 0.056, 0.064, 0.137}},
    {"blocked_4", 4, {0.002, 0.01, 0.07, 0.58}},
    {"blocked_4", 8, {0.0008, 0.003, 0.02, 0.14}},
    {"blocked_4", 16, {0.0005, 0.002, 0.011, 0.071}},
    {"blocked_4", 32, {0.0005, 0.002, 0.01, 0.058}},
};

constexpr KernelTime kKernels[]{
    {"cpu_naive", "", 4356.31, 0.61},  {"kernel_1", "8x1", 48.27, 0.01},
    {"kernel_1", "16x1", 33.17, 0.02}, {"kernel_1", "32x1", 26.80, 0.01},
    {"kernel_2", "32", 120.51, 6.95},  {"kernel_2", "64", 257.80, 0.45},
    {"kernel_2", "96", 321.30, 0.07},  {"kernel_2", "128", 321.38, 0.09},
    {"kernel_3", "32", 19.48, 0.01},   {"kernel_3", "64", 23.30, 0.05},
    {"kernel_4", "32", 17.24, 0.01},   {"kernel_5", "32", 10.54, 0.01},
};

}  // namespace

std::optional<double> ladder_seconds(std::string_view rung, std::size_t n, std::size_t block) {
  constexpr std::array<std::size_t, 4> kSizes{256, 512, 1024, 2048};
  const auto* const size = std::ranges::find(kSizes, n);
  const auto* const row = std::ranges::find_if(
      kLadder, [&](const LadderTime& time) { return time.rung == rung && time.block == block; });
  if (size == kSizes.end() || row == std::end(kLadder)) return std::nullopt;
  const double seconds = row->seconds[static_cast<std::size_t>(size - kSizes.begin())];
  return seconds > 0 ? std::optional<double>(seconds) : std::nullopt;
}

std::optional<KernelTime> kernel_time(std::string_view kernel, std::string_view configuration) {
  const auto* const row = std::ranges::find_if(kKernels, [&](const KernelTime& time) {
    return time.kernel == kernel && time.configuration == configuration;
  });
  return row == std::end(kKernels) ? std::nullopt : std::optional<KernelTime>(*row);
}

double bandwidth_gb_per_s(bool by_columns, unsigned width) {
  if (width == 4) return by_columns ? 3.73 : 38.83;
  return by_columns ? 0.92 : 70.52;
}

}  // namespace clgauss::tune::published
