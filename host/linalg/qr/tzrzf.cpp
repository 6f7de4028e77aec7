#include "linalg/qr/tzrzf.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "linalg/estimates/host_triangles.hpp"
#include "linalg/qr/reflection_loops.hpp"
#include "linalg/solve/host_getrf.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

constexpr Index kReflections = 32;  // of a block
constexpr Index kRowsAtOnce = 64;   // their products with a block stay in a near cache

/// A's top left corner; what A does not have of it is zero.
Matrix resized(const Matrix& a, Index rows, Index columns) {
  Matrix result(rows, columns);
  for (Index i = 0; i < std::min(rows, a.rows()); ++i)
    std::ranges::copy(a.row(i).first(std::min(columns, a.cols())), result.row(i).begin());
  return result;
}

}  // namespace

/// The product of reflections first + count - 1, .., first + 1, first, which is I - V^T S V. Row i
/// of V is the v of one of them, S lower triangular with their taus on its diagonal.
struct Tzrzf::Block {
  Index first, count;
  Matrix turned;  // the tails of V, transposed
};

Tzrzf::Block Tzrzf::block_at(Index first) const {
  Block block{first, std::min(kReflections, r_ - first), Matrix(k_ - r_, kReflections)};
  for (Index i = 0; i < block.count; ++i)
    for (Index j = 0; j < k_ - r_; ++j) block.turned(j, i) = tails_(first + i, j);
  return block;
}

Tzrzf::Tzrzf(Matrix w)
    : r_(w.rows()),
      k_(w.cols()),
      w_(std::move(w)),
      tails_(r_, host_ld<double>(k_ - r_)),
      factors_(r_, kReflections) {
  for (Index i = 0; i < r_; ++i) std::ranges::copy(w_.row(i).subspan(r_), tails_.row(i).begin());
  for (Index last = r_, first = 0; k_ > r_ && last > 0; last = first) {
    first = (last - 1) / kReflections * kReflections;
    make_reflections(first, last);
    const Block block = block_at(first);
    make_factor(block);
    reflect_rows_above(block);
  }
}

void Tzrzf::make_reflections(Index first, Index last) {
  for (Index i = last; i-- > first;) {
    double& tau = factors_(i, i - first);
    make_reflection(i, tau);
    reflection_loops().reflect_tails(i - first, &tails_(i, 0), tau, k_ - r_, &w_(first, i), k_,
                                     &tails_(first, 0), tails_.cols());
  }
}

/// (T(i, i), tail) (I - tau v v^T) = (beta, 0).
void Tzrzf::make_reflection(Index i, double& tau) {
  const auto tail = tails_.row(i).first(k_ - r_);
  double square = 0;
  for (const double value : tail) square += value * value;
  if (square == 0) return;
  const double alpha = w_(i, i), beta = -std::copysign(std::sqrt(alpha * alpha + square), alpha);
  for (double& value : tail) value /= alpha - beta;
  w_(i, i) = beta;
  tau = (beta - alpha) / beta;
}

/// (I - V^T S V) (I - tau v v^T) = I - (V; v)^T (S, -tau S V v; 0, tau) (V; v), for one reflection
/// after the other.
void Tzrzf::make_factor(const Block& block) {
  const auto& [first, count, turned] = block;
  std::array<double, kReflections * kReflections> products{};  // -V V^T, but for its diagonal
  host_lu_kernels<double>().subtract_product(count, k_ - r_, count, &tails_(first, 0),
                                             tails_.cols(), turned.values().data(), kReflections,
                                             products.data(), kReflections);
  for (Index i = count; i-- > 0;)
    for (Index j = i + 1; j < count; ++j) {
      double sum = 0;
      for (Index q = i + 1; q <= j; ++q)
        sum += factors_(first + j, q) * products[q * kReflections + i];
      factors_(first + j, i) = factors_(first + i, i) * sum;
    }
}

