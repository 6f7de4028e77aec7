// Inside an application that holds raw handles of OpenCL: its own queue, and matrices in cl_mem.
// A is factored and b solved with in place, in order on that queue; nothing waits until x is read.
#include <clgauss/lu.hpp>
#include <cmath>
#include <cstdio>
#include <vector>

int main() try {
  // What an application has already, by the functions of C.
  const cl::Device device = clgauss::open_device().handle;
  const cl_device_id id = device();
  cl_int code = CL_SUCCESS;
  cl_context opencl = clCreateContext(nullptr, 1, &id, nullptr, nullptr, &code);
  cl_command_queue queue = clCreateCommandQueueWithProperties(opencl, id, nullptr, &code);
  const clgauss::Index n = 200;
  std::vector<float> a(n * n), b(n), x(n);  // row-major; x is to be all 1
  for (clgauss::Index i = 0; i < n; ++i)
    for (clgauss::Index j = 0; j < n; ++j)
      b[i] += a[i * n + j] = static_cast<float>((7 * i + 3 * j) % 13) / 13 + (i == j ? 20 : 0);
  const cl_mem_flags copied = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
  cl_mem a_memory = clCreateBuffer(opencl, copied, a.size() * sizeof(float), a.data(), &code);
  cl_mem b_memory = clCreateBuffer(opencl, copied, b.size() * sizeof(float), b.data(), &code);

  {
    // A cl::Buffer releases a reference in the end. With `true` it retains one first, so that the
    // application keeps its own. With `false`, the default, it takes over the application's.
    const clgauss::MatrixView a_view{cl::Buffer(a_memory, true), 0, n};
    const clgauss::MatrixView b_view{cl::Buffer(b_memory, true), 0, 1};
    clgauss::Context context(cl::CommandQueue(queue, true));
    clgauss::Lu lu = clgauss::lu_factor(context, clgauss::RealType::f32, a_view, n);
    lu.solve(b_view, 1);
    clEnqueueReadBuffer(queue, b_memory, CL_TRUE, 0, x.size() * sizeof(float), x.data(), 0, nullptr,
                        nullptr);
    if (lu.failed_column()) return 1;  // A is singular, x is NaN
    // Here clgauss gives all its references back.
  }

  cl_uint owners = 0;
  clGetMemObjectInfo(a_memory, CL_MEM_REFERENCE_COUNT, sizeof owners, &owners, nullptr);
  float worst = 0;
  for (const float value : x) worst = std::fmax(worst, std::fabs(value - 1));
  std::printf("n = %zu, largest error %.2g, owners of A's memory: %u\n", n, double(worst), owners);
  clReleaseMemObject(a_memory);
  clReleaseMemObject(b_memory);
  clReleaseCommandQueue(queue);
  clReleaseContext(opencl);
  return worst <= 1e-4F && owners == 1 ? 0 : 1;
} catch (const clgauss::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
