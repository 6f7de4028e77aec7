#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <map>

#include "opencl_error.hpp"

namespace clgauss {

namespace {

std::string located(const std::string& file, std::size_t line, std::size_t column,
                    const std::string& reason) {
  if (line == 0) return fmt::format("{}: {}", file, reason);
  if (column == 0) return fmt::format("{}:{}: {}", file, line, reason);
  return fmt::format("{}:{}:{}: {}", file, line, column, reason);
}

}  // namespace

FormatError::FormatError(const std::string& file, std::size_t line, std::size_t column,
                         const std::string& reason)
    : Error(ErrorCode::input, located(file, line, column, reason)), line_(line), column_(column) {}

BuildError::BuildError(const std::string& program, const std::string& options,
                       const std::string& log)
    : Error(ErrorCode::opencl,
            fmt::format("{} does not build with options '{}':\n{}", program, options, log)) {}

OpenClError::OpenClError(const std::string& call, int code)
    : Error(ErrorCode::opencl,
            fmt::format("{} failed: {} ({})", call, opencl_error_name(code), code)),
      code_(code) {}

std::string opencl_error_name(int code) {
#define CODE(name) \
  { name, #name }
  static const std::map<int, std::string> names{CODE(CL_DEVICE_NOT_FOUND),
                                                CODE(CL_DEVICE_NOT_AVAILABLE),
                                                CODE(CL_COMPILER_NOT_AVAILABLE),
                                                CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
                                                CODE(CL_OUT_OF_RESOURCES),
                                                CODE(CL_OUT_OF_HOST_MEMORY),
                                                CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
                                                CODE(CL_MEM_COPY_OVERLAP),
                                                CODE(CL_BUILD_PROGRAM_FAILURE),
                                                CODE(CL_MAP_FAILURE),
                                                CODE(CL_MISALIGNED_SUB_BUFFER_OFFSET),
                                                CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
                                                CODE(CL_COMPILE_PROGRAM_FAILURE),
                                                CODE(CL_LINKER_NOT_AVAILABLE),
                                                CODE(CL_LINK_PROGRAM_FAILURE),
                                                CODE(CL_INVALID_VALUE),
                                                CODE(CL_INVALID_DEVICE_TYPE),
                                                CODE(CL_INVALID_PLATFORM),
                                                CODE(CL_INVALID_DEVICE),
                                                CODE(CL_INVALID_CONTEXT),
                                                CODE(CL_INVALID_QUEUE_PROPERTIES),
                                                CODE(CL_INVALID_COMMAND_QUEUE),
                                                CODE(CL_INVALID_HOST_PTR),
                                                CODE(CL_INVALID_MEM_OBJECT),
                                                CODE(CL_INVALID_BINARY),
                                                CODE(CL_INVALID_BUILD_OPTIONS),
                                                CODE(CL_INVALID_PROGRAM),
                                                CODE(CL_INVALID_PROGRAM_EXECUTABLE),
                                                CODE(CL_INVALID_KERNEL_NAME),
                                                CODE(CL_INVALID_KERNEL_DEFINITION),
                                                CODE(CL_INVALID_KERNEL),
                                                CODE(CL_INVALID_ARG_INDEX),
                                                CODE(CL_INVALID_ARG_VALUE),
                                                CODE(CL_INVALID_ARG_SIZE),
                                                CODE(CL_INVALID_KERNEL_ARGS),
                                                CODE(CL_INVALID_WORK_DIMENSION),
                                                CODE(CL_INVALID_WORK_GROUP_SIZE),
                                                CODE(CL_INVALID_WORK_ITEM_SIZE),
                                                CODE(CL_INVALID_GLOBAL_OFFSET),
                                                CODE(CL_INVALID_EVENT_WAIT_LIST),
                                                CODE(CL_INVALID_EVENT),
                                                CODE(CL_INVALID_OPERATION),
                                                CODE(CL_INVALID_BUFFER_SIZE),
                                                CODE(CL_INVALID_GLOBAL_WORK_SIZE),
                                                CODE(CL_INVALID_PROPERTY)};
#undef CODE
  const auto found = names.find(code);
  return found != names.end() ? found->second : fmt::format("OpenCL error {}", code);
}

void throw_opencl_error(const std::string& call, int code) {
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY)
    throw OutOfMemory(fmt::format("the driver is out of memory: {} failed with {}", call,
                                  opencl_error_name(code)));
  throw OpenClError(call, code);
}

}  // namespace clgauss
