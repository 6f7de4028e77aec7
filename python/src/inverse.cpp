#include "inverse.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "launch/staging.hpp"
#include "linalg/estimates/norm_estimator.hpp"
#include "linalg/refinement/row_sums.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "opencl_error.hpp"
#include "parallel.hpp"
#include "program/prepared.hpp"

namespace clgauss::python {

namespace {

/// What rows of a matrix say of a vector.
struct Product {
  explicit Product(Index n) : y(n), sums(n) {}

  Values y;     // M x
  Values sums;  // of magnitudes, by row

  void take(Index i, std::span<const double> row, const double* x) {
    const RowSums of_row = sums_of_row(row, x);
    y[i] = of_row.product;
    sums[i] = of_row.row;
  }
  [[nodiscard]] double norm() const {
    double largest = 0;
    for (const double sum : sums) largest = max_or_nan(largest, sum);
    return largest;
  }
};

/// Rows of `view` to the row-major `out` of their type; X s comes with them.
template <typename Real>
Product give(const Context& context, const MatrixView& view, Index n, const double* s, Real* out) {
  Product product(n);
  context.staging().read(context.queue(), view.buffer, n, view.ld * sizeof(Real),
                         [&](Index first, Index last, const std::byte* in) {
                           Values row(n);
                           for (Index i = first; i < last; ++i, in += view.ld * sizeof(Real)) {
                             std::memcpy(out + i * n, in, n * sizeof(Real));
                             std::copy_n(out + i * n, n, row.begin());
                             product.take(i, row, s);
                           }
                         });
  return product;
}

/// As the report has them.
void judge(const Matrix& a, const Product& of_x, const Values& s, double eps,
           InverseReport& report) {
  const Index n = a.rows();
  Product of_a(n);
  in_parallel(n, kElementsPerThread / n + 1, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) of_a.take(i, a.row(i), of_x.y.data());
  });
  double residual = 0;
  for (Index i = 0; i < n; ++i) residual = max_or_nan(residual, std::abs(s[i] - of_a.y[i]));
  const double condition = of_a.norm() * of_x.norm();
  report.scaled_residual = residual / condition / (static_cast<double>(n) * eps);
  report.rcond = 1 / condition;
}

}  // namespace

InverseReport invert(const std::shared_ptr<Session>& session, const Array& a,
                     const WritableArray& x) {
  const auto report = std::make_shared<InverseReport>();
  session->run([=](const ProgressCallback& progress) {
    Context& context = session->context();
    const Matrix matrix = to_matrix(a);
    const Index n = matrix.rows(), ld = padded_ld(n, type_of(a));
    const RealType type = type_of(a);
    translate_opencl_errors([&] {
      const auto lu = prepared(context.programs(), [&] {
        auto made = std::make_unique<Lu>(context, type, n);
        made->prepare({{}, 0, ld}, n);
        return made;
      });
      lu->factor(to_device(context, type, matrix, ld, "the matrix to invert"));
      report->failed_column = lu->failed_column();
      if (report->failed_column) return;
      progress("inverse", 0);
      const MatrixView on_device{context.allocate(n * ld * bytes_of(type), "the inverse"), 0, ld};
      enqueue_identity(context, type, on_device, n);
      lu->solve(on_device, n);
      const Values s = doubt_signs(n);
      const Product of_x =
          type == RealType::f32
              ? give(context, on_device, n, s.data(), static_cast<float*>(x.data()))
              : give(context, on_device, n, s.data(), static_cast<double*>(x.data()));
      judge(matrix, of_x, s, unit_roundoff(type), *report);
    });
  });
  return *report;
}

}  // namespace clgauss::python
