// One system on all devices of a machine, or of several: mpirun -n 4 example_distributed.
#include <clgauss/distributed.hpp>
#include <clgauss/lab/generate.hpp>
#include <cstdio>

int main() try {
  clgauss::share_cores_among_ranks();  // which matters where the devices are the host's cores
  clgauss::Engine engine;
  const clgauss::Index n = 300;
  const auto a =
      clgauss::random_columns(n, 1);  // or columns_of_npy(), which reads what a rank needs
  const clgauss::DistributedSolution solution = clgauss::solve_distributed(
      engine, *a, [](clgauss::DistributedLu& lu) { return clgauss::random_matrix(lu.n(), 1, 7); });
  if (engine.rank() == 0)
    std::printf("%d ranks, %zu blocks: scaled residual %.2g\n", engine.ranks(),
                std::size_t((n + solution.block_columns - 1) / solution.block_columns),
                solution.residual.scaled);
  return solution.status == clgauss::SolveStatus::ok ? 0 : 1;
} catch (const clgauss::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  clgauss::end_all_ranks(2);  // the others may wait for this one
  return 2;
}
