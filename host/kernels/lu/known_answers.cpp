#include "kernels/lu/known_answers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/residual.hpp>
#include <cmath>
#include <limits>

#include "kernels/complex/known_answers.hpp"
#include "matrix/transfer.hpp"
#include "matrix/transposed.hpp"

namespace clgauss {

namespace {

/// X <- B X or B^T X. The butterflies B couple the rows i and i + `apart`, if the latter exists,
/// for `count` rows i from `first` on.
void couple(Matrix& x, std::span<const float> diagonal, Index first, Index count, Index apart,
            bool transpose) {
  for (Index i = first; i < std::min(first + count, x.rows()); ++i)
    for (Index c = 0; c < x.cols(); ++c) {
      const Index partner = i + apart;
      const double d = diagonal[i], upper = x(i, c);
      if (partner >= x.rows()) {
        x(i, c) = d * upper;
        continue;
      }
      const double e = diagonal[partner], lower = x(partner, c);
      x(i, c) = transpose ? d * (upper + lower) : d * upper + e * lower;
      x(partner, c) = transpose ? e * (upper - lower) : d * upper - e * lower;
    }
}

/// W X or W^T X, where `numbers` define the butterfly W of cl/lu/butterfly.cl.
Matrix butterflied(const std::vector<float>& numbers, Matrix x, bool transpose) {
  const Index n = x.rows(), quarter = (n + 3) / 4;
  const std::span all(numbers), inner = all.first(n), outer = all.last(n);
  for (const bool first : {true, false}) {
    if (first == transpose) {
      couple(x, inner, 0, quarter, quarter, transpose);
      couple(x, inner, 2 * quarter, quarter, quarter, transpose);
    } else {
      couple(x, outer, 0, 2 * quarter, 2 * quarter, transpose);
    }
  }
  for (double& value : x.values()) value /= 2;
  return x;
}

/// The largest |A B - I|.
double inverse_error(const Matrix& a, const Matrix& b) {
  double error = 0;
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < a.rows(); ++j) {
      double sum = i == j ? -1 : 0;
      for (Index k = 0; k < a.rows(); ++k) sum += a(i, k) * b(k, j);
      if (!(std::abs(sum) <= error)) error = std::abs(sum);
    }
  return error;
}

/// Throws unless `rows` is a permutation.
void require_permutation(const std::vector<Index>& rows) {
  std::vector<bool> taken(rows.size());
  for (const Index row : rows) {
    if (row >= rows.size() || taken[row])
      throw WrongAnswer("wrong answer: rows are lost or there twice");
    taken[row] = true;
  }
}

/// The numbers 0 .. count - 1, rotated.
std::vector<Index> rotated(Index count, Index by) {
  std::vector<Index> rows(count);
  for (Index i = 0; i < count; ++i) rows[i] = (i + by) % count;
  return rows;
}

cl::Buffer upload_rows(const Context& context, const std::vector<Index>& rows) {
  const std::vector<cl_int> numbers(rows.begin(), rows.end());
  const cl::Buffer buffer = context.allocate(numbers.size() * sizeof(cl_int), kKnownAnswer);
  context.queue().enqueueWriteBuffer(buffer, CL_TRUE, 0, numbers.size() * sizeof(cl_int),
                                     numbers.data());
  return buffer;
}

/// The matrix whose row i is row sources[i] of `a`.
Matrix permuted(const Matrix& a, const std::vector<Index>& sources) {
  Matrix result = a;
  for (Index i = 0; i < sources.size(); ++i)
    std::ranges::copy(a.row(sources[i]), result.row(i).begin());
  return result;
}

/// Checks P A = L U of the best rows, L^-1 and U^-1.
void require_diagonal_answer(Context& context, RealType type, Index nb, const Matrix& a,
                             const DiagonalQuestion& question) {
  const Index size = question.size;
  const Matrix lu = answer_in(context, type, question.lu, size, size),
               inverses = answer_in(context, type, {question.work, 0, nb}, 2 * nb, nb);
  const std::vector<Index> sources = rows_in(context, question.sources, question.rows);
  require_permutation(sources);
  Matrix best(size, size);
  for (Index i = 0; i < size; ++i) std::ranges::copy(a.row(sources[i]), best.row(i).begin());
  require_factors(best, lu, type, false);
  for (const bool upper : {false, true}) {
    Matrix triangle(nb, nb), inverse(nb, nb);
    for (Index i = 0; i < nb; ++i)
      for (Index j = 0; j < nb; ++j) {
        const bool inside = i < size && j < size && (upper ? i <= j : i > j);
        triangle(i, j) = inside ? lu(i, j) : (i == j ? 1 : 0);
        inverse(i, j) = inverses(upper ? nb + i : i, j);
      }
    if (!upper)
      require_error(largest_in(triangle), 1 + 0x1p-13,
                    "the largest multiplier, which should be 1,");
    require_error(inverse_error(triangle, inverse),
                  64 * static_cast<double>(nb) * unit_roundoff(type) * largest_in(triangle) *
                      largest_in(inverse),
                  upper ? "U U^-1 - I" : "L L^-1 - I");
  }
}

}  // namespace

