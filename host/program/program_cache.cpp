#include <unistd.h>

#include <boost/crc.hpp>
#include <boost/uuid/name_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <clgauss/program.hpp>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include "xdg_folder.hpp"

namespace clgauss {

namespace fs = std::filesystem;

namespace {

/// First bytes of a cache file; the number changes when the layout does. After it: checksum of key
/// and binary (u32), length of the key (u64), the key, the binary. The key is stored whole, so that
/// two keys with one file name are told apart.
constexpr char kMagic[] = "clgauss program 1\n";

std::uint32_t checksum(const std::string& key, const std::vector<unsigned char>& binary) {
  boost::crc_32_type crc;
  crc.process_bytes(key.data(), key.size());
  crc.process_bytes(binary.data(), binary.size());
  return crc.checksum();
}

/// Takes a `Number` off the front of `text`; false if there are too few bytes.
template <typename Number>
bool take(std::string_view& text, Number& number) {
  if (text.size() < sizeof number) return false;
  std::memcpy(&number, text.data(), sizeof number);
  text.remove_prefix(sizeof number);
  return true;
}

}  // namespace

ProgramCache ProgramCache::of_environment() {
  const char* setting = std::getenv("CLGAUSS_CACHE");
  if (setting != nullptr && std::string_view(setting) == "off") return ProgramCache(std::nullopt);
  const auto cache = xdg_folder("XDG_CACHE_HOME", ".cache");
  return ProgramCache(cache ? std::optional(*cache / "clgauss") : std::nullopt);
}

std::optional<fs::path> ProgramCache::file_of(const std::string& key) const {
  if (!folder_) return std::nullopt;
  const boost::uuids::name_generator_sha1 name_of(boost::uuids::ns::oid());
  return *folder_ / (boost::uuids::to_string(name_of(key)) + ".program");
}

std::optional<std::vector<unsigned char>> ProgramCache::fetch(const std::string& key) const {
  const auto path = file_of(key);
  if (!path) return std::nullopt;
  std::ifstream file(*path, std::ios::binary);
  const std::string content((std::istreambuf_iterator<char>(file)),
                            std::istreambuf_iterator<char>());
  std::string_view rest = content;
  if (!rest.starts_with(kMagic)) return std::nullopt;
  rest.remove_prefix(sizeof kMagic - 1);
  std::uint32_t expected = 0;
  std::uint64_t key_size = 0;
  if (!take(rest, expected) || !take(rest, key_size) || rest.substr(0, key_size) != key)
    return std::nullopt;
  rest.remove_prefix(key_size);
  std::vector<unsigned char> binary(rest.begin(), rest.end());
  if (binary.empty() || checksum(key, binary) != expected) return std::nullopt;
  return binary;
}

void ProgramCache::store(const std::string& key, const std::vector<unsigned char>& binary) const {
  const auto path = file_of(key);
  if (!path) return;
  std::error_code failed;  // a cache that cannot be written is as good as none
  fs::create_directories(path->parent_path(), failed);
  if (failed) return;
  const fs::path temporary = path->string() + ".tmp-" + std::to_string(getpid());
  {
    const std::uint32_t sum = checksum(key, binary);
    const std::uint64_t key_size = key.size();
    std::ofstream file(temporary, std::ios::binary);
    file << kMagic;
    file.write(reinterpret_cast<const char*>(&sum), sizeof sum);
    file.write(reinterpret_cast<const char*>(&key_size), sizeof key_size);
    file << key;
    file.write(reinterpret_cast<const char*>(binary.data()),
               static_cast<std::streamsize>(binary.size()));
    file.close();
    if (file) fs::rename(temporary, *path, failed);
    if (file && !failed) return;
  }
  fs::remove(temporary, failed);
}

}  // namespace clgauss
