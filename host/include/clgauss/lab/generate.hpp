#pragma once
/// Test matrices with known properties. The same seed gives the same matrix on every machine.

#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// One kind of matrix: its name for `generate --kind` and a description.
struct MatrixKind {
  std::string_view name;
  std::string_view description;
  Matrix (*make)(Index n, std::uint64_t seed);
  bool random = true;  // whether it depends on the seed
};

/// All kinds, in the order of the help text.
[[nodiscard]] const std::vector<MatrixKind>& matrix_kinds();

/// The n-by-n matrix of the kind `name`; random parts come from std::mt19937_64 seeded with `seed`.
/// Throws UsageError for an unknown kind.
[[nodiscard]] Matrix generate_matrix(std::string_view name, Index n, std::uint64_t seed);

/// A rows-by-cols matrix of independent numbers, uniform in [-1, 1).
[[nodiscard]] Matrix random_matrix(Index rows, Index cols, std::uint64_t seed);

}  // namespace clgauss
