#pragma once
/// Between host matrices of doubles and device buffers of f32 or f64; shared by the direct methods.

#include <chrono>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <initializer_list>
#include <utility>
#include <vector>

namespace clgauss {

/// Throws DimensionError if A is not square or b has another height, ValueError if `type` is f32 and a finite number of the
/// system does not fit it: as an infinity it would make the answer meaningless without a word.
void check_system(const System& system, RealType type);

/// Writes the rows of `parts`, side by side, to `buffer` with leading dimension `ld`, and waits. The numbers are
/// converted on their way into the driver's own memory (the buffer is mapped), without a second copy on the host.
void upload_rows(const cl::CommandQueue& queue, const cl::Buffer& buffer, Index ld, RealType type,
                 std::initializer_list<const Matrix*> parts);

/// The first `count` elements of `buffer`, and waits.
[[nodiscard]] std::vector<double> download(const cl::CommandQueue& queue, const cl::Buffer& buffer,
                                           RealType type, Index count);

/// Seconds since the last call, or since construction.
class LapTimer {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace clgauss
