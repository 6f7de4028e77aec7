#pragma once
/// The host's LAPACK, if this machine has one: the last resort of devices without fp64.

#include <clgauss/matrix.hpp>
#include <memory>
#include <optional>
#include <vector>

namespace clgauss {

/// P A = L U of a host matrix in f64 by dgetrf of the library that the machine's liblapack.so.3
/// (libopenblas.so.0) is, loaded when it is first needed.
class HostLapack {
 public:
  /// Whether there is one.
  [[nodiscard]] static bool available();

  /// Factors a copy of A: n^2 doubles. Throws UsageError without a library, OutOfMemory.
  explicit HostLapack(const Matrix& a);

  /// The first column with a pivot of exactly zero, 0-based.
  [[nodiscard]] std::optional<Index> failed_column() const { return failed_; }
  /// R <- A^-1 R by the factors.
  void solve(Matrix& r) const;
  /// R <- A^-T R.
  void solve_transposed(Matrix& r) const;

 private:
  void solve(Matrix& r, const char* trans) const;

  Values lu_;  // of A's transpose, as LAPACK reads rows
  std::vector<int> pivots_;
  std::optional<Index> failed_;
};

}  // namespace clgauss
