#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/kernel_trials.hpp>
#include <clgauss/version.hpp>

#include "opencl_error.hpp"

namespace clgauss {

namespace {

constexpr const char* kQuestion = "known answer";
constexpr const char* kRight = "right";

/// Why the self-test `ask` fails; empty if it passes.
std::string failure_of(const std::function<void()>& ask) {
  try {
    translate_opencl_errors(ask);
    return {};
  } catch (const WrongAnswer& error) {
    return error.what();
  } catch (const DeviceFault& error) {  // impossible numbers count as wrong ones
    return error.what();
  } catch (const BuildError& error) {
    return error.what();
  } catch (const OpenClError& error) {
    return error.what();
  } catch (const DeviceLimit& error) {
    return error.what();
  }
}

}  // namespace

std::string KernelBuild::text() const {
  std::string text = name;
  for (const auto& [macro, value] : defines) text += ' ' + macro + '=' + value;
  return text;
}

bool KernelTrials::note(const KernelBuild& build, bool tried, const std::string& reason) {
  verdicts_.push_back({build.name, build.file, build.text(), reason.empty(), tried, reason});
  return usable_[build.text()] = reason.empty();
}

bool KernelTrials::passes(const KernelBuild& build, const std::function<void()>& ask) {
  const auto known = usable_.find(build.text());
  if (known != usable_.end()) return known->second;
  // Another build of clgauss may test more of the same kernel, so the revision is part of the key.
  const std::string question = build.name + ' ' + kQuestion + ' ' + revision();
  if (programs_.recall(question, build.file, build.defines) == kRight) return note(build, true, {});
  programs_.note_question(build.file, build.defines);
  if (programs_.rehearses()) return true;
  const std::string reason = failure_of(ask);
  if (reason.empty()) programs_.remember(question, build.file, build.defines, kRight);
  return note(build, true, reason);
}

void KernelTrials::pass_over(const KernelBuild& build, const std::string& reason) {
  if (usable_.count(build.text()) == 0) note(build, false, reason);
}

bool KernelTrials::resident(const KernelBuild& build, std::size_t groups,
                            const std::function<bool()>& probe) {
  if (programs_.rehearses()) return true;
  std::size_t& known = resident_[build.text()];
  if (known < groups && probe()) known = groups;
  return known >= groups;
}

std::string KernelTrials::reasons(const std::vector<std::string>& names) const {
  std::string text;
  for (const std::string& name : names) {
    const auto verdict = std::ranges::find_if(
        verdicts_, [&](const KernelVerdict& v) { return v.kernel == name && !v.usable; });
    if (verdict != verdicts_.end())
      text += (text.empty() ? "" : "; ") + name + ": " + verdict->reason;
  }
  return text;
}

}  // namespace clgauss
