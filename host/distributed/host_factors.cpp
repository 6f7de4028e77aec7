#include "distributed/host_factors.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "matrix/max_or_nan.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

/// The rows of X that belong to block `j`.
std::span<double> rows_of(Matrix& x, const ColumnCut& cut, Index j) {
  return x.values().subspan(cut.first(j) * x.cols(), cut.columns(j) * x.cols());
}

/// X_j <- X_j - T^T X_(from .. to), where T is rows from .. to of the block.
template <typename Real>
void subtract_transposed(const Real* block, const ColumnCut& cut, Index j, Index from, Index to,
                         Matrix& x) {
  if (from >= to) return;
  const Index nrhs = x.cols(), first = cut.first(j),
              grain = std::max<Index>(16, kElementsPerThread / (to - from));
  in_parallel(cut.columns(j), grain, [&](Index begin, Index end) {
    const Index count = end - begin;
    std::vector<double> sums(count * nrhs, 0);
    for (Index i = from; i < to; ++i) {
      const Real* const row = block + i * cut.width + begin;
      for (Index c = 0; c < nrhs; ++c) {
        const double factor = x(i, c);
        double* const sum = sums.data() + c * count;
        for (Index l = 0; l < count; ++l) sum[l] += factor * static_cast<double>(row[l]);
      }
    }
    for (Index l = 0; l < count; ++l)
      for (Index c = 0; c < nrhs; ++c) x(first + begin + l, c) -= sums[c * count + l];
  });
}

/// X_j <- T^-T X_j, where T is a triangle of the diagonal block: U if `upper`, else L with its unit
/// diagonal.
template <typename Real>
void solve_corner(const Real* block, const ColumnCut& cut, Index j, bool upper, Matrix& x) {
  const Index first = cut.first(j), w = cut.columns(j);
  for (Index step = 0; step < w; ++step) {
    const Index s = upper ? step : w - 1 - step;
    const Real* const row = block + (first + s) * cut.width;
    const Index begin = upper ? s + 1 : 0, end = upper ? w : s;
    for (Index c = 0; c < x.cols(); ++c) {
      if (upper) x(first + s, c) /= static_cast<double>(row[s]);
      const double known = x(first + s, c);
      for (Index l = begin; l < end; ++l) x(first + l, c) -= known * static_cast<double>(row[l]);
    }
  }
}

}  // namespace

template <typename Body>
void HostFactors::at_owner(Index j, const Body& body) const {
  if (!cut_.own(j)) return;
  const HostAccess access(blocks_[j].columns, STARPU_R);
  if (type_ == RealType::f64)
    body(reinterpret_cast<const double*>(access.data()));
  else
    body(reinterpret_cast<const float*>(access.data()));
}

void HostFactors::solve_transposed(Matrix& x) const {
  for (Index k = 0; k < cut_.count(); ++k) {
    at_owner(k, [&](const auto* block) {  // Y_k = U_kk^-T (X_k - U_0k^T Y_0)
      subtract_transposed(block, cut_, k, 0, cut_.first(k), x);
      solve_corner(block, cut_, k, true, x);
    });
    ranks_.broadcast(cut_.owner(k), rows_of(x, cut_, k));
  }
  for (Index k = cut_.count(); k-- > 0;) {
    const Index end = cut_.first(k) + cut_.columns(k);
    at_owner(k, [&](const auto* block) {  // X_k = L_kk^-T (Y_k - L_2k^T X_2)
      subtract_transposed(block, cut_, k, end, cut_.n, x);
      solve_corner(block, cut_, k, false, x);
    });
    ranks_.broadcast(cut_.owner(k), rows_of(x, cut_, k));
    for (Index i = end; i-- > cut_.first(k);)  // X <- P_k^T X
      if (pivots_[i] != i) std::ranges::swap_ranges(x.row(i), x.row(pivots_[i]));
  }
}

std::vector<double> HostFactors::diagonal() const {
  std::vector<double> diagonal(cut_.n, 0);
  cut_.each_own_block([&](Index j, Index first, Index columns) {
    at_owner(j, [&](const auto* block) {
      for (Index i = 0; i < columns; ++i)
        diagonal[first + i] = static_cast<double>(block[(first + i) * cut_.width + i]);
    });
  });
  ranks_.add_up(diagonal);
  return diagonal;
}

double HostFactors::largest_of_u() const {
  std::array<double, 2> largest{};  // [1]: 1 for a NaN, so that MPI never compares one
  cut_.each_own_block([&](Index j, Index first, Index columns) {
    at_owner(j, [&](const auto* block) {
      for (Index i = 0; i < first + columns; ++i)
        for (Index l = i < first ? 0 : i - first; l < columns; ++l)
          largest[0] =
              max_or_nan(largest[0], std::abs(static_cast<double>(block[i * cut_.width + l])));
    });
  });
  if (std::isnan(largest[0])) largest = {0, 1};
  ranks_.take_largest(largest);
  return largest[1] > 0 ? std::nan("") : largest[0];
}

std::vector<double> HostFactors::gather(int to, bool exchanged) const {
  const Index n = cut_.n;
  std::vector<double> all(ranks_.rank() == to ? n * n : 0), part;
  for (Index j = 0; j < cut_.count(); ++j) {
    const Index first = cut_.first(j), columns = cut_.columns(j);
    const bool here = ranks_.rank() == to;
    if (!here) part.resize(cut_.own(j) ? n * columns : 0);
    const std::span<double> place =
        here ? std::span(all).subspan(first * n, columns * n) : std::span(part);
    at_owner(j, [&](const auto* block) {
      for (Index c = 0; c < columns; ++c)
        for (Index i = 0; i < n; ++i)
          place[c * n + i] = static_cast<double>(block[i * cut_.width + c]);
    });
    ranks_.send(cut_.owner(j), to, place);
  }
  if (!exchanged || all.empty()) return all;
  for (Index j = 0; j < cut_.count(); ++j)  // applies the exchanges of later panels
    for (Index c = cut_.first(j); c < cut_.first(j) + cut_.columns(j); ++c)
      for (Index i = cut_.first(j) + cut_.columns(j); i < n; ++i)
        std::swap(all[c * n + i], all[c * n + pivots_[i]]);
  return all;
}

}  // namespace clgauss
