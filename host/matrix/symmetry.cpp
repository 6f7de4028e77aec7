#include "matrix/symmetry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <clgauss/error.hpp>
#include <cmath>
#include <limits>

#include "parallel.hpp"

namespace clgauss {

namespace {

using Element = std::pair<Index, Index>;

/// Rows and columns of a tile: two of them stay in a cache while one is read across.
constexpr Index kTile = 64;
constexpr Index kNone = std::numeric_limits<Index>::max();

bool is_same(double u, double v) { return u == v || (std::isnan(u) && std::isnan(v)); }

/// The first in rows first .. last, columns left of the diagonal; kNone twice if there is none.
Element asymmetric_in_rows(const Matrix& a, Index first, Index last) {
  Element found{kNone, kNone};
  for (Index left = 0; left < last; left += kTile)
    for (Index i = first; i < last; ++i)
      for (Index j = left; j < std::min(left + kTile, i); ++j)
        if (!is_same(a(i, j), a(j, i))) found = std::min(found, Element{i, j});
  return found;
}

}  // namespace

std::optional<Element> asymmetric_element(const Matrix& a) {
  const Index n = a.rows(), strips = (n + kTile - 1) / kTile;
  std::atomic<Index> bad_strip = kNone,
                     next = 0;  // those further down are longer: whoever is free takes one
  in_parallel(strips, kElementsPerThread / (kTile * std::max<Index>(n, 1)) + 1, [&](Index, Index) {
    for (Index strip = next++; strip < std::min<Index>(strips, bad_strip); strip = next++) {
      const Index top = strip * kTile;
      if (asymmetric_in_rows(a, top, std::min(n, top + kTile)).first == kNone) continue;
      Index before = bad_strip;
      while (strip < before && !bad_strip.compare_exchange_weak(before, strip)) {
      }
    }
  });
  if (bad_strip == kNone) return std::nullopt;
  const Index top = bad_strip * kTile;
  return asymmetric_in_rows(a, top, std::min(n, top + kTile));
}

void require_symmetric(const Matrix& a) {
  const auto at = asymmetric_element(a);
  if (!at) return;
  const auto [i, j] = *at;
  throw ValueError(fmt::format(
      "A is not symmetric, which the method cholesky asks for: element ({}, {}) is {:.17g}, "
      "element ({}, {}) is {:.17g}; the method lu takes any A",
      i + 1, j + 1, a(i, j), j + 1, i + 1, a(j, i)));
}

bool has_positive_diagonal(const Matrix& a) {
  for (Index i = 0; i < a.rows(); ++i)
    if (!(a(i, i) > 0)) return false;
  return true;
}

}  // namespace clgauss
