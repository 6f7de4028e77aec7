#include "linalg/qr/tzrzf.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "linalg/qr/reflection_loops.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

constexpr Index kTailBlock = 64;   // rows that cores share before their own reflections are made
constexpr Index kTailsAtOnce = 8;  // they stay in the nearest cache

}  // namespace

Tzrzf::Tzrzf(Matrix w) : r_(w.rows()), k_(w.cols()), w_(std::move(w)), taus_(r_) {
  if (k_ == r_) return;
  for (Index last = r_; last > 0;) {
    const Index first = last - std::min(last, kTailBlock);
    in_parallel(last - first, kElementsPerThread / ((r_ - last + 1) * (k_ - r_)) + 1,
                [&](Index from, Index to) { reflect_rows(first + from, first + to, last, r_); });
    for (Index i = last; i-- > first;) {
      reflect_rows(i, i + 1, i + 1, last);
      make_reflection(i);
    }
    last = first;
  }
}

/// Applies the reflections number `to` - 1 down to `from` to rows first .. last.
void Tzrzf::reflect_rows(Index first, Index last, Index from, Index to) {
  const auto reflect_tails = reflection_loops().reflect_tails;
  for (Index q = first; q < last; q += kTailsAtOnce)
    for (Index i = to; i-- > from;)
      reflect_tails(std::min(kTailsAtOnce, last - q), &w_(i, r_), taus_[i], k_ - r_, &w_(q, i), k_,
                    &w_(q, r_), k_);
}

/// (T(i, i), tail) H_i = (beta, 0).
void Tzrzf::make_reflection(Index i) {
  double square = 0;
  for (const double value : w_.row(i).subspan(r_)) square += value * value;
  if (square == 0) return;
  const double alpha = w_(i, i), beta = -std::copysign(std::sqrt(alpha * alpha + square), alpha);
  for (double& value : w_.row(i).subspan(r_)) value /= alpha - beta;
  w_(i, i) = beta;
  taus_[i] = (beta - alpha) / beta;
}

/// X <- H_i X
void Tzrzf::reflect(Index i, Matrix& x) const {
  for (Index c = 0; c < x.cols(); ++c) {
    double sum = x(i, c);
    for (Index j = r_; j < k_; ++j) sum += w_(i, j) * x(j, c);
    x(i, c) -= taus_[i] * sum;
    for (Index j = r_; j < k_; ++j) x(j, c) -= taus_[i] * sum * w_(i, j);
  }
}

Matrix Tzrzf::least_solution(const Matrix& b) const {
  Matrix x(k_, b.cols());
  for (Index i = r_; i-- > 0;)
    for (Index c = 0; c < b.cols(); ++c) {
      double sum = b(i, c);
      for (Index j = i + 1; j < r_; ++j) sum -= w_(i, j) * x(j, c);
      x(i, c) = sum / w_(i, i);
    }
  for (Index i = 0; i < r_; ++i) reflect(i, x);  // Z^T = H_(r-1) .. H_0
  return x;
}

Matrix Tzrzf::transposed_fit(Matrix b) const {
  for (Index i = r_; i-- > 0;) reflect(i, b);
  Matrix y(r_, b.cols());
  for (Index i = 0; i < r_; ++i)
    for (Index c = 0; c < b.cols(); ++c) {
      y(i, c) = b(i, c) / w_(i, i);
      for (Index j = i + 1; j < r_; ++j) b(j, c) -= w_(i, j) * y(i, c);
    }
  return y;
}

}  // namespace clgauss
