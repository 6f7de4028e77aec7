#pragma once
/// Test matrices with known traits, the same on every machine for one seed.

#include <clgauss/export.hpp>
#include <clgauss/matrix.hpp>
#include <cstdint>
#include <string_view>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// One kind of matrix: the name for `generate --kind` and what it is.
struct MatrixKind {
  std::string_view name;
  std::string_view description;
  Matrix (*make)(Index n, std::uint64_t seed);
  bool random = true;  // whether the seed means anything
};

/// All kinds, in the order of the help text.
[[nodiscard]] const std::vector<MatrixKind>& matrix_kinds();

/// The n-by-n matrix of the kind `name`; random parts come from std::mt19937_64 seeded with `seed`.
/// Throws UsageError for an unknown kind.
[[nodiscard]] Matrix generate_matrix(std::string_view name, Index n, std::uint64_t seed);

/// rows-by-cols, independent and uniform in [-1, 1).
[[nodiscard]] Matrix random_matrix(Index rows, Index cols, std::uint64_t seed);

}  // namespace clgauss
