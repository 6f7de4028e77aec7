// Solves a system in the device's memory by factors in f32, to the backward error of f64.
#include <clgauss/mixed_lu.hpp>
#include <cstdio>
#include <vector>

int main() try {
  clgauss::Context context(clgauss::open_device());
  if (!context.profile().fp64) {
    std::printf("%s has no fp64; clgauss::solve() computes the residuals on the host there\n",
                context.profile().name.c_str());
    return 0;
  }
  const clgauss::Index n = 200;
  std::vector<double> a(n * n), b(n, 0);  // row-major
  for (clgauss::Index i = 0; i < n; ++i)
    for (clgauss::Index j = 0; j < n; ++j) {
      a[i * n + j] = i == j ? 3 : 1 / double(1 + i + 2 * j);
      b[i] += a[i * n + j];  // so that x is all ones
    }
  const cl::CommandQueue& queue = context.queue();
  const clgauss::MatrixView a_view{context.allocate(n * n * sizeof(double), "A"), 0, n},
      b_view{context.allocate(n * sizeof(double), "b"), 0, 1};
  queue.enqueueWriteBuffer(a_view.buffer, CL_TRUE, 0, n * n * sizeof(double), a.data());
  queue.enqueueWriteBuffer(b_view.buffer, CL_TRUE, 0, n * sizeof(double), b.data());

  clgauss::MixedLu lu(context, n);
  const clgauss::Refinement refinement = lu.solve(a_view, b_view);
  if (!refinement.accepted) {  // the status is asked: f32 may not do for an ill-conditioned A
    std::printf("factors in f32 are not good enough; solve in f64\n");
    return 1;
  }
  queue.enqueueReadBuffer(b_view.buffer, CL_TRUE, 0, n * sizeof(double), b.data());
  std::printf("x(0) = %.16g after %zu corrections\n", b[0], refinement.corrections());
  return b[0] > 1 - 1e-12 && b[0] < 1 + 1e-12 ? 0 : 1;
} catch (const clgauss::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
