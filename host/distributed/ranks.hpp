#pragma once
/// This process among the ranks of an MPI run. If it was not started by mpirun, it is the only
/// rank, and MPI is not started.

#include <clgauss/matrix.hpp>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace clgauss {

class Ranks {
 public:
  /// Throws UsageError if MPI supports calls from one thread only.
  Ranks();

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] bool alone() const { return count_ == 1; }
  /// This rank's number among the ranks on this machine, and their count.
  [[nodiscard]] int local_rank() const { return local_rank_; }
  [[nodiscard]] int local_count() const { return local_count_; }

  /// See Engine::together().
  void together(const std::function<void()>& body) const;
  /// Throws UsageError on all ranks if `text` differs between ranks; `what` names it in the
  /// message.
  void require_same(const std::string& what, const std::string& text) const;

  void add_up(std::span<double> values) const;
  void take_largest(std::span<double> values) const;
  [[nodiscard]] std::uint64_t least(std::uint64_t value) const;
  void broadcast(int from, std::span<double> values) const;
  /// Sends numbers from rank `from` to rank `to`. Does nothing on other ranks, or if `from` is
  /// `to`.
  void send(int from, int to, std::span<double> values) const;
  void wait_for_all() const;

 private:
  int rank_ = 0, count_ = 1, local_rank_ = 0, local_count_ = 1;
};

}  // namespace clgauss
