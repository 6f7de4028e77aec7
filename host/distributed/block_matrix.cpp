#include "distributed/block_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/version.hpp>
#include <limits>

#include "linalg/lu/getrf_columns.hpp"
#include "matrix/scaling.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

constexpr std::uint64_t kLeastBlocks = 4;  // that a device must have memory for

/// Both sizes in MB, with enough digits to distinguish them.
std::pair<std::string, std::string> told_apart(std::uint64_t one, std::uint64_t other) {
  const auto text = [](std::uint64_t bytes, int digits) {
    return fmt::format("{:.{}f}", static_cast<double>(bytes) / 1e6, digits);
  };
  int digits = 0;
  while (digits < 6 && text(one, digits) == text(other, digits)) ++digits;
  return {text(one, digits), text(other, digits)};
}

}  // namespace

BlockMatrix::BlockMatrix(Engine& engine, const ColumnSource& source,
                         const DistributedOptions& options)
    : engine_(engine.implementation()),
      options_(options),
      n_(source.n()),
      element_(bytes_of(options.type)) {
  const Ranks& ranks = engine_.ranks;
  engine_.records.clear();
  ranks.require_same("the matrix", fmt::format("n = {}, {:016x}", n_, source.fingerprint()));
  if (n_ == 0) throw DimensionError("the system is empty (0 x 0)");
  ranks.together([&] { check_devices(); });
  choose_blocks();
  ranks.together([&] { make_blocks(); });
}

void BlockMatrix::fill(Engine& engine, const ColumnSource& source) {
  const Ranks& ranks = engine_.ranks;
  source.prepare(engine, cut_.width);
  a_.emplace(ranks, source, cut_);
  ranks.together([&] { resume(source.fingerprint()); });
  resumed_ = ranks.least(resumed_);
  ranks.together([&] { load(); });
  a_->add_up();
  scaling_ = a_->scaling(options_.type, options_.equilibration);
  scaled_size_ = a_->size();
  if (scaling_.keeps_matrix()) return;
  scaled_size_ = {};
  ranks.together([&] { load(); });
  for (double* size : {&scaled_size_.norm1, &scaled_size_.largest}) ranks.take_largest({size, 1});
}

void BlockMatrix::check_devices() const {
  for (const DeviceProfile& profile : engine_.profiles)
    if (options_.type == RealType::f64 && !profile.fp64)
      throw DeviceLimit(profile.name + " has no f64; --type f32 takes it");
}

void BlockMatrix::choose_blocks() {
  std::uint64_t width = options_.block_columns.value_or(std::numeric_limits<cl_uint>::max());
  if (!options_.block_columns)
    engine_.ranks.together([&] {
      engine_.on_each_worker([&](std::size_t device) {
        width = std::min<std::uint64_t>(
            width, usual_block_columns(*engine_.workers[device].context, options_.type, n_));
      });
    });
  if (!options_.block_columns) width = narrowed(width);
  cut_ = {n_, static_cast<Index>(engine_.ranks.least(width)), engine_.ranks};
  std::uint64_t blocks = count();
  for (std::size_t d = 0; d < engine_.workers.size(); ++d)
    blocks = std::min(blocks, blocks_at_once(d));
  // Every device of every rank works on as many blocks at a time as fit into its memory.
  const std::uint64_t devices = engine_.ranks.least(engine_.workers.size());
  group_ = engine_.ranks.least(blocks) * devices * static_cast<Index>(engine_.ranks.count());
  constexpr Index kCheckpoints = 8;  // a killed run loses at most 1/8 of the blocks
  if (options_.checkpoint)
    group_ = std::min(group_, std::max<Index>(1, (count() + kCheckpoints - 1) / kCheckpoints));
}

/// `width`, halved until every device has memory for enough blocks. It does not depend on the
/// number of devices, so that the answers are the same with any number.
std::uint64_t BlockMatrix::narrowed(std::uint64_t width) const {
  constexpr std::uint64_t kGrain = 32;  // the kernels' granularity
  for (std::size_t d = 0; d < engine_.workers.size(); ++d)
    while (width % (2 * kGrain) == 0 &&
           engine_.matrix_bytes(d) / (n_ * width * element_) < kLeastBlocks)
      width /= 2;
  return width;
}

