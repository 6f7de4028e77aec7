#include <unistd.h>

#include "io_support.hpp"

using namespace clgauss;
using namespace clgauss::test;

TEST_CASE("output: appears with commit") {
  const Files folder;
  const std::string path = folder.path("x.txt");
  OutputFile file(path);
  CHECK(file.path() == path);
  file.write("1 2\n");
  file.write("");
  CHECK(!std::filesystem::exists(path));
  const std::vector<std::string> names = folder.names();
  REQUIRE(names.size() == 1);
  CHECK(names[0].find("x.txt.tmp-clgauss-" + std::to_string(getpid())) == 0);
  file.commit();
  CHECK(content_of(path) == "1 2\n");
  CHECK(folder.names() == std::vector<std::string>{"x.txt"});
}

TEST_CASE("output: nothing is left behind without commit, and the old file stays") {
  const Files folder;
  const std::string path = folder.file("x.txt", "old");
  {
    OutputFile file(path);
    file.write("new");
  }
  CHECK(folder.names() == std::vector<std::string>{"x.txt"});
  CHECK(content_of(path) == "old");
  {
    OutputFile file(path);
    file.write("new");
    file.commit();
  }
  CHECK(content_of(path) == "new");
  { const OutputFile file(folder.path("y.txt")); }
  CHECK(folder.names() == std::vector<std::string>{"x.txt"});
}

TEST_CASE("output: two for the same file do not mix") {
  const Files folder;
  OutputFile one(folder.path("x"));
  OutputFile two(folder.path("x"));
  one.write("one");
  two.write("two");
  two.commit();
  one.commit();
  CHECK(content_of(folder.path("x")) == "one");
  CHECK(folder.names().size() == 1);
}

TEST_CASE("output: a symbolic link stays and its target is written") {
  namespace fs = std::filesystem;
  const Files folder;
  fs::create_directory(folder.path("sub"));
  const std::string target = folder.file("sub/target", "old");
  fs::create_symlink("sub/target", folder.path("middle"));
  fs::create_symlink(folder.path("middle"), folder.path("link"));
  OutputFile file(folder.path("link"));
  file.write("new");
  file.commit();
  CHECK(fs::is_symlink(folder.path("link")));
  CHECK(fs::is_symlink(folder.path("middle")));
  CHECK(!fs::is_symlink(target));
  CHECK(content_of(target) == "new");

  fs::create_symlink("nothing-yet", folder.path("dangling"));
  OutputFile created(folder.path("dangling"));
  created.write("new");
  created.commit();
  CHECK(fs::is_symlink(folder.path("dangling")));
  CHECK(content_of(folder.path("nothing-yet")) == "new");

  fs::create_symlink("loop", folder.path("loop"));
  CHECK_THROWS_AS(OutputFile(folder.path("loop")), FileError);
}

TEST_CASE("output: what a killed run left is removed, other files are not") {
  const Files folder;
  for (const char* name : {"x.txt.tmp-clgauss-1-0", "y.tmp-clgauss-4194304-17"})
    static_cast<void>(folder.file(name, "half"));
  const std::vector<std::string> others = {"x.txt.tmp-1-0", ".tmp-clgauss-1-0", "z.tmp-clgauss-1-",
                                           "z.tmp-clgauss-1-0.txt"};
  for (const std::string& name : others) static_cast<void>(folder.file(name, "a user's"));
  std::filesystem::create_directory(folder.path("d.tmp-clgauss-1-1"));
  std::filesystem::create_symlink("x.txt.tmp-1-0", folder.path("l.tmp-clgauss-1-1"));
  const OutputFile living(folder.path("x.txt"));
  CHECK(folder.names().size() == others.size() + 3);
  { const OutputFile next(folder.path("z.txt")); }
  CHECK(folder.names().size() == others.size() + 3);  // the living one's is still there
  for (const std::string& name : others) CHECK(content_of(folder.path(name)) == "a user's");
}

TEST_CASE("output: a planted link is not followed") {
  const Files folder;
  const std::string victim = folder.file("victim", "precious");
  for (int attempt = 0; attempt < 3; ++attempt)
    std::filesystem::create_symlink(
        victim,
        folder.path("x.tmp-clgauss-" + std::to_string(getpid()) + "-" + std::to_string(attempt)));
  OutputFile file(folder.path("x"));
  file.write("new");
  file.commit();
  CHECK(content_of(victim) == "precious");
  CHECK(content_of(folder.path("x")) == "new");
}

TEST_CASE("output: whether two paths are one file") {
  namespace fs = std::filesystem;
  const Files folder;
  const std::string file = folder.file("file", ""), other = folder.file("other", "");
  fs::create_hard_link(file, folder.path("hard"));
  fs::create_symlink("file", folder.path("link"));
  fs::create_symlink("none", folder.path("dangling"));
  CHECK(same_output(file, file));
  CHECK(same_output(file, folder.path("hard")));
  CHECK(same_output(folder.path("link"), folder.path("hard")));
  CHECK(same_output(folder.path("none"), folder.path("./none")));
  CHECK(same_output(folder.path("none"), folder.path("dangling")));
  CHECK(same_output("-", "-"));
  CHECK(!same_output(file, other));
  CHECK(!same_output(file, folder.path("none")));
  CHECK(!same_output(folder.path("none"), folder.path("nothing")));
  CHECK(!same_output("/dev/null", "/dev/null"));
}

TEST_CASE("output: the mode of the old file stays") {
  namespace fs = std::filesystem;
  const Files folder;
  const std::string path = folder.file("x", "old");
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
  OutputFile file(path);
  file.commit();
  CHECK(fs::status(path).permissions() == (fs::perms::owner_read | fs::perms::owner_write));
}

TEST_CASE("output: places that cannot be written") {
  const Files folder;
  check_throws<FileError>([&] { OutputFile file(folder.path("none/x.txt")); },
                          "none/x.txt: No such file");
  check_throws<FileError>([&] { OutputFile file(folder.path("")); }, "is a directory");
  check_throws<FileError>([&] { OutputFile file(""); }, "No such file");
  check_throws<FileError>([&] { OutputFile file(folder.file("plain", "") + "/x"); },
                          "Not a directory");
  CHECK(folder.names() == std::vector<std::string>{"plain"});
}

TEST_CASE("output: devices are written directly, a full one is noticed") {
  OutputFile null("/dev/null");
  null.write("1 2 3\n");
  null.commit();
  CHECK(std::filesystem::is_character_file("/dev/null"));
  if (std::filesystem::exists("/dev/full")) {
    OutputFile full("/dev/full");
    full.write("1");  // stays in the buffer of stdio
    check_throws<FileError>([&] { full.commit(); }, "/dev/full: No space left");
    OutputFile large("/dev/full");
    check_throws<FileError>([&] { write_matrix(large, Matrix(100, 100), FileFormat::npy); },
                            "/dev/full: No space left");
  }
}
