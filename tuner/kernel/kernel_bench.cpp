#include "tuner/kernel/kernel_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <clgauss/lab/launch.hpp>
#include <cmath>
#include <random>

#include "file_content.hpp"
#include "opencl_error.hpp"
#include "tuner/kernel/reference_command.hpp"
#include "tuner/kernel/signature.hpp"

namespace clgauss::tune {

namespace {

constexpr double kShortestRun = 2e-3;
constexpr std::size_t kMostPasses = 64;
/// Behind every buffer lie cells that no kernel may change.
constexpr std::size_t kGuardBytes = 4096;
constexpr auto kGuard = std::byte{0xC5};

cl::NDRange ndrange(std::span<const std::size_t> sizes) {
  switch (sizes.size()) {
    case 0:
      return cl::NullRange;
    case 1:
      return {sizes[0]};
    case 2:
      return {sizes[0], sizes[1]};
    default:
      return {sizes[0], sizes[1], sizes[2]};
  }
}

/// "16x8".
std::string text_of(std::span<const std::size_t> sizes) {
  std::string text;
  for (const std::size_t size : sizes) text += (text.empty() ? "" : "x") + std::to_string(size);
  return text;
}

std::string kind_text(const KernelArgument& argument) {
  const std::string type = element_type_name(argument.type);
  switch (argument.kind) {
    case KernelArgument::Kind::buffer:
      return "a buffer of " + type;
    case KernelArgument::Kind::local:
      return "local memory of " + type;
    case KernelArgument::Kind::scalar:
      break;
  }
  return "one " + type;
}

/// The numbers of an .npy file, or those that lie one after the other in any other.
std::vector<double> numbers_in(const std::filesystem::path& file, const ElementType& type) {
  if (file.extension() == ".npy") {
    const Matrix matrix = clgauss::read_matrix(file.string());
    return {matrix.values().begin(), matrix.values().end()};
  }
  const std::string content = file_content(file);
  return from_bytes(type, std::as_bytes(std::span<const char>(content)));
}

/// Error of sums and products in another order, as a share of the largest number.
double default_tolerance(const ElementType& type) {
  if (type.kind != ElementType::Kind::real) return 0;
  return type.bytes == 4 ? 1e-4 : 1e-10;
}

}  // namespace

std::size_t KernelLaunch::group() const {
  if (local.empty()) return 0;
  std::size_t product = 1;
  for (const std::size_t size : local) product *= size;
  return product;
}

std::string text_of(const KernelLaunch& launch) {
  std::string text =
      "LOCAL=" + (launch.local.empty() ? "driver" : text_of(std::span(launch.local)));
  for (const auto& [name, value] : launch.macros)
    text += fmt::format(" {}={}", name, text_of(value));
  return text;
}

Variables variables_of(const KernelTask& task, const Configuration& macros) {
  Variables variables = task.sizes;
  for (const auto& [name, value] : macros)
    if (const auto* number = std::get_if<std::int64_t>(&value))
      variables[name] = static_cast<double>(*number);
  return variables;
}

Variables variables_of(const KernelTask& task, const KernelLaunch& launch) {
  Variables variables = variables_of(task, launch.macros);
  for (std::size_t d = 0; d < launch.local.size(); ++d)
    variables[kLocalNames[d]] = static_cast<double>(launch.local[d]);
  return variables;
}

bool names_local(const Expression& expression) {
  return std::ranges::any_of(kLocalNames,
                             [&](const char* name) { return expression.names().contains(name); });
}

bool needs_local(const KernelTask& task) {
  return std::ranges::any_of(task.global, names_local) ||
         std::ranges::any_of(task.arguments, names_local, &KernelArgument::count);
}

std::vector<std::size_t> global_of(const KernelTask& task, const KernelLaunch& launch) {
  const Variables variables = variables_of(task, launch);
  std::vector<std::size_t> global;
  for (std::size_t d = 0; d < task.dimensions(); ++d) {
    const std::size_t size = task.global[d].size(variables);
    const std::size_t local = launch.local.empty() ? 1 : launch.local[d];
    if (task.global_in_groups) {
      if (launch.local.empty())
        throw DeviceLimit("a range counted in work-groups leaves the driver no choice");
      global.push_back(size * local);
    } else if (size % local != 0 && !task.round_up[d]) {
      throw DeviceLimit(fmt::format(
          "a work-group of {} does not divide the {} work-items of dimension {}", local, size, d));
    } else {
      global.push_back((size + local - 1) / local * local);
    }
  }
  return global;
}

std::string exceeded_limit(const DeviceProfile& device, std::span<const std::size_t> local) {
  std::size_t group = 1;
  for (std::size_t d = 0; d < local.size(); ++d) {
    group *= local[d];
    if (local[d] > device.max_work_item_sizes[d])
      return fmt::format("a work-group of {} is above CL_DEVICE_MAX_WORK_ITEM_SIZES[{}] = {}",
                         text_of(local), d, device.max_work_item_sizes[d]);
  }
  if (group > device.max_work_group_size)
    return fmt::format("a work-group of {} is above CL_DEVICE_MAX_WORK_GROUP_SIZE = {}",
                       text_of(local), device.max_work_group_size);
  return {};
}

/// A kernel with its arguments set, and its range.
struct KernelBench::Ready {
  Kernel kernel;
  std::vector<std::size_t> global, local;
  Operands operands = {};
  std::size_t passes = 1;
};

KernelBench::KernelBench(Context& context, KernelTask task, const KernelLaunch& first)
    : context_(context), task_(std::move(task)) {
  for (std::size_t i = 0; i < task_.arguments.size(); ++i)
    operands_.push_back(std::make_shared<Operand>());
  translate_opencl_errors([&] {
    match_signature(build(task_.file, task_.name, first));
    make_reference(first);
  });
}

Kernel KernelBench::build(const std::filesystem::path& file, const std::string& name,
                          const KernelLaunch& launch) {
  const auto device = context_.queue().getInfo<CL_QUEUE_DEVICE>();
  std::string options = "-cl-kernel-arg-info";
  if (!task_.build_options.empty()) options += ' ' + task_.build_options;
  for (const auto& [macro, value] : launch.macros)
    options += fmt::format(" -D{}={}", macro, text_of(value));
  cl::Program program(context_.context(), task_source(file));
  // Not by the bindings, which would lose the reason of a failure that left no log.
  const cl_int result = clBuildProgram(program(), 1, &device(), options.c_str(), nullptr, nullptr);
  if (result == CL_BUILD_PROGRAM_FAILURE)
    throw BuildError(file.string(), options, program.getBuildInfo<CL_PROGRAM_BUILD_LOG>(device));
  if (result != CL_SUCCESS) throw_opencl_error("clBuildProgram", result);
  Kernel kernel;
  try {
    kernel.handle = cl::Kernel(program, name.c_str());
  } catch (const cl::Error& error) {
    if (error.err() != CL_INVALID_KERNEL_NAME) throw;
    throw UsageError(fmt::format("{} has no kernel {}; it has: {}", file.string(), name,
                                 program.getInfo<CL_PROGRAM_KERNEL_NAMES>().c_str()));
  }
  kernel.name = name;
  kernel.work_group_limit = kernel.handle.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device);
  kernel.preferred_multiple =
      kernel.handle.getWorkGroupInfo<CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE>(device);
  return kernel;
}

