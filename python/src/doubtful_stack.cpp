#include "doubtful_stack.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/estimates/norm_estimator.hpp"
#include "matrix/max_or_nan.hpp"
#include "parallel.hpp"

namespace clgauss::python {

Batch with_doubt_question(const Batch& b, Index parts) {
  const Index width = b.cols + parts;
  Batch both{b.count, b.rows, width, Values(b.count * b.rows * width, 0.0)};
  const Matrix question = doubt_question(b.rows);
  in_parallel(b.count * b.rows, kElementsPerThread / width, [&](Index first, Index last) {
    for (Index row = first; row < last; ++row) {
      double* const out = both.values.data() + row * width;
      std::copy_n(b.values.data() + row * b.cols, b.cols, out);
      out[b.cols] = question(row % b.rows, 0);
    }
  });
  return both;
}

std::optional<Index> take_doubtful(const Batch& a, RealType type, Index parts, Batch& x) {
  const Index n = x.rows, columns = x.cols - parts;
  const auto magnitude = [parts](const double* number) {
    return parts == 2 ? safe_modulus(number[0], number[1]) : std::abs(*number);
  };
  Values taken(x.count * n * columns), sizes(x.count);
  const Index grain = kElementsPerThread / std::max<Index>(n * n, 1) + 1;
  in_parallel(x.count, grain, [&](Index first, Index last) {
    for (Index s = first; s < last; ++s) {
      double norm = 0, product = 0;
      for (Index row = s * n; row < (s + 1) * n; ++row) {
        double sum = 0;
        for (Index j = 0; j < n; ++j) sum += magnitude(a.values.data() + (row * n + j) * parts);
        norm = std::max(norm, sum);
        const double* const of_row = x.values.data() + row * x.cols;
        product = std::max(product, magnitude(of_row + columns));
        std::copy_n(of_row, columns, taken.data() + row * columns);
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
