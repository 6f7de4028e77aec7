#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <cmath>

#include "kernels/gemm/gemm_backend.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

void require_known_answer(Context& context, RealType type, const GemmShape& shape,
                          const std::function<void(const GemmCall&)>& multiply) {
  const auto [m, n, k, trans_a, trans_b, lower] = shape;
  const Matrix a = random_matrix(trans_a ? k : m, trans_a ? m : k, 1),
               b = random_matrix(trans_b ? n : k, trans_b ? k : n, 2), c = random_matrix(m, n, 3);
  const auto view_of = [&](const Matrix& matrix) {
    return to_device(context, type, matrix, matrix.cols(), "the check of a GEMM kernel");
  };
  const GemmCall call{shape, -1, view_of(a), view_of(b), 1, view_of(c)};
  multiply(call);
  const Values result = download(context.queue(), call.c.buffer, type, m * n);
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < (lower ? std::min(n, i + 1) : n); ++j) {
      double sum = c(i, j), size = std::abs(c(i, j));
      for (Index p = 0; p < k; ++p) {
        const double product = (trans_a ? a(p, i) : a(i, p)) * (trans_b ? b(j, p) : b(p, j));
        sum -= product;
        size += std::abs(product);
      }
      const double bound = 4.0 * static_cast<double>(k + 2) * unit_roundoff(type) * size;
      const double error = std::abs(result[i * n + j] - sum);
      if (!(error <= bound))
        throw WrongAnswer(
            fmt::format("wrong answer: C({}, {}) of a {} x {} x {} product is off by {:.3g}, at "
                        "most {:.3g} is right",
                        i + 1, j + 1, m, n, k, error, bound));
    }
}

}  // namespace clgauss
