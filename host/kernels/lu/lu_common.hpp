#pragma once
/// Shared by the kernels of an LU: builds, flags and launches.

#include <array>
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

/// Work-items of a sub-group on every device that supports the kernels with inline PTX.
inline constexpr cl_uint kSubGroup = 32;

/// The macro SPIN_LIMIT: polls after which a kernel whose work-groups wait for each other gives up.
/// They take about a second.
inline constexpr int kSpinLimit = 400000;

/// The kernels of one LU, by file, name and macros. Each is built when first requested.
class KernelMemo {
 public:
  KernelMemo(Context& context, NumberType number) : context_(context), number_(number) {}

  /// `macros` are added to real_defines(), and to COMPLEX for complex numbers.
  Kernel& get(const std::string& file, const std::string& name, const Defines& macros);

  /// Whether the kernels of `file` with these macros, known as `name`, passed their self-test
  /// `ask`; see KernelTrials.
  bool works(const std::string& name, const std::string& file, const Defines& macros,
             const std::function<void()>& ask);

  /// Throws NoUsableKernel with the verdicts on the kernels of these names.
  [[noreturn]] void none_works(const char* operation, const std::vector<std::string>& names);

  /// What `macros` are added to, and they.
  [[nodiscard]] Defines all(const Defines& macros) const;

  [[nodiscard]] Context& context() { return context_; }
  [[nodiscard]] NumberType number() const { return number_; }
  [[nodiscard]] RealType type() const { return number_.real; }

 private:
  Context& context_;
  NumberType number_;
  std::map<std::string, Kernel> kernels_;
};

/// Two ints on the device, in which kernels report failures without anybody having to wait.
class LuFlags {
 public:
  static constexpr cl_int kNoBadPivot = std::numeric_limits<cl_int>::max();

  explicit LuFlags(const Context& context);

  struct Values {
    std::optional<Index> first_bad_pivot;  // lowest column with a zero or NaN pivot
    /// A work-group waited in vain for another one: the factors are invalid.
    bool gave_up = false;
  };

  [[nodiscard]] const cl::Buffer& buffer() const { return buffer_; }
  void reset(const cl::CommandQueue& queue) const;
  /// Waits for the queue.
  [[nodiscard]] Values read(const cl::CommandQueue& queue) const;

 private:
  cl::Buffer buffer_;
};

/// What the kernels of one LU are made from. Everything must outlive them.
struct LuSetting {
  KernelMemo& kernels;
  const LuFlags& flags;
  const Parameters& parameters;  // of a checked LuSpec of the GPU family
  Index n;

  [[nodiscard]] cl_uint number(const char* name) const {
    return static_cast<cl_uint>(value_of(parameters, name));
  }
  [[nodiscard]] Context& context() const { return kernels.context(); }
};

/// An LuSetting with the usual parameters, for the self-tests of a device.
struct UsualLu {
  static constexpr Index kRows = 1500;  // large enough for every kind of panel

  KernelMemo kernels;
  LuFlags flags;
  Parameters parameters;
  LuSetting setting;

  UsualLu(Context& context, NumberType number);
};

/// Where kernels recorded whether a factorisation succeeded.
struct LuOutcome {
  cl::Buffer flags;  // of cl_int; the first is `success` if every pivot was good
  cl_int success = 0;
  bool second_flag = false;  // a second flag exists: 0 if no kernel gave up waiting
};

/// Throws CoResidencyLost: "the work-groups of <what> did not all run at once on <device> .., try
/// again<, or ..>". Kernels whose work-groups wait for each other will be probed again.
[[noreturn]] void lose_residency(Context& context, const std::string& what,
                                 const std::string& or_else = {}, bool looked_ahead = false);

/// Enqueues B <- NaN if the factorisation failed, so that nobody mistakes the result of the solve
/// for an answer.
void enqueue_poison(Context& context, const cl::CommandQueue& queue, RealType type,
                    const LuOutcome& outcome, const MatrixView& b, Index rows, Index columns);
/// Builds the kernel for that.
void prepare_poison(Context& context, RealType type);

/// real_defines() followed by `macros`.
[[nodiscard]] Defines with_real(RealType type, const Defines& macros);
/// As with_real(), followed by COMPLEX for complex numbers.
[[nodiscard]] Defines number_macros(NumberType number, const Defines& macros);

/// Passes a view's buffer, offset and leading dimension, in the order that every LU kernel expects.
void pass_view(Kernel& kernel, cl_uint& index, const MatrixView& view);

/// Launches `groups` work-groups of `local` work-items.
void launch_groups(const cl::CommandQueue& queue, const Kernel& kernel, std::size_t groups,
                   std::size_t local);

/// Launches short kernels that take any work-group size. On a CPU each work-item is a group,
/// because a driver that chooses by the range may have to compile for every range (PoCL, 0.07 s
/// each). Elsewhere the driver chooses.
void launch_items(const Context& context, const cl::CommandQueue& queue, const Kernel& kernel,
                  const std::array<std::size_t, 2>& items);

}  // namespace clgauss
