#pragma once
/// A context of Python's: one device, used by one thread at a time, interruptible.

#include <sys/types.h>

#include <array>
#include <clgauss/context.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/progress.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "arrays.hpp"
#include "small_solver.hpp"

namespace clgauss::python {

/// Throws Error in a child of the process that called it first: drivers' own threads do not come
/// along with fork().
void require_first_process();

class Session : public std::enable_shared_from_this<Session> {
 public:
  /// Opens the device that `spec` names. PoCL is told to pin its workers
  /// (set_driver_environment()), which matters where it has not been used in this process.
  explicit Session(const std::string& spec);
  /// Works on an application's cl_command_queue.
  explicit Session(std::uintptr_t queue);
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  [[nodiscard]] Context& context() { return opened_->context; }

  /// Whether the calling thread solves small systems itself: on a CPU device, whose cores are the
  /// host's, that is sooner. Tests say no to it.
  bool solves_on_host = true;

  using Body = std::function<void(const ProgressCallback&)>;
  /// Runs `body` in a thread, alone on the context, while this one waits without the GIL. What it
  /// throws is thrown. Ctrl-C is heard within a fraction of a second: the progress callback then
  /// ends the body; one that does not hear of it soon is left to end by itself, behind Python's
  /// back, with what it owns, and whoever uses the context next waits for that. Throws Error in a
  /// child process.
  void run(const Body& body);

  /// The body here and now, without the GIL: for what takes no longer than a signal may wait. False
  /// if the context is busy, or if the progress callback ended the body because it took longer.
  /// Nothing ends a driver that waits. Throws Error in a child process.
  [[nodiscard]] bool run_at_once(const Body& body);

  /// What the time of a solve depends on: its size and options, as numbers.
  using Kind = std::array<Index, 6>;
  /// run_at_once() if work of this kind was quick the last time, which saves waking a thread,
  /// 0.1 ms; else, and if that was wrong, run(). The body may so be begun twice.
  void run_as_usual(const Kind& kind, const Body& body);
  /// Takes all work for quick. Tests say yes to it.
  bool takes_all_for_quick = false;

  /// The solver for this size, within run() or run_at_once(): empty if none was made, null if the
  /// device's kernels make none.
  [[nodiscard]] std::optional<SmallSolver*> small_solver(Index n, Index nrhs) const;
  /// Makes one, with all its kernels; within run().
  void make_small_solver(Index n, Index nrhs);

 private:
  struct Opened {
    Context context;
    std::map<std::pair<Index, Index>, std::unique_ptr<SmallSolver>> small = {};
  };

  void require_own_process() const;

  std::unique_ptr<Opened> opened_;
  std::set<Kind> quick_;  // for use with the GIL
  std::mutex busy_;
  pid_t process_;
};

/// Waits for what Ctrl-C left running; for the end of the interpreter.
void wait_for_abandoned_work();

}  // namespace clgauss::python
