#include <doctest/doctest.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>

#include "kernels/substitution/triangle_inverse.hpp"
#include "support/changed_kernels.hpp"
#include "support/devices.hpp"
#include "support/padded_matrix.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;
using clgauss::test::types_of;

namespace {

/// L and U in one, with multipliers as pivoting leaves them and no growth in their inverses.
Matrix factors(Index n, RealType type) {
  Matrix lu = random_matrix(n, n, 8);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      lu(i, j) = i == j ? 1.5 + 0.5 * lu(i, j) : lu(i, j) / static_cast<double>(n);
  return rounded(lu, type);
}

double product_of_factors(const Matrix& lu, Index i, Index j) {
  double sum = 0;
  for (Index k = 0; k <= std::min(i, j); ++k) sum += (k == i ? 1.0 : lu(i, k)) * lu(k, j);
  return sum;
}

}  // namespace

TEST_CASE("inverse of factors: right where blocks are whole, cut, alone and many") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index n : {1, 2, 63, 64, 65, 129, 200}) {
        CAPTURE(n);
        const Matrix lu = factors(n, type);
        Matrix identity(n, n);
        for (Index i = 0; i < n; ++i) identity(i, i) = 1;
        const PaddedMatrix on_device(context, type, lu, 5, 3), x(context, type, identity, 2, 1);
        Gemm gemm(context, type);
        FactorInverse(context, type, n).enqueue(context.queue(), gemm, on_device.view, x.view);
        const Matrix inverse = x.read(context, type);
        double worst = 0;
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < n; ++j) {
            double sum = i == j ? -1 : 0;
            for (Index k = 0; k < n; ++k) sum += inverse(i, k) * product_of_factors(lu, k, j);
            if (!(std::abs(sum) <= worst)) worst = std::abs(sum);
          }
        CHECK(worst <= 16 * static_cast<double>(n) * unit_roundoff(type));
      }
  });
}

TEST_CASE("inverse of factors: a kernel that is wrong is found out") {
  const test::ChangedKernels changed("triangle_inverse.cl", "upper != 0 ? sum / row[i] : sum",
                                     "upper != 0 ? sum * row[i] : sum");
  on_every_device([&](const Device& device) {
    Context context(device, changed.context_options());
    CHECK_THROWS_AS(FactorInverse(context, RealType::f32, 10), NoUsableKernel);
  });
}
