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

namespace {

/// What both kinds have: what is proven of `which`, if anything.
std::string text_of(const DeterminantEnclosure& enclosure, const std::string& which) {
  if (!enclosure.proven) return fmt::format("PROVEN     nothing: {}\n", enclosure.reason);
  return fmt::format("proven     det A {}, log10 |det A| from {} to {}\n", which,
                     enclosure.log10_low, enclosure.log10_high);
}

/// The members of both kinds, after those that only one has.
Json json_of(const DeterminantEnclosure& enclosure, const Json& own) {
  Json all{{"proven", enclosure.proven}};
  all.update(own);
  all.update({{"log10_low", finite_or_null(enclosure.log10_low)},
              {"log10_high", finite_or_null(enclosure.log10_high)},
              {"norm_bound", finite_or_null(enclosure.norm_bound)},
              {"reason", enclosure.reason.empty() ? Json(nullptr) : Json(enclosure.reason)}});
  return all;
}

}  // namespace

std::string certificate_text(const DeterminantCertificate& certificate) {
  return text_of(certificate, certificate.sign > 0 ? "is positive" : "is negative");
}

std::string certificate_text(const ComplexDeterminantCertificate& certificate) {
  const double of_angle = 8 * unit_roundoff(RealType::f64);  // of arg(), at most pi
  constexpr double kOfRounding = 1.06;                       // two digits may be 5 % less
  return text_of(certificate, fmt::format("has the phase e^({} i), off by at most {:.1e}",
                                          std::arg(certificate.phase),
                                          kOfRounding * (certificate.phase_bound + of_angle)));
}

Json certificate_json(const DeterminantCertificate& certificate) {
  return json_of(certificate, {{"sign", certificate.sign}});
}

Json certificate_json(const ComplexDeterminantCertificate& certificate) {
  return json_of(certificate, {{"phase", {certificate.phase.real(), certificate.phase.imag()}},
                               {"phase_bound", finite_or_null(certificate.phase_bound)}});
}

Json determinant_json(const Determinant& determinant) {
  return {{"sign", determinant.sign},
          {"log10_abs", finite_or_null(determinant.log10_abs)},
          {"relative_error", finite_or_null(determinant.relative_error)}};
}

}  // namespace clgauss::cli
