#include "matrix/view_check.hpp"

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <limits>

#include "opencl_error.hpp"

namespace clgauss {

namespace {

using Wide = unsigned __int128;  // products of two sizes cannot wrap

/// Throws unless `buffer` holds `elements`, the number up to the last one accessed.
void check_buffer(const cl::Buffer& buffer, Wide elements, std::size_t element_bytes,
                  const std::string& what) {
  if (elements == 0) return;
  if (buffer() == nullptr) throw DimensionError(what + " has no buffer");
  const std::size_t there = translate_opencl_errors([&] { return buffer.getInfo<CL_MEM_SIZE>(); });
  if (elements * element_bytes <= there) return;
  throw DimensionError(
      fmt::format("{} ends {:.0f} bytes into a buffer of {}", what,
                  static_cast<double>(elements) * static_cast<double>(element_bytes), there));
}

void check_ld(Index rows, Index cols, Index ld, const std::string& what) {
  if (ld < cols && rows > 0)
    throw DimensionError(
        fmt::format("{}: its leading dimension {} is below its {} columns", what, ld, cols));
  if (ld > std::numeric_limits<cl_uint>::max())
    throw DimensionError(fmt::format("{}: its leading dimension {} is above 2^32 - 1", what, ld));
}

std::string text_of(const char* name, Index rows, Index cols) {
  return fmt::format("{} ({} x {})", name, rows, cols);
}

}  // namespace

void check_view(const MatrixView& view, Index rows, Index cols, RealType type, const char* name) {
  if (rows == 0 || cols == 0) return;
  const std::string what = text_of(name, rows, cols);
  check_ld(rows, cols, view.ld, what);
  check_buffer(view.buffer, Wide{view.offset} + Wide{rows - 1} * view.ld + cols, bytes_of(type),
               what);
}

void check_batch(const BatchView& view, Index batch, Index rows, Index cols, RealType type,
                 const char* name) {
  if (batch == 0 || rows == 0 || cols == 0) return;
  const std::string what = fmt::format("{} of a batch", text_of(name, rows, cols));
  check_ld(rows, cols, view.ld, what);
  const Wide one = Wide{rows - 1} * view.ld + cols;
  check_buffer(view.buffer, Wide{view.offset} + Wide{batch - 1} * view.stride + one, bytes_of(type),
               what);
}

void check_integers(const cl::Buffer& buffer, Index count, const char* name) {
  check_buffer(buffer, count, sizeof(cl_int), fmt::format("{} ({} integers)", name, count));
}

}  // namespace clgauss
