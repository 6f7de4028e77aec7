// C <- 2 A^T B - C for matrices on the host. For matrices on the device see context.cpp.
#include <clgauss/gemm.hpp>
#include <clgauss/residual.hpp>
#include <cstdio>

int main() try {
  clgauss::Context context(clgauss::open_device());
  const clgauss::Index m = 3, n = 2, k = 4;
  clgauss::Matrix a(k, m), b(k, n), c(m, n), expected(m, n);
  for (clgauss::Index p = 0; p < k; ++p) {
    for (clgauss::Index i = 0; i < m; ++i) a(p, i) = double(p) - double(i);
    for (clgauss::Index j = 0; j < n; ++j) b(p, j) = double(p * j + 1);
  }
  for (clgauss::Index i = 0; i < m; ++i)
    for (clgauss::Index j = 0; j < n; ++j) {
      c(i, j) = double(i + j);
      expected(i, j) = -c(i, j);
      for (clgauss::Index p = 0; p < k; ++p) expected(i, j) += 2 * a(p, i) * b(p, j);
    }

  const clgauss::Matrix result =
      clgauss::gemm(context, clgauss::RealType::f32, 2, a, true, b, false, -1, c);
  for (clgauss::Index i = 0; i < m; ++i) std::printf("%g %g\n", result(i, 0), result(i, 1));
  return clgauss::max_difference(result, expected) <= 1e-5 ? 0 : 1;
} catch (const clgauss::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
