#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/program.hpp>
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "support/paths.hpp"

using namespace clgauss;
using clgauss::test::content_of;
using clgauss::test::TemporaryFolder;

namespace {

const std::string kKey = "some device\nsome driver\n-DREAL_BITS=64\nkernel void f() {}\n";
const CachedProgram kBinary{"f", {0, 1, 2, 255, 10, 13, 0}};

void overwrite(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

}  // namespace

TEST_CASE("the program cache gives back what was stored, and only for its key") {
  const TemporaryFolder folder;
  const ProgramCache cache(folder / "not yet there");
  CHECK_FALSE(cache.fetch(kKey).has_value());
  cache.store(kKey, kBinary);
  CHECK(cache.fetch(kKey) == kBinary);
  CHECK_FALSE(cache.fetch(kKey + " ").has_value());
  const CachedProgram other{"f;g", {7}};
  cache.store(kKey, other);
  CHECK(cache.fetch(kKey) == other);
  CHECK(std::distance(std::filesystem::directory_iterator(folder / "not yet there"), {}) ==
        1);  // no temporary file left
  cache.remove(kKey);
  CHECK_FALSE(cache.fetch(kKey).has_value());
}

TEST_CASE("the program cache forgets what was stored first") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const ProgramCache cache(folder / "cache");
  cache.remove_oldest(0);  // there is none
  const std::vector<std::string> keys{"first", "other", "third"};
  for (const std::string& key : keys) cache.store(key, kBinary);
  for (std::size_t i = 0; i < keys.size(); ++i)  // as if the third were the oldest
    fs::last_write_time(*cache.file_of(keys[i]),
                        fs::file_time_type::clock::now() - std::chrono::hours(i));
  overwrite(folder / "cache" / "another file", std::string(1000, 'x'));
  const auto one = fs::file_size(*cache.file_of("first"));
  cache.remove_oldest(3 * one);
  for (const std::string& key : keys) CHECK(cache.fetch(key));
  cache.remove_oldest(3 * one - 1);
  CHECK_FALSE(cache.fetch("third"));
  CHECK(cache.fetch("other"));
  cache.remove_oldest(0);
  CHECK(std::distance(fs::directory_iterator(folder / "cache"), {}) == 1);
  cache.store("first", kBinary);
  fs::permissions(folder / "cache", fs::perms::all);  // anybody's
  cache.remove_oldest(0);
  CHECK(fs::exists(*cache.file_of("first")));
}

TEST_CASE("a damaged or foreign cache file is as good as none") {
  const TemporaryFolder folder;
  const ProgramCache cache(folder.path());
  cache.store(kKey, kBinary);
  const auto path = *cache.file_of(kKey);
  const std::string good = content_of(path);
  for (std::size_t size = 0; size < good.size(); ++size) {  // truncated anywhere
    overwrite(path, good.substr(0, size));
    CHECK_FALSE(cache.fetch(kKey).has_value());
  }
  for (std::size_t i = 0; i < good.size(); ++i) {  // one bit wrong anywhere
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    overwrite(path, bad);
    CHECK_FALSE(cache.fetch(kKey).has_value());
  }
  overwrite(path, good);
  std::filesystem::rename(path, *cache.file_of("another key"));
  CHECK_FALSE(cache.fetch("another key").has_value());
}

TEST_CASE("a cache that cannot be written harms nothing") {
  const TemporaryFolder folder;
  overwrite(folder / "file", "not a folder");
  const ProgramCache cache(folder / "file");
  cache.store(kKey, kBinary);
  CHECK_FALSE(cache.fetch(kKey).has_value());
  const ProgramCache off(std::nullopt);
  off.store(kKey, kBinary);
  CHECK_FALSE(off.fetch(kKey).has_value());
  CHECK_FALSE(off.file_of(kKey).has_value());
}

TEST_CASE("the program cache is the user's own: folder 0700, files 0600, whatever the umask") {
  const TemporaryFolder folder;
  const mode_t before = umask(0);
  const ProgramCache cache(folder / "clgauss");
  cache.store(kKey, kBinary);
  umask(before);
  using std::filesystem::perms;
  CHECK(std::filesystem::status(folder / "clgauss").permissions() == perms::owner_all);
  CHECK(std::filesystem::status(*cache.file_of(kKey)).permissions() ==
        (perms::owner_read | perms::owner_write));
  CHECK(cache.problem().empty());
}

TEST_CASE("the program cache follows no planted link, neither to write nor to read") {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  overwrite(folder / "victim", "precious");
  const ProgramCache cache(folder / "cache");
  cache.store(kKey, kBinary);
  const fs::path entry = *cache.file_of(kKey);
  const std::string good = content_of(entry);

  // Where temporaries may come to lie: the name that an attacker can foresee, with this process's
  // id.
  fs::remove(entry);
  const std::string temporary = entry.string() + ".tmp-" + std::to_string(getpid());
  for (const char* ending : {"", "-0", "-1"})
    fs::create_symlink(folder / "victim", temporary + ending);
  cache.store(kKey, kBinary);
  CHECK(content_of(folder / "victim") == "precious");
  CHECK(cache.fetch(kKey) == kBinary);

  // The entry itself.
  fs::remove(entry);
  fs::create_symlink(folder / "victim", entry);
  cache.store(kKey, kBinary);
  CHECK(content_of(folder / "victim") == "precious");
  CHECK(fs::is_regular_file(fs::symlink_status(entry)));
  fs::remove(entry);
  overwrite(folder / "elsewhere", good);
  fs::create_symlink(folder / "elsewhere", entry);
  CHECK_FALSE(cache.fetch(kKey).has_value());

  // The folder.
  fs::create_directory_symlink(folder / "cache", folder / "link");
  const ProgramCache linked(folder / "link");
  linked.store("another key", kBinary);
  CHECK_FALSE(linked.fetch("another key").has_value());
  CHECK_FALSE(linked.problem().empty());
}

