#pragma once
/// Between host matrices of doubles and device buffers of f32 or f64; shared by the direct methods.

#include <chrono>
#include <clgauss/context.hpp>
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

/// Times the phases of a solve. Kernels are built when they are first needed, in whichever phase that is; the time goes
/// to `build` all the same.
class PhaseTimer {
 public:
  /// Counts builds into `build_seconds`.
  PhaseTimer(DeviceContext& context, double& build_seconds)
      : context_(context),
        build_seconds_(build_seconds),
        built_(context.programs().build_seconds()) {}

  /// Seconds since the last call, or since construction, without those spent on building.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    const double built = context_.programs().build_seconds();
    const double build = built - std::exchange(built_, built);
    build_seconds_ += build;
    return std::chrono::duration<double>(now - std::exchange(last_, now)).count() - build;
  }

 private:
  DeviceContext& context_;
  double& build_seconds_;
  double built_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace clgauss
