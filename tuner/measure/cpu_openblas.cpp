#ifdef CLGAUSS_TUNE_WITH_OPENBLAS
#include <cblas.h>
#endif

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "tuner/measure/cpu_matmul.hpp"

namespace clgauss::tune {

#ifdef CLGAUSS_TUNE_WITH_OPENBLAS

bool has_openblas() { return true; }

std::string openblas_detail() {
  return fmt::format("{} threads, {}", openblas_get_num_threads(), openblas_get_corename());
}

Prepared prepare_openblas(CpuMatrices& matrices, const TimingOptions& options) {
  const Product& product = matrices.product;
  const Index n = product.n();
  std::ranges::fill(matrices.c, std::numeric_limits<float>::quiet_NaN());
  const auto multiply = [size = static_cast<blasint>(n), &matrices] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1,
                matrices.product.a().data(), size, matrices.product.b().data(), size, 0,
                matrices.c.data(), size);
  };
  const double once_s = time_once(multiply);
  if (!product.matches(matrices.c, n, n)) return {{Status::wrong_result, "C is not A B", {}}};
  return repeated(options, once_s, [multiply](std::size_t passes) {
    for (std::size_t p = 0; p < passes; ++p) multiply();
  });
}

#else

bool has_openblas() { return false; }
std::string openblas_detail() { return "unsupported: built without OpenBLAS"; }
Prepared prepare_openblas(CpuMatrices& /*matrices*/, const TimingOptions& /*options*/) {
  return {{Status::device_limit, openblas_detail(), {}}};
}

#endif

}  // namespace clgauss::tune
