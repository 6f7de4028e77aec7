#include "session.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <clgauss/error.hpp>
#include <condition_variable>
#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

namespace clgauss::python {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
constexpr auto kBetweenSignals = 50ms;
constexpr auto kPatience = 500ms;  // with work that was asked to stop
constexpr std::size_t kSmallSolvers = 64, kQuickKinds = 1024;

/// Ends work whose callback sees that it is not wanted any more.
class Interrupted : public Error {
 public:
  Interrupted() : Error(ErrorCode::stopped, "interrupted") {}
};

using Task = std::packaged_task<void()>;

/// A thread that carries out one task after the other and sleeps in between, to the end of the
/// process. A thread that is made for each call costs that, and what drivers set up for a thread
/// that they see for the first time.
class Worker {
 public:
  Worker() { std::thread(&Worker::work, this).detach(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Of a worker that has nothing to do.
  void start(Task task) {
    {
      const std::scoped_lock lock(mutex_);
      task_ = std::move(task);
      busy_ = true;
    }
    wake_.notify_one();
  }

  /// Whether the task has ended, and what it owned is gone.
  [[nodiscard]] bool is_idle() {
    const std::scoped_lock lock(mutex_);
    return !busy_;
  }
  [[nodiscard]] bool becomes_idle_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return done_.wait_for(lock, time, [&] { return !busy_; });
  }
  void wait() {
    std::unique_lock lock(mutex_);
    done_.wait(lock, [&] { return !busy_; });
  }

  bool taken = false;  // by a caller that waits; for use with the GIL

 private:
  /// While it waits no signal is its own: a program may wait for one with all its threads.
  void work() {
    sigset_t all, of_caller;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &of_caller);
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return busy_; });
      lock.unlock();
      pthread_sigmask(SIG_SETMASK, &of_caller, nullptr);
      task_();
      task_ = {};
      pthread_sigmask(SIG_SETMASK, &all, nullptr);
      lock.lock();
      busy_ = false;
      done_.notify_all();
    }
  }

  std::mutex mutex_;  // protects busy_
  std::condition_variable wake_, done_;
  bool busy_ = false;
  Task task_;
};

/// All workers of this process, never deleted: their threads sleep to the end. For use with the
/// GIL.
std::vector<std::unique_ptr<Worker>>& all_workers() {
  static auto& workers = *new std::vector<std::unique_ptr<Worker>>;
  return workers;
}

/// A worker for one caller. Work that the caller does not wait for keeps it busy.
class TakenWorker {
 public:
  TakenWorker() : worker_(idle_one()) { worker_.taken = true; }
  ~TakenWorker() { worker_.taken = false; }
  TakenWorker(const TakenWorker&) = delete;
  TakenWorker& operator=(const TakenWorker&) = delete;
  Worker* operator->() const { return &worker_; }

 private:
  static Worker& idle_one() {
    auto& workers = all_workers();
    const auto found = std::ranges::find_if(
        workers, [](const auto& worker) { return !worker->taken && worker->is_idle(); });
    if (found != workers.end()) return **found;
    workers.reserve(workers.size() + 1);  // a worker that has started must stay
    return *workers.emplace_back(std::make_unique<Worker>());
  }

  Worker& worker_;
};

constexpr const char* kForked =
    "OpenCL was opened before fork(), which its drivers do not survive; start processes by "
    "multiprocessing's "
    "\"spawn\", or open the first context in the child";

Context open(const std::string& spec) {
  require_first_process();
  set_driver_environment();
  return Context(open_device(spec), ContextOptions::from_environment());
}

cl::CommandQueue retained(std::uintptr_t handle) {
  require_first_process();
  if (handle == 0) throw UsageError("the command queue is NULL");
  return cl::CommandQueue(reinterpret_cast<cl_command_queue>(handle), true);
}

/// False in a child of the process that called it first.
bool is_first_process() {
  static const pid_t first = getpid();
  return getpid() == first;
}

}  // namespace

void require_first_process() {
  if (!is_first_process()) throw Error(ErrorCode::opencl, kForked);
}

Session::Session(const std::string& spec) : opened_(new Opened{open(spec)}), process_(getpid()) {
  solves_on_host = context().profile().type == DeviceType::cpu;
}

Session::Session(std::uintptr_t queue)
    : opened_(new Opened{Context(retained(queue), ContextOptions::from_environment())}),
      process_(getpid()) {
  solves_on_host = context().profile().type == DeviceType::cpu;
}

Session::~Session() {
  if (getpid() != process_)
    (void)opened_.release();  // its driver would wait for threads that are not there
}

void Session::require_own_process() const {
  if (getpid() != process_)
    throw Error(ErrorCode::opencl,
                "this context was opened before fork(), which OpenCL drivers do not survive; start "
                "processes by "
                "multiprocessing's \"spawn\", or open the first context in the child");
}

void Session::run(const Body& body) {
  require_own_process();
  const auto stop = std::make_shared<std::atomic<bool>>(false);
  Task task([self = shared_from_this(), stop, body] {
    const ProgressCallback hear = [&](std::string_view, double) {
      if (*stop) throw Interrupted();
    };
    const std::lock_guard alone(self->busy_);
    hear({}, 0);
    body(hear);
  });
  std::future<void> end = task.get_future();
  const TakenWorker worker;
  worker->start(std::move(task));
  const auto ended_within = [&](std::chrono::milliseconds time) {
    const nb::gil_scoped_release no_gil;
    return worker->becomes_idle_within(time);
  };
  while (!ended_within(kBetweenSignals)) {
    if (PyErr_CheckSignals() == 0) continue;
    nb::python_error interrupt;
    *stop = true;
    (void)ended_within(kPatience);
    throw interrupt;
  }
  end.get();
}

bool Session::run_at_once(const Body& body) {
  require_own_process();
  const nb::gil_scoped_release no_gil;
  const std::unique_lock alone(busy_, std::try_to_lock);
  if (!alone) return false;
  const auto end = Clock::now() + kBetweenSignals;
  try {
    body([end](std::string_view, double) {
      if (Clock::now() >= end) throw Interrupted();
    });
  } catch (const Interrupted&) {
    return false;
  }
  return true;
}

void Session::run_as_usual(const Kind& kind, const Body& body) {
  const bool was_quick = quick_.erase(kind) > 0 || takes_all_for_quick;
  const auto began = Clock::now();
  if (!was_quick || !run_at_once(body)) run(body);
  if (Clock::now() - began >= kBetweenSignals) return;
  if (quick_.size() >= kQuickKinds) quick_.clear();
  quick_.insert(kind);
}

std::optional<SmallSolver*> Session::small_solver(Index n, Index nrhs) const {
  const auto found = opened_->small.find({n, nrhs});
  if (found == opened_->small.end()) return {};
  return found->second.get();
}

void Session::make_small_solver(Index n, Index nrhs) {
  auto& small = opened_->small;
  if (small.size() >= kSmallSolvers) small.clear();
  std::unique_ptr<SmallSolver>& made = small[{n, nrhs}];
  try {
    made = std::make_unique<SmallSolver>(context(), n, nrhs);
  } catch (const NoUsableKernel&) {  // the verdicts say why; solve() may know another way
  }
}

void wait_for_abandoned_work() {
  if (!is_first_process()) return;
  std::vector<Worker*> workers;
  for (const auto& worker : all_workers())
    if (!worker->taken) workers.push_back(worker.get());
  const nb::gil_scoped_release no_gil;
  for (Worker* worker : workers) worker->wait();
}

}  // namespace clgauss::python
