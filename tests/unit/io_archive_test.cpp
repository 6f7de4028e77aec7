// Files of several arrays, as NumPy, SciPy, h5py and MATLAB write them (tests/data), and as nobody
// should.

#include <unistd.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "io_support.hpp"
#include "support/file_folder.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

const std::vector<double> kA = {4, 1, 2, 1, 5, 3, 0.5, 3, 6};
const std::vector<double> kB = {7, 9, 9.5};

std::string sample(const std::string& name) { return (file_folder() / name).string(); }

void check_unread(const std::string& path, const std::string& reason) {
  CAPTURE(path);
  check_throws<FormatError>([&] { (void)read_matrix(path); }, reason);
}

/// Sets the 4 bytes at `at`.
std::string with_word(std::string bytes, std::size_t at, std::uint32_t word) {
  std::memcpy(bytes.data() + at, &word, sizeof word);
  return bytes;
}

std::string with_double_word(std::string bytes, std::size_t at, std::uint64_t word) {
  std::memcpy(bytes.data() + at, &word, sizeof word);
  return bytes;
}

}  // namespace

TEST_CASE("archives: A and b of one file are a system") {
  for (const std::string name :
       {"system.npz", "system.mat", "compressed.mat", "level4.mat", "level73.mat", "system.h5"}) {
    CAPTURE(name);
    const System system = read_system(sample(name), "");
    check_matrix(system.a, 3, 3, kA);
    check_matrix(system.b, 3, 1, kB);
    check_matrix(read_system(sample(name), "ones").b, 3, 1, {1, 1, 1});
    check_matrix(read_system(sample(name), sample(name)).b, 3, 1, kB);  // b of it
    check_matrix(read_system(sample(name) + ":A", sample(name) + ":b").b, 3, 1, kB);
    check_matrix(read_matrix(sample(name)), 3, 3, kA);
    check_matrix(read_matrix(sample(name) + ":b"), 3, 1, kB);
  }
  check_throws<DimensionError>([&] { (void)read_system(sample("system.npz") + ":A", ""); },
                               "without right-hand sides");
  const System one = read_system(sample("one.npz"), "");  // the only array is [A | b]
  check_matrix(one.a, 3, 3, kA);
  check_matrix(one.b, 3, 1, kB);
}

TEST_CASE("archives: packed") {
  const Files folder;
  for (const std::string name : {"system.npz", "compressed.mat", "level73.mat", "system.h5"}) {
    CAPTURE(name);
    const std::string path = folder.path(name + ".gz");
    OutputFile packed(path);
    packed.write(content_of(sample(name)));
    packed.commit();
    CHECK(content_of(path).starts_with("\x1f\x8b"));
    if (name == "level73.mat")
      check_unread(path, "level 7.3 is read neither packed nor from a pipe");
    else
      check_matrix(read_system(path, "").b, 3, 1, kB);
  }
}

TEST_CASE("archives: kinds of arrays") {
  for (const std::string name :
       {"kinds.npz:fortran", "kinds.mat:sparse", "kinds.mat:single", "kinds.h5:/group/chunks",
        "kinds.h5:group/chunks", "kinds.h5:big_endian"})
    check_matrix(read_matrix(sample(name)), 3, 3, kA);
  for (const std::string name :
       {"kinds.npz:i1", "kinds.npz:u2", "kinds.npz:i4", "kinds.npz:i8", "kinds.npz:u8",
        "kinds.mat:int32", "kinds.mat:int64", "kinds.h5:/int64", "kinds.h5:/uint8"})
    check_matrix(read_matrix(sample(name)), 3, 2, {2, 1, 1, 3, 0, 1});
  for (const std::string name : {"kinds.npz:bool", "kinds.mat:logical"})
    check_matrix(read_matrix(sample(name)), 3, 2, {1, 1, 1, 1, 0, 1});
  check_matrix(read_matrix(sample("kinds.mat:wide")), 2, 3, {0, 1, 2, 3, 4, 5});
  check_matrix(read_matrix(sample("kinds.npz:large")), 1, 2, {0x1p62, -0x1p63});
}

