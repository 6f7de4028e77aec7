// How many digits of an answer can be relied on.
#include <clgauss/condition.hpp>
#include <clgauss/solve.hpp>
#include <cstdio>

int main() try {
  clgauss::Context context(clgauss::open_device());
  const clgauss::Index n = 6;
  clgauss::System hilbert{clgauss::Matrix(n, n), {}};
  for (clgauss::Index i = 0; i < n; ++i)
    for (clgauss::Index j = 0; j < n; ++j) hilbert.a(i, j) = 1 / double(1 + i + j);
  hilbert.b = clgauss::row_sums(hilbert.a);

  clgauss::SolveOptions options;
  options.trust = true;
  const clgauss::Solution solution = clgauss::solve(context, hilbert, options);
  if (!solution.trust) return 1;
  std::printf("rcond %.2e, error <= %.1e: %d digits\n", solution.trust->rcond,
              solution.trust->forward_error[0], solution.trust->correct_digits());

  // With factors of one's own: LAPACK's gecon.
  const clgauss::RealType type = clgauss::choose_type(context.profile(), {});
  clgauss::Lu lu = clgauss::lu_factor(context, type, hilbert.a);
  const double rcond = clgauss::reciprocal_condition(lu, clgauss::size_of(hilbert.a).norm1);
  std::printf("rcond of the factors in %s: %.2e\n", clgauss::real_type_name(type), rcond);
  return rcond > 1e-9 && rcond < 1e-6 ? 0 : 1;  // 3.4e-8
} catch (const clgauss::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
