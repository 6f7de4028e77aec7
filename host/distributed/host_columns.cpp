#include "distributed/host_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <cmath>

#include "matrix/max_or_nan.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

Index grain_for(Index columns) { return std::max<Index>(1, kElementsPerThread / columns); }

/// Exponents, passed through take_largest() as doubles, as integers again.
std::vector<int> as_ints(const std::vector<double>& numbers) {
  std::vector<int> exponents;
  for (const double number : numbers) exponents.push_back(static_cast<int>(number));
  return exponents;
}

std::span<const int> part_of(std::span<const int> exponents, Index first, Index columns) {
  return exponents.empty() ? exponents : exponents.subspan(first, columns);
}

}  // namespace

HostColumns::HostColumns(const Ranks& ranks, const ColumnSource& source, const ColumnCut& cut)
    : ranks_(ranks),
      source_(source),
      cut_(cut),
      sizes_{std::vector<double>(cut.n, 0), std::vector<double>(cut.n, 0)},
      row_sums_(cut.n, 0) {}

std::span<double> HostColumns::read(Index first, Index columns) const {
  numbers_.resize(cut_.n * columns);
  source_.read(first, columns, numbers_);
  return numbers_;
}

void HostColumns::measure(Index first, Index columns, std::span<const double> numbers) {
  if (const Index bad = find_nonfinite(numbers); bad < numbers.size())
    throw ValueError(fmt::format("A holds {}", numbers[bad]));
  const Sizes block = sizes_of(numbers, columns);
  for (Index i = 0; i < cut_.n; ++i) sizes_.rows[i] = std::max(sizes_.rows[i], block.rows[i]);
  std::ranges::copy(block.columns, sizes_.columns.begin() + static_cast<std::ptrdiff_t>(first));
  sizes_.norm1 = std::max(sizes_.norm1, block.norm1);
  sizes_.least = std::min(sizes_.least, block.least);
  sizes_.largest = std::max(sizes_.largest, block.largest);
  in_parallel(cut_.n, grain_for(columns), [&](Index from, Index to) {
    for (Index i = from; i < to; ++i)
      for (const double number : numbers.subspan(i * columns, columns))
        row_sums_[i] += std::abs(number);
  });
}

void HostColumns::add_up() {
  ranks_.add_up(row_sums_);
  ranks_.take_largest(sizes_.rows);
  ranks_.take_largest(sizes_.columns);
  std::array<double, 3> ends{sizes_.norm1, sizes_.largest, -sizes_.least};
  ranks_.take_largest(ends);
  sizes_.norm1 = ends[0];
  sizes_.largest = ends[1];
  sizes_.least = -ends[2];
}

Scaling HostColumns::scaling(RealType type, Equilibration equilibration) const {
  const ExponentsOf of_a = [this](std::span<const int> rows, std::span<const int> columns) {
    return exponents(rows, columns);
  };
  return scaling_for(sizes_, of_a, 0, {}, type, equilibration);
}

Exponents HostColumns::exponents(std::span<const int> rows, std::span<const int> columns) const {
  std::vector<double> of_rows(cut_.n, Exponents::kNone), of_columns(cut_.n, Exponents::kNone);
  std::array<double, 1> least{-static_cast<double>(std::numeric_limits<int>::max())};
  ranks_.together([&] {
    cut_.each_own_block([&](Index, Index first, Index count) {
      const Exponents block =
          exponents_of(cut_.n, count, read(first, count), rows, part_of(columns, first, count));
      for (Index i = 0; i < cut_.n; ++i)
        of_rows[i] = std::max(of_rows[i], static_cast<double>(block.rows[i]));
      for (Index j = 0; j < count; ++j) of_columns[first + j] = block.columns[j];
      least[0] = std::max(least[0], -static_cast<double>(block.least));
    });
  });
  ranks_.take_largest(of_rows);
  ranks_.take_largest(of_columns);
  ranks_.take_largest(least);
  return {as_ints(of_rows), as_ints(of_columns), static_cast<int>(-least[0])};
}

Matrix HostColumns::subtract_product(const Matrix& b, const Matrix& x, Matrix* magnitudes) const {
  const Index n = cut_.n, nrhs = b.cols();
  Matrix r(n, nrhs), d(n, nrhs);
  ranks_.together([&] {
    cut_.each_own_block([&](Index, Index first, Index columns) {
      const std::span<const double> a = read(first, columns);
      in_parallel(n, grain_for(columns), [&](Index from, Index to) {
        for (Index i = from; i < to; ++i)
          for (Index c = 0; c < nrhs; ++c) {
            double sum = 0, size = 0;
            for (Index l = 0; l < columns; ++l) {
              const double product = a[i * columns + l] * x(first + l, c);
              sum += product;
              size += std::abs(product);
            }
            r(i, c) += sum;
            d(i, c) += size;
          }
      });
    });
  });
  ranks_.add_up(r.values());
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < nrhs; ++c) r(i, c) = b(i, c) - r(i, c);
  if (magnitudes == nullptr) return r;
  ranks_.add_up(d.values());
  for (Index i = 0; i < n; ++i)
    for (Index c = 0; c < nrhs; ++c) d(i, c) += std::abs(b(i, c));
  *magnitudes = std::move(d);
  return r;
}

Residual HostColumns::judge(const Matrix& b, const Matrix& x, const Matrix& r, double eps) const {
  const auto largest = [](const Matrix& m, Index c) {
    double most = 0;
    for (Index i = 0; i < m.rows(); ++i) most = max_or_nan(most, std::abs(m(i, c)));
    return most;
  };
  const double a = *std::ranges::max_element(row_sums_);
  Residual residual;
  for (Index c = 0; c < b.cols(); ++c) {
    const double error = largest(r, c), scale = a * largest(x, c) + largest(b, c);
    residual.backward_error = max_or_nan(residual.backward_error, error == 0 ? 0 : error / scale);
  }
  residual.scaled = residual.backward_error / (eps * static_cast<double>(cut_.n));
  return residual;
}

}  // namespace clgauss