void require_one_sided_butterflies(Context& context, RealType type,
                                   const ButterflyQuestion& question,
                                   const OneSidedButterfly& transposed_u,
                                   const OneSidedButterfly& forward_v) {
  constexpr Index kNrhs = 3;
  const Index n = question.u.size() / 2;
  const Matrix b = random_of(type, n, kNrhs, 9);
  const MatrixView db = question_of(context, type, b),
                   dy = question_of(context, type, Matrix(n, kNrhs), 1);
  const auto check = [&](const Matrix& expected, const char* what) {
    require_error(max_difference(answer_in(context, type, dy, n, kNrhs), expected),
                  64 * unit_roundoff(type) * largest_in(expected), what);
  };
  const std::vector<Index> order = rotated(n, 7);
  std::vector<Index> positions(n);
  for (Index i = 0; i < n; ++i) positions[order[i]] = i;
  const cl::Buffer there = upload_rows(context, positions);
  transposed_u(db, dy, kNrhs, there);
  check(permuted(butterflied(question.u, b, true), order), "U^T B");
  forward_v(question_of(context, type, permuted(b, order)), dy, kNrhs, there);
  check(butterflied(question.v, b, false), "V B");
}

void require_panel(
    Context& context, NumberType number, Index m, Index width, Index beside, bool bounded,
    const std::function<void(const MatrixView& a, const cl::Buffer& pivots)>& factor) {
  const RealType type = number.real;
  if (number.complex) return require_complex_panel(context, type, {m, width, beside}, factor);
  const Index right = beside + width, all = right + beside;
  Matrix a = random_of(type, m, all, 1);
  a(0, beside) = 0;  // forces an exchange in the first step
  const MatrixView view = question_of(context, type, a);
  const cl::Buffer pivots = context.allocate(width * sizeof(cl_int), kKnownAnswer);
  factor(view.at(0, beside), pivots);
  const Matrix made = answer_in(context, type, view, m, all);
  exchange_rows(a, rows_in(context, pivots, std::min(m, width)));
  const Matrix lu = columns_of(made, beside, width);
  require_factors(columns_of(a, beside, width), lu, type, bounded);
  if (beside == 0) return;
  require_error(max_difference(columns_of(made, 0, beside), columns_of(a, 0, beside)), 0, "P B");
  require_error(
      max_difference(columns_of(made, right, beside),
                     solved_on_host(lu, columns_of(a, right, beside), width, false, true)),
      30 * static_cast<double>(m) * unit_roundoff(type), "L11^-1 P B");
}

