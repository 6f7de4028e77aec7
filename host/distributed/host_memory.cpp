#include "distributed/host_memory.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <clgauss/error.hpp>
#include <cstdlib>
#include <cstring>

#include "io/descriptor.hpp"
#include "launch/queue_order.hpp"
#include "opencl_error.hpp"

namespace clgauss {

HostMemory::HostMemory(const Context& context, std::size_t bytes) {
  if (context.profile().type == DeviceType::cpu) {
    bytes_ = {static_cast<std::byte*>(allocate_host_memory(bytes, 1)),
              [](std::byte* memory) { ::operator delete(memory); }};
    return;
  }
  // The driver pins memory that it allocates. The buffer stays mapped during its lifetime.
  translate_opencl_errors([&] {
    const cl::Device device = device_of(context.queue());
    const cl::CommandQueue queue(context.context(), device);
    const cl::Buffer buffer(context.context(), CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, bytes);
    void* const mapped =
        queue.enqueueMapBuffer(buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes);
    bytes_ = {static_cast<std::byte*>(mapped), [queue, buffer](std::byte* memory) {
                clEnqueueUnmapMemObject(queue(), buffer(), memory, 0, nullptr, nullptr);
                clFinish(queue());  // a failure would have been reported earlier
              }};
  });
}

HostMemory::HostMemory(const std::filesystem::path& folder, std::size_t bytes) {
  const auto fail = [&](int error) -> void {
    throw FileError(folder.string(),
                    fmt::format("{:.1f} MB for the matrix: {}", static_cast<double>(bytes) / 1e6,
                                std::strerror(error)));
  };
  std::string name = folder / "clgauss-XXXXXX";
  const io::Descriptor file(::mkstemp(name.data()));
  if (!file.open()) fail(errno);
  ::unlink(name.c_str());
  if (const int error = ::posix_fallocate(file.number(), 0, static_cast<off_t>(bytes)); error != 0)
    fail(error);
  void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) fail(errno);
  bytes_ = {static_cast<std::byte*>(memory), [bytes](std::byte* begin) { ::munmap(begin, bytes); }};
}

}  // namespace clgauss