TEST_CASE("archives: what is refused names the file, the array and the reason") {
  for (const std::string name : {"kinds.npz", "kinds.mat", "kinds.h5"})
    check_unread(
        sample(name) + (name == "kinds.h5" ? ":/inexact" : ":inexact"),
        "inexact: row 2, column 2 holds 9007199254740993, which no 64-bit float represents");
  check_unread(sample("kinds.npz:complex"), "kinds.npz:complex: dtype '<c16' is not read");
  check_unread(sample("kinds.npz:text"), "kinds.npz:text: dtype '<U1' is not read");
  check_unread(sample("kinds.npz:cube"), "kinds.npz:cube: the array has 3 dimensions");
  check_unread(sample("kinds.npz:nan"), "kinds.npz:nan: row 1, column 2 holds nan");
  check_unread(sample("kinds.mat:complex"), "kinds.mat:complex: the array is complex");
  check_unread(sample("kinds.mat:text"), "kinds.mat:text: the array holds text");
  check_unread(sample("kinds.mat:cube"), "kinds.mat:cube: the array has 3 dimensions");
  check_unread(sample("kinds.mat:structure"), "kinds.mat:structure: the array is a struct");
  check_unread(sample("kinds.mat:cell"), "kinds.mat:cell: the array is a cell array");
  check_unread(sample("kinds.h5:complex"), "kinds.h5:/complex: the array is complex");
  check_unread(sample("kinds.h5:text"), "kinds.h5:/text: the array holds text");
  check_unread(sample("kinds.h5:cube"), "kinds.h5:/cube: the array has 3 dimensions");
  check_unread(sample("kinds.h5:scalar"), "kinds.h5:/scalar: the array has 0 dimensions");
  check_unread(sample("kinds.h5:nan"), "kinds.h5:/nan: row 1, column 2 holds nan");
  ReadOptions options;
  options.allow_nonfinite = true;
  CHECK(std::isnan(read_matrix(sample("kinds.h5:nan"), options)(0, 1)));
  CHECK(std::isnan(read_matrix(sample("kinds.npz:nan"), options)(0, 1)));
  check_unread(
      sample("system.mat:C"),
      "system.mat: there is no array 'C'; the file holds A (3 x 3), b (3 x 1), comment (holds "
      "text): choose one, as in ");
  check_unread(sample("kinds.npz"),
               "no array is called A, and there is more than one; the file holds "
               "fortran, i1, u2,");
  check_throws<FormatError>([&] { (void)read_system(sample("system.npz"), sample("kinds.mat")); },
                            "kinds.mat: no array is called b");
  const Files folder;
  const std::string text = folder.file("A.txt", "1 2\n");
  check_unread(text + ":A", "holds one matrix without a name, there is no array 'A'");
  check_throws<FileError>([&] { (void)read_matrix(folder.path("none.npz:A")); }, "No such file");
  check_matrix(read_matrix(folder.file("A.txt:b", "3\n")), 1, 1, {3});  // a file of that name
}

TEST_CASE("archives: cut off anywhere, and not what the name says") {
  for (const std::string name :
       {"system.npz", "system.mat", "compressed.mat", "level4.mat", "level73.mat", "system.h5"}) {
    const std::string whole = content_of(sample(name));
    const Files folder;
    for (std::size_t length = 8; length < whole.size(); length += whole.size() / 12) {
      CAPTURE(name);
      CAPTURE(length);
      const std::string path = folder.file(name, whole.substr(0, length));
      CHECK_THROWS_AS((void)read_system(path, ""), Error);
    }
    CHECK_THROWS_AS((void)read_as(name, "1 2 3\n4 5 6\n"), FormatError);
  }
}

TEST_CASE("archives: huge sizes are refused before they are memory") {
  // .mat of level 5: the shape stands behind header, tag and flags.
  const std::string mat = content_of(sample("system.mat"));
  const std::size_t shape = 128 + 8 + 16 + 8;
  CHECK_THROWS_AS(
      (void)read_as("A.mat", with_word(with_word(mat, shape, 100'000), shape + 4, 100'000)), Error);
  check_throws<OutOfMemory>(
      [&] {
        (void)read_as("A.mat", with_word(with_word(mat, shape, 0x7fffffff), shape + 4, 0x7fffffff));
      },
      "2147483647 x 2147483647");
  // HDF5: the dataspace of A, version 1, its rank before 3, 3.
  const std::string h5 = content_of(sample("system.h5"));
  const std::size_t three = h5.find(std::string("\3\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 16));
  REQUIRE(three != std::string::npos);
  check_throws<OutOfMemory>(
      [&] { (void)read_as("A.h5", with_double_word(h5, three, std::uint64_t{1} << 40U)); },
      "A.h5:/A: 1099511627776 x 3");
  // .npz: the header of its .npy.
  std::string npz = content_of(sample("system.npz"));
  const std::size_t text = npz.find("(3, 3)");
  REQUIRE(text != std::string::npos);
  npz.replace(text, 6, "(9e9,)");
  CHECK_THROWS_AS((void)read_as("A.npz", npz), FormatError);  // its check sum differs as well
}

TEST_CASE("archives: what is written is there under its name, and again the same") {
  const Files folder;
  const Matrix x(2, 1, Values{0.1, -5e-324});
  const System system{Matrix(2, 2, Values{1, 2, 3, 4}), Matrix(2, 1, Values{5, 6})};
  for (const std::string name : {"x.npz", "x.mat", "x.h5", "x.npz.gz", "x.mat.gz"}) {
    CAPTURE(name);
    const std::string path = folder.path(name);
    OutputFile file(path);
    write_matrix(file, x, format_of_extension(path));
    CHECK(!std::filesystem::exists(path));
    file.commit();
    check_matrix(read_matrix(path + ":x"), 2, 1, {0.1, -5e-324});
    OutputFile both(path);
    write_system(both, system, format_of_extension(path));
    both.commit();
    const System again = read_system(path, "");
    check_matrix(again.a, 2, 2, {1, 2, 3, 4});
    check_matrix(again.b, 2, 1, {5, 6});
  }
  for (const std::string name : {"s.txt", "s.npy"}) {
    OutputFile file(folder.path(name));
    write_system(file, system, format_of_extension(name));
    file.commit();
    check_matrix(read_matrix(folder.path(name)), 2, 3, {1, 2, 5, 3, 4, 6});
  }
}
