#pragma once
/// Files of NumPy's format, as the tests write them.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace clgauss::test {

/// A .npy file with `shape` as Python writes it, like "(2, 3, 3)".
template <typename Number = double>
inline std::string npy(const std::string& shape, const std::vector<Number>& values,
                       bool fortran = false) {
  const std::string_view type = sizeof(Number) == 16 ? "c16" : sizeof(Number) == 8 ? "f8" : "f4";
  std::string header = std::string("{'descr': '<") + std::string(type) +
                       "', 'fortran_order': " + (fortran ? "True" : "False") +
                       ", 'shape': " + shape + ", }\n";
  std::string file("\x93NUMPY\1\0", 8);
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(Number));
  return file;
}

/// `count` n-by-n identities of f8.
inline std::string identities(std::size_t count, std::size_t n) {
  std::vector<double> values(count * n * n);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = i % (n * n) % (n + 1) == 0 ? 1 : 0;
  const std::string text_of_n = std::to_string(n);
  return npy("(" + std::to_string(count) + ", " + text_of_n + ", " + text_of_n + ")", values);
}

}  // namespace clgauss::test
