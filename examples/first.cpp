// The whole of a first program: a system, an answer, and what every outcome means.
#include <clgauss/solve.hpp>
#include <cstdio>

int main() try {
  clgauss::Context context(clgauss::open_device("auto"));  // keep it: a second solve builds nothing
  const clgauss::System system{
      clgauss::Matrix(2, 2, {0, 2,     // A, row by row (row-major):      2 y = 4
                             1, 1}),   //                             x +   y = 5
      clgauss::Matrix(2, 1, {4, 5})};  // b, a column for each right-hand side
  const clgauss::Solution solution = clgauss::solve(context, system);
  switch (solution.status) {
    case clgauss::SolveStatus::ok:  // x solves a system very close to this one
      std::printf("x = %g, y = %g\n", solution.x(0, 0), solution.x(1, 0));
      return 0;
    case clgauss::SolveStatus::inaccurate:  // x is there, its residual is larger than asked for
      std::printf("x = %g, y = %g, scaled residual %g\n", solution.x(0, 0), solution.x(1, 0),
                  solution.residual.scaled);
      return 1;
    case clgauss::SolveStatus::singular:  // a pivot is zero, or A holds NaN or Inf: there is no x
    case clgauss::SolveStatus::overflow:  // numbers left the range of the type: there is no x
    case clgauss::SolveStatus::not_positive_definite:  // by Method::cholesky
      break;
  }
  std::printf("no answer\n");
  return 1;
} catch (const clgauss::Error& error) {  // no device, no memory, a driver that fails
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
