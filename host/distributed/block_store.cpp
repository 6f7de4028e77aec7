#include "distributed/block_store.hpp"

#include <fmt/format.h>

#include <array>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <cstring>
#include <fstream>

namespace clgauss {

namespace {

constexpr std::array<char, 8> kMagic{'C', 'L', 'G', 'L', 'U', 'B', '0', '1'};

struct Header {
  std::array<char, 8> magic = kMagic;
  LuIdentity identity;
  std::uint64_t index = 0, pivot_bytes = 0, column_bytes = 0, checksum = 0;
};

std::uint64_t checksum_of(const StoredBlock& block) {
  return checksum(block.columns, checksum(std::as_bytes(block.pivots)));
}

}  // namespace

std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t seed) {
  constexpr std::uint64_t kPrime = 1099511628211U, kStart = 14695981039346656037U;
  std::array<std::uint64_t, 4> lanes{kStart ^ seed, kStart + 1, kStart + 2, kStart + 3};
  std::size_t i = 0;
  for (; i + sizeof lanes <= bytes.size(); i += sizeof lanes) {
    std::array<std::uint64_t, 4> words{};
    std::memcpy(words.data(), bytes.data() + i, sizeof words);
    for (std::size_t lane = 0; lane < lanes.size(); ++lane) {
      lanes[lane] = (lanes[lane] ^ words[lane]) * kPrime;
      lanes[lane] ^= lanes[lane] >> 29U;  // a product alone never carries high bits to low ones
    }
  }
  std::uint64_t sum = bytes.size();
  for (; i < bytes.size(); ++i) sum = (sum ^ static_cast<std::uint64_t>(bytes[i])) * kPrime;
  for (const std::uint64_t lane : lanes) {
    sum = (sum ^ lane) * kPrime;
    sum ^= sum >> 31U;
  }
  return sum;
}

BlockStore::BlockStore(std::filesystem::path folder, const LuIdentity& identity)
    : folder_(std::move(folder)), identity_(identity) {
  std::error_code error;
  std::filesystem::create_directories(folder_, error);
  if (error) throw FileError(folder_.string(), error.message());
}

std::filesystem::path BlockStore::file_of(Index index) const {
  return folder_ / fmt::format("block-{:06}.lu", index);
}

bool BlockStore::has(Index index) const { return std::filesystem::exists(file_of(index)); }

void BlockStore::write(Index index, const StoredBlock& block) const {
  const Header header{kMagic,
                      identity_,
                      index,
                      block.pivots.size_bytes(),
                      block.columns.size(),
                      checksum_of(block)};
  OutputFile file(file_of(index).string());
  const auto put = [&](const void* bytes, std::size_t count) {
    file.write({static_cast<const char*>(bytes), count});
  };
  put(&header, sizeof header);
  put(block.pivots.data(), block.pivots.size_bytes());
  put(block.columns.data(), block.columns.size());
  file.commit();
}

void BlockStore::read(Index index, const StoredBlock& block) const {
  const std::string name = file_of(index).string();
  const auto refuse = [&](const std::string& why) -> void {
    throw FormatError(name, 0, 0, why + "; remove the folder to begin anew");
  };
  std::ifstream file(name, std::ios::binary);
  if (!file) throw FileError(name, std::strerror(errno));
  const auto get = [&](void* bytes, std::size_t count) {
    file.read(static_cast<char*>(bytes), static_cast<std::streamsize>(count));
    if (!file) refuse("the checkpoint is cut short");
  };
  Header header;
  get(&header, sizeof header);
  if (header.magic != kMagic) refuse("this is no checkpoint of clgauss");
  if (header.identity != identity_ || header.index != index ||
      header.pivot_bytes != block.pivots.size_bytes() ||
      header.column_bytes != block.columns.size())
    refuse("the checkpoint is of another matrix, another block size or another version of clgauss");
  get(block.pivots.data(), block.pivots.size_bytes());
  get(block.columns.data(), block.columns.size());
  if (header.checksum != checksum_of(block) || file.peek() != std::ifstream::traits_type::eof())
    refuse("the checkpoint is damaged: its checksum is not that of its numbers");
}

}  // namespace clgauss
