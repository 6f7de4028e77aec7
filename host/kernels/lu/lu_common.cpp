#include "kernels/lu/lu_common.hpp"

#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>

namespace clgauss {

Defines with_real(RealType type, const Defines& macros) {
  Defines defines = real_defines(type);
  defines.insert(defines.end(), macros.begin(), macros.end());
  return defines;
}

Defines number_macros(NumberType number, const Defines& macros) {
  Defines defines = with_real(number.real, macros);
  if (number.complex) defines.emplace_back("COMPLEX", "1");
  return defines;
}

Defines KernelMemo::all(const Defines& macros) const { return number_macros(number_, macros); }

Kernel& KernelMemo::get(const std::string& file, const std::string& name, const Defines& macros) {
  std::string key = name;
  for (const auto& [macro, value] : macros) key += ' ' + value;
  const auto found = kernels_.find(key);
  if (found != kernels_.end()) return found->second;
  return kernels_.emplace(key, context_.programs().kernel(file, name, all(macros))).first->second;
}

bool KernelMemo::works(const std::string& name, const std::string& file, const Defines& macros,
                       const std::function<void()>& ask) {
  return context_.trials().passes({name, file, all(macros)}, ask);
}

void KernelMemo::none_works(const char* operation, const std::vector<std::string>& names) {
  throw NoUsableKernel(std::string("no kernel for ") + operation + " works on " +
                       context_.profile().name + ": " + context_.trials().reasons(names));
}

LuFlags::LuFlags(const Context& context)
    : buffer_(context.allocate(2 * sizeof(cl_int), "the flags of an LU")) {
  reset(context.queue());
}

void LuFlags::reset(const cl::CommandQueue& queue) const {
  const cl_int2 initial{{kNoBadPivot, 0}};  // one fill, because each costs as much as a launch
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

UsualLu::UsualLu(Context& context, NumberType number)
    : kernels(context, number),
      flags(context),
      parameters(default_lu_spec(context.profile(), number.real, kRows, LuFamily::gpu).parameters),
      setting{kernels, flags, parameters, kRows} {}

void lose_residency(Context& context, const std::string& what, const std::string& or_else,
                    bool looked_ahead) {
  context.trials().forget_residency();
  throw CoResidencyLost("the work-groups of " + what + " did not all run at once on " +
                            context.profile().name + " (is it shared?); try again" + or_else,
                        looked_ahead);
}

namespace {

Kernel poison_kernel(Context& context, RealType type) {
  return context.programs().kernel("poison.cl", "poison_if_failed", real_defines(type));
}

}  // namespace

void prepare_poison(Context& context, RealType type) { (void)poison_kernel(context, type); }

void enqueue_poison(Context& context, const cl::CommandQueue& queue, RealType type,
                    const LuOutcome& outcome, const MatrixView& b, Index rows, Index columns) {
  if (rows == 0 || columns == 0) return;
  Kernel poison = poison_kernel(context, type);
  cl_uint index = 0;
  poison.set_arguments_from(index, outcome.flags, outcome.success,
                            cl_uint{outcome.second_flag ? 1U : 0U},
                            outcome.second_flag ? cl_int{0} : outcome.success);
  index += 4;
  pass_view(poison, index, b);
  enqueue_kernel(queue, poison, cl::NDRange(columns, rows));
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

void launch_items(const Context& context, const cl::CommandQueue& queue, const Kernel& kernel,
                  const std::array<std::size_t, 2>& items) {
  const bool alone = context.profile().type == DeviceType::cpu;
  enqueue_kernel(queue, kernel, cl::NDRange(items[0], items[1]),
                 alone ? cl::NDRange(1, 1) : cl::NullRange);
}

}  // namespace clgauss
