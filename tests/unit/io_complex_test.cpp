#include <clgauss/complex.hpp>
#include <cmath>
#include <complex>
#include <cstring>
#include <variant>

#include "io_support.hpp"
#include "support/file_folder.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

using Complex = std::complex<double>;

void check_complex(const ComplexMatrix& matrix, Index rows, Index cols,
                   const std::vector<Complex>& values) {
  REQUIRE(matrix.rows() == rows);
  REQUIRE(matrix.cols() == cols);
  for (Index i = 0; i < rows; ++i)
    for (Index j = 0; j < cols; ++j) CHECK(matrix(i, j) == values[i * cols + j]);
}

ComplexMatrix read(const std::string& name, const std::string& content) {
  const Files folder;
  return read_complex_matrix(folder.file(name, content));
}

void refuses(const std::string& content, std::size_t line, std::size_t column,
             const std::string& reason) {
  const Files folder;
  try {
    (void)read_complex_matrix(folder.file("A.mtx", content));
    FAIL("it was read");
  } catch (const FormatError& error) {
    CHECK(error.line() == line);
    CHECK(error.column() == column);
    CHECK_MESSAGE(std::string(error.what()).find(reason) != std::string::npos, error.what());
  }
}

std::string mtx(const std::string& layout, const std::string& symmetry) {
  return "%%MatrixMarket matrix " + layout + " complex " + symmetry + "\n";
}

/// Of complex numbers whose parts are `parts`, as Float, the bytes of each reversed if `reversed`.
template <typename Float>
std::string npy(const std::string& dtype, bool fortran, const std::string& shape,
                const std::vector<double>& parts, bool reversed = false) {
  const std::string dict = "{'descr': '" + dtype +
                           "', 'fortran_order': " + (fortran ? "True" : "False") +
                           ", 'shape': " + shape + ", }\n";
  std::string bytes =
      std::string("\x93NUMPY\1\0", 8) + static_cast<char>(dict.size()) + '\0' + dict;
  for (const double part : parts) {
    const auto stored = static_cast<Float>(part);
    std::string raw(sizeof stored, '\0');
    std::memcpy(raw.data(), &stored, sizeof stored);
    if (reversed) raw.assign(raw.rbegin(), raw.rend());
    bytes += raw;
  }
  return bytes;
}

}  // namespace

TEST_CASE("complex mtx: both layouts, every symmetry, duplicates") {
  check_complex(read("A.mtx", mtx("array", "general") + "2 2\n1 2\n3 -4\n5 0\n0 1e1\n"), 2, 2,
                {{1, 2}, {5, 0}, {3, -4}, {0, 10}});
  check_complex(read("A.mtx", mtx("coordinate", "general") + "2 2 3\n1 1 1 2\n2 1 3 4\n2 1 1 1\n"),
                2, 2, {{1, 2}, 0, {4, 5}, 0});
  check_complex(read("A.mtx", mtx("coordinate", "symmetric") + "2 2 2\n1 1 1 2\n2 1 3 4\n"), 2, 2,
                {{1, 2}, {3, 4}, {3, 4}, 0});
  check_complex(read("A.mtx", mtx("array", "hermitian") + "2 2\n1 0\n3 4\n2 0\n"), 2, 2,
                {1, {3, -4}, {3, 4}, 2});
  check_complex(read("A.mtx", mtx("coordinate", "hermitian") + "2 2 2\n2 1 3 4\n2 1 1 1\n"), 2, 2,
                {0, {4, -5}, {4, 5}, 0});
  check_complex(read("A.mtx", mtx("array", "skew-symmetric") + "2 2\n3 4\n"), 2, 2,
                {0, {-3, -4}, {3, 4}, 0});
}

