#pragma once
/// Stores finished blocks of an LU on disk, so that a killed run can be resumed.

#include <clgauss/distributed.hpp>
#include <string>

namespace clgauss {

/// Identifies the LU that a folder of blocks belongs to. Another LU does not use them.
struct LuIdentity {
  std::uint64_t n = 0, block_columns = 0, bytes_of_element = 0, source = 0, program = 0;
  bool operator==(const LuIdentity&) const = default;
};

/// A block: its pivots and its panel's status, in the format of FactoredBlock, and its columns as
/// in memory.
struct StoredBlock {
  std::span<std::int32_t> pivots;
  std::span<std::byte> columns;
};

class BlockStore {
 public:
  /// Throws FileError if the folder cannot be written.
  BlockStore(std::filesystem::path folder, const LuIdentity& identity);

  /// Writes block `index` completely or not at all. Throws FileError.
  void write(Index index, const StoredBlock& block) const;
  [[nodiscard]] bool has(Index index) const;
  /// Throws FormatError if the file is damaged or belongs to another LU.
  void read(Index index, const StoredBlock& block) const;

 private:
  [[nodiscard]] std::filesystem::path file_of(Index index) const;

  std::filesystem::path folder_;
  LuIdentity identity_;
};

/// A checksum of a byte string: FNV-1a over words of 8 bytes, in four lanes.
[[nodiscard]] std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed = 0);

}  // namespace clgauss
