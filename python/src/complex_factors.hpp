#pragma once
/// P A = L U of complex numbers on a device, for Python.

#include <clgauss/complex.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "linalg/complex/complex_factors.hpp"
#include "session.hpp"

namespace clgauss::python {

/// det A = mantissa * 2^exponent, which cannot overflow; 0 if A is singular.
struct ComplexDeterminant {
  std::complex<double> mantissa = 1;
  std::int64_t exponent = 0;
};

/// As Factors, of arrays whose columns are real and imaginary parts.
class ComplexFactors {
 public:
  /// Copies A to the device and factors it there, in c32 or c64; a Hermitian `positive_definite` A
  /// by Cholesky. Throws DimensionError, DeviceLimit.
  ComplexFactors(std::shared_ptr<Session> session, const Array& a, bool single,
                 bool positive_definite);

  /// x = A^-1 b or A^-H b, all of them parts. Throws SingularFactors.
  void solve(const Array& b, const WritableArray& x, bool transposed);
  [[nodiscard]] ComplexDeterminant determinant() const;
  /// In the 1-norm, 0 if A is singular.
  [[nodiscard]] double rcond();
  /// L and U, row by row, in c64.
  void packed(const WritableArray& out);
  [[nodiscard]] const std::vector<Index>& pivots() const { return state_->pivots.rows; }
  [[nodiscard]] std::optional<Index> failed_column() const { return state_->pivots.failed_column; }

 private:
  /// What work in another thread needs, too.
  struct State {
    State(Context& context, const ComplexSystem& system, RealType type, const LuOptions& options);

    clgauss::ComplexFactors factors;
    double norm1;
    clgauss::ComplexFactors::Pivots pivots;
  };

  std::shared_ptr<Session> session_;
  std::shared_ptr<State> state_;
};

}  // namespace clgauss::python
