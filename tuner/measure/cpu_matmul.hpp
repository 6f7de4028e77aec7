#pragma once
/// The CPU loops of the documents, as plain C++: C = A B in f32.

#include <string>
#include <string_view>

#include "tuner/measure/product.hpp"
#include "tuner/measure/timing.hpp"

namespace clgauss::tune {

/// One loop. `multiply` computes the first `count` rows of C (or columns, if `by_columns`), so that a long one can be estimated.
struct CpuLoop {
  std::string_view name;
  bool by_columns = false;
  bool all_cores = false;
  void (*multiply)(Index n, Index count, const float* a, const float* b, float* c);
};

inline constexpr Index kCpuBlock = 32;  // side of the blocks of the blocked loops

[[nodiscard]] CpuLoop cpu_naive();            // ijk, one core
[[nodiscard]] CpuLoop cpu_buffered_column();  // a column of B copied together first, one core
[[nodiscard]] CpuLoop cpu_blocked();          // blocks of kCpuBlock, one core
[[nodiscard]] CpuLoop openmp_ijk();           // the naive loop, rows dealt to all cores
[[nodiscard]] CpuLoop openmp_ikj();           // A(i, k) in a register, B and C walked along rows
[[nodiscard]] CpuLoop openmp_blocked();

/// Cores that the OpenMP loops use; 0 if built without OpenMP.
[[nodiscard]] std::size_t openmp_cores();

/// Rows (columns) of n that time_cpu() times: all where that is quick or `all`, else enough for about 0.3 GFLOP a core.
[[nodiscard]] Index cpu_count(const CpuLoop& loop, Index n, bool all);

/// Checks `count` rows (columns), then times them and scales to all n. Where that is more than cpu_count() says, it is not begun if
/// those tell that it would take too long.
[[nodiscard]] Outcome time_cpu(const CpuLoop& loop, const Product& product, Index count,
                               const TimingOptions& options);

/// "2 threads, SkylakeX", or why there is none in this build.
[[nodiscard]] std::string openblas_detail();
[[nodiscard]] bool has_openblas();
/// Checks and times OpenBLAS's product on all cores: today's reference.
[[nodiscard]] Outcome time_openblas(const Product& product, const TimingOptions& options);

}  // namespace clgauss::tune
