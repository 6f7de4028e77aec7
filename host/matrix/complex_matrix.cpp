#include <fmt/format.h>

#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>

namespace clgauss {

ComplexMatrix::ComplexMatrix(Matrix parts) : parts_(std::move(parts)) {
  if (parts_.cols() % 2 != 0)
    throw DimensionError(
        fmt::format("{} columns of real and imaginary parts: the number of columns must be even",
                    parts_.cols()));
}

ComplexMatrix::ComplexMatrix(Index rows, Index cols, std::span<const std::complex<double>> values)
    : parts_(rows, 2 * cols) {
  if (values.size() != rows * cols)
    throw DimensionError(
        fmt::format("{} numbers are not those of a {} x {} matrix", values.size(), rows, cols));
  for (Index i = 0; i < values.size(); ++i) {
    parts_.values()[2 * i] = values[i].real();
    parts_.values()[2 * i + 1] = values[i].imag();
  }
}

ComplexMatrix ComplexMatrix::of_real(const Matrix& real) {
  ComplexMatrix result(real.rows(), real.cols());
  for (Index i = 0; i < real.values().size(); ++i) result.parts_.values()[2 * i] = real.values()[i];
  return result;
}

std::string_view complex_type_name(RealType type) { return type == RealType::f64 ? "c64" : "c32"; }

}  // namespace clgauss
