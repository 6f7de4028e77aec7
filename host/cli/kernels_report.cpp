#include "cli/kernels_report.hpp"

#include <fmt/format.h>

namespace clgauss::cli {

namespace {

std::string indented(const std::string& reason) {
  std::string text;
  for (const char c : reason)
    text += c == '\n' ? std::string("\n             ") : std::string(1, c);
  return text;
}

}  // namespace

std::string kernels_text(const std::vector<KernelVerdict>& verdicts, bool verbose) {
  std::string text;
  for (const KernelVerdict& verdict : verdicts) {
    if (!verbose && (verdict.usable || !verdict.tried)) continue;
    const char* title = text.empty() ? "kernels    " : "           ";
    if (verbose && verdict.usable)
      text += fmt::format("{}{} usable\n", title, verdict.build);
    else if (verbose)
      text += fmt::format("{}{} skipped: {}\n", title, verdict.build, indented(verdict.reason));
    else
      text += fmt::format("{}{} is skipped: {}\n", title, verdict.kernel,
                          verdict.reason.substr(0, verdict.reason.find('\n')));
  }
  return text;
}

nlohmann::ordered_json kernels_json(const std::vector<KernelVerdict>& verdicts) {
  auto kernels = nlohmann::ordered_json::array();
  for (const KernelVerdict& verdict : verdicts)
    kernels.push_back({{"kernel", verdict.kernel},
                       {"file", verdict.file},
                       {"build", verdict.build},
                       {"usable", verdict.usable},
                       {"reason", verdict.usable ? nlohmann::ordered_json(nullptr)
                                                 : nlohmann::ordered_json(verdict.reason)}});
  return kernels;
}

}  // namespace clgauss::cli
