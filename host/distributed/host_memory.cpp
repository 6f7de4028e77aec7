#include "distributed/host_memory.hpp"

#include <algorithm>

#include "opencl_error.hpp"

namespace clgauss {

HostMemory::HostMemory(const Context& context, std::size_t bytes) {
  if (context.profile().type == DeviceType::cpu) {
    bytes_ = {static_cast<std::byte*>(allocate_host_memory(bytes, 1)),
              [](std::byte* memory) { ::operator delete(memory); }};
    return;
  }
  // The driver pins what it allocates; it stays mapped as long as it is there.
  translate_opencl_errors([&] {
    const cl::Device device(context.queue().getInfo<CL_QUEUE_DEVICE>());
    const cl::CommandQueue queue(context.context(), device);
    const cl::Buffer buffer(context.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
    void* const mapped =
        queue.enqueueMapBuffer(buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes);
    bytes_ = {static_cast<std::byte*>(mapped), [queue, buffer](std::byte* memory) {
                clEnqueueUnmapMemObject(queue(), buffer(), memory, 0, nullptr, nullptr);
                clFinish(queue());  // that it fails would have been said before
              }};
  });
}

}  // namespace clgauss
