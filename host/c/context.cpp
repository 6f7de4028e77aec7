// Contexts of clgauss.h.
#include <clgauss.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/device.hpp>

#include "c/call.hpp"

namespace clgauss::c {

namespace {

static_assert(static_cast<int>(DeviceType::cpu) + 1 == CLGAUSS_DEVICE_CPU &&
              static_cast<int>(DeviceType::gpu) + 1 == CLGAUSS_DEVICE_GPU &&
              static_cast<int>(DeviceType::accelerator) + 1 == CLGAUSS_DEVICE_ACCELERATOR &&
              static_cast<int>(DeviceType::other) + 1 == CLGAUSS_DEVICE_OTHER);

ContextOptions options_of(unsigned flags) {
  if ((flags & ~unsigned{CLGAUSS_USE_ENVIRONMENT}) != 0)
    throw UsageError(
        fmt::format("flags are {:#x}; the only flag is CLGAUSS_USE_ENVIRONMENT (0x1)", flags));
  return flags != 0 ? ContextOptions::from_environment() : ContextOptions{};
}

/// `from` is the argument that a Context is opened with.
template <typename From>
clgauss_status create(const From& from, unsigned flags, clgauss_context* context) {
  *context = add_handle(
      std::shared_ptr<ContextObject>(new ContextObject{Context(from, options_of(flags))}));
  return CLGAUSS_OK;
}

}  // namespace

}  // namespace clgauss::c

using namespace clgauss;
using namespace clgauss::c;

extern "C" {

clgauss_status clgauss_context_create(const char* device, unsigned flags,
                                      clgauss_context* context) {
  return guarded([&] {
    not_null(context, "context");
    return create(open_device(device != nullptr ? device : "auto"), flags, context);
  });
}

clgauss_status clgauss_context_create_on_queue(cl_command_queue queue, unsigned flags,
                                               clgauss_context* context) {
  return guarded([&] {
    not_null(context, "context");
    return create(cl::CommandQueue(not_null(queue, "queue"), true), flags, context);
  });
}

clgauss_status clgauss_context_destroy(clgauss_context context) {
  return guarded([&] {
    if (context != nullptr) remove_handle(context);
    return CLGAUSS_OK;
  });
}

clgauss_status clgauss_context_device_name(clgauss_context context, char* name, size_t size) {
  return guarded([&] {
    const auto object = object_of(context);
    not_null(name, "name");
    if (size == 0)
      throw UsageError("size is 0; the text needs at least 1 byte, for its terminating 0");
    const std::string& text = object->context.profile().name;
    const std::size_t length = std::min(text.size(), size - 1);
    std::copy_n(text.data(), length, name);
    name[length] = '\0';
    return CLGAUSS_OK;
  });
}

clgauss_status clgauss_context_has_fp64(clgauss_context context, int* has_fp64) {
  return guarded([&] {
    const auto object = object_of(context);
    *not_null(has_fp64, "has_fp64") = object->context.profile().fp64 ? 1 : 0;
    return CLGAUSS_OK;
  });
}

clgauss_status clgauss_context_device_type(clgauss_context context, int* type) {
  return guarded([&] {
    const auto object = object_of(context);
    *not_null(type, "type") = static_cast<int>(object->context.profile().type) + 1;
    return CLGAUSS_OK;
  });
}

}  // extern "C"
