#include "tuner/measure/cpu_matmul.hpp"

#ifdef _OPENMP
#include <omp.h>
#endif

#include <algorithm>
#include <limits>

#include "tuner/measure/flops.hpp"

namespace clgauss::tune {

namespace {

/// Row i of C, one dot product an element: B is walked down its columns.
void naive_row(Index n, Index i, const float* a, const float* b, float* c) {
  for (Index j = 0; j < n; ++j) {
    float sum = 0;
    for (Index k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
    c[i * n + j] = sum;
  }
}

void naive(Index n, Index count, const float* a, const float* b, float* c) {
  for (Index i = 0; i < count; ++i) naive_row(n, i, a, b, c);
}

void naive_parallel(Index n, Index count, const float* a, const float* b, float* c) {
#pragma omp parallel for
  for (Index i = 0; i < count; ++i) naive_row(n, i, a, b, c);
}

void buffered_column(Index n, Index count, const float* a, const float* b, float* c) {
  std::vector<float> column(n);
  for (Index j = 0; j < count; ++j) {
    for (Index k = 0; k < n; ++k) column[k] = b[k * n + j];
    for (Index i = 0; i < n; ++i) {
      float sum = 0;
      for (Index k = 0; k < n; ++k) sum += a[i * n + k] * column[k];
      c[i * n + j] = sum;
    }
  }
}

void ikj_parallel(Index n, Index count, const float* a, const float* b, float* c) {
#pragma omp parallel for
  for (Index i = 0; i < count; ++i) {
    std::fill_n(c + i * n, n, 0.0F);
    for (Index k = 0; k < n; ++k) {
      const float a_ik = a[i * n + k];
      for (Index j = 0; j < n; ++j) c[i * n + j] += a_ik * b[k * n + j];
    }
  }
}

/// Rows first .. last - 1 of C, a block of B after the other.
void blocked_rows(Index n, Index first, Index last, const float* a, const float* b, float* c) {
  std::fill(c + first * n, c + last * n, 0.0F);
  for (Index k0 = 0; k0 < n; k0 += kCpuBlock)
    for (Index j0 = 0; j0 < n; j0 += kCpuBlock) {
      const Index k1 = std::min(n, k0 + kCpuBlock), j1 = std::min(n, j0 + kCpuBlock);
      for (Index i = first; i < last; ++i)
        for (Index k = k0; k < k1; ++k) {
          const float a_ik = a[i * n + k];
          for (Index j = j0; j < j1; ++j) c[i * n + j] += a_ik * b[k * n + j];
        }
    }
}

void blocked(Index n, Index count, const float* a, const float* b, float* c) {
  for (Index i = 0; i < count; i += kCpuBlock)
    blocked_rows(n, i, std::min(count, i + kCpuBlock), a, b, c);
}

void blocked_parallel(Index n, Index count, const float* a, const float* b, float* c) {
#pragma omp parallel for
  for (Index i = 0; i < count; i += kCpuBlock)
    blocked_rows(n, i, std::min(count, i + kCpuBlock), a, b, c);
}

}  // namespace

CpuLoop cpu_naive() { return {"cpu_naive", false, false, naive}; }
CpuLoop cpu_buffered_column() { return {"cpu_buffered_column", true, false, buffered_column}; }
CpuLoop cpu_blocked() { return {"cpu_blocked", false, false, blocked}; }
CpuLoop openmp_ijk() { return {"openmp_ijk", false, true, naive_parallel}; }
CpuLoop openmp_ikj() { return {"openmp_ikj", false, true, ikj_parallel}; }
CpuLoop openmp_blocked() { return {"openmp_blocked", false, true, blocked_parallel}; }

std::size_t openmp_cores() {
#ifdef _OPENMP
  return static_cast<std::size_t>(omp_get_max_threads());
#else
  return 0;
#endif
}

Index cpu_count(const CpuLoop& loop, Index n, bool all) {
  constexpr double kFlopsOfOneCore = 3e8;
  const Index cores = loop.all_cores ? std::max<Index>(1, openmp_cores()) : 1;
  const double flops = kFlopsOfOneCore * static_cast<double>(cores);
  if (all || product_flops(n) <= flops) return n;
  const Index unit = kCpuBlock * cores;  // every core gets as many whole blocks
  const auto wanted = static_cast<Index>(flops / product_flops(n) * static_cast<double>(n));
  return std::min(n, std::max(unit, wanted / unit * unit));
}

Prepared prepare_cpu(const CpuLoop& loop, CpuMatrices& matrices, Index count,
                     const TimingOptions& options) {
  const Index n = matrices.product.n();
  std::ranges::fill(matrices.c, std::numeric_limits<float>::quiet_NaN());
  const auto multiply = [loop, n, &matrices](Index these) {
    loop.multiply(n, these, matrices.product.a().data(), matrices.product.b().data(),
                  matrices.c.data());
  };
  if (const Index few = cpu_count(loop, n, false); few < count) {
    const double scale = static_cast<double>(count) / static_cast<double>(few);
    const double expected_s = scale * time_once([&] { multiply(few); });
    if (!(expected_s <= options.timeout_s)) return {too_slow(expected_s)};
  }
  const double once_s = time_once([&] { multiply(count); });
  if (!matrices.product.matches(matrices.c, loop.by_columns ? n : count,
                                loop.by_columns ? count : n))
    return {{Status::wrong_result, "C is not A B", {}}};
  Prepared part = repeated(options, once_s, [multiply, count](std::size_t passes) {
    for (std::size_t p = 0; p < passes; ++p) multiply(count);
  });
  if (count == n || !part.timed_ns) return part;
  const double scale = static_cast<double>(n) / static_cast<double>(count);
  return {{}, [scale, timed_ns = part.timed_ns] { return scale * timed_ns(); }, part.expected_s};
}

}  // namespace clgauss::tune