TEST_CASE("complex mtx: what is refused, with its place") {
  refuses(mtx("array", "general") + "1 1\n1   \n", 3, 5, "the line ends too early");
  refuses(mtx("array", "general") + "1 1\n1 2 3\n", 3, 5, "'3' is one number too many");
  refuses(mtx("array", "general") + "1 1\n1 i\n", 3, 3, "is not a number");
  refuses(mtx("array", "general") + "1 1\n1 nan\n", 3, 3, "--allow-nonfinite");
  refuses(mtx("array", "hermitian") + "1 1\n1 2\n", 3, 1, "diagonal of a hermitian matrix is real");
  refuses(mtx("coordinate", "hermitian") + "2 2 1\n1 2 1 2\n", 3, 1, "above the diagonal");
  refuses(mtx("array", "general") + "9 9\n1 2\n", 2, 4, "hold fewer");
  refuses("%%MatrixMarket matrix array real hermitian\n1 1\n1\n", 1, 34, "of complex numbers");
}

TEST_CASE("complex npy: types, byte orders, Fortran order, vectors") {
  const std::vector<Complex> values{{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, {11, -12.5}};
  const std::vector<double> rows{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, -12.5},
      columns{1, 2, 7, 8, 3, 4, 9, 10, 5, 6, 11, -12.5};
  check_complex(read("A.npy", npy<double>("<c16", false, "(2, 3)", rows)), 2, 3, values);
  check_complex(read("A.npy", npy<double>(">c16", false, "(2, 3)", rows, true)), 2, 3, values);
  check_complex(read("A.npy", npy<float>("<c8", true, "(2, 3)", columns)), 2, 3, values);
  check_complex(read("A.npy", npy<double>("<c16", true, "(2, 3)", columns)), 2, 3, values);
  check_complex(read("A.npy", npy<float>(">c8", false, "(6,)", rows, true)), 6, 1, values);
}

TEST_CASE("complex npy: cut off, NaN, and too large for any memory") {
  const auto fails = [](const std::string& content, const std::string& reason) {
    check_throws<FormatError>([&] { (void)read("A.npy", content); }, reason);
  };
  fails(npy<double>("<c16", false, "(2, 2)", {1, 2, 3}), "2 x 2 numbers of 16 bytes");
  fails(npy<double>("<c16", false, "(1, 2)", {1, 2, 3, std::nan("")}), "row 1, column 2 holds nan");
  fails(npy<float>("<c8", false, "(4611686018427387904, 2)", {1}), "are promised");
  fails(npy<double>("<c32", false, "(1, 1)", {1, 2}), "'<c32' is not read");
}

TEST_CASE("real files are complex matrices, complex files are no real ones") {
  check_complex(read("A.txt", "1 2\n3 4\n"), 2, 2, {1, 2, 3, 4});
  check_complex(read("A.csv", "1,2\n"), 1, 2, {1, 2});
  const Files folder;
  const std::string a = folder.file("A.mtx", mtx("array", "general") + "1 1\n1 0\n");
  const std::string b = folder.file("A.npy", npy<double>("<c16", false, "(1, 1)", {1, 0}));
  for (const std::string& path : {a, b}) {
    check_throws<FormatError>([&] { (void)read_matrix(path); }, "solve takes complex systems");
    CHECK(std::holds_alternative<ComplexMatrix>(read_any_matrix(path)));
    check_throws<FormatError>([&] { (void)read_system(path, "ones"); },
                              "solve takes complex systems");
  }
}

TEST_CASE("complex systems: [A | b], words, and files of which one is real") {
  const Files folder;
  const std::string joined = folder.file(
      "J.npy", npy<double>("<c16", false, "(2, 3)", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}));
  const std::string a =
      folder.file("A.npy", npy<double>("<c16", false, "(2, 2)", {1, 2, 3, 4, 7, 8, 9, 10}));
  const std::string real = folder.file("A.txt", "1 2\n3 4\n"), row = folder.file("b.txt", "5 6\n");
  const std::string b = folder.file("b.npy", npy<double>("<c16", false, "(2,)", {5, 6, 11, 12}));
  const auto complex = [](const std::string& path, const std::string& rhs) {
    return std::get<ComplexSystem>(read_any_system(path, rhs));
  };
  for (const auto& [path, rhs] :
       {std::pair(joined, std::string()), {joined, "augmented"}, {a, b}}) {
    const ComplexSystem system = complex(path, rhs);
    check_complex(system.a, 2, 2, {{1, 2}, {3, 4}, {7, 8}, {9, 10}});
    check_complex(system.b, 2, 1, {{5, 6}, {11, 12}});
  }
  check_complex(complex(a, "ones").b, 2, 1, {1, 1});
  check_complex(complex(a, "row-sums").b, 2, 1, {{4, 6}, {16, 18}});
  check_complex(complex(a, row).b, 2, 1, {5, 6});
  check_complex(complex(real, b).a, 2, 2, {1, 2, 3, 4});
  check_complex(complex(real, b).b, 2, 1, {{5, 6}, {11, 12}});
  CHECK(std::holds_alternative<System>(read_any_system(real, row)));
  check_throws<DimensionError>([&] { (void)read_any_system(a, ""); }, "without right-hand sides");
}