Kernel KernelBench::kernel_of(const KernelLaunch& launch) {
  return translate_opencl_errors([&] { return build(task_.file, task_.name, launch); });
}

std::string KernelBench::called(std::size_t argument) const {
  const std::string& name = task_.arguments[argument].name;
  return name.empty() ? fmt::format("argument {}", argument)
                      : fmt::format("argument {} ({})", argument, name);
}

/// Throws UsageError unless the task's arguments are those of the kernel; takes over names and
/// which buffers are written.
void KernelBench::match_signature(const Kernel& kernel) {
  const std::vector<Formal> signature = signature_of(kernel.handle);
  const auto count = kernel.handle.getInfo<CL_KERNEL_NUM_ARGS>();
  if (count != task_.arguments.size())
    throw UsageError(fmt::format("{} takes {} arguments{}, {} are given", task_.name, count,
                                 signature.empty() ? "" : " (" + text_of(signature) + ")",
                                 task_.arguments.size()));
  for (std::size_t i = 0; i < signature.size(); ++i) {
    const Formal& wanted = signature[i];
    KernelArgument& given = task_.arguments[i];
    const bool known = is_element_type(wanted.type);  // else a name of the file's own
    if (wanted.kind() != given.kind || (known && !(parse_element_type(wanted.type) == given.type)))
      throw UsageError(fmt::format("argument {} of {} is {}, not {}", i, task_.name, wanted.text(),
                                   kind_text(given)));
    if (given.name.empty()) given.name = wanted.name;
    if (!given.output) given.output = !wanted.constant;
  }
  for (std::size_t i = 0; i < operands_.size(); ++i)
    operands_[i]->output = task_.arguments[i].kind == KernelArgument::Kind::buffer &&
                           task_.arguments[i].output.value_or(true);
}

