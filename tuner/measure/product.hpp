#pragma once
/// A product of matrices of which the answer can be checked without computing it.

#include <clgauss/matrix.hpp>
#include <cstdint>
#include <span>
#include <vector>

namespace clgauss::tune {

/// Two n-by-n matrices of random integers -2 .. 2. All sums of their products are integers below
/// 2^24 (n < 2^22), so that C = A B is exact in f32, in whatever order it is summed.
class Product {
 public:
  explicit Product(Index n, std::uint32_t seed = 1);

  [[nodiscard]] Index n() const { return n_; }
  [[nodiscard]] const std::vector<float>& a() const { return a_; }
  [[nodiscard]] const std::vector<float>& b() const { return b_; }

  /// Whether the first rows and columns of `c` are those of A B: C x = A (B x) for a random integer
  /// vector x, in exact arithmetic (Freivalds). A wrong row passes with a probability of about
  /// 2^-20. About 5 n^2 operations.
  [[nodiscard]] bool matches(std::span<const float> c, Index rows, Index columns) const;

 private:
  Index n_;
  std::vector<float> a_, b_;
  std::vector<double> x_;
};

}  // namespace clgauss::tune
