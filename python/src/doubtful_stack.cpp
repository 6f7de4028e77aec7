#include "doubtful_stack.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/estimates/norm_estimator.hpp"
#include "parallel.hpp"

namespace clgauss::python {

Batch with_doubt_question(const Batch& b) {
  Batch both{b.count, b.rows, b.cols + 1, Values(b.count * b.rows * (b.cols + 1))};
  const Matrix question = doubt_question(b.rows);
  in_parallel(b.count * b.rows, kElementsPerThread / (b.cols + 1), [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      double* const out = both.values.data() + row * (b.cols + 1);
      std::copy_n(b.values.data() + row * b.cols, b.cols, out);
      out[b.cols] = question(row % b.rows, 0);
    }
  });
  return both;
}

std::optional<Index> take_doubtful(const Batch& a, RealType type, Batch& x) {
  const Index n = x.rows, columns = x.cols - 1;
  Values taken(x.count * n * columns), sizes(x.count);
  const Index grain = kElementsPerThread / std::max<Index>(n * n, 1) + 1;
  in_parallel(x.count, grain, [&](Index first, Index last) {
    for (Index s = first; s < last; ++s) {
      double norm = 0, product = 0;
      for (Index row = s * n; row < (s + 1) * n; ++row) {
        double sum = 0;
        for (Index j = 0; j < n; ++j) sum += std::abs(a.values[row * n + j]);
        norm = std::max(norm, sum);
        product = std::max(product, std::abs(x.values[row * (columns + 1) + columns]));
        std::copy_n(x.values.data() + row * (columns + 1), columns, taken.data() + row * columns);
      }
      sizes[s] = norm * product;
    }
  });
  x = {x.count, n, columns, std::move(taken)};
  const auto worst = std::ranges::max_element(sizes);
  const bool doubt = worst != sizes.end() && is_doubtful(n, unit_roundoff(type), 1, *worst);
  return doubt ? std::optional<Index>(worst - sizes.begin()) : std::nullopt;
}

}  // namespace clgauss::python
