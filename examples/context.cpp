// Opens a device, and works in an application's own OpenCL: on its queue and in its buffers.
// Nothing waits but what the application waits for.
#include <clgauss/context.hpp>
#include <clgauss/gemm.hpp>
#include <cstdio>
#include <vector>

int main() try {
  const clgauss::Device device = clgauss::open_device();  // or "gpu", "nvidia:h200", "1:0"
  std::printf("%s: %u compute units\n", device.profile.name.c_str(), device.profile.compute_units);

  // What an application has already: a context, an in-order queue, buffers.
  const cl::Context opencl(device.handle);
  const cl::CommandQueue queue(opencl, device.handle);
  const std::vector<float> a{1, 2, 3, 4}, b{0, 1, 1, 0};  // 2-by-2, row-major
  const std::size_t bytes = 4 * sizeof(float);
  const cl::Buffer on_device[3]{{opencl, CL_MEM_READ_WRITE, bytes},
                                {opencl, CL_MEM_READ_WRITE, bytes},
                                {opencl, CL_MEM_READ_WRITE, bytes}};
  queue.enqueueWriteBuffer(on_device[0], CL_FALSE, 0, bytes, a.data());
  queue.enqueueWriteBuffer(on_device[1], CL_FALSE, 0, bytes, b.data());

  clgauss::Context context(
      queue);  // one for every thread; keep it: what it built is not built again
  clgauss::Gemm gemm(context, clgauss::RealType::f32);
  cl::Event done;
  gemm.multiply({.m = 2, .n = 2, .k = 2}, 1, {on_device[0], 0, 2}, {on_device[1], 0, 2}, 0,
                {on_device[2], 0, 2}, {.done = &done});

  std::vector<float> c(4);
  const std::vector<cl::Event> after{done};
  queue.enqueueReadBuffer(on_device[2], CL_TRUE, 0, bytes, c.data(), &after);
  std::printf("%g %g\n%g %g\n", c[0], c[1], c[2], c[3]);
  return c == std::vector<float>{2, 1, 4, 3} ? 0 : 1;
} catch (const clgauss::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