/// `count` numbers that the buffer holds before a run.
std::vector<double> KernelBench::contents_of(std::size_t argument, std::size_t count) const {
  const KernelArgument& given = task_.arguments[argument];
  if (const auto* number = std::get_if<double>(&given.fill))
    return std::vector<double>(count, *number);
  if (const auto* file = std::get_if<std::filesystem::path>(&given.fill)) {
    std::vector<double> numbers = numbers_in(*file, given.type);
    if (numbers.size() != count)
      throw DimensionError(fmt::format("{} holds {} numbers, {} of {} takes {}", file->string(),
                                       numbers.size(), called(argument), task_.name, count));
    return numbers;
  }
  std::vector<double> values(count);
  std::mt19937_64 random(argument + 1);
  const bool real = given.type.kind == ElementType::Kind::real;
  for (double& value : values)
    value = real ? static_cast<double>(random() >> 11U) * 0x1p-52 - 1
                 : static_cast<double>(random() % 100);
  return values;
}

/// Makes the buffer of the size that the variables give, unless it is there.
void KernelBench::hold(std::size_t argument, const Variables& variables) {
  const KernelArgument& given = task_.arguments[argument];
  const std::size_t elements = given.count.size(variables);
  const std::size_t bytes = elements * given.type.size();
  if (operands_[argument]->bytes == bytes) return;
  Operand operand{bytes, operands_[argument]->output, {}, {}};
  operand.buffer = context_.allocate(bytes + kGuardBytes, called(argument));
  if (operand.output) operand.original = context_.allocate(bytes, called(argument));
  context_.queue().enqueueFillBuffer(operand.buffer, std::to_integer<cl_uchar>(kGuard), bytes,
                                     kGuardBytes);
  const std::vector<std::byte> content =
      to_bytes(given.type, contents_of(argument, elements * given.type.width));
  context_.queue().enqueueWriteBuffer(operand.output ? operand.original : operand.buffer, CL_TRUE,
                                      0, bytes, content.data());
  operands_[argument] = std::make_shared<Operand>(std::move(operand));
}

void KernelBench::set_arguments(Kernel& kernel, const Variables& variables) {
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    const KernelArgument& given = task_.arguments[i];
    const auto index = static_cast<cl_uint>(i);
    if (given.kind == KernelArgument::Kind::buffer) {
      hold(i, variables);
      kernel.set_arguments_from(index, operands_[i]->buffer);
    } else if (given.kind == KernelArgument::Kind::local) {
      kernel.set_argument(index, given.count.size(variables) * given.type.size(), nullptr);
    } else {
      const std::vector<double> values(given.type.width, given.count.value(variables));
      const std::vector<std::byte> bytes = to_bytes(given.type, values);
      kernel.set_argument(index, bytes.size(), bytes.data());
    }
  }
}

/// Every output as it was before the first run.
void KernelBench::restore(const Operands& operands) {
  for (const auto& operand : operands)
    if (operand->output && operand->bytes > 0)
      context_.queue().enqueueCopyBuffer(operand->original, operand->buffer, 0, 0, operand->bytes);
  context_.queue().finish();
}

KernelBench::Ready KernelBench::prepare(const KernelLaunch& launch) {
  if (const std::string limit = exceeded_limit(context_.profile(), launch.local); !limit.empty())
    throw DeviceLimit(limit);
  Ready ready{build(task_.file, task_.name, launch), global_of(task_, launch), launch.local};
  set_arguments(ready.kernel, variables_of(task_, launch));
  ready.operands = operands_;
  static_cast<void>(run(ready));  // some drivers compile only now
  return ready;
}

