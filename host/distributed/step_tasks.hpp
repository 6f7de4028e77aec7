#pragma once
/// The steps of the algorithm as StarPU tasks.

#include <clgauss/error.hpp>
#include <deque>

#include "distributed/block_data.hpp"
#include "distributed/engine.hpp"

namespace clgauss {

enum class StepKind { panel, update, forward, backward };

struct Step {
  StepKind kind;
  Index k, j;
  double flops;
};

/// Where and when a step runs: of several ready steps, the one of the lowest order comes first.
struct StepPlace {
  int rank;
  std::size_t device;
  Index order;
};

class CLGAUSS_HIDDEN StepTasks {
 public:
  /// Enqueues a step's kernels on the device. Called in the thread of the device's worker.
  using Run = std::function<void(const Step& step, std::size_t device, void* buffers[])>;

  /// `finished` is called in a worker's thread. Both functions must outlive the tasks.
  StepTasks(Engine::Implementation& engine, Run run, std::function<void(const Step&)> finished,
            bool keeps_records)
      : engine_(engine),
        run_(std::move(run)),
        finished_(std::move(finished)),
        keeps_records_(keeps_records) {}

  /// `data` alternates StarPU access modes and handles. Throws UsageError.
  template <typename... Data>
  void submit(const Step& step, const StepPlace& place, Data... data) {
    Task* const task = &tasks_.emplace_back(Task{this, step});
    // Not STARPU_EXECUTE_ON_WORKER, which runs a worker's tasks in submission order and ignores
    // priorities.
    std::vector<std::uint32_t>& worker = engine_.workers[place.device].alone;
    const auto insert = [&](auto... arguments) {
      return engine_.ranks.alone()
                 ? starpu_task_insert(&codelet(step.kind), arguments..., 0)
                 : starpu_mpi_task_insert(MPI_COMM_WORLD, &codelet(step.kind), arguments...,
                                          STARPU_EXECUTE_ON_NODE, place.rank, 0);
    };
    const int result = insert(data..., STARPU_CL_ARGS_NFREE, task, sizeof *task,
                              STARPU_TASK_WORKERIDS, static_cast<unsigned>(worker.size()),
                              worker.data(), STARPU_PRIORITY, -static_cast<int>(place.order),
                              STARPU_CALLBACK, &done, STARPU_CALLBACK_ARG_NFREE, task);
    if (result != 0)
      throw UsageError("StarPU does not take a task: error " + std::to_string(result));
  }

  /// Forgets finished tasks.
  void clear();
  [[nodiscard]] double done_flops() const { return done_flops_; }

 private:
  struct Task {
    StepTasks* all;
    Step step;
  };

  static starpu_codelet& codelet(StepKind kind);
  static void work(void* buffers[], void* argument);
  static void done(void* argument);
  void record(const Step& step);

  Engine::Implementation& engine_;
  Run run_;
  std::function<void(const Step&)> finished_;
  bool keeps_records_;
  std::deque<Task> tasks_;
  std::atomic<double> done_flops_ = 0;
};

}  // namespace clgauss
