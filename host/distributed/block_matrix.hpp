#pragma once
/// A matrix in blocks of columns, dealt out to ranks and their devices in turn.

#include "distributed/checkpoints.hpp"
#include "distributed/engine.hpp"
#include "distributed/host_columns.hpp"

namespace clgauss {

class CLGAUSS_HIDDEN BlockMatrix {
 public:
  /// Cuts the matrix into blocks and allocates them. Throws as DistributedLu.
  BlockMatrix(Engine& engine, const ColumnSource& source, const DistributedOptions& options);

  /// A, as the hosts read it from its source.
  [[nodiscard]] const HostColumns& a() const { return *a_; }
  [[nodiscard]] const Scaling& scaling() const { return scaling_; }
  [[nodiscard]] MatrixSize scaled_size() const { return scaled_size_; }
  [[nodiscard]] RealType type() const { return options_.type; }
  [[nodiscard]] Index n() const { return n_; }
  [[nodiscard]] Index block_columns() const { return cut_.width; }
  [[nodiscard]] Index resumed() const { return resumed_; }

 protected:
  /// Reads this rank's columns; blocks that a checkpoint holds are restored from it.
  void fill(Engine& engine, const ColumnSource& source);

  [[nodiscard]] Index count() const { return cut_.count(); }
  /// Index of block j's device among those of the rank that owns the block.
  [[nodiscard]] std::size_t device(Index j) const {
    return j / static_cast<Index>(engine_.ranks.count()) % engine_.workers.size();
  }

  Engine::Implementation& engine_;
  DistributedOptions options_;
  Index n_;
  ColumnCut cut_;
  Index group_ = 0, resumed_ = 0;  // blocks worked on at a time; blocks from a checkpoint
  std::size_t element_;
  Scaling scaling_;  // of A; the factors are those of R A C
  Blocks blocks_;
  std::optional<Checkpoints> checkpoints_;

 private:
  void check_devices() const;
  void choose_blocks();
  [[nodiscard]] std::uint64_t narrowed(std::uint64_t width) const;
  [[nodiscard]] std::uint64_t blocks_at_once(std::size_t device) const;
  void make_blocks();
  void resume(std::uint64_t fingerprint);
  void load();
  void scale_block(std::span<double> numbers, Index first, Index columns);
  template <typename T>
  void store(std::span<const double> from, Index columns, std::byte* to) const;

  /// Numbers of a block in memory. Every block is stored with the full width, even if it has fewer
  /// columns.
  [[nodiscard]] std::size_t numbers() const { return n_ * cut_.width; }
  /// The fewest rows that justify a host thread.
  [[nodiscard]] Index grain() const;

  std::optional<HostColumns> a_;
  MatrixSize scaled_size_;  // of R A C
};

}  // namespace clgauss
