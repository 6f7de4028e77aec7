#include "distributed/checkpoints.hpp"

#include <clgauss/error.hpp>

namespace clgauss {

StoredBlock Checkpoints::stored(const Block& block, const HostAccess& columns,
                                const HostAccess& pivots) const {
  return {{reinterpret_cast<std::int32_t*>(pivots.data()), block.pivot_memory.size()},
          {columns.data(), identity_.n * identity_.block_columns * identity_.bytes_of_element}};
}

void Checkpoints::store_finished(const ColumnCut& cut, Blocks& blocks) const {
  cut.each_own_block([&](Index k, Index, Index) {
    Block& block = blocks[k];
    if (!block.factored || block.stored) return;
    const HostAccess columns(block.columns, STARPU_R), pivots(block.pivots, STARPU_R);
    store_.write(k, stored(block, columns, pivots));
    block.stored = true;
  });
}

Index Checkpoints::resume(const ColumnCut& cut, Blocks& blocks) const {
  Index resumed = options_.resume ? cut.count() : 0;
  cut.each_own_block([&](Index k, Index, Index) {
    if (!options_.resume && store_.has(k))
      throw UsageError(options_.folder.string() +
                       " holds a checkpoint: resume from it, or remove it to begin anew");
    if (k >= resumed) return;
    if (!store_.has(k)) {
      resumed = k;
      return;
    }
    Block& block = blocks[k];
    const HostAccess columns(block.columns, STARPU_W), pivots(block.pivots, STARPU_W);
    store_.read(k, stored(block, columns, pivots));
    block.factored = block.stored = true;
  });
  return resumed;
}

}  // namespace clgauss
