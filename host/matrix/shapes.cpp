#include "matrix/shapes.hpp"

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <cmath>
#include <limits>

#include "parallel.hpp"

namespace clgauss {

namespace {

void check_f32_range(const Matrix& matrix, const char* name) {
  const Index bad = find_first(matrix.values(), [](double value) {
    return std::isfinite(value) && std::abs(value) > std::numeric_limits<float>::max();
  });
  if (bad == matrix.values().size()) return;
  throw ValueError(
      fmt::format("{}({}, {}) = {:g} does not fit f32; solve in f64 on a device with fp64, or "
                  "scale the system",
                  name, bad / matrix.cols() + 1, bad % matrix.cols() + 1, matrix.values()[bad]));
}

template <typename Numbers>
void check_shapes(const Numbers& a, const Numbers& b) {
  if (a.rows() != a.cols())
    throw DimensionError(fmt::format("A is {} x {}, not square", a.rows(), a.cols()));
  if (b.rows() != a.rows())
    throw DimensionError(fmt::format("b has {} rows, A has {}", b.rows(), a.rows()));
}

}  // namespace

void check_shapes(const System& system) { check_shapes(system.a, system.b); }
void check_shapes(const ComplexSystem& system) { check_shapes(system.a, system.b); }

void check_system(const System& system, RealType type) {
  check_shapes(system);
  if (type == RealType::f64) return;
  check_f32_range(system.a, "A");
  check_f32_range(system.b, "b");
}

Index padded_ld(Index n, RealType type) {
  const Index line = 128 / bytes_of(type);
  const Index ld = (n + line - 1) / line * line;
  return ld * bytes_of(type) % 4096 == 0 ? ld + line : ld;
}

SystemSize size_of(const System& system) { return {system.a.rows(), system.b.cols()}; }

std::string system_text(SystemSize size, RealType type) {
  return fmt::format("the {} system of n = {} with {} right-hand side{}", real_type_name(type),
                     size.n, size.nrhs, size.nrhs == 1 ? "" : "s");
}

}  // namespace clgauss