/// Nanoseconds of one of the passes.
double KernelBench::run(Ready& ready) {
  restore(ready.operands);
  return 1e9 / static_cast<double>(ready.passes) * time_once([&] {
           for (std::size_t p = 0; p < ready.passes; ++p)
             enqueue_kernel(context_.queue(), ready.kernel, ndrange(ready.global),
                            ndrange(ready.local));
           context_.queue().finish();
         });
}

std::vector<double> KernelBench::result_of(std::size_t argument) const {
  std::vector<std::byte> bytes(operands_[argument]->bytes);
  context_.queue().enqueueReadBuffer(operands_[argument]->buffer, CL_TRUE, 0, bytes.size(),
                                     bytes.data());
  return from_bytes(task_.arguments[argument].type, bytes);
}

void KernelBench::expect(std::size_t argument, std::vector<double> values,
                         std::optional<double> tolerance) {
  if (!tolerance) tolerance = task_.reference.tolerance;
  expected_.push_back({argument, std::move(values),
                       tolerance.value_or(default_tolerance(task_.arguments[argument].type))});
}

/// Which buffer was written beyond its end; empty if none was.
std::string KernelBench::overrun() {
  std::vector<std::byte> cells(kGuardBytes);
  for (std::size_t i = 0; i < operands_.size(); ++i) {
    Operand& operand = *operands_[i];
    if (operand.bytes == 0) continue;
    context_.queue().enqueueReadBuffer(operand.buffer, CL_TRUE, operand.bytes, kGuardBytes,
                                       cells.data());
    if (std::ranges::all_of(cells, [](std::byte cell) { return cell == kGuard; })) continue;
    operand.bytes = 0;  // it is made anew
    return fmt::format("{} was written beyond its end", called(i));
  }
  return {};
}

/// What is wrong with the outputs; empty if nothing is.
std::string KernelBench::fault() {
  if (std::string beyond = overrun(); !beyond.empty()) return beyond;
  if (expected_.empty())  // whatever the first one computes
    for (const std::size_t i : compared()) expect(i, result_of(i), {});
  for (const Expected& expected : expected_) {
    const std::vector<double> result = result_of(expected.argument);
    if (result.size() != expected.values.size())
      return fmt::format("{} has {} numbers, the reference {}", called(expected.argument),
                         result.size(), expected.values.size());
    double largest = 0;
    for (const double value : expected.values)
      if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
    for (std::size_t i = 0; i < result.size(); ++i)
      if (!(result[i] == expected.values[i] ||
            std::abs(result[i] - expected.values[i]) <= expected.tolerance * largest))
        return fmt::format("{}[{}] is {:.9g} instead of {:.9g}", called(expected.argument), i,
                           result[i], expected.values[i]);
  }
  return {};
}

/// The outputs that are compared: all that are not scratch.
std::vector<std::size_t> KernelBench::compared() const {
  std::vector<std::size_t> outputs;
  for (std::size_t i = 0; i < operands_.size(); ++i)
    if (operands_[i]->output && !task_.arguments[i].scratch) outputs.push_back(i);
  return outputs;
}

/// The output called so, or the only one. Throws UsageError.
std::size_t KernelBench::compared_argument(const std::string& name) const {
  const std::vector<std::size_t> outputs = compared();
  if (name.empty() && outputs.size() == 1) return outputs.front();
  std::string known;
  for (const std::size_t i : outputs) {
    if (task_.arguments[i].name == name || std::to_string(i) == name) return i;
    known += (known.empty() ? "" : ", ") + called(i);
  }
  throw UsageError(fmt::format("{} of {} is not an output to compare; name one of: {}",
                               name.empty() ? "what has no name" : "'" + name + "'", task_.name,
                               known));
}

