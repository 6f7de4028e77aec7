#include "parallel.hpp"

#include <doctest/doctest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

namespace clgauss {

namespace {

constexpr Index kCount = 1000;

/// The sum of 0 .. kCount - 1, of parts of one at least.
Index sum_in_parallel() {
  std::atomic<Index> sum = 0;
  in_parallel(kCount, 1, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) sum += i;
  });
  return sum;
}

constexpr Index kSum = kCount * (kCount - 1) / 2;

}  // namespace

TEST_CASE("parallel: every item once, however often, within a part and from several threads") {
  for (int repeat = 0; repeat < 200; ++repeat) CHECK(sum_in_parallel() == kSum);
  std::atomic<Index> inner = 0;
  in_parallel(4, 1, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) inner += sum_in_parallel();
  });
  CHECK(inner == 4 * kSum);
  std::atomic<int> right = 0;
  {
    std::vector<std::jthread> callers;
    for (int caller = 0; caller < 4; ++caller)
      callers.emplace_back([&] {
        for (int repeat = 0; repeat < 100; ++repeat) right += sum_in_parallel() == kSum ? 1 : 0;
      });
  }
  CHECK(right == 400);
}

TEST_CASE("parallel: what the caller's part throws comes after all others are done") {
  std::atomic<Index> done = 0;
  const Index parts = parts_of(kCount, 1);
  CHECK_THROWS_AS(in_parallel(kCount, 1,
                              [&](Index first, Index) {
                                if (first == 0) throw std::runtime_error("a test");
                                ++done;
                              }),
                  std::runtime_error);
  CHECK(done == parts - 1);
  CHECK(sum_in_parallel() == kSum);
}

TEST_CASE("parallel: a child of fork() has threads of its own") {
  REQUIRE(sum_in_parallel() == kSum);
  const pid_t child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) ::_exit(sum_in_parallel() == kSum ? 0 : 1);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status));
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("parallel: its threads take no signals") {
  std::atomic<int> unblocked = 0, blocked_faults = 0;
  const std::thread::id here = std::this_thread::get_id();
  in_parallel(kCount, 1, [&](Index, Index) {
    if (std::this_thread::get_id() == here) return;
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
    unblocked += sigismember(&blocked, SIGUSR1) == 1 ? 0 : 1;
    // Of their own faults they do: a blocked one would end the process past every handler.
    blocked_faults += sigismember(&blocked, SIGBUS) == 0 ? 0 : 1;
  });
  CHECK(unblocked == 0);
  CHECK(blocked_faults == 0);
}

}  // namespace clgauss
