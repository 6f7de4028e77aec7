#pragma once
/// What the kernels of an LU share: their builds, their flags, how they are launched.

#include <clgauss/context.hpp>
#include <clgauss/lab/lu_spec.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kernels/common/number_type.hpp"

namespace clgauss {

/// Work-items of a sub-group on all devices that take the kernels with inline PTX.
inline constexpr cl_uint kSubGroup = 32;

/// Polls after which a kernel whose work-groups wait for each other gives up, the macro SPIN_LIMIT:
/// about a second.
inline constexpr int kSpinLimit = 400000;

/// The kernels of one LU, by file, name and macros; each is built when it is first asked for.
class KernelMemo {
 public:
  KernelMemo(Context& context, NumberType number) : context_(context), number_(number) {}

  /// `macros` come on top of real_defines(), and of COMPLEX where numbers are.
  Kernel& get(const std::string& file, const std::string& name, const Defines& macros);

  /// Whether the kernels of `file` with these macros, known as `name`, passed their self-test, for
  /// which `ask` asks; see KernelTrials.
  bool works(const std::string& name, const std::string& file, const Defines& macros,
             const std::function<void()>& ask);

  /// Throws NoUsableKernel with what was found out about the kernels of these names.
  [[noreturn]] void none_works(const char* operation, const std::vector<std::string>& names);

  [[nodiscard]] Context& context() { return context_; }
  [[nodiscard]] NumberType number() const { return number_; }
  [[nodiscard]] RealType type() const { return number_.real; }

 private:
  [[nodiscard]] Defines all(const Defines& macros) const;

  Context& context_;
  NumberType number_;
  std::map<std::string, Kernel> kernels_;
};

/// What kernels report without anybody waiting: two ints on the device.
class LuFlags {
 public:
  static constexpr cl_int kNoBadPivot = std::numeric_limits<cl_int>::max();

  explicit LuFlags(const Context& context);

  struct Values {
    std::optional<Index> first_bad_pivot;  // lowest column with a zero or NaN pivot
    /// a persistent kernel waited in vain for another work-group: the factors are worthless
    bool gave_up = false;
  };

  [[nodiscard]] const cl::Buffer& buffer() const { return buffer_; }
  void reset(const cl::CommandQueue& queue) const;
  /// Waits for the queue.
  [[nodiscard]] Values read(const cl::CommandQueue& queue) const;

 private:
  cl::Buffer buffer_;
};

/// What the kernels of one LU are made from. All of it must outlive them.
struct LuSetting {
  KernelMemo& kernels;
  const LuFlags& flags;
  const Parameters& parameters;  // a checked LuSpec's, of the family for GPUs
  Index n;

  [[nodiscard]] cl_uint number(const char* name) const {
    return static_cast<cl_uint>(value_of(parameters, name));
  }
  [[nodiscard]] Context& context() const { return kernels.context(); }
};

/// An LuSetting with the usual parameters, for the self-tests of a device.
struct UsualLu {
  static constexpr Index kRows = 1500;  // takes every kind of panel

  KernelMemo kernels;
  LuFlags flags;
  Parameters parameters;
  LuSetting setting;

  UsualLu(Context& context, RealType type);
};

/// Where kernels left how a factorisation went.
struct LuOutcome {
  cl::Buffer flags;  // of cl_int; the first is `success` if every pivot was good
  cl_int success = 0;
  bool second_flag = false;  // there is a second, 0 if no kernel gave up waiting
};

/// Enqueues B <- NaN where the factorisation failed, so that nobody takes what the solve left for
/// an answer.
void enqueue_poison(Context& context, const cl::CommandQueue& queue, RealType type,
                    const LuOutcome& outcome, const MatrixView& b, Index rows, Index columns);

/// real_defines() with `macros` on top.
[[nodiscard]] Defines with_real(RealType type, const Defines& macros);

/// Adds a view's buffer, offset and leading dimension, as every kernel of the LU takes them.
void pass_view(Kernel& kernel, cl_uint& index, const MatrixView& view);

/// `groups` work-groups of `local` work-items.
void launch_groups(const cl::CommandQueue& queue, const Kernel& kernel, std::size_t groups,
                   std::size_t local);

}  // namespace clgauss
