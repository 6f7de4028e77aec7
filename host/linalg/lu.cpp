#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/lu.hpp>

#include "linalg/cpu_tile.hpp"
#include "linalg/lu_backend.hpp"

namespace clgauss {

std::unique_ptr<Lu> make_lu(DeviceContext& context, RealType type, Index n,
                            const LuOptions& options) {
  // Kernels count rows and columns in 32 bits and offsets in 64.
  constexpr Index kLargest = 1U << 30U;
  if (n > kLargest)
    throw DimensionError(fmt::format("n = {} is above the largest that LU takes, {}", n, kLargest));
  if (options.pivoting == Pivoting::none)
    throw UsageError(
        "LU always exchanges rows; elimination without pivoting is --method gauss --pivot none");
  if (options.pivoting == Pivoting::partial && suits_cpu_kernels(context))
    return make_lu_cpu(context, type, n);
  return make_lu_gpu(context, type, n, options);
}

}  // namespace clgauss
