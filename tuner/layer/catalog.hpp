#pragma once
/// What the program's OpenCL objects are: asked of the drivers once for each, and kept.

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tuner/layer/driver.hpp"
#include "tuner/layer/kernel_text.hpp"
#include "tuner/layer/memory.hpp"
#include "tuner/layer/shape.hpp"

namespace clgauss::layer {

/// clGetKernelSuggestedLocalWorkSizeKHR.
using SuggestGroup = cl_int(CL_API_CALL*)(cl_command_queue, cl_kernel, cl_uint, const std::size_t*,
                                          const std::size_t*, std::size_t*);

struct DeviceRecord {
  cl_device_id device = nullptr;
  std::string name, driver;                           // the driver with its platform and version
  std::array<std::size_t, 3> largest_group{1, 1, 1};  // CL_DEVICE_MAX_WORK_ITEM_SIZES
  SuggestGroup suggest = nullptr;                     // cl_khr_suggested_local_work_size
  std::vector<std::pair<std::string, std::string>> macros;  // predefined
  /// Whether its events have times: those of Mesa 22.3's rusticl all take a nanosecond.
  mutable std::atomic<bool> keeps_time = true;
};

/// What a program was made from, as far as that is known.
struct ProgramRecord {
  std::string name;                         // the text's fingerprint; empty where it is not known
  std::shared_ptr<const ProgramText> text;  // null where it is on disk, to be read by its name
};

/// A kernel of a program text on a device, whatever kernel objects there are of it.
struct KernelRecord {
  std::string name;
  const DeviceRecord* device = nullptr;
  ProgramRecord program;
  std::optional<KernelText> judged;  // by Catalog::text()
};

struct QueueRecord {
  const DeviceRecord* device = nullptr;
  bool hides_profiling = false;  // the layer asked for it, the program did not
  bool profiles = false;         // its commands are timed, whoever asked
  bool in_order = true;
  std::optional<std::vector<cl_queue_properties>> given;  // where there was a list of properties
  /// The program's. Drivers count their own among them, so that the last release cannot be asked
  /// for. Without any the record stands for the events that the program still has of the queue.
  std::size_t references = 1;

  /// Whether nobody can tell several launches in it from one.
  [[nodiscard]] bool may_split() const { return in_order && (hides_profiling || !profiles); }
};

/// What a program was made from. Neither: it was linked, or came in another way, and its text is
/// not known, whatever text the driver has of it: the options that belong to that are not known.
struct Origin {
  bool is_text = false;
  std::vector<std::pair<cl_device_id, std::string>> binaries;  // fingerprints, one for each device
};

/// Not safe for several threads: who has it guards it. Handles of objects are used again by drivers
/// when an object is gone; so each way to make one calls add_..() or forget_..() first.
class Catalog {
 public:
  Catalog(const Drivers& drivers, const Memory& memory) : drivers_(drivers), memory_(memory) {}

  /// Of a queue in use, or that an event names.
  [[nodiscard]] QueueRecord& queue(cl_command_queue queue, bool is_used);
  [[nodiscard]] KernelRecord& kernel(cl_kernel kernel, const DeviceRecord& device);
  /// The text of the kernel's program; none where it is not known, or no longer kept.
  [[nodiscard]] ProgramText program_of(const KernelRecord& kernel) const;
  /// What the text lets the kernel see of its launch. Reads it the first time, which may take
  /// milliseconds; a program whose text is no longer kept loses its name.
  [[nodiscard]] const KernelText& text(KernelRecord& kernel) const;
  [[nodiscard]] const std::unordered_map<cl_command_queue, std::unique_ptr<QueueRecord>>& queues()
      const {
    return queues_;
  }

  void add_queue(cl_command_queue queue, bool hides_profiling,
                 std::optional<std::vector<cl_queue_properties>> given);
  void retain_queue(cl_command_queue queue);
  void release_queue(cl_command_queue queue);
  void forget_kernel(cl_kernel kernel) { kernels_.erase(kernel); }
  void add_program(cl_program program, Origin origin);
  /// That the program is built, perhaps with other options than before. Called before and after.
  void forget_build(cl_program program);
  /// A number that is another one whenever a build has begun or ended.
  [[nodiscard]] std::size_t builds_of(cl_program program) { return builds_[program]; }
  /// Keeps the text of a program, where that is known, for runs that make it from its binary.
  void keep_text(cl_program program, cl_device_id device, std::string_view binary);

 private:
  [[nodiscard]] const DeviceRecord& device(cl_device_id device);
  [[nodiscard]] const ProgramRecord& known_program(cl_program program, cl_device_id device);
  [[nodiscard]] ProgramRecord ask_program(cl_program program, cl_device_id device);

  const Drivers& drivers_;
  const Memory& memory_;
  std::unordered_map<cl_device_id, std::unique_ptr<DeviceRecord>> devices_;
  std::unordered_map<cl_command_queue, std::unique_ptr<QueueRecord>> queues_;
  std::map<std::pair<cl_program, cl_device_id>, ProgramRecord> programs_;
  std::unordered_map<cl_program, Origin> origins_;
  std::unordered_map<cl_program, std::size_t> builds_;
  std::unordered_map<cl_kernel, std::vector<KernelRecord*>> kernels_;  // one for each device
  /// By device, program and name.
  std::map<std::tuple<const DeviceRecord*, std::string, std::string>, std::unique_ptr<KernelRecord>>
      records_;
};

}  // namespace clgauss::layer
