#pragma once
/// Systems so small that what is done around the kernel takes longer than the kernel.

#include <clgauss/context.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/matrix.hpp>

#include "arrays.hpp"

namespace clgauss::python {

/// The largest n that one launch factors and solves with.
inline constexpr Index kLargestSmallSystem = 128;

/// On a CPU device, whose cores are the host's, the calling thread solves systems up to this n
/// sooner than the device is woken up.
inline constexpr Index kLargestOnHost = 32;

/// Writes x and returns true if its scaled residual, from A and b as given, is at most 1, which
/// lets an answer of solve() go without a correction. Otherwise (a singular A, numbers out of
/// range, large growth) solve() is to look into it. By the library's LU for the host, in f64 with
/// partial pivoting.
[[nodiscard]] bool solve_on_host(const Array& a, const Array& b, const WritableArray& x);

/// Systems of one size, one after the other, on a device with fp64. Kernels, buffer and workspace
/// stay; a solve is a copy to the device, the launches of the LU in f64 with partial pivoting, and
/// a copy back.
class SmallSolver {
 public:
  /// Builds the kernels. Throws as Lu().
  SmallSolver(Context& context, Index n, Index nrhs);

  /// As solve_on_host().
  [[nodiscard]] bool solve(const Array& a, const Array& b, const WritableArray& x);

 private:
  Context context_;
  Index n_, nrhs_;
  Lu lu_;
  MatrixView a_, b_;  // one behind the other in one buffer
  Values host_, x_;   // what the buffer gets and what is read of it
};

}  // namespace clgauss::python
