#pragma once
/// The host's LAPACK, if this machine has one: the last resort of devices without fp64.

#include <clgauss/matrix.hpp>
#include <optional>
#include <vector>

#include "linalg/solve/factored.hpp"

namespace clgauss {

/// P A = L U of a host matrix in f64 by dgetrf of the library that the machine's liblapack.so.3
/// (libopenblas.so.0) is, loaded when it is first needed.
class HostLapack : public Factored {
 public:
  /// Whether there is one.
  [[nodiscard]] static bool available();

  /// Factors a copy of A: n^2 doubles. Throws UsageError without a library, OutOfMemory.
  explicit HostLapack(const Matrix& a);

  /// The first column with a pivot of exactly zero, 0-based.
  [[nodiscard]] std::optional<Index> failed_column() const { return failed_; }
  /// Not known.
  [[nodiscard]] double reciprocal_growth(const Matrix& /*a*/) override { return 1; }
  [[nodiscard]] bool on_device() const override { return false; }

 protected:
  void apply_inverse(bool transposed, const Scaling& by, Matrix& x) override;

 private:
  Values lu_;  // of A's transpose, as LAPACK reads rows
  std::vector<int> pivots_;
  std::optional<Index> failed_;
};

}  // namespace clgauss
