#pragma once
/// What is said of determinants.

#include <clgauss/complex.hpp>
#include <clgauss/solve.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace clgauss::cli {

/// "-10^3.2 = -1584.89, relative error <= 1e-12", "0", or that it is not known.
[[nodiscard]] std::string determinant_text(const Determinant& determinant);
[[nodiscard]] nlohmann::ordered_json determinant_json(const Determinant& determinant);
/// "10^3.2 e^(1.5 i) = ...", with the argument of the number in radians.
[[nodiscard]] std::string determinant_text(const ComplexDeterminant& determinant);
[[nodiscard]] nlohmann::ordered_json determinant_json(const ComplexDeterminant& determinant);

}  // namespace clgauss::cli
