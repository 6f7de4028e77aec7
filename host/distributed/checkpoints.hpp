#pragma once
/// Checkpoints of an LU: its finished blocks, on disk.

#include "distributed/block_data.hpp"
#include "distributed/block_store.hpp"
#include "distributed/column_cut.hpp"

namespace clgauss {

class Checkpoints {
 public:
  /// For blocks of n rows. Throws FileError if the folder cannot be written.
  Checkpoints(const Checkpoint& options, const LuIdentity& identity)
      : options_(options), identity_(identity), store_(options.folder, identity) {}

  [[nodiscard]] double every_s() const { return options_.every_s; }
  /// Writes this rank's blocks that are finished but not yet written.
  void store_finished(const ColumnCut& cut, Blocks& blocks) const;
  /// Restores this rank's stored blocks, from the first on without gaps. Returns an upper bound on
  /// the leading blocks, over all ranks, that can be restored. Throws UsageError if blocks are
  /// stored but resuming was not requested, and FormatError.
  [[nodiscard]] Index resume(const ColumnCut& cut, Blocks& blocks) const;

 private:
  [[nodiscard]] StoredBlock stored(const Block& block, const HostAccess& columns,
                                   const HostAccess& pivots) const;

  Checkpoint options_;
  LuIdentity identity_;
  BlockStore store_;
};

}  // namespace clgauss
