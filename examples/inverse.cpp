// The inverse of a symmetric positive definite matrix by Cholesky's factors, and what it is worth.
#include <clgauss/inverse.hpp>
#include <cstdio>

int main() try {
  clgauss::Context context(clgauss::open_device("auto"));
  const clgauss::Matrix a(2, 2,
                          {4, 2,  //
                           2, 3});
  clgauss::InverseOptions options;
  options.lu.positive_definite = true;  // half the work of the factorisation
  const clgauss::Inverse inverse = clgauss::invert(context, a, options);
  if (!clgauss::has_answer(inverse.status)) return 1;  // the pivot of failed_column is not positive
  const clgauss::Matrix& x = inverse.x;
  std::printf("%g %g\n%g %g\n", x(0, 0), x(0, 1), x(1, 0), x(1, 1));
  std::printf("||A X - I|| = %.1e, rcond %.2g\n", inverse.residual, inverse.rcond);
  return x(0, 0) > 0.3749 && x(0, 0) < 0.3751 ? 0 : 1;  // 3 / 8
} catch (const clgauss::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
