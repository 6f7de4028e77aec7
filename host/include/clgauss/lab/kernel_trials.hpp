#pragma once
/// Whether kernels may be used on a device: each is self-tested first.

#include <clgauss/export.hpp>
#include <clgauss/lab/program.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// Which kernels are meant: those of one file, built with these macros, in one role.
struct KernelBuild {
  std::string name;  // for people: "lu_small"
  std::string file;
  Defines defines;

  /// "lu_small REAL_BITS=64 SMALL_N=128": tells builds apart.
  [[nodiscard]] std::string text() const;
};

/// What came of a kernel's self-test, or of finding that they need not be asked.
struct KernelVerdict {
  std::string kernel;  // KernelBuild::name
  std::string file;    // KernelBuild::file
  std::string build;   // KernelBuild::text()
  bool usable = false;
  /// it was asked, now or earlier with this driver; else the device lacks what the kernel needs
  bool tried = false;
  std::string reason;  // why it is not usable
};

/// The kernels of one context that were self-tested, and what came of it.
///
/// A kernel that passes is remembered on disk (with the built programs, by device, driver,
/// platform, source, macros and build of clgauss) and not asked again; one that does not is asked
/// once a context.
class KernelTrials {
 public:
  explicit KernelTrials(ProgramStore& programs) : programs_(programs) {}

  /// Whether `build` may be used. `ask`, called at most once a build, builds it, runs it and throws
  /// WrongAnswer unless it passed the self-test; that, DeviceFault, BuildError, OpenClError and
  /// DeviceLimit are verdicts, every other error leaves. In a rehearsal of ProgramStore::prepare()
  /// a build that is not known passes, and is not asked.
  bool passes(const KernelBuild& build, const std::function<void()>& ask);

  /// Notes that the device lacks what the kernels need.
  void pass_over(const KernelBuild& build, const std::string& reason);

  /// In the order of asking, each build once.
  [[nodiscard]] const std::vector<KernelVerdict>& verdicts() const noexcept { return verdicts_; }

  /// "lu_small: reason; trsv: reason" of what was not usable among the kernels of these names, the
  /// first of each.
  [[nodiscard]] std::string reasons(const std::vector<std::string>& names) const;

 private:
  bool note(const KernelBuild& build, bool tried, const std::string& reason);

  ProgramStore& programs_;
  std::map<std::string, bool> usable_;  // by KernelBuild::text()
  std::vector<KernelVerdict> verdicts_;
};

}  // namespace clgauss
