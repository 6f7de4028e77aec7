// A system of complex numbers.
#include <clgauss/complex.hpp>
#include <cstdio>

int main() try {
  clgauss::Context context(clgauss::open_device());
  using Number = std::complex<double>;
  // clang-format off
  const Number a[] = {{1, 1}, {2, 0},    // row by row
                      {0, 3}, {1, -1}};
  // clang-format on
  const Number b[] = {{3, 1}, {1, 2}};
  const clgauss::ComplexSolution solution = clgauss::solve_complex(
      context, {clgauss::ComplexMatrix(2, 2, a), clgauss::ComplexMatrix(2, 1, b)});
  if (solution.status != clgauss::SolveStatus::ok) return 1;
  const Number x = solution.x(0, 0), y = solution.x(1, 0);
  std::printf("x = %g %+gi, y = %g %+gi; scaled residual %.2g\n", x.real(), x.imag(), y.real(),
              y.imag(), solution.residual.scaled);
  return std::abs(a[0] * x + a[1] * y - b[0]) <= 1e-5 ? 0 : 1;
} catch (const clgauss::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