TEST_CASE("nothing is taken from where others can write") {
  using std::filesystem::perms;
  const TemporaryFolder folder;
  const ProgramCache cache(folder / "cache");
  cache.store(kKey, kBinary);
  const auto entry = *cache.file_of(kKey);
  for (const perms others : {perms::group_write, perms::others_write}) {
    std::filesystem::permissions(entry, others, std::filesystem::perm_options::add);
    CHECK_FALSE(cache.fetch(kKey).has_value());
    std::filesystem::permissions(entry, others, std::filesystem::perm_options::remove);
    CHECK(cache.fetch(kKey) == kBinary);
    std::filesystem::permissions(folder / "cache", others, std::filesystem::perm_options::add);
    CHECK_FALSE(cache.fetch(kKey).has_value());
    CHECK(cache.problem().find((folder / "cache").string()) != std::string::npos);
    cache.store("another key", kBinary);
    std::filesystem::permissions(folder / "cache", others, std::filesystem::perm_options::remove);
    CHECK_FALSE(cache.fetch("another key").has_value());
  }
  if (geteuid() == 0) {  // only root can give files away
    REQUIRE(chown(entry.c_str(), 65534, 65534) == 0);
    CHECK_FALSE(cache.fetch(kKey).has_value());
    REQUIRE(chown(entry.c_str(), 0, 0) == 0);
    REQUIRE(chown((folder / "cache").c_str(), 65534, 65534) == 0);
    CHECK_FALSE(cache.fetch(kKey).has_value());
    CHECK_FALSE(cache.problem().empty());
  }
}

TEST_CASE("a pipe in the place of a program is not waited for") {
  const TemporaryFolder folder;
  const ProgramCache cache(folder.path());
  REQUIRE(mkfifo(cache.file_of(kKey)->c_str(), 0600) == 0);
  CHECK_FALSE(cache.fetch(kKey).has_value());
  cache.store(kKey, kBinary);
  CHECK(cache.fetch(kKey) == kBinary);
}

TEST_CASE(
    "what a killed process left in the program cache goes with the next program that is stored") {
  const TemporaryFolder folder;
  const ProgramCache cache(folder.path());
  const pid_t dead = fork();
  if (dead == 0) _exit(0);
  REQUIRE(dead > 0);
  REQUIRE(waitpid(dead, nullptr, 0) == dead);
  const auto temporary = [&](pid_t process) {
    return cache.file_of("a key")->string() + ".tmp-" + std::to_string(process) + "-0";
  };
  overwrite(temporary(dead), "half a program");
  overwrite(temporary(getppid()), "being written");
  overwrite(folder / "notes.tmp-1-0", "not of clgauss");
  cache.store(kKey, kBinary);
  CHECK_FALSE(std::filesystem::exists(temporary(dead)));
  CHECK(std::filesystem::exists(temporary(getppid())));
  CHECK(std::filesystem::exists(folder / "notes.tmp-1-0"));
}

TEST_CASE("two processes that store at once leave one whole program") {
  const TemporaryFolder folder;
  const ProgramCache cache(folder / "cache");
  const CachedProgram large{"f", std::vector<unsigned char>(1 << 16, 7)};
  std::vector<pid_t> writers(4);
  for (pid_t& writer : writers) {
    writer = fork();
    if (writer != 0) continue;
    for (int i = 0; i < 50; ++i) cache.store(kKey, large);
    _exit(0);
  }
  bool whole = true;
  for (int i = 0; i < 200; ++i) {
    const auto found = cache.fetch(kKey);
    whole = whole && (!found || *found == large);
  }
  for (const pid_t writer : writers) REQUIRE(waitpid(writer, nullptr, 0) == writer);
  CHECK(whole);
  CHECK(cache.fetch(kKey) == large);
  CHECK(std::distance(std::filesystem::directory_iterator(folder / "cache"), {}) == 1);
}

TEST_CASE("the turn to build a program is one process's at a time, and ends with its owner") {
  const TemporaryFolder folder;
  const ProgramCache cache(folder / "cache"), same(folder / "cache");
  auto turn = cache.try_turn(kKey);
  REQUIRE(turn != nullptr);
  CHECK(same.try_turn(kKey) == nullptr);
  CHECK(same.try_turn(kKey + "another") != nullptr);
  turn.reset();
  CHECK(same.try_turn(kKey) != nullptr);

  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const auto own = same.try_turn(kKey);
    raise(own ? SIGKILL : SIGTERM);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(WTERMSIG(status) == SIGKILL);
  CHECK(cache.try_turn(kKey) != nullptr);

  CHECK(ProgramCache(std::nullopt).try_turn(kKey) != nullptr);
  std::ofstream(folder / "file") << "no folder";
  CHECK(ProgramCache(folder / "file" / "below").try_turn(kKey) != nullptr);
}

TEST_CASE("a kernel's source holds its includes and tells the driver where lines come from") {
  const std::string source = kernel_source("gauss.cl", std::nullopt);
  CHECK(source.find("#include") == std::string::npos);
  CHECK(source.find("#line 1 \"common.clh\"") != std::string::npos);
  CHECK(source.find("kernel void gauss_fwd(") != std::string::npos);
  CHECK(source == kernel_source("gauss.cl", test::kernel_folder()));
  CHECK_THROWS_AS((void)kernel_source("no_such.cl", std::nullopt), FileError);
  CHECK_THROWS_AS((void)kernel_source("gauss.cl", "/nowhere"), FileError);
}
