#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "io_support.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

std::string npy(int version, const std::string& dict, const std::string& data) {
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  const std::size_t length_bytes = version == 1 ? 2 : 4;
  for (std::size_t i = 0; i < length_bytes; ++i) {
    bytes += static_cast<char>(dict.size() >> (8 * i) & 0xff);
  }
  return bytes + dict + data;
}

std::string dict(const std::string& dtype, const std::string& order, const std::string& shape) {
  return "{'descr': '" + dtype + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }  \n";
}

/// `values` as Float, in the byte order `order`.
template <typename Float>
std::string data(const std::vector<double>& values, char order = '<') {
  std::string bytes;
  for (const double value : values) {
    const auto stored = static_cast<Float>(value);
    std::string raw(sizeof(Float), '\0');
    std::memcpy(raw.data(), &stored, sizeof(Float));
    if ((order == '<') != (std::endian::native == std::endian::little)) {
      std::reverse(raw.begin(), raw.end());
    }
    bytes += raw;
  }
  return bytes;
}

}  // namespace

TEST_CASE("npy: types, byte orders, versions") {
  const std::vector<double> values = {1, -2.5, 3, 4, 5, 6};
  for (const int version : {1, 2, 3}) {
    for (const char order : {'<', '>'}) {
      CAPTURE(version);
      CAPTURE(order);
      const std::string f8 = std::string(1, order) + "f8";
      const std::string f4 = std::string(1, order) + "f4";
      check_matrix(
          read_as("A.npy", npy(version, dict(f8, "False", "(2, 3)"), data<double>(values, order))),
          2, 3, values);
      check_matrix(
          read_as("A.npy", npy(version, dict(f4, "False", "(2, 3)"), data<float>(values, order))),
          2, 3, values);
    }
  }
}

TEST_CASE("npy: Fortran order") {
  check_matrix(
      read_as("A.npy", npy(1, dict("<f8", "True", "(2, 3)"), data<double>({1, 4, 2, 5, 3, 6}))), 2,
      3, {1, 2, 3, 4, 5, 6});
  const Index rows = 5;
  const Index cols = 19;  // not a multiple of the columns that are moved at a time
  std::vector<double> by_column;
  for (Index j = 0; j < cols; ++j) {
    for (Index i = 0; i < rows; ++i) {
      by_column.push_back(static_cast<double>(100 * i + j));
    }
  }
  const Matrix matrix =
      read_as("A.npy", npy(1, dict("<f4", "True", "(5, 19)"), data<float>(by_column)));
  for (Index i = 0; i < rows; ++i) {
    for (Index j = 0; j < cols; ++j) {
      CHECK(matrix(i, j) == static_cast<double>(100 * i + j));
    }
  }
}

TEST_CASE("npy: shapes") {
  check_matrix(read_as("b.npy", npy(1, dict("<f8", "False", "(3,)"), data<double>({1, 2, 3}))), 3,
               1, {1, 2, 3});
  check_matrix(read_as("A.npy", npy(1, dict("<f8", "False", "(0, 0)"), "")), 0, 0, {});
  check_matrix(read_as("A.npy", npy(1, dict("<f8", "True", "(1000000000000000000, 0)"), "")),
               1000000000000000000, 0, {});
  check_matrix(read_as("A.npy", npy(1, dict("<f8", "False", "(1L, 1L)"), data<double>({1}))), 1, 1,
               {1});
  check_matrix(
      read_as("any",
              npy(1, "{\"shape\":(1,1),\"fortran_order\":True,\"descr\":\"=f8\"}",
                  data<double>({7}, std::endian::native == std::endian::little ? '<' : '>'))),
      1, 1, {7});
  check_refused("A.npy", npy(1, dict("<f8", "False", "()"), data<double>({1})), 0, 0,
                "0 dimensions");
  check_refused("A.npy", npy(1, dict("<f8", "False", "(1, 1, 1)"), data<double>({1})), 0, 0,
                "3 dimensions");
}

