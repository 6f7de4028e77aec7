// The line through four points that is nearest to them.
#include <clgauss/least_squares.hpp>
#include <cstdio>

int main() try {
  clgauss::Context context(clgauss::open_device());
  const clgauss::Matrix a(4, 2,
                          {1, 0,  //
                           1, 1,  //
                           1, 2,  //
                           1, 3});
  const clgauss::Matrix b(4, 1, {1, 3, 4, 4});
  const clgauss::LeastSquares line = clgauss::least_squares(context, a, b);
  if (line.status != clgauss::LeastSquaresStatus::ok) return 1;  // NaN in A or b, say
  std::printf("y = %g + %g t, off by %g; rcond of R %.2g\n", line.x(0, 0), line.x(1, 0),
              line.residual_norms[0], line.rcond);
  return line.x(1, 0) > 0.9999 && line.x(1, 0) < 1.0001 ? 0 : 1;
} catch (const clgauss::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 2;
}