/// How many blocks a device works on at a time. It also holds factored blocks that pass by: in use,
/// in transfer, or finished without StarPU having noticed yet. Without memory for these, StarPU
/// evicts blocks that it needs next. On an H200 with n = 32768 and memory for 29 blocks: with 3
/// left for passing blocks, 51.9 GB went in and 30.6 out; with 10 left, 31.0 and 8.59.
std::uint64_t BlockMatrix::blocks_at_once(std::size_t device) const {
  constexpr std::uint64_t kMostPassing = 10;
  const std::uint64_t room = engine_.matrix_bytes(device) / (numbers() * element_),
                      share = engine_.workers.size() *
                              static_cast<std::uint64_t>(engine_.ranks.count());
  if (room < kLeastBlocks) {
    const auto [needed, given] =
        told_apart(kLeastBlocks * numbers() * element_, engine_.matrix_bytes(device));
    throw OutOfMemory(
        fmt::format("{} blocks of {} columns need {} MB of {}, which is to give {} MB",
                    kLeastBlocks, cut_.width, needed, engine_.profiles[device].name, given));
  }
  const std::uint64_t mine = (count() + share - 1) / share;
  const std::uint64_t passing = std::clamp<std::uint64_t>(room / 3, kLeastBlocks - 1, kMostPassing);
  return room >= mine + passing ? mine : room - passing;
}

void BlockMatrix::make_blocks() {
  for (Index j = 0; j < count(); ++j) {
    Block& block = blocks_.emplace_back();
    const bool own = cut_.own(j);
    if (own && engine_.options.spill)
      block.memory.emplace(*engine_.options.spill, numbers() * element_);
    else if (own)
      block.memory.emplace(*engine_.workers[device(j)].context, numbers() * element_);
    block.columns.make(own ? block.memory->data() : nullptr, numbers(), element_);
    block.pivot_memory.resize(cut_.columns(j) + PanelOutcome::kCount);
    block.pivots.make(own ? block.pivot_memory.data() : nullptr, block.pivot_memory.size(),
                      sizeof(std::int32_t));
    if (engine_.ranks.alone()) continue;
    block.columns.give_to(cut_.owner(j), static_cast<std::int64_t>(2 * j));
    block.pivots.give_to(cut_.owner(j), static_cast<std::int64_t>(2 * j + 1));
  }
}

void BlockMatrix::resume(std::uint64_t fingerprint) {
  if (!options_.checkpoint) return;
  std::string program = fmt::format("{} {}", version(), engine_.kernels);
  program += equilibration_name(options_.equilibration);
  for (const DeviceProfile& profile : engine_.profiles)
    program += profile.name + profile.driver_version;
  checkpoints_.emplace(*options_.checkpoint,
                       LuIdentity{n_, cut_.width, element_, fingerprint,
                                  checksum(std::as_bytes(std::span(program)))});
  resumed_ = checkpoints_->resume(cut_, blocks_);
}

template <typename T>
void BlockMatrix::store(std::span<const double> from, Index columns, std::byte* to) const {
  T* const numbers = reinterpret_cast<T*>(to);
  in_parallel(n_, grain(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      for (Index c = 0; c < columns; ++c)
        numbers[i * cut_.width + c] = static_cast<T>(from[i * columns + c]);
      std::fill(numbers + i * cut_.width + columns, numbers + (i + 1) * cut_.width, T{0});
    }
  });
}

/// Stores this rank's columns of R A C in the type of the factors.
void BlockMatrix::load() {
  cut_.each_own_block([&](Index j, Index first, Index columns) {
    const std::span<double> numbers = a_->read(first, columns);
    if (scaling_.keeps_matrix())
      a_->measure(first, columns, numbers);
    else
      scale_block(numbers, first, columns);
    if (j < resumed_) return;
    const HostAccess access(blocks_[j].columns, STARPU_W);
    if (options_.type == RealType::f64)
      store<double>(numbers, columns, access.data());
    else
      store<float>(numbers, columns, access.data());
  });
}

Index BlockMatrix::grain() const { return std::max<Index>(1, kElementsPerThread / cut_.width); }

void BlockMatrix::scale_block(std::span<double> numbers, Index first, Index columns) {
  const std::span<const int> all = scaling_.columns,
                             powers = all.empty() ? all : all.subspan(first, columns);
  in_parallel(n_, grain(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) {
      const std::span row = numbers.subspan(i * columns, columns);
      scale_row(row, scaling_.rows, powers, i, row.data());
    }
  });
  const Sizes sizes = sizes_of(numbers, columns);
  scaled_size_ = {std::max(scaled_size_.norm1, sizes.norm1),
                  std::max(scaled_size_.largest, sizes.largest)};
}

}  // namespace clgauss