TEST_CASE("npy: whole numbers are exact, or refused") {
  const auto i8 = [](std::vector<std::int64_t> values) {
    return std::string(reinterpret_cast<const char*>(values.data()), 8 * values.size());
  };
  constexpr std::int64_t most = std::int64_t{1} << 53;
  check_matrix(
      read_as("A.npy", npy(1, dict("<i8", "False", "(2, 2)"), i8({1, -2, most, -4 * most}))), 2, 2,
      {1, -2, 0x1p53, -0x1p55});
  check_matrix(read_as("A.npy", npy(1, dict("<u8", "False", "(1, 1)"),
                                    i8({std::numeric_limits<std::int64_t>::min()}))),
               1, 1, {0x1p63});
  check_matrix(read_as("A.npy", npy(1, dict("<i8", "False", "(1, 1)"),
                                    i8({std::numeric_limits<std::int64_t>::min()}))),
               1, 1, {-0x1p63});
  check_matrix(read_as("A.npy", npy(1, dict("|b1", "False", "(1, 2)"), std::string("\1\0", 2))), 1,
               2, {1, 0});
  check_matrix(read_as("A.npy", npy(1, dict("|i1", "True", "(1, 2)"), "\xff\x7f")), 1, 2,
               {-1, 127});
  check_matrix(read_as("A.npy", npy(1, dict(">u2", "False", "(1, 1)"), "\xff\xfe")), 1, 1, {65534});
  check_matrix(read_as("A.npy", npy(1, dict(">i4", "False", "(1, 1)"), "\xff\xff\xff\xfe")), 1, 1,
               {-2});
  check_refused("A.npy", npy(1, dict("<i8", "False", "(2, 2)"), i8({1, 2, most + 1, 4})), 0, 0,
                "row 2, column 1 holds 9007199254740993, which no 64-bit float represents");
  check_refused("A.npy", npy(1, dict("<u8", "True", "(2, 2)"), i8({1, 2, -1, 4})), 0, 0,
                "row 1, column 2 holds 18446744073709551615");
}

TEST_CASE("npy: types that are refused") {
  for (const std::string dtype :
       {"<c16", "<f2", "<f16", "<i16", "<U5", "|O", "<m8", "f8", "", ">"}) {
    check_refused(
        "A.npy", npy(1, dict(dtype, "False", "(1, 1)"), data<double>({1})), 0, 0,
        "dtype '" + dtype +
            "' is not read, only floats and integers of up to 64 bits: save the array with "
            ".astype('float64')");
  }
  check_refused("A.npy",
                npy(1, "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }\n",
                    data<double>({1})),
                0, 0, "records");
}

TEST_CASE("npy: too little and too much data") {
  const std::string head = dict("<f8", "False", "(2, 2)");
  check_refused("A.npy", npy(1, head, data<double>({1, 2, 3})), 0, 0,
                "2 x 2 numbers of 8 bytes are promised, 24 bytes follow");
  check_refused("A.npy", npy(1, head, data<double>({1, 2, 3, 4, 5})), 0, 0, "40 bytes follow");
  check_refused("A.npy", npy(1, head, data<double>({1, 2, 3, 4}) + "x"), 0, 0, "33 bytes follow");
  check_refused("A.npy", npy(1, dict("<f8", "False", "(1000000000, 1000000000)"), "12345678"), 0, 0,
                "promised");
  check_refused("A.npy", npy(1, dict("<f8", "False", "(4294967296, 4294967296)"), ""), 0, 0,
                "promised");
}

TEST_CASE("npy: damaged headers") {
  const std::string whole = npy(1, dict("<f8", "False", "(1, 1)"), data<double>({1}));
  for (std::size_t length = 6; length < whole.size(); ++length) {  // cut anywhere
    CAPTURE(length);
    CHECK_THROWS_AS((void)read_as("A.npy", whole.substr(0, length)), FormatError);
  }
  check_refused("A.npy", "1 2 3\n", 0, 0, "signature");
  check_refused("A.npy", npy(4, "{}", ""), 0, 0, "versions 1 to 3");
  check_refused("A.npy", npy(1, "{}", ""), 0, 0, "missing");
  check_refused("A.npy", npy(1, dict("<f8", "Maybe", "(1,)"), ""), 0, 0, "neither True nor False");
  check_refused("A.npy", npy(1, dict("<f8", "False", "(-1,)"), ""), 0, 0, "tuple");
  check_refused("A.npy", npy(1, dict("<f8", "False", "(99999999999999999999,)"), ""), 0, 0,
                "tuple");
  check_refused("A.npy", npy(1, dict("<f8", "False", "[1]"), ""), 0, 0, "'(' is missing");
  check_refused("A.npy", npy(1, "{'x': 1}", ""), 0, 0, "'x' is not a known key");
  check_refused("A.npy", npy(1, dict("<f8", "False", "(1, 1)") + "(9, 9)", data<double>({1})), 0, 0,
                "'(9, 9)' follows its closing brace");
}

TEST_CASE("npy: NaN and infinity") {
  const double inf = std::numeric_limits<double>::infinity();
  const std::string c_order =
      npy(1, dict("<f8", "False", "(2, 3)"), data<double>({1, 2, 3, 4, -inf, 6}));
  const std::string fortran =
      npy(1, dict("<f4", "True", "(2, 3)"), data<float>({1, 2, 3, std::nan(""), 5, 6}));
  check_refused("A.npy", c_order, 0, 0, "row 2, column 2 holds -inf");
  check_refused("A.npy", fortran, 0, 0, "row 2, column 2 holds nan");
  ReadOptions options;
  options.allow_nonfinite = true;
  CHECK(read_as("A.npy", c_order, options)(1, 1) == -inf);
}
