#include "linalg/refinement/residual_block.hpp"

#include <doctest/doctest.h>

#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>
#include <cmath>
#include <limits>

#include "linalg/complex/complex_residual.hpp"
#include "linalg/refinement/answer_residual.hpp"
#include "matrix/transposed.hpp"

using namespace clgauss;

namespace {

/// Small integers, so that sums are exact.
Matrix integers(Index rows, Index columns, std::uint32_t seed) {
  Matrix m(rows, columns);
  for (double& value : m.values()) {
    seed = 1664525 * seed + 1013904223;
    value = static_cast<double>(seed >> 28U) - 8;
  }
  return m;
}

}  // namespace

TEST_CASE("residuals of many right-hand sides: every kind of vectors adds up every number") {
  for (const ResidualKernels& kernels : all_residual_kernels()) {
    if (!kernels.runs_here()) continue;
    CAPTURE(kernels.name);
    for (const Index n : {1, 3, 4, 7, 64, 66, 127, 129, 260})
      for (const Index nrhs : {1, 5, 8, 9, 16, 31, 33})
        for (const bool by_columns : {false, true}) {
          CAPTURE(n);
          CAPTURE(nrhs);
          CAPTURE(by_columns);
          const Matrix a = integers(n, n, 1), x = integers(n, nrhs, 2), b = integers(n, nrhs, 3);
          const Matrix turned = transposed(a);
          const StridedRows rows = by_columns ? StridedRows{turned.values().data(), n, n, 1, n}
                                              : StridedRows{a.values().data(), n, n, n, 1};
          Matrix r = b, alone = b, d(n, nrhs);
          kernels.add_products(rows, x.values().data(), nrhs, r.values().data(), d.values().data());
          kernels.add_products(rows, x.values().data(), nrhs, alone.values().data(), nullptr);
          Index wrong = 0;
          for (Index i = 0; i < n; ++i)
            for (Index c = 0; c < nrhs; ++c) {
              double sum = b(i, c), size = 0;
              for (Index k = 0; k < n; ++k) {
                sum -= a(i, k) * x(k, c);
                size += std::abs(a(i, k) * x(k, c));
              }
              if (r(i, c) != sum || d(i, c) != size || alone(i, c) != sum) ++wrong;
            }
          CHECK(wrong == 0);
          const Values sums = row_sums(rows);
          for (Index i = 0; i < n; ++i) {
            double sum = 0;
            for (Index k = 0; k < n; ++k) sum += std::abs(a(i, k));
            CHECK(sums[i] == sum);
          }
        }
  }
}

TEST_CASE("the residual of many right-hand sides is that of each alone") {
  constexpr Index n = 150, nrhs = 20;
  const double eps = std::numeric_limits<double>::epsilon() / 2;
  System system{generate_matrix("random", n, 1), integers(n, nrhs, 4)};
  Matrix x = generate_matrix("random", n, 2);
  x = Matrix(n, nrhs, Values(x.values().begin(), x.values().begin() + n * nrhs));
  const auto is_like_each = [&] {
    double worst = 0;
    for (Index c = 0; c < nrhs; ++c) {
      System one{system.a, Matrix(n, 1)};
      Matrix of_one(n, 1);
      for (Index i = 0; i < n; ++i) {
        one.b(i, 0) = system.b(i, c);
        of_one(i, 0) = x(i, c);
      }
      const double scaled = compute_residual(one, of_one, eps).scaled;
      worst = std::isnan(scaled) ? scaled : std::max(worst, scaled);
    }
    const System turned{transposed(system.a), system.b};
    for (const bool by_columns : {false, true}) {
      const double all =
          answer_residual(by_columns ? turned : system, x, eps, by_columns, false).norms.scaled;
      CHECK((std::isnan(worst) ? std::isnan(all) : all == doctest::Approx(worst).epsilon(1e-9)));
    }
  };
  is_like_each();
  for (double& value : system.b.values()) value *= 0x1p-1060;  // out of range without scaling
  for (double& value : x.values()) value *= 0x1p-1060;
  is_like_each();
  x(n - 1, nrhs - 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(compute_residual(system, x, eps).scaled));
}

TEST_CASE("the residual of many complex right-hand sides is that of each alone") {
  constexpr Index n = 601, nrhs = 9;  // several blocks, and several threads
  const double eps = std::numeric_limits<double>::epsilon() / 2;
  ComplexSystem system{ComplexMatrix(random_matrix(n, 2 * n, 1)),
                       ComplexMatrix(random_matrix(n, 2 * nrhs, 2))};
  Matrix x = random_matrix(2 * n, nrhs, 3);
  const auto is_like_each = [&] {
    const ComplexNorms norms = norms_of(system.a);
    const ComplexAnswerResidual all = answer_residual(system, norms, x, eps);
    double worst = 0;
    for (Index c = 0; c < nrhs; ++c) {
      ComplexSystem one{system.a, ComplexMatrix(n, 1)};
      Matrix of_one(2 * n, 1);
      for (Index i = 0; i < n; ++i) one.b.set(i, 0, system.b(i, c));
      for (Index i = 0; i < 2 * n; ++i) of_one(i, 0) = x(i, c);
      const ComplexAnswerResidual alone = answer_residual(one, norms, of_one, eps);
      worst = std::max(worst, alone.norms.backward_error);
      Index wrong = 0;
      for (Index i = 0; i < 2 * n; ++i) {
        const double rounding = 4 * static_cast<double>(n) * eps * alone.d(i, 0);
        if (!(std::abs(all.r(i, c) - alone.r(i, 0)) <= rounding)) ++wrong;
        if (!(std::abs(all.d(i, c) - alone.d(i, 0)) <= rounding)) ++wrong;
      }
      CHECK(wrong == 0);
    }
    CHECK(all.norms.backward_error == doctest::Approx(worst).epsilon(1e-12));
  };
  is_like_each();
  for (double& value : system.a.parts().values()) value *= 0x1p1000;  // out of range unscaled
  for (double& value : x.values()) value *= 0x1p500;
  for (double& value : system.b.parts().values()) value *= 0x1p1000;
  CHECK(std::isfinite(answer_residual(system, norms_of(system.a), x, eps).norms.backward_error));
  x(2 * n - 1, nrhs - 1) = std::numeric_limits<double>::quiet_NaN();
  CHECK(std::isnan(answer_residual(system, norms_of(system.a), x, eps).norms.backward_error));
}
