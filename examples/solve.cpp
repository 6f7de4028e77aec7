// One call from a system to an answer, and what it says of the answer.
#include <clgauss/solve.hpp>
#include <cmath>
#include <cstdio>

int main() try {
  clgauss::Context context(clgauss::open_device());
  clgauss::System system{clgauss::Matrix(2, 2), clgauss::Matrix(2, 1)};
  system.a(0, 0) = 0, system.a(0, 1) = 2;  // 2 y     = 4
  system.a(1, 0) = 1, system.a(1, 1) = 1;  // x + y = 5
  system.b(0, 0) = 4, system.b(1, 0) = 5;

  const clgauss::Solution solution = clgauss::solve(context, system);
  if (!clgauss::has_answer(solution.status)) {  // a singular A is an outcome, not an error
    std::printf("no answer: A is %.*s\n",
                static_cast<int>(clgauss::solve_status_name(solution.status).size()),
                clgauss::solve_status_name(solution.status).data());
    return 1;
  }
  std::printf("x = %g, y = %g, determinant %d * 10^%g, scaled residual %.3g\n", solution.x(0, 0),
              solution.x(1, 0), solution.determinant.sign, solution.determinant.log10_abs,
              solution.residual.scaled);
  return solution.status == clgauss::SolveStatus::ok && std::abs(solution.x(0, 0) - 3) <= 1e-5 &&
                 std::abs(solution.x(1, 0) - 2) <= 1e-5
             ? 0
             : 1;
} catch (const clgauss::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
