#include "kernels/lu_parts.hpp"

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>

namespace clgauss {

cl_uint swap_group(cl_uint block) {
  cl_uint size = 32;
  while (size < block) size *= 2;
  return size;
}

LuTuning::LuTuning(const LuSpec& spec) {
  const auto number = [&](const char* name) { return static_cast<cl_uint>(spec.value(name)); };
  nb = number("NB");
  group_rows = number("GROUP_ROWS");
  tournament_group = number("TOURNAMENT_GROUP");
  strip = number("STRIP");
  solve_block = number("SOLVE_BLOCK");
  small_n = number("SMALL_N");
  small_group = number("SMALL_GROUP");
  persistent = spec.value("PERSISTENT") == 1;
  spin_limit = spec.value("SPIN_LIMIT");
  std::ranges::transform(kRows, rows.begin(), number);
  std::ranges::transform(kSubGroups, sub_groups.begin(), number);
}

cl_uint LuTuning::sub_groups_for(cl_uint m) const {
  const auto entry = std::ranges::find_if(rows, [&](cl_uint up_to) { return m <= up_to; });
  return sub_groups[static_cast<std::size_t>(entry - rows.begin())];
}

Defines LuTuning::persistent_macros(cl_uint m, int spins) const {
  return {{"PANEL_WIDTH", std::to_string(kPanelWidth)},
          {"SUB_GROUPS", std::to_string(sub_groups_for(m))},
          {"SPIN_LIMIT", std::to_string(spins)}};
}

Defines LuTuning::group_macros(cl_uint m) const {
  return {{"PANEL_WIDTH", std::to_string(kPanelWidth)}, {"WG_SIZE", std::to_string(group_size(m))}};
}

Defines LuTuning::tournament_macros() const {
  return {{"PANEL_WIDTH", std::to_string(kPanelWidth)},
          {"WG_SIZE", std::to_string(tournament_group)}};
}

Defines LuTuning::strip_macros(StripKernel kernel, cl_uint group,
                               const std::string& substitute) const {
  return {{"KERNEL", std::to_string(static_cast<int>(kernel))},
          {"WG_SIZE", std::to_string(group)},
          {"STRIP", std::to_string(strip)},
          {"SUBSTITUTE", substitute}};
}

Defines LuTuning::step_macros(bool upper) {
  return {{"WG_SIZE", std::to_string(kTrsvBlock)}, {"UPPER", upper ? "1" : "0"}};
}

Defines LuTuning::one_launch_macros(bool upper) const {
  return {{"BLOCK", std::to_string(kTrsvBlock)},
          {"UPPER", upper ? "1" : "0"},
          {"SPIN_LIMIT", std::to_string(spin_limit)}};
}

Defines with_real(RealType type, const Defines& macros) {
  Defines defines = real_defines(type);
  defines.insert(defines.end(), macros.begin(), macros.end());
  return defines;
}

Kernel& KernelMemo::get(const std::string& file, const std::string& name, const Defines& macros) {
  std::string key = name;
  for (const auto& [macro, value] : macros) key += ' ' + value;
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return found->second;
  return kernels_.emplace(key, context_.programs().kernel(file, name, with_real(type_, macros)))
      .first->second;
}

bool KernelMemo::works(const std::string& file, const Defines& macros,
                       const std::function<void()>& ask) {
  return works_as(file.substr(0, file.find('.')), file, macros, ask);
}

bool KernelMemo::works_as(const std::string& name, const std::string& file, const Defines& macros,
                          const std::function<void()>& ask) {
  return context_.trials().passes({name, file, with_real(type_, macros)}, ask);
}

void KernelMemo::none_works(const char* operation, const std::vector<std::string>& files) {
  throw NoUsableKernel(std::string("no kernel for ") + operation + " works on " +
                       context_.profile().name + ": " + context_.trials().reasons(files));
}

LuFlags::LuFlags(const Context& context)
    : buffer_(context.allocate(2 * sizeof(cl_int), "the flags of an LU")) {
  reset(context.queue());
}

void LuFlags::reset(const cl::CommandQueue& queue) const {
  const cl_int2 initial{{kNoBadPivot, 0}};  // one fill: each costs as much as a launch
  queue.enqueueFillBuffer(buffer_, initial, 0, sizeof initial);
}

LuFlags::Values LuFlags::read(const cl::CommandQueue& queue) const {
  cl_int flags[2];
  queue.enqueueReadBuffer(buffer_, CL_TRUE, 0, sizeof flags, flags);
  Values values;
  values.gave_up = flags[1] != 0;
  if (flags[0] != kNoBadPivot) values.first_bad_pivot = static_cast<Index>(flags[0]);
  return values;
}

void enqueue_poison(Context& context, RealType type, const LuOutcome& outcome,
                    const MatrixView& b, Index rows, Index columns) {
  if (rows == 0 || columns == 0) return;
  Kernel poison = context.programs().kernel("poison.cl", "poison_if_failed", real_defines(type));
  cl_uint index = 0;
  poison.set_arguments_from(index, outcome.flags, outcome.success,
                            cl_uint{outcome.second_flag ? 1U : 0U},
                            outcome.second_flag ? cl_int{0} : outcome.success);
  index += 4;
  pass_view(poison, index, b);
  enqueue_kernel(context.queue(), poison, cl::NDRange(columns, rows));
}

void require_factored(const MatrixView& factors) {
  if (factors.buffer() == nullptr)
    throw UsageError("there is nothing to solve with: factor a matrix first");
}

void pass_view(Kernel& kernel, cl_uint& index, const MatrixView& view) {
  kernel.set_arguments_from(index, view.buffer, cl_ulong{view.offset},
                            static_cast<cl_uint>(view.ld));
  index += 3;
}

void launch_groups(const cl::CommandQueue& queue, const Kernel& kernel, std::size_t groups,
                   std::size_t local) {
  enqueue_kernel(queue, kernel, cl::NDRange(groups * local), cl::NDRange(local));
}

}  // namespace clgauss
