#include "linalg/lu_parts.hpp"

#include <algorithm>
#include <limits>

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

Kernel& KernelMemo::get(const std::string& file, const std::string& name, const Defines& macros) {
  std::string key = name;
  for (const auto& [macro, value] : macros) key += ' ' + value;
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return found->second;
  Defines defines = real_defines(type_);
  defines.insert(defines.end(), macros.begin(), macros.end());
  if (asked_ != nullptr) {
    asked_->push_back({file, std::move(defines)});
    return none_;
  }
  return kernels_.emplace(key, context_.programs().kernel(file, name, defines)).first->second;
}

void KernelMemo::build_all(const std::function<void()>& ask) {
  std::vector<ProgramRequest> asked;
  asked_ = &asked;
  ask();
  asked_ = nullptr;
  context_.programs().build_all(asked);
}

LuFlags::LuFlags(const DeviceContext& context)
    : buffer_(context.allocate(2 * sizeof(cl_int), "the flags of an LU")) {
  reset(context.queue());
}

void LuFlags::reset(const cl::CommandQueue& queue) const {
  const cl_int2 initial{
      {std::numeric_limits<cl_int>::max(), 0}};  // one fill: each costs as much as a launch
  queue.enqueueFillBuffer(buffer_, initial, 0, sizeof initial);
}

LuFlags::Values LuFlags::read(const cl::CommandQueue& queue) const {
  cl_int flags[2];
  queue.enqueueReadBuffer(buffer_, CL_TRUE, 0, sizeof flags, flags);
  Values values;
  values.gave_up = flags[1] != 0;
  if (flags[0] != std::numeric_limits<cl_int>::max())
    values.first_bad_pivot = static_cast<Index>(flags[0]);
  return values;
}

void pass_view(Kernel& kernel, cl_uint& index, const MatrixView& view) {
  kernel.set_arguments_from(index, view.buffer, cl_ulong{view.offset},
                            static_cast<cl_uint>(view.ld));
  index += 3;
}

void launch_groups(const cl::CommandQueue& queue, const Kernel& kernel, std::size_t groups,
                   std::size_t local) {
  queue.enqueueNDRangeKernel(kernel.handle, cl::NullRange, cl::NDRange(groups * local),
                             cl::NDRange(local));
}

}  // namespace clgauss
