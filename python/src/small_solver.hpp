#pragma once
/// Systems so small that what is done around the kernel takes longer than the kernel.

#include <clgauss/context.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/matrix.hpp>
#include <memory>
#include <optional>
#include <span>

#include "arrays.hpp"
#include "determinant.hpp"

namespace clgauss::python {

/// The largest n that one launch factors and solves with.
inline constexpr Index kLargestSmallSystem = 128;

/// On a CPU device, whose cores are the host's, the calling thread solves systems up to this n
/// sooner than the device is woken up.
inline constexpr Index kLargestOnHost = 512;
/// And inverts matrices, four times the work.
inline constexpr Index kLargestInvertedOnHost = 320;

/// x of A x = b in f64 by the library's LU for the host with partial pivoting, as rows of b's
/// columns; b has at most n of them. It is there if its scaled residual, from A and b as given, is
/// at most 1, which lets an answer of solve() go without a correction, and if A is far from
/// singular, as one product with A^-1 tells. Otherwise solve() is to look into it.
[[nodiscard]] std::optional<Values> solve_on_host(const Numbers& a, const Numbers& b);

/// A^-1, likewise, by the residual A X - I, of larger matrices for one vector, and by ||A|| ||X||.
[[nodiscard]] std::optional<Values> invert_on_host(const Numbers& a);

/// Of the n-by-n row-major numbers.
[[nodiscard]] Determinant determinant_on_host(std::span<const double> a, Index n);

/// Systems of one size, one after the other, on a device with fp64. Kernels, buffer and workspace
/// stay; a solve is a copy to the device, the launches of the LU in f64 with partial pivoting, and
/// a copy back.
class SmallSolver {
 public:
  /// Builds the kernels. Throws as Lu().
  SmallSolver(Context& context, Index n, Index nrhs);

  /// Writes x and returns true on the terms of solve_on_host().
  [[nodiscard]] bool solve(const Array& a, const Array& b, const WritableArray& x);

 private:
  Context context_;
  Index n_, nrhs_;
  Values host_, both_;  // what the buffer gets and what is read of it
  MatrixView a_, b_;    // one behind the other in one buffer, b and a column for the condition
  std::unique_ptr<Lu> lu_;
};

}  // namespace clgauss::python
