#include "session.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <clgauss/error.hpp>
#include <future>
#include <thread>
#include <utility>
#include <vector>

namespace clgauss::python {

namespace {

using namespace std::chrono_literals;
constexpr auto kBetweenSignals = 50ms;
constexpr auto kPatience = 500ms;  // with work that was asked to stop
constexpr std::size_t kSmallSolvers = 64;

/// Ends work whose callback sees that it is not wanted any more.
class Interrupted : public Error {
 public:
  Interrupted() : Error(ErrorCode::stopped, "interrupted") {}
};

/// For use with the GIL.
std::vector<std::thread>& abandoned_work() {
  static std::vector<std::thread> threads;
  return threads;
}

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

}  // namespace

void require_first_process() {
  static const pid_t first = getpid();
  if (getpid() != first) throw Error(ErrorCode::opencl, kForked);
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
  std::packaged_task<void()> task([self = shared_from_this(), stop, body] {
    const ProgressCallback hear = [&](std::string_view, double) {
      if (*stop) throw Interrupted();
    };
    const std::lock_guard alone(self->busy_);
    hear({}, 0);
    body(hear);
  });
  std::future<void> end = task.get_future();
  std::thread thread(std::move(task));
  const auto ended_within = [&](std::chrono::milliseconds time) {
    const nb::gil_scoped_release no_gil;
    if (end.wait_for(time) != std::future_status::ready) return false;
    thread.join();
    return true;
  };
  while (!ended_within(kBetweenSignals)) {
    if (PyErr_CheckSignals() == 0) continue;
    nb::python_error interrupt;
    *stop = true;
    if (!ended_within(kPatience)) abandoned_work().push_back(std::move(thread));
    throw interrupt;
  }
  end.get();
}

bool Session::run_at_once(const std::function<void()>& body) {
  require_own_process();
  const nb::gil_scoped_release no_gil;
  const std::unique_lock alone(busy_, std::try_to_lock);
  if (!alone) return false;
  body();
  return true;
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
  std::vector<std::thread> threads = std::move(abandoned_work());
  const nb::gil_scoped_release no_gil;
  for (std::thread& thread : threads) thread.join();
}

}  // namespace clgauss::python
