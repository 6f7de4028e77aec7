#include "cli/determinant_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "cli/report.hpp"

namespace clgauss::cli {

using Json = nlohmann::ordered_json;

std::string determinant_text(const Determinant& determinant) {
  if (std::isnan(determinant.log10_abs)) return "not known";
  if (determinant.sign == 0) return "0";
  std::string text =
      fmt::format("{}10^{:.15g}", determinant.sign < 0 ? "-" : "", determinant.log10_abs);
  const double value = determinant.sign * std::pow(10.0, determinant.log10_abs);
  if (std::isnormal(value)) text += fmt::format(" = {:.12g}", value);
  if (determinant.relative_error < 1)
    text += fmt::format(", relative error <= {:.1e}", determinant.relative_error);
  else if (determinant.relative_error >= 1)
    text += "; not even its sign is sure";
  return text;
}

std::string determinant_text(const ComplexDeterminant& determinant) {
  if (std::isnan(determinant.log10_abs)) return "not known";
  const std::complex<double> phase = determinant.phase;
  if (phase == 0.0) return "0";
  std::string text =
      fmt::format("10^{:.15g} e^({:.15g} i)", determinant.log10_abs, std::arg(phase));
  const double size = std::pow(10.0, determinant.log10_abs);
  if (std::isnormal(size))
    text += fmt::format(" = {:.12g} {} {:.12g} i", size * phase.real(),
                        std::signbit(phase.imag()) ? '-' : '+', size * std::abs(phase.imag()));
  if (determinant.relative_error < 1)
    text += fmt::format(", relative error <= {:.1e}", determinant.relative_error);
  else if (determinant.relative_error >= 1)
    text += "; not even its phase is sure";
  return text;
}

Json determinant_json(const ComplexDeterminant& determinant) {
  return {{"phase", {determinant.phase.real(), determinant.phase.imag()}},
          {"log10_abs", finite_or_null(determinant.log10_abs)},
          {"relative_error", finite_or_null(determinant.relative_error)}};
}

std::string certificate_text(const DeterminantCertificate& certificate) {
  if (!certificate.proven) return fmt::format("PROVEN     nothing: {}\n", certificate.reason);
  return fmt::format("proven     det A is {}, log10 |det A| from {} to {}\n",
                     certificate.sign > 0 ? "positive" : "negative", certificate.log10_low,
                     certificate.log10_high);
}

Json certificate_json(const DeterminantCertificate& certificate) {
  return {{"proven", certificate.proven},
          {"sign", certificate.sign},
          {"log10_low", finite_or_null(certificate.log10_low)},
          {"log10_high", finite_or_null(certificate.log10_high)},
          {"norm_bound", finite_or_null(certificate.norm_bound)},
          {"reason", certificate.reason.empty() ? Json(nullptr) : Json(certificate.reason)}};
}

Json determinant_json(const Determinant& determinant) {
  return {{"sign", determinant.sign},
          {"log10_abs", finite_or_null(determinant.log10_abs)},
          {"relative_error", finite_or_null(determinant.relative_error)}};
}

}  // namespace clgauss::cli