/// What the file holds or the command prints.
std::vector<double> KernelBench::expected_numbers(const Reference::Expected& expected,
                                                  std::size_t argument,
                                                  const Variables& variables) const {
  const KernelArgument& of = task_.arguments[argument];
  const std::size_t count = of.count.size(variables) * of.type.width;
  const auto* file = std::get_if<std::filesystem::path>(&expected.from);
  std::vector<double> numbers;
  if (file != nullptr) {
    numbers = numbers_in(*file, of.type);
  } else {
    const auto input = [&](std::string_view name) -> std::optional<CommandInput> {
      for (std::size_t i = 0; i < operands_.size(); ++i) {
        const KernelArgument& given = task_.arguments[i];
        if (given.kind != KernelArgument::Kind::buffer ||
            (name != given.name && name != std::to_string(i)))
          continue;
        return CommandArray{given.type,
                            contents_of(i, given.count.size(variables) * given.type.width)};
      }
      if (const auto size = variables.find(name); size != variables.end())
        return fmt::format("{:.17g}", size->second);
      return std::nullopt;
    };
    numbers = numbers_printed_by(std::get<Reference::Command>(expected.from).text, input);
  }
  if (numbers.size() != count)
    throw DimensionError(
        fmt::format("{} {} {} numbers, {} of {} has {}",
                    file != nullptr ? file->string()
                                    : "'" + std::get<Reference::Command>(expected.from).text + "'",
                    file != nullptr ? "holds" : "printed", numbers.size(), called(argument),
                    task_.name, count));
  return numbers;
}

void KernelBench::make_reference(const KernelLaunch& first) {
  if (compared().empty())
    throw UsageError(fmt::format(
        "{} writes to no buffer that is compared, so nothing shows whether the kernel works",
        task_.name));
  has_reference_ = task_.reference.kernel || !task_.reference.expected.empty();
  for (const Reference::Expected& one : task_.reference.expected) {
    const std::size_t argument = compared_argument(one.argument);
    expect(argument, expected_numbers(one, argument, variables_of(task_, first)), one.tolerance);
  }
  if (task_.reference.kernel) expect_of_kernel(*task_.reference.kernel, first);
}

/// What another kernel, "KERNEL" or "FILE.cl:KERNEL", makes of the same arguments.
void KernelBench::expect_of_kernel(const std::string& other, const KernelLaunch& first) {
  const Variables variables = variables_of(task_, first);
  const std::size_t colon = other.rfind(':');
  const bool elsewhere = colon != std::string::npos;
  Kernel kernel = build(elsewhere ? std::filesystem::path(other.substr(0, colon)) : task_.file,
                        elsewhere ? other.substr(colon + 1) : other, first);
  if (kernel.handle.getInfo<CL_KERNEL_NUM_ARGS>() != task_.arguments.size())
    throw UsageError(fmt::format("{} does not take the {} arguments of {}", other,
                                 task_.arguments.size(), task_.name));
  set_arguments(kernel, variables);
  std::vector<std::size_t> global;
  if (task_.reference.global.empty())
    global = global_of(task_, first);
  else
    for (const Expression& size : task_.reference.global) global.push_back(size.size(variables));
  restore(operands_);
  enqueue_kernel(context_.queue(), kernel, ndrange(global));
  context_.queue().finish();
  for (const std::size_t i : compared()) expect(i, result_of(i), {});
}

Outcome KernelBench::measure(const KernelLaunch& launch, const RunLimits& limits) {
  return guarded([&]() -> Outcome {
    std::optional<Ready> ready;
    try {
      ready = prepare(launch);
    } catch (const UsageError& error) {  // sizes that these parameters do not give
      return {Status::constraint, error.what(), {}};
    }
    double first_ns = 0;
    const auto timed_ns = [&] { return first_ns = run(*ready); };
    return time_at_once(limits, checked(limits.timeout_ns, "a run", timed_ns, [&] {
                          ready->passes = passes_for(first_ns * 1e-9, kShortestRun, kMostPasses);
                          return fault();
                        }));
  });
}

std::function<double()> KernelBench::timed(const KernelLaunch& launch) {
  return translate_opencl_errors([&] {
    Ready ready = prepare(launch);
    ready.passes = passes_for(run(ready) * 1e-9, kShortestRun, kMostPasses);
    return [this, shared = std::make_shared<Ready>(std::move(ready))] { return run(*shared); };
  });
}

}  // namespace clgauss::tune
