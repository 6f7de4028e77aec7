#include "linalg/estimates/host_triangles.hpp"

#include <algorithm>

#include "parallel.hpp"
#include "vectors.hpp"

namespace clgauss {

namespace {

constexpr Index kRows = 4;      // at once, to reuse what is read of X
constexpr Index kBlock = 256;   // rows that one core solves before all cores update the rest
constexpr Index kStrip = 1024;  // numbers of a vector that stay in the nearest cache

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

/// Two columns of a triangle's right-hand sides in f64, which become those of the answer. The loops
/// take them as `kPairs` pairs of vectors: `by_rows` has a number for each row, `by_columns` for
/// each number in a row of the triangle; in both, the second vector of a pair is `next` after the
/// first.
template <typename Wide>
class TwoColumns;

template <>
class TwoColumns<double> {
 public:
  static constexpr Index kPairs = 1;

  explicit TwoColumns(Index n) : next(n), x_(2 * n) {}

  /// Before a triangle is solved with the answers of the one before.
  void begin(bool /*transposed*/) {}
  [[nodiscard]] double open(Index k, Index c, bool /*transposed*/) const {
    return x_[c * next + k];
  }
  [[nodiscard]] double solved(Index k, Index c) const { return x_[c * next + k]; }
  void solve(Index k, Index c, double x) { x_[c * next + k] = x; }

  [[nodiscard]] double* by_rows(Index /*pair*/) { return x_.data(); }
  [[nodiscard]] double* by_columns(Index /*pair*/) { return x_.data(); }
  const Index next;

 private:
  Values x_;
};

/// A column of complex numbers is a pair. Its parts are the vectors of by_rows. Those of by_columns
/// are, for T x with t = (re, im), (re, -im) and (im, re) of x, whose products with t are the parts
/// of t x. For T^T x they are t re(x) and t im(x), summed up.
template <>
class TwoColumns<std::complex<double>> {
 public:
  static constexpr Index kPairs = 2;

  explicit TwoColumns(Index n) : next(3 * n), x_(kPairs * 2 * next) {}

  void begin(bool transposed) {
    if (!transposed) return;
    for (Index c = 0; c < kPairs; ++c)
      for (Index k = 0; k < next / 3; ++k) {
        store(by_columns(c) + 2 * k, solved(k, c));
        store(by_columns(c) + next + 2 * k, 0);
      }
  }
  [[nodiscard]] std::complex<double> open(Index k, Index c, bool transposed) const {
    if (!transposed) return solved(k, c);
    const double *const of_re = place(c) + 2 * k, *const of_im = of_re + next;
    return {of_re[0] - of_im[1], of_re[1] + of_im[0]};
  }
  [[nodiscard]] std::complex<double> solved(Index k, Index c) const {
    const double* const re = place(c) + next / 3 * 2 + k;
    return {re[0], re[next]};
  }
  void solve(Index k, Index c, const std::complex<double>& x) {
    by_rows(c)[k] = x.real();
    by_rows(c)[next + k] = x.imag();
    store(by_columns(c) + 2 * k, std::conj(x));
    store(by_columns(c) + next + 2 * k, {x.imag(), x.real()});
  }

  [[nodiscard]] double* by_rows(Index pair) { return by_columns(pair) + next / 3 * 2; }
  [[nodiscard]] double* by_columns(Index pair) { return x_.data() + pair * 2 * next; }
  const Index next;

 private:
  static void store(double* parts, const std::complex<double>& number) {
    parts[0] = number.real();
    parts[1] = number.imag();
  }
  [[nodiscard]] const double* place(Index pair) const { return x_.data() + pair * 2 * next; }

  Values x_;
};

/// How a triangle's numbers are read: in f64 as `Wide`, by the loops as `kParts` of type Real.
template <typename Number>
struct NumberKind {
  using Real = Number;
  using Wide = double;
  static constexpr Index kParts = 1;
};
template <typename Part>
struct NumberKind<std::complex<Part>> {
  using Real = Part;
  using Wide = std::complex<double>;
  static constexpr Index kParts = 2;
};

/// X <- T^-1 X or T^-T X, for a triangle T and an X of two columns.
template <typename Number>
class Substitution {
 public:
  using Real = typename NumberKind<Number>::Real;
  using Wide = typename NumberKind<Number>::Wide;
  static constexpr Index kParts = NumberKind<Number>::kParts;
  static constexpr Index kPairs = TwoColumns<Wide>::kPairs;

  Substitution(const HostTriangles<Number>& m, bool upper, bool transposed, TwoColumns<Wide>& x)
      : m_(m),
        is_unit_(upper != m.is_unit_lower),
        transposed_(transposed),
        forward_(upper == transposed),
        x_(x) {}

  void run() {
    const Index blocks = (m_.n + kBlock - 1) / kBlock;
    x_.begin(transposed_);
    for (Index b = 0; b < blocks; ++b) {
      const Index first = (forward_ ? b : blocks - 1 - b) * kBlock;
      const Span block{first, std::min(m_.n, first + kBlock)};
      if (!transposed_) subtract_known(block, forward_ ? Span{0, first} : Span{block.last, m_.n});
      solve_block(block);
      if (transposed_) subtract_from(forward_ ? Span{block.last, m_.n} : Span{0, first}, block);
    }
  }

 private:
  /// Columns whose part of a pair of vectors stays in the nearest cache.
  static constexpr Index kColumns = kStrip / kParts;
  /// The work for a number of T, in that for a real number and a pair.
  static constexpr Index kWork = kParts * kPairs;

