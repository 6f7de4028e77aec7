#pragma once

#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>

namespace clgauss {

/// The numbers of a matrix: real, or complex as two reals with the real part first. Views, columns
/// and leading dimensions are counted in numbers, except where a function says that it counts
/// parts.
struct NumberType {
  // NOLINTNEXTLINE(google-explicit-constructor): a real number is what its type says
  NumberType(RealType real_type, bool of_two = false) : real(real_type), complex(of_two) {}

  RealType real;
  bool complex;

  [[nodiscard]] Index parts() const { return complex ? 2 : 1; }
  [[nodiscard]] std::size_t bytes() const { return parts() * bytes_of(real); }
  /// Converts a view counted in numbers to one counted in parts, and back; the latter for even
  /// offsets.
  [[nodiscard]] MatrixView in_parts(const MatrixView& view) const {
    return {view.buffer, parts() * view.offset, parts() * view.ld};
  }
  [[nodiscard]] MatrixView in_numbers(const MatrixView& view) const {
    return {view.buffer, view.offset / parts(), view.ld / parts()};
  }
};

}  // namespace clgauss
