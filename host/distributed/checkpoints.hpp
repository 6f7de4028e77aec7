#pragma once
/// Checkpoints of an LU: blocks that are finished, on disk.

#include "distributed/block_data.hpp"
#include "distributed/block_store.hpp"
#include "distributed/column_cut.hpp"

namespace clgauss {

class Checkpoints {
 public:
  /// Of blocks of n rows. Throws FileError if the folder cannot be written.
  Checkpoints(const Checkpoint& options, const LuIdentity& identity)
      : options_(options), identity_(identity), store_(options.folder, identity) {}

  [[nodiscard]] double every_s() const { return options_.every_s; }
  /// Writes this rank's blocks that are finished and not written yet.
  void store_finished(const ColumnCut& cut, Blocks& blocks) const;
  /// Takes up this rank's blocks that are there, from the first on; returns how many of all blocks
  /// these may be. Throws UsageError if there are some and one is not to go on from them,
  /// FormatError.
  [[nodiscard]] Index resume(const ColumnCut& cut, Blocks& blocks) const;

 private:
  [[nodiscard]] StoredBlock stored(const Block& block, const HostAccess& columns,
                                   const HostAccess& pivots) const;

  Checkpoint options_;
  LuIdentity identity_;
  BlockStore store_;
};

}  // namespace clgauss
