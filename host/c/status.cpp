// Statuses, messages and versions of clgauss.h.
#include <clgauss.h>

#include <algorithm>
#include <array>
#include <clgauss/version.hpp>
#include <cmath>
#include <cstring>

#include "c/call.hpp"

namespace clgauss::c {

namespace {

// Not a std::string, because reporting an error must not fail.
thread_local std::array<char, 4096> last_error{};

static_assert(static_cast<int>(ErrorCode::usage) == CLGAUSS_INVALID_ARGUMENT);
static_assert(static_cast<int>(ErrorCode::input) == CLGAUSS_INVALID_INPUT);
static_assert(static_cast<int>(ErrorCode::no_device) == CLGAUSS_NO_DEVICE);
static_assert(static_cast<int>(ErrorCode::opencl) == CLGAUSS_OPENCL);
static_assert(static_cast<int>(ErrorCode::out_of_memory) == CLGAUSS_OUT_OF_MEMORY);
static_assert(static_cast<int>(ErrorCode::singular) == CLGAUSS_SINGULAR);
static_assert(static_cast<int>(ErrorCode::stopped) == CLGAUSS_STOPPED);

}  // namespace

void forget_error() noexcept { last_error[0] = '\0'; }

clgauss_status failed(clgauss_status status, const char* message) noexcept {
  const std::size_t length = std::min(std::strlen(message), last_error.size() - 1);
  std::copy_n(message, length, last_error.begin());
  last_error[length] = '\0';
  return status;
}

clgauss_status out_of_range_or_wrong(double norm1_of_a) noexcept {
  if (!std::isfinite(norm1_of_a)) return failed(CLGAUSS_OVERFLOW, kOutOfRange);
  return failed(CLGAUSS_INACCURATE,
                "the factors or X are not those of A and B to the accuracy of the type; nothing "
                "was written");
}

clgauss_status singular(Index column) {
  return failed(CLGAUSS_SINGULAR, SingularFactors(column).what());
}

void write_pivots(const std::vector<Index>& pivots, int32_t* ipiv) {
  std::ranges::transform(pivots, ipiv, [](Index row) { return static_cast<int32_t>(row + 1); });
}

}  // namespace clgauss::c

extern "C" {

int clgauss_version(void) { return CLGAUSS_VERSION; }

const char* clgauss_version_string(void) { return clgauss::version(); }

const char* clgauss_last_error(void) { return clgauss::c::last_error.data(); }

const char* clgauss_status_string(clgauss_status status) {
  switch (status) {
    case CLGAUSS_OK:
      return "ok";
    case CLGAUSS_INVALID_ARGUMENT:
      return "invalid argument";
    case CLGAUSS_INVALID_INPUT:
      return "invalid input";
    case CLGAUSS_NO_DEVICE:
      return "no device";
    case CLGAUSS_OPENCL:
      return "OpenCL error";
    case CLGAUSS_OUT_OF_MEMORY:
      return "out of memory";
    case CLGAUSS_SINGULAR:
      return "singular";
    case CLGAUSS_STOPPED:
      return "stopped";
    case CLGAUSS_INACCURATE:
      return "inaccurate";
    case CLGAUSS_OVERFLOW:
      return "overflow";
    case CLGAUSS_INVALID_HANDLE:
      return "invalid handle";
    case CLGAUSS_INTERNAL:
      return "internal error";
    default:
      return "unknown status";
  }
}

}  // extern "C"
