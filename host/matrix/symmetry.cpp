#include "matrix/symmetry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <clgauss/error.hpp>
#include <cmath>
#include <limits>
#include <vector>

#include "parallel.hpp"

namespace clgauss {

namespace {

using Element = std::pair<Index, Index>;

/// Rows and columns of a tile. Two tiles fit in a cache while one is read by columns.
constexpr Index kTile = 64;
constexpr Index kNowhere = std::numeric_limits<Index>::max();

/// The first (i, j), i > j, in rows first .. last for which `is_bad`. If there is none, kNowhere
/// twice.
template <typename Bad>
Element find_in_rows(Index first, Index last, const Bad& is_bad) {
  Element found{kNowhere, kNowhere};
  for (Index left = 0; left < last; left += kTile)
    for (Index i = first; i < last; ++i)
      for (Index j = left; j < std::min(left + kTile, i); ++j)
        if (is_bad(i, j)) found = std::min(found, Element{i, j});
  return found;
}

/// The first such element of n rows. Uses all cores; one pass that stops at the element.
template <typename Bad>
std::optional<Element> find_below_diagonal(Index n, const Bad& is_bad) {
  const Index strips = (n + kTile - 1) / kTile;
  const auto find_in_strip = [&](Index strip) {
    return find_in_rows(strip * kTile, std::min(n, (strip + 1) * kTile), is_bad);
  };
  std::atomic<Index> bad_strip = kNowhere,
                     next = 0;  // lower strips are longer, so threads take one at a time
  in_parallel(strips, kElementsPerThread / (kTile * std::max<Index>(n, 1)) + 1, [&](Index, Index) {
    for (Index strip = next++; strip < std::min<Index>(strips, bad_strip); strip = next++) {
      if (find_in_strip(strip).first == kNowhere) continue;
      Index before = bad_strip;
      while (strip < before && !bad_strip.compare_exchange_weak(before, strip)) {
      }
    }
  });
  if (bad_strip == kNowhere) return std::nullopt;
  return find_in_strip(bad_strip);
}

/// To the bit; NaN equals NaN.
bool same_across(double u, double v) { return u == v || (std::isnan(u) && std::isnan(v)); }

}  // namespace

std::optional<Element> asymmetric_element(const Matrix& a) {
  return find_below_diagonal(a.rows(),
                             [&](Index i, Index j) { return !same_across(a(i, j), a(j, i)); });
}

void require_symmetric(const Matrix& a, std::string_view method) {
  const auto at = asymmetric_element(a);
  if (!at) return;
  const auto [i, j] = *at;
  throw ValueError(
      fmt::format("A is not symmetric, which the method {} needs: element ({}, {}) is {:.17g}, "
                  "element ({}, {}) is {:.17g}; the method lu takes any A",
                  method, i + 1, j + 1, a(i, j), j + 1, i + 1, a(j, i)));
}

void require_hermitian(const ComplexMatrix& a, std::string_view method) {
  const auto text = [&](Index i, Index j) {
    return fmt::format("element ({}, {}) is {:.17g}{:+.17g}i", i + 1, j + 1, a(i, j).real(),
                       a(i, j).imag());
  };
  const auto refuse = [&](const std::string& what) {
    throw ValueError(
        fmt::format("A is not Hermitian, which the method {} needs: {}; the method lu takes any A",
                    method, what));
  };
  for (Index i = 0; i < a.rows(); ++i)
    if (a(i, i).imag() != 0 && !std::isnan(a(i, i).imag())) refuse(text(i, i));
  const auto at = find_below_diagonal(a.rows(), [&](Index i, Index j) {
    const std::complex<double> below = a(i, j), above = a(j, i);
    return !same_across(below.real(), above.real()) || !same_across(below.imag(), -above.imag());
  });
  if (at) refuse(fmt::format("{}, {}", text(at->first, at->second), text(at->second, at->first)));
}

bool may_be_positive_definite(const Matrix& a) {
  std::vector<double> roots(a.rows());
  for (Index i = 0; i < a.rows(); ++i) {
    if (!(a(i, i) > 0)) return false;
    roots[i] = std::sqrt(a(i, i));
  }
  return !find_below_diagonal(a.rows(), [&](Index i, Index j) {
    return a(i, j) != a(j, i) || !(std::abs(a(i, j)) <= roots[i] * roots[j]);
  });
}

}  // namespace clgauss