TEST_CASE("complex answers come back from the formats that hold them") {
  const Files folder;
  const std::vector<Complex> values{{1, 2}, {3, -4}, {0.1, 1e-300}, {-7, 0}};
  const ComplexMatrix x(2, 2, values);
  for (const FileFormat format : {FileFormat::matrix_market, FileFormat::npy}) {
    CHECK(writes_complex(format));
    const std::string path = folder.path("x");
    OutputFile file(path);
    write_matrix(file, x, format);
    file.commit();
    check_complex(read_complex_matrix(path), 2, 2, values);
  }
  const std::string path = folder.path("x.txt");
  OutputFile file(path);
  write_matrix(file, x, FileFormat::text);
  file.commit();
  check_matrix(read_matrix(path), 2, 4, {1, 2, 3, -4, 0.1, 1e-300, -7, 0});
  CHECK_FALSE(writes_complex(FileFormat::npz));
  OutputFile other(folder.path("x.npz"));
  check_throws<FileError>([&] { write_matrix(other, x, FileFormat::npz); },
                          "complex numbers are not written as npz");
}

TEST_CASE("complex mat: levels 4, 5 and 7.3, sparse, single, beside real arrays") {
  const auto sample = [](const std::string& name) { return (file_folder() / name).string(); };
  const std::vector<double> real = {4, 1, 2, 1, 5, 3, 0.5, 3, 6};
  std::vector<Complex> a, sums(3);
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) {
      a.emplace_back(real[3 * i + j], real[3 * j + i]);
      sums[i] += a.back();
    }
  for (const std::string name : {"complex.mat", "complex_level4.mat", "complex_level73.mat"}) {
    CAPTURE(name);
    check_complex(read_complex_matrix(sample(name)), 3, 3, a);
    for (const auto& [path, rhs] : {std::pair(name, std::string()), {name + ":A", name + ":b"}}) {
      const auto system =
          std::get<ComplexSystem>(read_any_system(sample(path), rhs.empty() ? rhs : sample(rhs)));
      check_complex(system.a, 3, 3, a);
      check_complex(system.b, 3, 1, sums);
    }
    const auto sum = std::get<ComplexSystem>(read_any_system(sample(name), "row-sums"));
    check_complex(sum.b, 3, 1, sums);
    check_throws<FormatError>([&] { (void)read_matrix(sample(name)); },
                              "solve takes complex systems");
  }
  check_complex(read_complex_matrix(sample("complex.mat:sparse")), 3, 3, a);
  check_complex(read_complex_matrix(sample("complex.mat:single")), 3, 3, a);
  check_complex(read_complex_matrix(sample("complex.mat:row")), 1, 3, {a[0], a[1], a[2]});
  const auto mixed = std::get<ComplexSystem>(
      read_any_system(sample("complex.mat:A"), sample("complex.mat:real_b")));
  check_complex(mixed.b, 3, 1, {7, 9, 9.5});
  const auto other =
      std::get<ComplexSystem>(read_any_system(sample("system.mat:A"), sample("complex.mat:b")));
  check_complex(other.a, 3, 3, {real.begin(), real.end()});
}
