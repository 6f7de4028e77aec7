#pragma once
/// The CPU loops of the documents, as plain C++: C = A B in f32.

#include <string>
#include <string_view>
#include <vector>

#include "tuner/measure/product.hpp"
#include "tuner/measure/timing.hpp"

namespace clgauss::tune {

/// One loop. `multiply` computes the first `count` rows of C (or columns, if `by_columns`), so that
/// a long one can be estimated.
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

/// Rows (columns) of n that prepare_cpu() times: all where that is quick or `all`, else enough for
/// about 0.3 GFLOP a core.
[[nodiscard]] Index cpu_count(const CpuLoop& loop, Index n, bool all);

/// The product, and room for C, which all that is prepared writes.
struct CpuMatrices {
  explicit CpuMatrices(const Product& of) : product(of), c(of.n() * of.n()) {}

  const Product& product;
  std::vector<float> c;
};

/// Checks `count` rows (columns); their times are scaled to all n. Where that is more than
/// cpu_count() says, it is not begun if those tell that it would take too long.
[[nodiscard]] Prepared prepare_cpu(const CpuLoop& loop, CpuMatrices& matrices, Index count,
                                   const TimingOptions& options);

/// "2 threads, SkylakeX", or why there is none in this build.
[[nodiscard]] std::string openblas_detail();
[[nodiscard]] bool has_openblas();
/// OpenBLAS's product on all cores: today's reference.
[[nodiscard]] Prepared prepare_openblas(CpuMatrices& matrices, const TimingOptions& options);

}  // namespace clgauss::tune
