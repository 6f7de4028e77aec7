#include "distributed/step_tasks.hpp"

#include <fmt/format.h>

#include <array>

namespace clgauss {

namespace {

constexpr std::array kNames{"panel", "update", "forward", "backward"};

}  // namespace

starpu_codelet& StepTasks::codelet(StepKind kind) {
  static std::array<starpu_codelet, kNames.size()> codelets = [] {
    std::array<starpu_codelet, kNames.size()> made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
      starpu_codelet_init(&made[i]);
      made[i].where = STARPU_OPENCL;
      made[i].opencl_funcs[0] = work;
      made[i].opencl_flags[0] = STARPU_OPENCL_ASYNC;
      made[i].nbuffers = STARPU_VARIABLE_NBUFFERS;
      made[i].name = kNames[i];
    }
    return made;
  }();
  return codelets[static_cast<std::size_t>(kind)];
}

void StepTasks::work(void* buffers[], void* argument) {
  const Task& task = *static_cast<Task*>(argument);
  const std::size_t device = Engine::Implementation::current_device();
  Engine::Implementation& engine = task.all->engine_;
  engine.guard(device, [&] {
    task.all->run_(task.step, device, buffers);
    // StarPU polls for the device's completion and thereby occupies a core that a CPU device needs
    // itself. Waiting here avoids that.
    if (engine.profiles[device].type == DeviceType::cpu)
      engine.workers[device].context->queue().finish();
  });
}

/// Called by StarPU when the device has finished the step.
void StepTasks::done(void* argument) {
  const Task& task = *static_cast<Task*>(argument);
  StepTasks& all = *task.all;
  all.finished_(task.step);
  all.done_flops_ += task.step.flops;
  if (all.keeps_records_) all.record(task.step);
}

void StepTasks::record(const Step& step) {
  const starpu_task* const task = starpu_task_get_current();
  if (task == nullptr || task->profiling_info == nullptr) return;
  const starpu_profiling_task_info& info = *task->profiling_info;
  const std::scoped_lock lock(engine_.mutex);
  engine_.records.push_back(
      {fmt::format("{} {} {}", kNames[static_cast<std::size_t>(step.kind)], step.k, step.j),
       static_cast<unsigned>(Engine::Implementation::current_device()), seconds(info.start_time),
       seconds(info.end_time)});
}

void StepTasks::clear() {
  tasks_.clear();
  done_flops_ = 0;
}

}  // namespace clgauss
