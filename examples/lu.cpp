// Factors a matrix once and solves with it for right-hand sides that come one after the other.
#include <clgauss/lu.hpp>
#include <clgauss/residual.hpp>
#include <clgauss/solve.hpp>
#include <cstdio>

int main() try {
  clgauss::Context context(clgauss::open_device());
  const clgauss::RealType type =
      clgauss::choose_type(context.profile(), {});  // f64 where there is f64
  const clgauss::Index n = 100;
  clgauss::Matrix a(n, n);  // row-major: a(row, column)
  for (clgauss::Index i = 0; i < n; ++i)
    for (clgauss::Index j = 0; j < n; ++j) a(i, j) = i == j ? 0 : 1 / double(1 + i + 2 * j);

  clgauss::Lu lu = clgauss::lu_factor(context, type, a);
  if (const auto column = lu.failed_column()) {  // the status is asked; solve() would throw
    std::printf("A is singular: no pivot in column %zu\n", *column);
    return 1;
  }
  for (int step = 0; step < 3; ++step) {
    clgauss::Matrix b(n, 1);
    for (clgauss::Index i = 0; i < n; ++i) b(i, 0) = double(i % 7) - step;
    const clgauss::Matrix x = lu.solve(b);
    const clgauss::Residual residual =
        clgauss::compute_residual({a, b}, x, clgauss::unit_roundoff(type));
    std::printf("x(0) = %g, scaled residual %.3g\n", x(0, 0), residual.scaled);
    if (!(residual.scaled <= clgauss::kScaledResidualBound)) return 1;
  }
} catch (const clgauss::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
