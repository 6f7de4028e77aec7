// A thousand small systems at once. One that is singular is named and leaves the others alone.
#include <clgauss/batched.hpp>
#include <cmath>
#include <cstdio>

int main() try {
  clgauss::Context context(clgauss::open_device());
  const clgauss::Index count = 1000, n = 4, singular = 17;
  clgauss::BatchedSystem system{
      .a = {count, n, n,
            clgauss::Values(count * n * n, 0.0)},  // one row-major matrix after another
      .b = {count, n, 1, clgauss::Values(count * n, 1.0)}};
  for (clgauss::Index s = 0; s < count; ++s)  // A_s = diagonal of 1 + s, so that x = 1 / (1 + s)
    for (clgauss::Index i = 0; i < n; ++i)
      system.a.matrix(s)[i * n + i] = s == singular ? 0.0 : double(1 + s);

  const clgauss::BatchedSolution solution = clgauss::solve_batched(context, system);
  for (const clgauss::Index s : solution.singular) std::printf("system %zu is singular\n", s);
  bool right = solution.singular.size() == 1 && solution.singular[0] == singular;
  for (clgauss::Index s = 0; s < count; ++s)
    if (s != singular)
      for (const double x : solution.x.matrix(s)) right &= std::abs(x * double(1 + s) - 1) <= 1e-6;
  std::printf("largest scaled residual of the others: %.3g\n", solution.worst.scaled);
  return right ? 0 : 1;
} catch (const clgauss::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
