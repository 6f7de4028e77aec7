#include "distributed/ranks.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <clgauss/distributed.hpp>
#include <clgauss/error.hpp>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace clgauss {

namespace {

/// A number that mpirun (Open MPI, Hydra, Slurm) sets in the environment of every rank.
std::optional<int> environment_number(std::initializer_list<const char*> names) {
  for (const char* name : names)
    if (const char* text = std::getenv(name)) return std::atoi(text);
  return std::nullopt;
}

/// MPI counts in int, so long arrays are split.
constexpr std::size_t kMostNumbers = std::size_t{1} << 27U;

template <typename Call>
void in_parts(std::span<double> values, const Call& call) {
  for (std::size_t i = 0; i < values.size(); i += kMostNumbers)
    call(values.data() + i, static_cast<int>(std::min(kMostNumbers, values.size() - i)));
}

/// Starts MPI, and ends it when the process exits normally. After an error, end_all_ranks() ends
/// it.
void start_mpi(int& level) {
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  std::atexit([] {
    int ended = 0;
    MPI_Finalized(&ended);
    if (ended == 0) MPI_Finalize();
  });
}

/// The outcome of `body` on this rank, to be sent to the others.
struct Outcome {
  int failed = 0;
  int code = 0;
  std::array<char, 1024> message{};
};

}  // namespace

bool has_ranks() noexcept {
  return environment_number({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"}).value_or(1) > 1;
}

void share_cores_among_ranks() {
  const int ranks =
      environment_number({"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}).value_or(1);
  if (ranks <= 1) return;
  const auto cores = static_cast<int>(std::thread::hardware_concurrency());
  ::setenv("POCL_MAX_PTHREAD_COUNT", std::to_string(std::max(1, cores / ranks)).c_str(), 0);
  ::setenv("POCL_AFFINITY", "0", 1);  // else every rank would use the first cores
}

void end_all_ranks(int exit_code) noexcept {
  int there = 0;
  MPI_Initialized(&there);
  if (there != 0 && has_ranks()) MPI_Abort(MPI_COMM_WORLD, exit_code);
}

Ranks::Ranks() {
  if (!has_ranks()) return;
  int there = 0, level = MPI_THREAD_SINGLE;
  MPI_Initialized(&there);
  if (there != 0)
    MPI_Query_thread(&level);
  else
    start_mpi(level);
  if (level != MPI_THREAD_MULTIPLE)
    throw UsageError("this MPI does not let several threads work at once (MPI_THREAD_MULTIPLE)");
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &count_);
  MPI_Comm local = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank_, MPI_INFO_NULL, &local);
  MPI_Comm_rank(local, &local_rank_);
  MPI_Comm_size(local, &local_count_);
  MPI_Comm_free(&local);
}

void Ranks::together(const std::function<void()>& body) const {
  if (alone()) {
    body();
    return;
  }
  Outcome own;
  std::exception_ptr error;
  const auto note = [&](int code, const char* text) {
    error = std::current_exception();
    own.failed = 1;
    own.code = code;
    std::strncpy(own.message.data(), text, own.message.size() - 1);
  };
  try {
    body();
  } catch (const Error& caught) {
    note(static_cast<int>(caught.error_code()), caught.what());
  } catch (const std::bad_alloc&) {
    note(static_cast<int>(ErrorCode::out_of_memory), "the host is out of memory");
  } catch (const std::exception& caught) {
    note(static_cast<int>(ErrorCode::opencl), caught.what());
  }
  std::vector<Outcome> all(static_cast<std::size_t>(count_));
  MPI_Allgather(&own, sizeof own, MPI_BYTE, all.data(), sizeof own, MPI_BYTE, MPI_COMM_WORLD);
  if (error) std::rethrow_exception(error);
  for (std::size_t r = 0; r < all.size(); ++r)
    if (all[r].failed != 0)
      throw RankError(static_cast<ErrorCode>(all[r].code),
                      fmt::format("rank {} failed: {}", r, all[r].message.data()));
}

void Ranks::require_same(const std::string& what, const std::string& text) const {
  if (alone()) return;
  std::array<char, 256> own{};
  std::strncpy(own.data(), text.c_str(), own.size() - 1);
  std::vector<char> all(own.size() * static_cast<std::size_t>(count_));
  const int size = static_cast<int>(own.size());
  MPI_Allgather(own.data(), size, MPI_CHAR, all.data(), size, MPI_CHAR, MPI_COMM_WORLD);
  for (int r = 1; r < count_; ++r) {
    const char* const other = all.data() + own.size() * static_cast<std::size_t>(r);
    if (std::strncmp(all.data(), other, own.size()) != 0)
      throw UsageError(fmt::format("{} is not the same on all ranks: {} on rank 0, {} on rank {}",
                                   what, all.data(), other, r));
  }
}

void Ranks::add_up(std::span<double> values) const {
  if (alone()) return;
  in_parts(values, [](double* part, int count) {
    MPI_Allreduce(MPI_IN_PLACE, part, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  });
}

void Ranks::take_largest(std::span<double> values) const {
  if (alone()) return;
  in_parts(values, [](double* part, int count) {
    MPI_Allreduce(MPI_IN_PLACE, part, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  });
}

std::uint64_t Ranks::least(std::uint64_t value) const {
  if (!alone()) MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  return value;
}

void Ranks::broadcast(int from, std::span<double> values) const {
  if (alone()) return;
  in_parts(values, [from](double* part, int count) {
    MPI_Bcast(part, count, MPI_DOUBLE, from, MPI_COMM_WORLD);
  });
}

void Ranks::send(int from, int to, std::span<double> values) const {
  constexpr int kTag = 7;  // StarPU's tags start at 42
  if (from == to) return;
  if (rank_ == from)
    in_parts(values, [to](double* part, int count) {
      MPI_Send(part, count, MPI_DOUBLE, to, kTag, MPI_COMM_WORLD);
    });
  if (rank_ == to)
    in_parts(values, [from](double* part, int count) {
      MPI_Recv(part, count, MPI_DOUBLE, from, kTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    });
}

void Ranks::wait_for_all() const {
  if (!alone()) MPI_Barrier(MPI_COMM_WORLD);
}

}  // namespace clgauss