void require_swap_solve(Context& context, NumberType number, Index block, Index strip, bool solve,
                        const std::function<void(const SwapSolve&)>& swap_and_solve) {
  const RealType type = number.real;
  const Index rows = block + 7, columns = 4 * strip + 3, hole_begin = strip + 1,
              hole_end = 2 * strip + 2;
  const Matrix t = random_triangle(number, block, 4),
               b = random_of(type, rows, number.parts() * columns, 5);
  std::vector<cl_int> pivots(block);
  for (Index j = 0; j < block; ++j)
    pivots[j] = static_cast<cl_int>(j % 3 == 0 ? rows - 1 - j % 7 : std::max(j, (j * 5) % block));
  constexpr Index kGap = 4;  // even, as complex numbers need
  SwapSolve question{number.in_numbers(question_of(context, type, t, kGap)),
                     number.in_numbers(question_of(context, type, b, kGap)),
                     context.allocate(block * sizeof(cl_int), kKnownAnswer),
                     block,
                     columns,
                     hole_begin,
                     hole_end};
  context.queue().enqueueWriteBuffer(question.pivots, CL_TRUE, 0, block * sizeof(cl_int),
                                     pivots.data());
  swap_and_solve(question);
  const Matrix result = answer_in(context, type, number.in_parts(question.b), rows, b.cols());
  Matrix expected = b;
  exchange_rows(expected, {pivots.begin(), pivots.end()});
  const Matrix right = solved_on_host(number, t, expected, block, false, true);
  for (Index i = 0; i < rows; ++i)
    for (Index part = 0; part < b.cols(); ++part) {
      const Index c = part / number.parts();
      if (c >= hole_begin && c < hole_end) expected(i, part) = b(i, part);
      if (solve && c >= hole_end && i < block) expected(i, part) = right(i, part);
    }
  require_error(max_difference(result, expected),
                64 * static_cast<double>(block) * unit_roundoff(type) * largest_in(expected),
                "L^-1 P B");
}

void require_solution(
    Context& context, RealType type, Index n,
    const std::function<std::vector<Index>(const MatrixView& a, const MatrixView& b)>& solve) {
  Matrix a = random_of(type, n, n, 6);
  const Matrix b = random_of(type, n, 1, 7);
  if (n > 1) a(0, 0) = 0;
  const MatrixView da = question_of(context, type, a), db = question_of(context, type, b, 0);
  const std::vector<Index> pivots = solve(da, db);
  const Matrix lu = answer_in(context, type, da, n, n), x = answer_in(context, type, db, n, 1);
  require_error(compute_residual({a, b}, x, unit_roundoff(type)).scaled, kScaledResidualBound,
                "the scaled residual");
  exchange_rows(a, pivots);
  require_factors(a, lu, type, true);
}

void require_two_sided_butterfly(
    Context& context, RealType input, RealType output, const ButterflyQuestion& question,
    const std::function<void(const MatrixView& a, const MatrixView& r)>& two_sided) {
  const Index n = question.u.size() / 2;
  const Matrix a = random_of(input, n, n, 8);
  const MatrixView dr = question_of(context, output, Matrix(n, n));
  two_sided(question_of(context, input, a), dr);
  const Matrix av = transposed(butterflied(question.v, transposed(a), true)),
               expected = butterflied(question.u, av, true);
  require_error(max_difference(answer_in(context, output, dr, n, n), expected),
                64 * unit_roundoff(output) * largest_in(expected), "U^T A V");
}

void require_diagonal_block(
    Context& context, RealType type, const WindowSizes& sizes, bool singular,
    const std::function<std::optional<Index>(const DiagonalQuestion&)>& factor) {
  constexpr Index kZeroPivot = 2;
  const auto& [nb, window] = sizes;
  const Index less = nb > 4 ? nb - 1 : nb, more = std::max(nb, window - 3);
  for (const auto& [rows, size] : {std::pair(less, less), {more, nb}}) {
    if (singular && size <= kZeroPivot) continue;
    Matrix a = random_of(type, rows, size, 10);
    if (rows > 1) a(0, 0) = 0;
    for (Index i = 0; singular && i < rows; ++i) a(i, kZeroPivot) = 0;
    const DiagonalQuestion question{
        question_of(context, type, a),
        question_of(context, type, Matrix(size, size)),
        context.allocate((2 * nb + window) * nb * bytes_of(type), kKnownAnswer),
        context.allocate(rows * sizeof(cl_int), kKnownAnswer),
        rows,
        size};
    const std::optional<Index> failed = factor(question);
    if (failed != (singular ? std::optional(kZeroPivot) : std::nullopt))
      throw WrongAnswer(failed ? fmt::format("wrong answer: pivot {} is said to be bad", *failed)
                               : "wrong answer: a zero pivot is not noticed");
    if (singular)
      require_permutation(rows_in(context, question.sources, rows));
    else
      require_diagonal_answer(context, type, nb, a, question);
  }
}

