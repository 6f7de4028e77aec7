#ifdef CLGAUSS_TUNE_WITH_OPENBLAS
#include <cblas.h>
#endif

#include <fmt/format.h>

#include <limits>

#include "tuner/measure/cpu_matmul.hpp"

namespace clgauss::tune {

#ifdef CLGAUSS_TUNE_WITH_OPENBLAS

bool has_openblas() { return true; }

std::string openblas_detail() {
  return fmt::format("{} threads, {}", openblas_get_num_threads(), openblas_get_corename());
}

Outcome time_openblas(const Product& product, const TimingOptions& options) {
  const Index n = product.n();
  const auto size = static_cast<blasint>(n);
  std::vector<float> c(n * n, std::numeric_limits<float>::quiet_NaN());
  const auto multiply = [&] {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, size, size, size, 1, product.a().data(),
                size, product.b().data(), size, 0, c.data(), size);
  };
  const double once_s = time_once(multiply);
  if (!product.matches(c, n, n)) return {Status::wrong_result, "C is not A B", {}};
  return time_runs(options, once_s, [&](std::size_t passes) {
    for (std::size_t p = 0; p < passes; ++p) multiply();
  });
}

#else

bool has_openblas() { return false; }
std::string openblas_detail() { return "unsupported: built without OpenBLAS"; }
Outcome time_openblas(const Product& /*product*/, const TimingOptions& /*options*/) {
  return {Status::device_limit, openblas_detail(), {}};
}

#endif

}  // namespace clgauss::tune
