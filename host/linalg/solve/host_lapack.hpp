#pragma once
/// The host's LAPACK, if installed: the last resort for devices without fp64.

#include <clgauss/matrix.hpp>
#include <optional>
#include <vector>

#include "linalg/solve/factored.hpp"

namespace clgauss {

/// P A = L U of a host matrix in f64, by dgetrf. The machine's liblapack.so.3 or libopenblas.so.0
/// is loaded at first use.
class HostLapack : public Factored {
 public:
  /// Whether a LAPACK library was found.
  [[nodiscard]] static bool available();

  /// Factors a copy of A: n^2 doubles. Throws UsageError without a library, OutOfMemory.
  explicit HostLapack(const Matrix& a);

  /// The first column with a pivot of exactly zero, 0-based.
  [[nodiscard]] std::optional<Index> failed_column() const { return failed_; }
  /// The growth is unknown.
  [[nodiscard]] double reciprocal_growth(const Matrix& /*a*/) override { return 1; }
  [[nodiscard]] bool on_device() const override { return false; }

 protected:
  void apply_inverse(bool transposed, const Scaling& by, Matrix& x) override;

 private:
  Values lu_;  // of A's transpose, since LAPACK is column-major
  std::vector<int> pivots_;
  std::optional<Index> failed_;
};

}  // namespace clgauss
