// Proves how far an answer can be off.
#include <clgauss/certify.hpp>
#include <clgauss/solve.hpp>
#include <cstdio>

int main() try {
  clgauss::Context context(clgauss::open_device());
  if (!context.profile().fp64) {
    std::printf("%s has no fp64, in which proofs are made\n", context.profile().name.c_str());
    return 0;
  }
  const clgauss::Index n = 50;
  clgauss::System system{clgauss::Matrix(n, n), {}};
  for (clgauss::Index i = 0; i < n; ++i)
    for (clgauss::Index j = 0; j < n; ++j) system.a(i, j) = i == j ? 2 : 1 / double(1 + i + 2 * j);
  system.b = clgauss::row_sums(system.a);
  const clgauss::Solution solution = clgauss::solve(context, system);
  const clgauss::Certificate proof = clgauss::certify(context, system, solution);
  if (!proof.proven) {
    std::printf("nothing is proven: %s\n", proof.reason.c_str());
    return 1;
  }
  std::printf("x(0) = %.16g, off by at most %.1e; every number is right to %.0f digits\n",
              solution.x(0, 0), proof.bounds(0, 0), proof.digits);
} catch (const clgauss::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