/// W <- W (I - V^T S V), for the rows above the block's.
void Tzrzf::reflect_rows_above(const Block& block) {
  const auto& [first, count, turned] = block;
  const auto subtract_product = host_lu_kernels<double>().subtract_product;
  const Index ld = tails_.cols();
  in_parallel(first, kElementsPerThread / (kReflections * ld) + 1, [&](Index from, Index to) {
    for (Index top = from; top < to; top += kRowsAtOnce) {
      const Index rows = std::min(kRowsAtOnce, to - top);
      std::array<double, kRowsAtOnce * kReflections> of_v{}, by{};  // -W V^T, W V^T S
      for (Index i = 0; i < rows; ++i)
        for (Index c = 0; c < count; ++c) of_v[i * kReflections + c] = -w_(top + i, first + c);
      subtract_product(rows, k_ - r_, count, &tails_(top, 0), ld, turned.values().data(),
                       kReflections, of_v.data(), kReflections);
      subtract_product(rows, count, count, of_v.data(), kReflections, &factors_(first, 0),
                       kReflections, by.data(), kReflections);
      for (Index i = 0; i < rows; ++i)
        for (Index c = 0; c < count; ++c) w_(top + i, first + c) -= by[i * kReflections + c];
      subtract_product(rows, count, k_ - r_, by.data(), kReflections, &tails_(first, 0), ld,
                       &tails_(top, 0), ld);
    }
  });
}

/// X <- (I - V^T S V) X or (I - V^T S^T V) X, for the block from reflection `first` on. X has rows
/// of host_ld().
void Tzrzf::reflect(Index first, bool transposed, Matrix& x) const {
  if (k_ == r_) return;
  const Block block = block_at(first);
  const Index count = block.count;
  const auto subtract_product = host_lu_kernels<double>().subtract_product;
  const Index ld = x.cols(), panels = ld / kHostPanel<double>;
  Matrix of_v(count, ld), by(count, ld);  // -V X, S V X
  std::array<double, kReflections * kReflections> s{};
  for (Index i = 0; i < count; ++i)
    for (Index j = 0; j <= i; ++j)
      s[transposed ? j * kReflections + i : i * kReflections + j] = factors_(first + i, j);
  in_parallel(panels, kElementsPerThread / (kReflections * k_ * kHostPanel<double>)+1,
              [&](Index from, Index to) {
                const Index c = from * kHostPanel<double>,
                            columns = (to - from) * kHostPanel<double>;
                for (Index i = 0; i < count; ++i)
                  for (Index j = c; j < c + columns; ++j) of_v(i, j) = -x(first + i, j);
                subtract_product(count, k_ - r_, columns, tails_.row(first).data(), tails_.cols(),
                                 &x(r_, c), ld, &of_v(0, c), ld);
                subtract_product(count, count, columns, s.data(), kReflections, &of_v(0, c), ld,
                                 &by(0, c), ld);
                for (Index i = 0; i < count; ++i)
                  for (Index j = c; j < c + columns; ++j) x(first + i, j) -= by(i, j);
                subtract_product(k_ - r_, count, columns, block.turned.values().data(),
                                 kReflections, &by(0, c), ld, &x(r_, c), ld);
              });
}

Matrix Tzrzf::least_solution(const Matrix& b) const {
  const HostTriangles<double> triangle{w_.values().data(), r_, k_};
  Matrix x = resized(triangle.solve_upper(b, false), k_, host_ld<double>(b.cols()));
  for (Index first = 0; first < r_; first += kReflections) reflect(first, false, x);
  return resized(x, k_, b.cols());
}

Matrix Tzrzf::transposed_fit(const Matrix& b) const {
  const HostTriangles<double> triangle{w_.values().data(), r_, k_};
  Matrix x = resized(b, k_, host_ld<double>(b.cols()));
  for (Index last = r_, first = 0; last > 0; last = first) {
    first = (last - 1) / kReflections * kReflections;
    reflect(first, true, x);
  }
  return triangle.solve_upper(resized(x, r_, b.cols()), true);
}

}  // namespace clgauss