void require_exchanges(Context& context, RealType type, const WindowSizes& sizes,
                       const std::function<void(const ExchangeQuestion&)>& exchange) {
  const Index first = sizes.block + 1, rows = std::max<Index>(1, sizes.window - 3),
              n = first + rows + 2, columns = n - 1;
  const Matrix a = random_of(type, n, n, 12), lu = random_of(type, n, n, 13);
  const std::vector<Index> sources = rotated(rows, rows / 3 + 1), order = rotated(n, 1);
  std::vector<Index> all = rotated(n, 0), expected_order = order;
  for (Index t = 0; t < rows; ++t) {
    all[first + t] = first + sources[t];
    expected_order[first + t] = order[first + sources[t]];
  }
  const auto exchanged = [&](const Matrix& of, Index begin, Index end) {
    Matrix result = of;
    for (Index i = 0; i < n; ++i)
      for (Index j = begin; j < end; ++j) result(i, j) = of(all[i], j);
    return result;
  };
  const ExchangeQuestion question{question_of(context, type, a),
                                  question_of(context, type, lu, 1),
                                  first,
                                  rows,
                                  columns,
                                  upload_rows(context, sources),
                                  upload_rows(context, order),
                                  context.allocate(n * sizeof(cl_int), kKnownAnswer)};
  exchange(question);
  require_error(
      max_difference(answer_in(context, type, question.a, n, n), exchanged(a, first, columns)), 0,
      "P A");
  require_error(
      max_difference(answer_in(context, type, question.lu, n, n), exchanged(lu, 0, first)), 0,
      "P L");
  const std::vector<Index> found = rows_in(context, question.order, n),
                           positions = rows_in(context, question.positions, n);
  for (Index i = 0; i < n; ++i)
    if (found[i] != expected_order[i] || positions[expected_order[i]] != i)
      throw WrongAnswer(fmt::format("wrong answer: row {} is not where it should be", i));
}

void require_extreme_entries(
    Context& context, RealType type,
    const std::function<void(const MatrixView& a, cl_uint n, const cl::Buffer& figures)>& find) {
  constexpr Index kRows = 70;
  Matrix a = random_triangle(type, kRows, 11);  // diagonal entries are at least 1
  a(kRows - 1, 1) = -5;
  a(3, kRows - 2) = -9;
  a(kRows - 4, kRows - 4) = -0.5;
  for (const bool with_nan : {false, true}) {
    if (with_nan) a(kRows - 2, 2) = std::numeric_limits<double>::quiet_NaN();
    const cl::Buffer figures = context.allocate(sizeof(cl_float4), kKnownAnswer);
    const cl_float4 initial{{0, 0, std::numeric_limits<float>::infinity(), 0}};
    context.queue().enqueueFillBuffer(figures, initial, 0, sizeof initial);
    find(question_of(context, type, a), kRows, figures);
    const Values values = download(context.queue(), figures, RealType::f32, 3);
    if ((with_nan ? !std::isnan(values[0]) : values[0] != 5) || values[1] != 9 || values[2] != 0.5)
      throw WrongAnswer(fmt::format("wrong answer: the extreme entries are {}, {} and {}",
                                    values[0], values[1], values[2]));
  }
}

}  // namespace clgauss