  [[nodiscard]] Wide number(Index i, Index j) const { return Wide(m_.numbers[i * m_.step + j]); }

  /// Subtracts the terms of the columns `known` from the rows of a block, on all cores.
  void subtract_known(Span block, Span known) {
    const Index columns = known.last - known.first;
    in_parallel((block.last - block.first + kRows - 1) / kRows,
                kElementsPerThread / (kWork * kRows * columns + 1) + 1,
                [&](Index first, Index last) {
                  const Index top = block.first + first * kRows,
                              end = std::min(block.last, block.first + last * kRows);
                  for (Index j = known.first; j < known.last; j += kColumns)
                    subtract_dots({top, end}, {j, std::min(known.last, j + kColumns)});
                });
  }
  /// Subtracts the terms of a block from the columns `open`, on all cores.
  void subtract_from(Span open, Span block) {
    const Index rows = block.last - block.first;
    in_parallel(
        open.last - open.first, kElementsPerThread / (kWork * rows) + 1,
        [&](Index first, Index last) {
          for (Index j = first; j < last; j += kColumns)
            subtract_rows(block, {open.first + j, open.first + std::min(last, j + kColumns)});
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
    for (Index c = 0; c < 2; ++c)
      for (Index step = 0; step < rows; ++step) {
        const Index k = i + (forward_ ? step : rows - 1 - step);
        Wide x = x_.open(k, c, transposed_);
        for (Index other = 0; other < step; ++other) {
          const Index s = i + (forward_ ? other : rows - 1 - other);
          x -= (transposed_ ? number(s, k) : number(k, s)) * x_.solved(s, c);
        }
        if (!is_unit_) x /= number(k, k);
        x_.solve(k, c, x);
      }
  }

  void subtract_dots(Span rows, Span columns) {
    for (Index pair = 0; pair < kPairs; ++pair)
      loops_.subtract_dots(rows.last - rows.first, kParts * (columns.last - columns.first),
                           part(rows.first, columns.first), kParts * m_.step,
                           x_.by_columns(pair) + kParts * columns.first,
                           x_.by_rows(pair) + rows.first, x_.next);
  }
  void subtract_rows(Span rows, Span columns) {
    for (Index pair = 0; pair < kPairs; ++pair)
      loops_.subtract_rows(rows.last - rows.first, kParts * (columns.last - columns.first),
                           part(rows.first, columns.first), kParts * m_.step,
                           x_.by_rows(pair) + rows.first,
                           x_.by_columns(pair) + kParts * columns.first, x_.next);
  }
  /// The parts of row i from number j on.
  [[nodiscard]] const Real* part(Index i, Index j) const {
    return reinterpret_cast<const Real*>(m_.numbers + i * m_.step + j);
  }

  const HostTriangles<Number>& m_;
  const HostTriangleLoops<Real>& loops_ = loops<Real>();
  bool is_unit_, transposed_, forward_;
  TwoColumns<Wide>& x_;
};

/// Row i of column c, in `parts`, one or two rows of a matrix.
double number_at(const Matrix& parts, Index i, Index c, double /*kind*/) { return parts(i, c); }
std::complex<double> number_at(const Matrix& parts, Index i, Index c,
                               const std::complex<double>& /*kind*/) {
  return {parts(2 * i, c), parts(2 * i + 1, c)};
}
void set_number(Matrix& parts, Index i, Index c, double number) { parts(i, c) = number; }
void set_number(Matrix& parts, Index i, Index c, const std::complex<double>& number) {
  parts(2 * i, c) = number.real();
  parts(2 * i + 1, c) = number.imag();
}

}  // namespace

template <typename Number>
Matrix HostTriangles<Number>::solve(const Matrix& b, bool transposed) const {
  return solve_by({transposed, !transposed}, b, transposed);
}

template <typename Number>
Matrix HostTriangles<Number>::solve_upper(const Matrix& b, bool transposed) const {
  return solve_by({true}, b, transposed);
}

/// Solves with triangles in this order; true stands for the upper one.
template <typename Number>
Matrix HostTriangles<Number>::solve_by(std::initializer_list<bool> uppers, const Matrix& b,
                                       bool transposed) const {
  using Wide = typename NumberKind<Number>::Wide;
  const Index rows = NumberKind<Number>::kParts * n;
  Matrix result(rows, b.cols(), Values(rows * b.cols()));
  TwoColumns<Wide> x(n);
  for (Index c = 0; c < b.cols(); c += 2) {
    const Index columns = std::min<Index>(2, b.cols() - c);
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < 2; ++k)
        x.solve(i, k, k < columns ? number_at(b, i, c + k, Wide{}) : Wide{});
    for (const bool upper : uppers) Substitution<Number>(*this, upper, transposed, x).run();
    for (Index i = 0; i < n; ++i)
      for (Index k = 0; k < columns; ++k) set_number(result, i, c + k, x.solved(i, k));
  }
  return result;
}

template <typename Real>
std::span<const HostTriangleLoops<Real>> all_host_triangle_loops() {
  return kLoops<Real>;
}

template struct HostTriangles<float>;
template struct HostTriangles<double>;
template struct HostTriangles<std::complex<float>>;
template struct HostTriangles<std::complex<double>>;
template std::span<const HostTriangleLoops<float>> all_host_triangle_loops();
template std::span<const HostTriangleLoops<double>> all_host_triangle_loops();

}  // namespace clgauss
