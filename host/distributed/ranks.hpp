#pragma once
/// This process among the ranks of an MPI run; alone where it was not started by mpirun, and then
/// MPI stays asleep.

#include <clgauss/matrix.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace clgauss {

class Ranks {
 public:
  /// Throws UsageError for an MPI that lets one thread alone talk.
  Ranks();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] bool alone() const { return count_ == 1; }
  /// This rank among those of this machine, and how many these are.
  [[nodiscard]] int local_rank() const { return local_rank_; }
  [[nodiscard]] int local_count() const { return local_count_; }

  /// See Engine::together().
  void together(const std::function<void()>& body) const;
  /// Throws UsageError on all ranks if `text` is not the same on all; `what` is it.
  void require_same(const std::string& what, const std::string& text) const;

  void add_up(std::span<double> values) const;
  void take_largest(std::span<double> values) const;
  [[nodiscard]] std::uint64_t least(std::uint64_t value) const;
  void broadcast(int from, std::span<double> values) const;
  /// Moves numbers from rank to rank; the others, and who sends to himself, do nothing.
  void send(int from, int to, std::span<double> values) const;
  void wait_for_all() const;

 private:
  int rank_ = 0, count_ = 1, local_rank_ = 0, local_count_ = 1;
};

}  // namespace clgauss
