#pragma once
/// For tests of factors that read one triangle of a symmetric matrix.

#include <clgauss/lu.hpp>
#include <clgauss/matrix.hpp>
#include <limits>
#include <vector>

namespace clgauss::test {

/// What is above the diagonal must not be read.
inline Matrix lower_half(Matrix a) {
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = i + 1; j < a.cols(); ++j) a(i, j) = std::numeric_limits<double>::quiet_NaN();
  return a;
}

/// The usual way, and where that is the one for CPUs the one for GPUs.
inline std::vector<LuOptions> ways(Context& context, RealType type, Index n,
                                   const LuOptions& usual) {
  std::vector<LuOptions> all{usual};
  if (default_lu_spec(context, type, n).family == LuFamily::cpu) {
    all.push_back(usual);
    all.back().spec = default_lu_spec(context.profile(), type, n, LuFamily::gpu);
  }
  return all;
}

}  // namespace clgauss::test
