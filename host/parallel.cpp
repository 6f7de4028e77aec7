#include "parallel.hpp"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace clgauss {

namespace {

constexpr Index kMostThreads = 16;  // more threads only compete for memory bandwidth

/// Threads that sleep until there is work for all of them. Waking one takes a fraction of the time
/// of starting one, which is 0.1 ms on some machines. They block all signals except those that
/// their own faults raise, such as reading a mapped file that was truncated (io/mapping.hpp). The
/// threads live until the process ends.
class Workers {
 public:
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  /// The workers of this process. A child of fork() does not inherit its parent's threads, so it
  /// gets its own.
  static Workers& of_this_process() {
    static std::atomic<Workers*> known = nullptr;  // never deleted: its threads sleep to the end
    Workers* workers = known;
    if (workers != nullptr && workers->process_ == ::getpid()) return *workers;
    auto mine = std::unique_ptr<Workers>(new Workers);
    if (known.compare_exchange_strong(workers, mine.get())) return *mine.release();
    return *workers;  // another thread created it first
  }

  /// Runs part(0) on the calling thread and part(1) .. part(parts - 1) on one thread each, and
  /// waits for all. Returns false, having done nothing, while another caller uses the threads.
  bool run(Index parts, const std::function<void(Index)>& part) {
    const std::unique_lock turn(turn_, std::try_to_lock);
    if (!turn) return false;
    while (threads_.size() + 1 < parts) start_thread();
    {
      const std::scoped_lock lock(mutex_);
      part_ = &part;
      left_ = parts - 1;
      for (Index i = 0; i + 1 < parts; ++i) threads_[i]->has_work = true;
    }
    for (Index i = 0; i + 1 < parts; ++i) threads_[i]->wake.notify_one();
    const Wait wait{*this};  // waits even if part(0) throws
    part(0);
    return true;
  }

 private:
  struct Thread {
    std::condition_variable wake;
    bool has_work = false;
  };

  /// Waits until all parts except the caller's are done.
  struct Wait {
    Workers& workers;
    explicit Wait(Workers& of) : workers(of) {}
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;
    ~Wait() {
      std::unique_lock lock(workers.mutex_);
      workers.done_.wait(lock, [&] { return workers.left_ == 0; });
    }
  };

  Workers() = default;

  void start_thread() {
    auto mine = std::make_unique<Thread>();
    sigset_t all, before;
    sigfillset(&all);
    for (const int fault : {SIGBUS, SIGSEGV, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT})
      sigdelset(&all, fault);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
      std::thread(&Workers::work, this, std::ref(*mine), threads_.size() + 1).detach();
    } catch (...) {
      pthread_sigmask(SIG_SETMASK, &before, nullptr);
      throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    threads_.push_back(std::move(mine));
  }

  void work(Thread& mine, Index part) {
    std::unique_lock lock(mutex_);
    for (;;) {
      mine.wake.wait(lock, [&] { return mine.has_work; });
      mine.has_work = false;
      const std::function<void(Index)>& now = *part_;
      lock.unlock();
      now(part);
      lock.lock();
      if (--left_ == 0) done_.notify_one();
    }
  }

  const pid_t process_ = ::getpid();
  std::mutex turn_;   // held by the caller that uses the threads
  std::mutex mutex_;  // protects the members below
  std::condition_variable done_;
  std::vector<std::unique_ptr<Thread>> threads_;
  const std::function<void(Index)>* part_ = nullptr;
  Index left_ = 0;
};

}  // namespace

Index parts_of(Index count, Index grain) {
  // Asked once, because glibc opens a file of /sys for the answer, 6 us or more.
  static const Index cores = std::max<Index>(1, std::thread::hardware_concurrency());
  return std::clamp<Index>(count / std::max<Index>(grain, 1), 1, std::min(cores, kMostThreads));
}

void in_parallel(Index count, Index grain, const std::function<void(Index, Index)>& body) {
  const Index parts = parts_of(count, grain);
  const auto begin_of = [&](Index part) {
    return count / parts * part + count % parts * part / parts;
  };
  const auto part = [&](Index i) { body(begin_of(i), begin_of(i + 1)); };
  if (parts == 1) return body(0, count);
  if (Workers::of_this_process().run(parts, part)) return;
  std::vector<std::jthread> threads;
  for (Index i = 1; i < parts; ++i) threads.emplace_back(part, i);
  part(0);
}

namespace {

/// The smallest index that search(part) finds, over parts of the values searched on all cores.
template <typename Search>
Index search_parts(std::span<const double> values, const Search& search) {
  std::atomic<Index> least = values.size();
  in_parallel(values.size(), kElementsPerThread, [&](Index first, Index last) {
    const Index found = search(values.subspan(first, last - first));
    if (found == last - first) return;
    const Index index = first + found;
    for (Index known = least; index < known && !least.compare_exchange_weak(known, index);) {
    }
  });
  return least;
}

}  // namespace

Index find_first(std::span<const double> values, bool (*is_bad)(double)) {
  return search_parts(values, [&](std::span<const double> part) {
    return static_cast<Index>(std::ranges::find_if(part, is_bad) - part.begin());
  });
}

Index find_nonfinite(std::span<const double> values) {
  return search_parts(values, first_nonfinite);
}

Index first_nonfinite(std::span<const double> values) {
  constexpr Index kBlock = 4096, kLanes = 8;
  for (Index begin = 0; begin < values.size(); begin += kBlock) {
    const auto block = values.subspan(begin, std::min(kBlock, values.size() - begin));
    std::array<double, kLanes> differences{};  // NaN for NaN and Inf
    for (Index i = 0; i + kLanes <= block.size(); i += kLanes)
      for (Index lane = 0; lane < kLanes; ++lane)
        differences[lane] += block[i + lane] - block[i + lane];
    const auto is_nan = [](double value) { return std::isnan(value); };
    const bool whole = block.size() % kLanes == 0;
    if (whole && std::ranges::none_of(differences, is_nan)) continue;
    const auto found =
        std::ranges::find_if(block, [](double value) { return !std::isfinite(value); });
    if (found != block.end()) return begin + static_cast<Index>(found - block.begin());
  }
  return values.size();
}

}  // namespace clgauss
