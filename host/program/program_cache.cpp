#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <boost/crc.hpp>
#include <boost/uuid/name_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <cerrno>
#include <charconv>
#include <clgauss/lab/program_cache.hpp>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <system_error>

#include "io/descriptor.hpp"
#include "operating_system.hpp"

namespace clgauss {

namespace fs = std::filesystem;
using io::Descriptor;

namespace {

/// The first bytes of a cache file; the number changes with the format. They are followed by a
/// checksum of the rest (u32), the lengths of the key and of the kernel names (u64 each), the key,
/// the names and the binary. The full key is stored, to distinguish keys that share a file name.
constexpr std::string_view kMagic = "clgauss program 2\n";

constexpr std::string_view kEnding = ".program";

/// Stands between a file's name and the id of the process that writes it.
constexpr std::string_view kTemporary = ".program.tmp-";

/// The file whose bytes are locked while programs are built. Two programs that share a byte only
/// wait for each other.
constexpr const char* kTurns = "turns";

/// Does not follow a planted link, and is not inherited by processes that the host starts.
constexpr int kSafely = O_NOFOLLOW | O_CLOEXEC;

std::uint32_t checksum(std::string_view bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

template <typename Number>
void append(std::string& text, Number number) {
  text.append(reinterpret_cast<const char*>(&number), sizeof number);
}

/// Takes up to `size` bytes off the front of `text`.
std::string_view take(std::string_view& text, std::uint64_t size) {
  const std::string_view front = text.substr(0, size);
  text.remove_prefix(front.size());
  return front;
}

/// Takes a `Number` off the front of `text`; 0 if `text` is too short.
template <typename Number>
Number take_number(std::string_view& text) {
  Number number = 0;
  const std::string_view bytes = take(text, sizeof number);
  if (bytes.size() == sizeof number) std::memcpy(&number, bytes.data(), sizeof number);
  return number;
}

std::string encoded(const std::string& key, const CachedProgram& program) {
  std::string content;
  append(content, std::uint64_t{key.size()});
  append(content, std::uint64_t{program.kernel_names.size()});
  content += key + program.kernel_names;
  content.append(program.binary.begin(), program.binary.end());
  std::string file(kMagic);
  append(file, checksum(content));
  return file + content;
}

std::optional<CachedProgram> decoded(std::string_view file, const std::string& key) {
  if (take(file, kMagic.size()) != kMagic) return std::nullopt;
  if (take_number<std::uint32_t>(file) != checksum(file)) return std::nullopt;
  const auto key_size = take_number<std::uint64_t>(file);
  const auto names_size = take_number<std::uint64_t>(file);
  if (take(file, key_size) != key) return std::nullopt;
  CachedProgram program;
  program.kernel_names = take(file, names_size);
  program.binary.assign(file.begin(), file.end());
  if (program.binary.empty()) return std::nullopt;
  return program;
}

/// Whether the open file or folder belongs to this user and nobody else may write to it.
bool is_ours(const Descriptor& opened, mode_t type) {
  struct stat status {};
  return fstat(opened.number(), &status) == 0 && (status.st_mode & S_IFMT) == type &&
         status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Opens the folder. Work uses its descriptor, because the path may come to name another folder.
/// Not open if the folder is missing or not ours; in the latter case `errno` is EPERM.
Descriptor open_folder(const fs::path& folder) {
  Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | kSafely));
  if (!opened.open() || is_ours(opened, S_IFDIR)) return opened;
  errno = EPERM;
  return Descriptor();
}

/// As open_folder(), and makes the folder if it is missing.
Descriptor made_folder(const fs::path& folder) {
  std::error_code failed;  // an unwritable cache is no error
  fs::create_directories(folder.parent_path(), failed);
  mkdir(folder.c_str(), S_IRWXU);
  return open_folder(folder);
}

std::string read_all(const Descriptor& file) {
  std::string content;
  char block[1 << 16];
  for (ssize_t count = 0; (count = read(file.number(), block, sizeof block)) > 0;)
    content.append(block, static_cast<std::size_t>(count));
  return content;
}

/// Whether `name` is a temporary file of a process that has ended.
bool is_left_behind(std::string_view name) {
  const std::size_t at = name.find(kTemporary);
  if (at == std::string_view::npos) return false;
  const char* const digits = name.data() + at + kTemporary.size();
  pid_t process = 0;
  const auto [end, error] = std::from_chars(digits, name.data() + name.size(), process);
  return error == std::errc() && process > 0 && kill(process, 0) != 0 && errno == ESRCH;
}

void remove_left_behind(const fs::path& folder, const Descriptor& opened) {
  std::error_code failed;  // files that cannot be removed stay
  for (const auto& entry : fs::directory_iterator(folder, failed))
    if (const std::string name = entry.path().filename(); is_left_behind(name))
      unlinkat(opened.number(), name.c_str(), 0);
}

}  // namespace

std::optional<fs::path> ProgramCache::file_of(const std::string& key) const {
  if (!folder_) return std::nullopt;
  const boost::uuids::name_generator_sha1 name_of(boost::uuids::ns::oid());
  return *folder_ / fmt::format("{}{}", boost::uuids::to_string(name_of(key)), kEnding);
}

std::string ProgramCache::problem() const {
  if (!folder_ || open_folder(*folder_).open() || errno == ENOENT) return {};
  return fmt::format(
      "built kernels are not kept: {} is not a folder that this user alone may write to (`chmod "
      "700`, or another XDG_CACHE_HOME)",
      folder_->string());
}

std::optional<CachedProgram> ProgramCache::fetch(const std::string& key) const {
  const auto path = file_of(key);
  if (!path) return std::nullopt;
  const Descriptor folder = open_folder(*folder_);
  if (!folder.open()) return std::nullopt;
  // O_NONBLOCK, because opening a pipe would wait for a writer.
  const Descriptor file(
      openat(folder.number(), path->filename().c_str(), O_RDONLY | O_NONBLOCK | kSafely));
  if (!file.open() || !is_ours(file, S_IFREG)) return std::nullopt;
  return decoded(read_all(file), key);
}

void ProgramCache::store(const std::string& key, const CachedProgram& program) const {
  const auto path = file_of(key);
  if (!path) return;
  const Descriptor folder = made_folder(*folder_);
  if (!folder.open()) return;
  remove_left_behind(*folder_, folder);

  const std::string name = path->filename();
  for (int attempt = 0; attempt < 100; ++attempt) {  // skips names that are taken
    const std::string temporary = fmt::format("{}.tmp-{}-{}", name, getpid(), attempt);
    Descriptor file(openat(folder.number(), temporary.c_str(),
                           O_WRONLY | O_CREAT | O_EXCL | kSafely, S_IRUSR | S_IWUSR));
    if (!file.open() && errno == EEXIST) continue;
    if (!file.open()) return;
    const bool written = io::write_all(file.number(), encoded(key, program)) && file.close();
    if (!written ||
        renameat(folder.number(), temporary.c_str(), folder.number(), name.c_str()) != 0)
      unlinkat(folder.number(), temporary.c_str(), 0);
    return;
  }
}

Turn ProgramCache::try_turn(const std::string& key) const {
  auto file = std::make_shared<Descriptor>();
  if (!folder_) return file;
  const Descriptor folder = made_folder(*folder_);
  *file = Descriptor(
      openat(folder.number(), kTurns, O_RDWR | O_CREAT | O_NONBLOCK | kSafely, S_IRUSR | S_IWUSR));
  const bool usable = file->open() && is_ours(*file, S_IFREG);
  if (usable && !operating_system::lock_byte(file->number(), checksum(key))) return nullptr;
  return file;
}

void ProgramCache::remove_oldest(std::uintmax_t most_bytes) const {
  if (!folder_) return;
  const Descriptor folder = open_folder(*folder_);
  if (!folder.open()) return;
  struct File {
    std::pair<std::time_t, long> stored;  // s, ns
    std::string name;
    std::uintmax_t bytes;
  };
  std::vector<File> files;
  std::uintmax_t bytes = 0;
  std::error_code failed;  // files that cannot be looked at stay
  for (const auto& entry : fs::directory_iterator(*folder_, failed)) {
    const std::string name = entry.path().filename();
    struct stat status {};
    if (!name.ends_with(kEnding) ||
        fstatat(folder.number(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
      continue;
    files.push_back({{status.st_mtim.tv_sec, status.st_mtim.tv_nsec},
                     name,
                     static_cast<std::uintmax_t>(status.st_size)});
    bytes += files.back().bytes;
  }
  std::ranges::sort(files, {}, &File::stored);
  for (const File& file : files) {
    if (bytes <= most_bytes) return;
    unlinkat(folder.number(), file.name.c_str(), 0);
    bytes -= file.bytes;
  }
}

void ProgramCache::remove(const std::string& key) const {
  const auto path = file_of(key);
  if (!path) return;
  const Descriptor folder = open_folder(*folder_);
  if (folder.open()) unlinkat(folder.number(), path->filename().c_str(), 0);
}

}  // namespace clgauss
