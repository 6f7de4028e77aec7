#include "linalg/estimates/host_triangles.hpp"

#include <algorithm>

#include "parallel.hpp"
#include "vectors.hpp"

namespace clgauss {

namespace {

constexpr Index kRows = 4;      // at once, to reuse what is read of X
constexpr Index kBlock = 256;   // rows that one core solves before all cores update the rest
constexpr Index kStrip = 1024;  // columns whose part of X stays in the nearest cache

template <typename V, typename Real>
CLGAUSS_INLINE void load(const Real* place, typename V::Numbers& numbers) {
  if constexpr (sizeof(Real) == sizeof(double))
    numbers = at<V>(place);
  else
    numbers = __builtin_convertvector(*reinterpret_cast<const typename V::Singles*>(place),
                                      typename V::Numbers);
}

template <typename V>
CLGAUSS_INLINE double sum_of(const typename V::Numbers& numbers) {
  double sum = 0;
  for (Index lane = 0; lane < V::kLanes; ++lane) sum += numbers[lane];
  return sum;
}

template <typename V, Index kCount, typename Real>
CLGAUSS_INLINE void subtract_dots_of(Index columns, const Real* t, Index step, const double* x,
                                     double* y, Index next) {
  typename V::Numbers sums[kCount][2] = {};
  Index j = 0;
  for (; j + V::kLanes <= columns; j += V::kLanes) {
    const typename V::Numbers x_0 = at<V>(x + j), x_1 = at<V>(x + next + j);
    for (Index i = 0; i < kCount; ++i) {
      typename V::Numbers line;
      load<V>(t + i * step + j, line);
      sums[i][0] += line * x_0;
      sums[i][1] += line * x_1;
    }
  }
  for (Index i = 0; i < kCount; ++i)
    for (Index c = 0; c < 2; ++c) {
      double sum = sum_of<V>(sums[i][c]);
      for (Index rest = j; rest < columns; ++rest)
        sum += double{t[i * step + rest]} * x[c * next + rest];
      y[c * next + i] -= sum;
    }
}

template <typename V, typename Real>
CLGAUSS_INLINE void subtract_dots(Index rows, Index columns, const Real* t, Index step,
                                  const double* x, double* y, Index next) {
  Index i = 0;
  for (; i + kRows <= rows; i += kRows)
    subtract_dots_of<V, kRows>(columns, t + i * step, step, x, y + i, next);
  for (; i < rows; ++i) subtract_dots_of<V, 1>(columns, t + i * step, step, x, y + i, next);
}

template <typename V, Index kCount, typename Real>
CLGAUSS_INLINE void subtract_rows_of(Index columns, const Real* t, Index step, const double* x,
                                     double* y, Index next) {
  Index j = 0;
  for (; j + V::kLanes <= columns; j += V::kLanes) {
    typename V::Numbers y_0 = at<V>(y + j), y_1 = at<V>(y + next + j);
    for (Index i = 0; i < kCount; ++i) {
      typename V::Numbers line;
      load<V>(t + i * step + j, line);
      y_0 -= line * x[i];
      y_1 -= line * x[next + i];
    }
    at<V>(y + j) = y_0;
    at<V>(y + next + j) = y_1;
  }
  for (; j < columns; ++j)
    for (Index c = 0; c < 2; ++c)
      for (Index i = 0; i < kCount; ++i)
        y[c * next + j] -= double{t[i * step + j]} * x[c * next + i];
}

template <typename V, typename Real>
CLGAUSS_INLINE void subtract_rows(Index rows, Index columns, const Real* t, Index step,
                                  const double* x, double* y, Index next) {
  Index i = 0;
  for (; i + kRows <= rows; i += kRows)
    subtract_rows_of<V, kRows>(columns, t + i * step, step, x + i, y, next);
  for (; i < rows; ++i) subtract_rows_of<V, 1>(columns, t + i * step, step, x + i, y, next);
}

#define CLGAUSS_TRIANGLE_LOOP(FUNCTION, NAME, LANES, TARGET)                          \
  template <typename Real>                                                            \
  TARGET void FUNCTION##_##NAME(Index rows, Index columns, const Real* t, Index step, \
                                const double* x, double* y, Index next) {             \
    FUNCTION<Vectors<LANES>>(rows, columns, t, step, x, y, next);                     \
  }
#define CLGAUSS_TRIANGLE_LOOPS(NAME, LANES, TARGET, RUNS_HERE) \
  CLGAUSS_TRIANGLE_LOOP(subtract_dots, NAME, LANES, TARGET)    \
  CLGAUSS_TRIANGLE_LOOP(subtract_rows, NAME, LANES, TARGET)

CLGAUSS_EACH_WIDTH(CLGAUSS_TRIANGLE_LOOPS)

#define CLGAUSS_TRIANGLE_LOOPS_ROW(NAME, LANES, TARGET, RUNS_HERE) \
  {#NAME, &RUNS_HERE, &subtract_dots_##NAME<Real>, &subtract_rows_##NAME<Real>},
template <typename Real>
constexpr HostTriangleLoops<Real> kLoops[] = {CLGAUSS_EACH_WIDTH(CLGAUSS_TRIANGLE_LOOPS_ROW)};

template <typename Real>
const HostTriangleLoops<Real>& loops() {
  static const HostTriangleLoops<Real>& chosen = first_that_runs_here(kLoops<Real>);
  return chosen;
}

struct Span {
  Index first, last;
};

/// X <- T^-1 X or T^-T X, for a triangle T and an X of two columns.
template <typename Real>
class Substitution {
 public:
  Substitution(const HostTriangles<Real>& m, bool upper, bool transposed, double* x)
      : m_(m),
        is_unit_(upper != m.is_unit_lower),
        transposed_(transposed),
        forward_(upper == transposed),
        x_(x) {}

  void run() {
    const Index blocks = (m_.n + kBlock - 1) / kBlock;
    for (Index b = 0; b < blocks; ++b) {
      const Index first = (forward_ ? b : blocks - 1 - b) * kBlock;
      const Span block{first, std::min(m_.n, first + kBlock)};
      if (!transposed_) subtract_known(block, forward_ ? Span{0, first} : Span{block.last, m_.n});
      solve_block(block);
      if (transposed_) subtract_from(forward_ ? Span{block.last, m_.n} : Span{0, first}, block);
    }
  }

 private:
  [[nodiscard]] const Real* number(Index i, Index j) const { return m_.numbers + i * m_.step + j; }

  /// Subtracts the terms of the columns `known` from the rows of a block, on all cores.
  void subtract_known(Span block, Span known) {
    const Index columns = known.last - known.first;
    in_parallel((block.last - block.first + kRows - 1) / kRows,
                kElementsPerThread / (kRows * columns + 1) + 1, [&](Index first, Index last) {
                  const Index top = block.first + first * kRows,
                              end = std::min(block.last, block.first + last * kRows);
                  for (Index j = known.first; j < known.last; j += kStrip)
                    subtract_dots({top, end}, {j, std::min(known.last, j + kStrip)});
                });
  }
  /// Subtracts the terms of a block from the columns `open`, on all cores.
  void subtract_from(Span open, Span block) {
    const Index rows = block.last - block.first;
    in_parallel(open.last - open.first, kElementsPerThread / rows + 1,
                [&](Index first, Index last) {
                  for (Index j = first; j < last; j += kStrip)
                    subtract_rows(block, {open.first + j, open.first + std::min(last, j + kStrip)});
                });
  }
  void solve_block(Span block) {
    for (Index done = 0; done < block.last - block.first; done += kRows) {
      const Index rows = std::min(kRows, block.last - block.first - done);
      const Index i = forward_ ? block.first + done : block.last - done - rows;
      const Span before{block.first, i}, behind{i + rows, block.last};
      if (!transposed_) subtract_dots({i, i + rows}, forward_ ? before : behind);
      solve_corner(i, rows);
      if (transposed_) subtract_rows({i, i + rows}, forward_ ? behind : before);
    }
  }
  void solve_corner(Index i, Index rows) {
    for (Index c = 0; c < 2; ++c) {
      double* const x = x_ + c * m_.n;
      for (Index step = 0; step < rows; ++step) {
        const Index k = i + (forward_ ? step : rows - 1 - step);
        for (Index other = 0; other < step; ++other) {
          const Index s = i + (forward_ ? other : rows - 1 - other);
          x[k] -= double{transposed_ ? *number(s, k) : *number(k, s)} * x[s];
        }
        if (!is_unit_) x[k] /= double{*number(k, k)};
      }
    }
  }

  void subtract_dots(Span rows, Span columns) {
    loops_.subtract_dots(rows.last - rows.first, columns.last - columns.first,
                         number(rows.first, columns.first), m_.step, x_ + columns.first,
                         x_ + rows.first, m_.n);
  }
  void subtract_rows(Span rows, Span columns) {
    loops_.subtract_rows(rows.last - rows.first, columns.last - columns.first,
                         number(rows.first, columns.first), m_.step, x_ + rows.first,
                         x_ + columns.first, m_.n);
  }

  const HostTriangles<Real>& m_;
  const HostTriangleLoops<Real>& loops_ = loops<Real>();
  bool is_unit_, transposed_, forward_;
  double* x_;
};

}  // namespace

template <typename Real>
Matrix HostTriangles<Real>::solve(const Matrix& b, bool transposed) const {
  return solve_by({transposed, !transposed}, b, transposed);
}

template <typename Real>
Matrix HostTriangles<Real>::solve_upper(const Matrix& b, bool transposed) const {
  return solve_by({true}, b, transposed);
}

/// Solves with triangles in this order; true stands for the upper one.
template <typename Real>
Matrix HostTriangles<Real>::solve_by(std::initializer_list<bool> uppers, const Matrix& b,
                                     bool transposed) const {
  Matrix result(n, b.cols(), Values(n * b.cols()));
  Values x(2 * n);
  for (Index c = 0; c < b.cols(); c += 2) {
    const Index columns = std::min<Index>(2, b.cols() - c);
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < 2; ++k) x[k * n + i] = k < columns ? b(i, c + k) : 0;
    for (const bool upper : uppers) Substitution<Real>(*this, upper, transposed, x.data()).run();
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < columns; ++k) result(i, c + k) = x[k * n + i];
  }
  return result;
}

template <typename Real>
std::span<const HostTriangleLoops<Real>> all_host_triangle_loops() {
  return kLoops<Real>;
}

template struct HostTriangles<float>;
template struct HostTriangles<double>;
template std::span<const HostTriangleLoops<float>> all_host_triangle_loops();
template std::span<const HostTriangleLoops<double>> all_host_triangle_loops();

}  // namespace clgauss
