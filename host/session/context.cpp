#include <fmt/format.h>

#include <algorithm>
#include <clgauss/context.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>

#include "device/device_internal.hpp"
#include "device/signal_handlers.hpp"
#include "launch/queue_order.hpp"
#include "launch/staging.hpp"
#include "linalg/lu/kept_lu.hpp"
#include "opencl_error.hpp"
#include "session/arithmetic_rates.hpp"

namespace clgauss {

namespace {

/// Uses the OpenCL 1.2 call, which every platform has. CLHPP would first query the platform's
/// version for a newer call, and ignores errors of that query.
cl::CommandQueue open_queue(const cl::Context& context, const cl::Device& device, bool profiling) {
  cl_int error = CL_SUCCESS;
  const cl_command_queue queue =
      clCreateCommandQueue(context(), device(), profiling ? CL_QUEUE_PROFILING_ENABLE : 0, &error);
  check_call("clCreateCommandQueue", error);
  return cl::CommandQueue(queue);
}

std::string megabytes(std::uint64_t bytes) {
  return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6);
}

}  // namespace

std::string_view transfers_name(Transfers transfers) {
  switch (transfers) {
    case Transfers::pinned:
      return "pinned";
    case Transfers::pageable:
      return "pageable";
    case Transfers::mapped:
      break;
  }
  return "mapped";
}

struct Context::State {
  State(DeviceProfile of, cl::Context in, const cl::CommandQueue& on, const cl::Device& device,
        const ContextOptions& options)
      : profile(std::move(of)),
        context(std::move(in)),
        queue(on),
        programs(context, device, options),
        tuning(options.tuned && options.vendor_kernels  // tuning results assume the vendor kernels
                   ? Tuning(profile, TunedStore(options.tuned_folder), options.kernel_folder)
                   : Tuning()),
        staging(context, queue,
                options.transfers.value_or(profile.host_unified_memory ? Transfers::mapped
                                                                       : Transfers::pinned)) {
    override_cores(profile, options.cores_per_compute_unit);
    profile.vendor_kernels = options.vendor_kernels;
    profile.pretended_ratio = options.pretended_ratio;
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  /// Waits for work that an error left in the context's own queue. A driver that is still working
  /// when the process ends may crash it.
  ~State() {
    if (owns_queue) settle(queue);  // a failure would have been reported earlier
  }

  DeviceProfile profile;
  cl::Context context;
  cl::CommandQueue queue;
  bool owns_queue = false;
  ProgramStore programs;
  Tuning tuning;
  Staging staging;
  std::optional<bool> runs_long_loops;
  bool knows_rates = false;
  std::optional<ArithmeticRates> rates;
  KernelTrials trials{programs};
  std::optional<Context> observer;
  KeptLu kept_lu;
};

Context::Context(const Device& device, const ContextOptions& options)
    : state_(translate_opencl_errors([&] {
        const KeptSignalHandlers handlers;
        const cl::Context context(device.handle);
        auto state = std::make_shared<State>(device.profile, context,
                                             open_queue(context, device.handle, options.profiling),
                                             device.handle, options);
        state->owns_queue = true;
        return state;
      })) {}

Context::Context(const cl::CommandQueue& queue, const ContextOptions& options)
    : state_(translate_opencl_errors([&] {
        const KeptSignalHandlers handlers;
        require_in_order(queue);
        const auto device = device_of(queue);
        return std::make_shared<State>(query_profile(device, "caller"), context_of(queue), queue,
                                       device, options);
      })) {}

const DeviceProfile& Context::profile() const noexcept { return state_->profile; }
const cl::Context& Context::context() const noexcept { return state_->context; }
const cl::CommandQueue& Context::queue() const noexcept { return state_->queue; }
ProgramStore& Context::programs() noexcept { return state_->programs; }
const Tuning& Context::tuning() const noexcept { return state_->tuning; }
Transfers Context::transfers() const noexcept { return state_->staging.transfers(); }
Staging& Context::staging() const noexcept { return state_->staging; }
KeptLu& Context::kept_lu() const noexcept { return state_->kept_lu; }
Context& Context::observer() const {
  if (!state_->observer)
    state_->observer = Context(std::shared_ptr<State>(std::shared_ptr<State>(), state_.get()));
  return *state_->observer;
}
KernelTrials& Context::trials() noexcept { return state_->trials; }

bool Context::runs_long_loops() {
  std::optional<bool>& known = state_->runs_long_loops;
  if (known) return *known;
  constexpr const char *kQuestion = "long loops", *kFile = "loop_probe.cl", *kYes = "run";
  if (programs().recall(kQuestion, kFile, {}) == kYes) return *(known = true);
  constexpr cl_uint kSteps = 1U << 20U;
  cl_uint expected = 1, counted = 0;
  for (cl_uint i = 0; i < kSteps; ++i) expected = expected * 1664525U + 1013904223U;
  translate_opencl_errors([&] {
    const cl::Buffer result = allocate(sizeof counted, "a probe");
    Kernel probe = programs().kernel_at_once(kFile, "count_steps", {});
    probe.set_arguments(result, kSteps);
    enqueue_kernel(queue(), probe, cl::NDRange(1), cl::NDRange(1));
    queue().enqueueReadBuffer(result, CL_TRUE, 0, sizeof counted, &counted);
  });
  known = counted == expected;
  if (*known) programs().remember(kQuestion, kFile, {}, kYes);
  return *known;
}

std::optional<ArithmeticRates> Context::arithmetic_rates() {
  if (const auto ratio = profile().pretended_ratio)
    return ArithmeticRates{0, 0, ArithmeticRates::of(*ratio, 1).ratio};
  if (!state_->knows_rates) state_->rates = measure_arithmetic(*this);
  state_->knows_rates = true;
  return state_->rates;
}

void Context::require_memory(std::uint64_t bytes, const std::string& what) const {
  if (bytes <= profile().global_mem_bytes) return;
  throw OutOfMemory(
      fmt::format("{} needs {}, the memory of {} is {}; solve a smaller system, in f32, or on "
                  "another device",
                  what, megabytes(bytes), profile().name, megabytes(profile().global_mem_bytes)));
}

cl::Buffer Context::allocate(std::uint64_t bytes, const std::string& what) const {
  require_memory(bytes, what);
  // A buffer above CL_DEVICE_MAX_MEM_ALLOC_SIZE is attempted anyway: an H200 that states 35 GB
  // allocated 120 GB.
  try {
    return {context(), CL_MEM_READ_WRITE, std::max<std::uint64_t>(bytes, 1)};
  } catch (const cl::Error& error) {
    if (bytes <= profile().max_alloc_bytes) throw_opencl_error(error.what(), error.err());
    throw OutOfMemory(
        fmt::format("{} needs {} in one buffer, {} allows {} ({}); f32 takes half, another device "
                    "may have more",
                    what, megabytes(bytes), profile().name, megabytes(profile().max_alloc_bytes),
                    opencl_error_name(error.err())));
  }
}

}  // namespace clgauss
