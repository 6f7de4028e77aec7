#pragma once
/// Determinants as text and JSON.

#include <clgauss/certify.hpp>
#include <clgauss/complex.hpp>
#include <clgauss/solve.hpp>
#include <nlohmann/json.hpp>
#include <string>

namespace clgauss::cli {

/// "-10^3.2 = -1584.89, relative error <= 1e-12", "0", or a note that the determinant is unknown.
[[nodiscard]] std::string determinant_text(const Determinant& determinant);
[[nodiscard]] nlohmann::ordered_json determinant_json(const Determinant& determinant);
/// "10^3.2 e^(1.5 i) = ...", where 1.5 is the argument in radians.
[[nodiscard]] std::string determinant_text(const ComplexDeterminant& determinant);
[[nodiscard]] nlohmann::ordered_json determinant_json(const ComplexDeterminant& determinant);

/// What is proven, as a line of the summary.
[[nodiscard]] std::string certificate_text(const DeterminantCertificate& certificate);
[[nodiscard]] nlohmann::ordered_json certificate_json(const DeterminantCertificate& certificate);
[[nodiscard]] std::string certificate_text(const ComplexDeterminantCertificate& certificate);
[[nodiscard]] nlohmann::ordered_json certificate_json(
    const ComplexDeterminantCertificate& certificate);

}  // namespace clgauss::cli
