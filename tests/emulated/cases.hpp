#pragma once
/// What the kernels in registers are asked, whichever way they are built; to be included after
/// doctest and work_group.hpp.

/// A macro's value as text, for the name of a test.
#define TEXT_OF(macro) TEXT(macro)
#define TEXT(text) #text

namespace clgauss::test::emulated {

constexpr int kNoBadPivot = 1 << 30;

/// Row-major, a row ld apart.
template <typename Number>
struct Block {
  uint rows, cols, ld;
  std::vector<Number> a;
  Number& operator()(uint i, uint j) { return a[i * ld + j]; }
  const Number& operator()(uint i, uint j) const { return a[i * ld + j]; }
};

/// Of a number, real or complex: its type of real numbers, what is asked of it and done with it.
template <typename Number>
struct Arithmetic {
  using Real = Number;
  static Real size(Number v) { return std::abs(v); }
  static Number random(auto& parts) { return parts(); }
  static Number minus_product(Number a, Number b, Number c) { return std::fma(-a, b, c); }
};
template <typename Part>
struct Arithmetic<std::complex<Part>> {
  using Real = Part;
  using Number = std::complex<Part>;
  static Real size(Number v) { return std::abs(v.real()) + std::abs(v.imag()); }
  static Number random(auto& parts) { return {parts(), parts()}; }
  static Number minus_product(Number a, Number b, Number c) { return c - a * b; }
};

/// Numbers at random, or, with `ties`, of -1, 0 and 1.
template <typename Number>
Block<Number> made_up(uint rows, uint cols, bool ties) {
  using Real = typename Arithmetic<Number>::Real;
  Block<Number> block{rows, cols, cols + 3, {}};
  std::mt19937 generator(rows + cols);
  std::uniform_real_distribution<Real> uniform(-1, 1);
  block.a.resize(rows * block.ld);
  const auto part = [&] {
    return ties ? static_cast<Real>(generator() % 3) - 1 : uniform(generator);
  };
  for (Number& v : block.a) v = Arithmetic<Number>::random(part);
  return block;
}

/// A panel, and how many columns of its matrix stand left and right of it.
struct PanelShape {
  uint rows, cols, left = 0, right = 0;
};

struct Pivots {
  std::vector<int> exchanged;
  int first_bad = kNoBadPivot;
};

/// LAPACK's LU of the panel in `lu`, whose exchanges reach through all columns, and L11^-1 times
/// what is right of it.
template <typename Number>
Pivots factor(Block<Number>& lu, const PanelShape& shape) {
  using Its = Arithmetic<Number>;
  Pivots pivots;
  const auto& [rows, cols, left, right] = shape;
  for (uint j = 0; j < std::min(rows, cols); ++j) {
    const uint d = left + j;
    uint best = j;
    for (uint i = j; i < rows; ++i)
      if (Its::size(lu(i, d)) > Its::size(lu(best, d))) best = i;
    pivots.exchanged.push_back(static_cast<int>(best));
    for (uint c = 0; c < lu.cols; ++c) std::swap(lu(j, c), lu(best, c));
    if (Its::size(lu(j, d)) == 0) {
      pivots.first_bad = std::min(pivots.first_bad, static_cast<int>(j));
      continue;
    }
    const Number inverse = Number(1) / lu(j, d);
    for (uint i = j + 1; i < rows; ++i) {
      lu(i, d) *= inverse;
      for (uint c = d + 1; c < left + cols; ++c)
        lu(i, c) = Its::minus_product(lu(i, d), lu(j, c), lu(i, c));
    }
  }
  for (uint j = 0; j < cols && right > 0; ++j)
    for (uint i = j + 1; i < cols; ++i)
      for (uint c = left + cols; c < lu.cols; ++c)
        lu(i, c) = Its::minus_product(lu(i, left + j), lu(j, c), lu(i, c));
  return pivots;
}

template <typename Number>
auto max_difference(const Block<Number>& a, const Block<Number>& b) {
  typename Arithmetic<Number>::Real most = 0;
  for (std::size_t e = 0; e < a.a.size(); ++e) {
    const auto difference = std::abs(a.a[e] - b.a[e]);
    if (!(difference <= most)) most = difference;
  }
  return most;
}

/// run(matrix, shape, exchanged, first_bad) against LAPACK's LU, for panels of these shapes. Where
/// numbers are complex, equal sizes may differ by a rounding, so pivots are not chosen among them.
template <typename Number, typename Run>
void check_panels(const std::vector<PanelShape>& shapes, const Run& run) {
  using Real = typename Arithmetic<Number>::Real;
  for (const PanelShape& shape : shapes)
    for (const bool ties : {false, true}) {
      if (ties && !std::is_same_v<Real, Number>) continue;
      CAPTURE(shape.rows);
      CAPTURE(shape.cols);
      CAPTURE(shape.left);
      CAPTURE(ties);
      Block<Number> made = made_up<Number>(shape.rows, shape.left + shape.cols + shape.right, ties),
                    right = made;
      const Pivots wanted = factor(right, shape);
      std::vector<int> exchanged(std::min(shape.rows, shape.cols), -1);
      int first_bad = kNoBadPivot;
      run(made, shape, exchanged.data(), &first_bad);
      CHECK(exchanged == wanted.exchanged);
      CHECK(first_bad == wanted.first_bad);
      CHECK(max_difference(made, right) <= 2000 * std::numeric_limits<Real>::epsilon());
    }
}

/// The largest |b - A x|, in units of eps (|A| |x|), row by row.
template <typename Real>
double residual(const Block<Real>& a, const std::vector<Real>& b, const std::vector<Real>& x) {
  double most = 0;
  for (uint i = 0; i < a.rows; ++i) {
    double sum = b[i], size = 0;
    for (uint j = 0; j < a.cols; ++j) {
      sum -= double{a(i, j)} * double{x[j]};
      size += std::abs(double{a(i, j)} * double{x[j]});
    }
    const double error = std::abs(sum) / (size * double{std::numeric_limits<Real>::epsilon()});
    if (!(error <= most)) most = error;
  }
  return most;
}

}  // namespace clgauss::test::emulated
