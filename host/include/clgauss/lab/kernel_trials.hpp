#pragma once
/// Self-tests kernels before they may be used on a device.

#include <clgauss/export.hpp>
#include <clgauss/lab/program.hpp>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// Identifies kernels: those of one file, built with these macros, in one role.
struct KernelBuild {
  std::string name;  // for messages: "lu_small"
  std::string file;
  Defines defines;

  /// "lu_small REAL_BITS=64 SMALL_N=128": different for every build.
  [[nodiscard]] std::string text() const;
};

/// The result of a kernel's self-test, or the reason why none was needed.
struct KernelVerdict {
  std::string kernel;  // KernelBuild::name
  std::string file;    // KernelBuild::file
  std::string build;   // KernelBuild::text()
  bool usable = false;
  /// It was self-tested, now or earlier with this driver; otherwise the device lacks what the
  /// kernel needs.
  bool tried = false;
  std::string reason;  // why it is not usable
};

/// The self-tested kernels of one context, and their verdicts.
///
/// A kernel that passes is recorded on disk (with the built programs, by device, driver, platform,
/// source, macros and build of clgauss) and not tested again. One that fails is tested once per
/// context.
class KernelTrials {
 public:
  explicit KernelTrials(ProgramStore& programs) : programs_(programs) {}

  /// Whether `build` may be used. `ask` is called at most once per build. It builds the kernel,
  /// runs it and throws WrongAnswer if the self-test fails. WrongAnswer, DeviceFault, BuildError,
  /// OpenClError and DeviceLimit become verdicts; every other error is passed on. In a rehearsal of
  /// ProgramStore::prepare(), an unknown build passes without being tested.
  bool passes(const KernelBuild& build, const std::function<void()>& ask);

  /// Records that the device lacks what the kernels need.
  void pass_over(const KernelBuild& build, const std::string& reason);

  /// Whether as many as `groups` work-groups of `build`, which wait for each other, all run at
  /// once. `probe` launches them and tells. A yes holds for as many or fewer groups until
  /// forget_residency(), because a probe costs as much as many launches. Yes in a rehearsal.
  bool resident(const KernelBuild& build, std::size_t groups, const std::function<bool()>& probe);

  /// Call it where work-groups waited in vain after all: another program may use the device now.
  void forget_residency() noexcept { resident_.clear(); }

  /// The verdicts in the order of testing, one per build.
  [[nodiscard]] const std::vector<KernelVerdict>& verdicts() const noexcept { return verdicts_; }

  /// "lu_small: reason; trsv: reason": the first reason for each unusable kernel among these names.
  [[nodiscard]] std::string reasons(const std::vector<std::string>& names) const;

 private:
  bool note(const KernelBuild& build, bool tried, const std::string& reason);

  ProgramStore& programs_;
  std::map<std::string, bool> usable_;           // by KernelBuild::text()
  std::map<std::string, std::size_t> resident_;  // work-groups, by KernelBuild::text()
  std::vector<KernelVerdict> verdicts_;
};

}  // namespace clgauss
