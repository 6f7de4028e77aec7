#pragma once
/// What tests of batches read and compare.

#include <algorithm>
#include <clgauss/context.hpp>
#include <clgauss/matrix.hpp>
#include <cmath>
#include <cstring>
#include <span>
#include <vector>

namespace clgauss::test {

inline bool same_bits(std::span<const double> u, std::span<const double> v) {
  return u.size() == v.size() &&
         (u.empty() || std::memcmp(u.data(), v.data(), u.size_bytes()) == 0);
}

inline bool all_nan(std::span<const double> values) {
  return std::ranges::all_of(values, [](double v) { return std::isnan(v); });
}

inline std::vector<cl_int> read_ints(const Context& context, const cl::Buffer& buffer,
                                     Index count) {
  std::vector<cl_int> values(count);
  context.queue().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(cl_int), values.data());
  return values;
}

}  // namespace clgauss::test
