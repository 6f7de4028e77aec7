#include "bench_problem.hpp"

#include <algorithm>
#include <array>
#include <clgauss/complex.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>
#include <cmath>
#include <random>

#include "kernels/batched/known_answers.hpp"
#include "tuner/measure/flops.hpp"

namespace clgauss::bench {

namespace {

constexpr double kGemmErrorBound = 3;  // SLATE, test_gemm
constexpr double kRcondFactor = 1.1;   // what an estimate may be off by
constexpr Index kSampledColumns = 8;
constexpr int kSignVectors = 2;

/// std::max passes a NaN in its second argument over; an error must not.
double max_or_nan(double largest, double value) {
  return std::isnan(value) || value > largest ? value : largest;
}

Matrix random_in_type(Index rows, Index cols, RealType type, unsigned seed) {
  Matrix matrix = random_matrix(rows, cols, seed);
  if (type == RealType::f32)
    for (double& value : matrix.values()) value = static_cast<double>(static_cast<float>(value));
  return matrix;
}

/// The lower triangle of an n-by-n matrix in both, rows `ld` apart; with 2 `parts`, of complex
/// numbers, conjugated, with a real diagonal.
void mirror(std::span<double> a, Index n, Index ld, Index parts = 1) {
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j)
      for (Index part = 0; part < parts; ++part) {
        const double below = a[i * ld + parts * j + part];
        a[j * ld + parts * i + part] = part == 0 ? below : -below;
      }
    if (parts == 2) a[i * ld + parts * i + 1] = 0;
  }
}

/// The same, and a real diagonal that outweighs the rows; exact in f32 where A is.
void make_positive_definite(std::span<double> a, Index n, Index parts = 1) {
  mirror(a, n, parts * n, parts);
  for (Index i = 0; i < n; ++i) {
    const auto diagonal = a.subspan(parts * (i * n + i), parts);
    std::ranges::fill(diagonal, 0.0);
    diagonal.front() = static_cast<double>(parts * n);
  }
}

/// y^T M, by rows of M.
std::vector<double> times_from_left(const std::vector<double>& y, const Matrix& m) {
  std::vector<double> product(m.cols());
  for (Index i = 0; i < m.rows(); ++i) {
    const auto row = m.row(i);
    for (Index j = 0; j < m.cols(); ++j) product[j] += y[i] * row[j];
  }
  return product;
}

/// The largest column sum of absolute values.
double norm1(const Matrix& m) {
  std::vector<double> sums(m.cols());
  for (Index i = 0; i < m.rows(); ++i) {
    const auto row = m.row(i);
    for (Index j = 0; j < m.cols(); ++j) sums[j] += std::abs(row[j]);
  }
  double largest = 0;
  for (const double sum : sums) largest = max_or_nan(largest, sum);
  return largest;
}

/// max_j |y^T (C - Cref)|_j for vectors y of random signs. As normInf(y) is 1 this is never above
/// norm1(C - Cref), and an error in any single element of C appears in it in full.
double error_by_signs(const Problem& problem, const Matrix& c, std::mt19937_64& random) {
  double worst = 0;
  for (int repeat = 0; repeat < kSignVectors; ++repeat) {
    std::vector<double> y(c.rows());
    for (double& sign : y) sign = (random() & 1U) != 0 ? 1 : -1;
    const auto y_a_b = times_from_left(times_from_left(y, problem.a), problem.b);
    const auto y_c0 = times_from_left(y, problem.c);
    const auto y_c = times_from_left(y, c);
    for (Index j = 0; j < c.cols(); ++j)
      worst = max_or_nan(worst, std::abs(y_c[j] - (y_c0[j] - y_a_b[j])));
  }
  return worst;
}

/// The column sums of |C - Cref| for a few columns, the first and the last among them. They show
/// what random signs shrink: an error that all elements share.
double error_by_columns(const Problem& problem, const Matrix& c, std::mt19937_64& random) {
  const Index k = problem.a.cols();
  std::array<Index, kSampledColumns> columns{0, c.cols() - 1};
  for (Index s = 2; s < kSampledColumns; ++s) columns[s] = random() % c.cols();
  std::vector<double> b(k * kSampledColumns);
  for (Index l = 0; l < k; ++l)
    for (Index s = 0; s < kSampledColumns; ++s)
      b[l * kSampledColumns + s] = problem.b(l, columns[s]);

  std::array<double, kSampledColumns> sums{};
  for (Index i = 0; i < c.rows(); ++i) {
    std::array<double, kSampledColumns> products{};
    const auto row = problem.a.row(i);
    for (Index l = 0; l < k; ++l)
      for (Index s = 0; s < kSampledColumns; ++s)
        products[s] += row[l] * b[l * kSampledColumns + s];
    for (Index s = 0; s < kSampledColumns; ++s)
      sums[s] += std::abs(c(i, columns[s]) - (problem.c(i, columns[s]) - products[s]));
  }
  double worst = 0;
  for (const double sum : sums) worst = max_or_nan(worst, sum);
  return worst;
}

Accuracy check_gemm(const Problem& problem, const Matrix& c) {
  std::mt19937_64 random(kSeed);
  const double error =
      max_or_nan(error_by_signs(problem, c, random), error_by_columns(problem, c, random));
  const double scale =
      std::sqrt(static_cast<double>(problem.a.cols()) + 2) * norm1(problem.a) * norm1(problem.b) +
      2 * norm1(problem.c);
  return {error / (unit_roundoff(problem.size.type) * scale), kGemmErrorBound};
}

Accuracy check_batched(const Problem& problem, const Matrix& x) {
  const ProblemSize& size = problem.size;
  double worst = 0;
  for (Index s = 0; s < size.batch; ++s)
    worst =
        max_or_nan(worst, residual_in_batch(size.number(), size.n, size.k, problem.a.row(s),
                                            problem.b.row(s), x.row(s), unit_roundoff(size.type))
                              .scaled);
  return {worst, kScaledResidualBound};
}

Accuracy check_vbatched(const Problem& problem, const Matrix& x) {
  double worst = 0;
  Index begin = 0;
  for (const auto& [a, b] : systems_of(problem)) {
    const auto of_system = x.values().subspan(begin, a.rows());
    worst = max_or_nan(worst, compute_residual(a.rows(), 1, a.values(), b.values(), of_system,
                                               unit_roundoff(problem.size.type))
                                  .scaled);
    begin += a.rows();
  }
  return {worst, kScaledResidualBound};
}

Accuracy check_least_squares(const Problem& problem, const Matrix& x) {
  const Matrix& joined = problem.a;
  const Index n = problem.size.n, m = joined.rows();
  std::vector<double> normal(n), columns(n);
  double norm_a = 0, norm_b = 0, norm_x = 0, off = 0, norm_of_columns = 0;
  for (Index i = 0; i < m; ++i) {
    const auto row = joined.row(i);
    double r = row[n], sum = 0;
    norm_b = max_or_nan(norm_b, std::abs(r));
    for (Index j = 0; j < n; ++j) {
      r -= row[j] * x(j, 0);
      sum += std::abs(row[j]);
      columns[j] += std::abs(row[j]);
    }
    norm_a = max_or_nan(norm_a, sum);
    for (Index j = 0; j < n; ++j) normal[j] += row[j] * r;
  }
  for (Index j = 0; j < n; ++j) {
    norm_x = max_or_nan(norm_x, std::abs(x(j, 0)));
    off = max_or_nan(off, std::abs(normal[j]));
    norm_of_columns = max_or_nan(norm_of_columns, columns[j]);
  }
  const double scale = norm_of_columns * (norm_a * norm_x + norm_b);
  return {off / (unit_roundoff(problem.size.type) * static_cast<double>(m) * scale),
          kScaledResidualBound};
}

Accuracy check_complex(const Problem& problem, const Matrix& x) {
  const Index n = problem.size.n;
  ComplexSystem system{ComplexMatrix(n, n), ComplexMatrix(n, problem.size.k)};
  for (Index i = 0; i < n; ++i) {
    std::ranges::copy(problem.a.row(i).first(2 * n), system.a.parts().row(i).begin());
    std::ranges::copy(problem.a.row(i).subspan(2 * n), system.b.parts().row(i).begin());
  }
  return {compute_residual(system, ComplexMatrix(x), unit_roundoff(problem.size.type)).scaled,
          kScaledResidualBound};
}

double norm_inf(const Matrix& m) {
  double largest = 0;
  for (Index i = 0; i < m.rows(); ++i) {
    double sum = 0;
    for (const double value : m.row(i)) sum += std::abs(value);
    largest = max_or_nan(largest, sum);
  }
  return largest;
}

/// By y^T A X - y^T for vectors y of random signs, as error_by_signs().
Accuracy check_inverse(const Problem& problem, const Matrix& x) {
  std::mt19937_64 random(kSeed);
  const Index n = problem.size.n;
  double worst = 0;
  for (int repeat = 0; repeat < kSignVectors; ++repeat) {
    std::vector<double> y(n);
    for (double& sign : y) sign = (random() & 1U) != 0 ? 1 : -1;
    const auto product = times_from_left(times_from_left(y, problem.a), x);
    for (Index j = 0; j < n; ++j) worst = max_or_nan(worst, std::abs(product[j] - y[j]));
  }
  const double scale = norm_inf(problem.a) * norm_inf(x);
  return {worst / (unit_roundoff(problem.size.type) * static_cast<double>(n) * scale),
          kScaledResidualBound};
}

/// 1 / ||A^-1||_1 for A^-1 >= 0: the largest number of x, U^T L^T x = (1 ... 1).
double rcond_of_factors(const Matrix& lu) {
  const Index n = lu.rows();
  std::vector<double> x(n, 1.0);
  for (Index i = 0; i < n; ++i) {
    x[i] /= lu(i, i);
    for (Index j = i + 1; j < n; ++j) x[j] -= lu(i, j) * x[i];
  }
  for (Index i = n; i-- > 0;)
    for (Index j = 0; j < i; ++j) x[j] -= lu(i, j) * x[i];
  return 1 / *std::ranges::max_element(x);
}

Accuracy check_condition(const Problem& problem, const Matrix& rcond) {
  const double factor = rcond(0, 0) / rcond_of_factors(problem.a);
  return {max_or_nan(factor, 1 / factor), kRcondFactor};
}

}  // namespace

std::string_view what_name(What what) {
  switch (what) {
    case What::gemm:
      return "gemm";
    case What::lu:
      return "lu";
    case What::solve:
      return "solve";
    case What::cholesky:
      return "cholesky";
    case What::ldlt:
      return "ldlt";
    case What::lstsq:
      return "lstsq";
    case What::gelsy:
      return "gelsy";
    case What::complex_solve:
      return "complex";
    case What::hermitian:
      return "hermitian";
    case What::invert:
      return "invert";
    case What::host:
      return "host";
    case What::gecon:
      return "gecon";
    case What::vbatched:
      return "vbatched";
    case What::file:
      return "file";
    case What::cold:
      return "cold";
    case What::batched:
      break;
  }
  return "batched";
}

namespace {

/// [A | b] with an A of rank k, random, or the product of two random matrices.
Matrix of_rank(const ProblemSize& size) {
  Matrix joined = random_in_type(size.m, size.n + 1, size.type, kSeed);
  if (size.k == std::min(size.m, size.n)) return joined;
  const Matrix left = random_in_type(size.m, size.k, RealType::f64, kSeed + 1),
               right = random_in_type(size.k, size.n, RealType::f64, kSeed + 2);
  for (Index i = 0; i < size.m; ++i) {
    const auto row = joined.row(i).first(size.n);
    std::ranges::fill(row, 0.0);
    for (Index l = 0; l < size.k; ++l)
      for (Index j = 0; j < size.n; ++j) row[j] += left(i, l) * right(l, j);
    if (size.type == RealType::f32)
      for (double& value : row) value = static_cast<float>(value);
  }
  return joined;
}

/// L\U with numbers below 0 beside the diagonals, so that neither inverse has any.
Matrix positive_inverse(Matrix a) {
  const Index n = a.rows();
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      a(i, j) = i == j ? 1 + std::abs(a(i, j))
                       : -std::ldexp(std::abs(a(i, j)), -std::ilogb(static_cast<double>(n)));
  return a;
}

}  // namespace

std::vector<Index> sizes_of_systems(const ProblemSize& size) {
  std::mt19937_64 random(kSeed);
  std::vector<Index> sizes(size.batch);
  for (Index& n : sizes) n = size.k + random() % (size.n - size.k + 1);
  return sizes;
}

std::vector<System> systems_of(const Problem& problem) {
  const std::span<const double> a = problem.a.values(), b = problem.b.values();
  std::vector<System> systems;
  Index of_a = 0, of_b = 0;
  for (const Index n : sizes_of_systems(problem.size)) {
    const auto own_a = a.subspan(of_a, n * n), own_b = b.subspan(of_b, n);
    systems.push_back(
        {Matrix(n, n, {own_a.begin(), own_a.end()}), Matrix(n, 1, {own_b.begin(), own_b.end()})});
    of_a += n * n;
    of_b += n;
  }
  return systems;
}

Problem make_problem(const ProblemSize& size) {
  const auto random = [&](Index rows, Index cols, unsigned seed) {
    return random_in_type(rows, cols, size.type, seed);
  };
  if (size.what == What::gemm)
    return {size, random(size.m, size.k, kSeed), random(size.k, size.n, kSeed + 1),
            random(size.m, size.n, kSeed + 2)};
  if (size.what == What::batched) {
    const Index parts = size.number().parts();
    Matrix a = random(size.batch, size.n * size.n * parts, kSeed);
    for (Index s = 0; s < (size.batched.positive_definite ? size.batch : 0); ++s)
      make_positive_definite(a.row(s), size.n, parts);
    for (Index s = 0; s < (size.batched.symmetric ? size.batch : 0); ++s)
      mirror(a.row(s), size.n, size.n);
    return {size, std::move(a), random(size.batch, size.n * size.k * parts, kSeed + 1), {}};
  }
  if (size.what == What::vbatched) {
    Index of_a = 0, of_b = 0;
    for (const Index n : sizes_of_systems(size)) {
      of_a += n * n;
      of_b += n;
    }
    return {size, random(1, of_a, kSeed), random(1, of_b, kSeed + 1), {}};
  }
  if (size.what == What::lstsq)
    return {size, random(rows_of_lstsq(size.n), size.n + 1, kSeed), Matrix(size.n, 1), {}};
  if (size.what == What::gelsy) return {size, of_rank(size), Matrix(size.n, 1), {}};
  if (size.what == What::invert)
    return {size, random(size.n, size.n, kSeed), Matrix(size.n, 1), {}};
  if (size.what == What::gecon)
    return {size, positive_inverse(random(size.n, size.n, kSeed)), Matrix(size.n, 1), {}};
  if (size.what == What::hermitian) {
    Matrix a = random(size.n, 2 * size.n, kSeed),
           joined = random(size.n, 2 * (size.n + 1), kSeed + 1);
    make_positive_definite(a.values(), size.n, 2);
    for (Index i = 0; i < size.n; ++i) std::ranges::copy(a.row(i), joined.row(i).begin());
    return {size, std::move(joined), Matrix(size.n, 1), {}};
  }
  if (size.what == What::complex_solve) {
    Matrix joined = random(size.n, 2 * (size.n + size.k), kSeed);
    if (size.batched.symmetric) mirror(joined.values(), size.n, joined.cols(), 2);
    return {size, std::move(joined), Matrix(size.n, 1), {}};
  }
  Matrix a = random(size.n, size.n, kSeed);
  if (size.what == What::cholesky) make_positive_definite(a.values(), size.n);
  if (size.what == What::ldlt) mirror(a.values(), size.n, size.n);
  return {size, std::move(a), random(size.n, size.what == What::host ? size.k : 1, kSeed + 1), {}};
}

double flops(const ProblemSize& size) {
  switch (size.what) {
    case What::gemm:
      return tune::product_flops(size.m, size.n, size.k);
    case What::lu:
      return tune::lu_flops(size.n);
    case What::cholesky:
    case What::ldlt:
      return tune::lu_flops(size.n) / 2 + tune::solve_flops(size.n, 1);
    case What::lstsq:
      return tune::qr_flops(rows_of_lstsq(size.n), size.n);
    case What::gelsy:
      return tune::qr_flops(size.m, size.n);
    case What::complex_solve:
      return 4 * ((size.batched.symmetric ? 0.5 : 1) * tune::lu_flops(size.n) +
                  tune::solve_flops(size.n, size.k));
    case What::hermitian:
      return 4 * (tune::lu_flops(size.n) / 2 + tune::solve_flops(size.n, 1));
    case What::invert:
      return 3 * tune::lu_flops(size.n);
    case What::host:
      return tune::lu_flops(size.n) + tune::solve_flops(size.n, size.k);
    case What::gecon:
      return tune::solve_flops(size.n, 4);
    case What::vbatched: {
      double sum = 0;
      for (const Index n : sizes_of_systems(size))
        sum += tune::lu_flops(n) + tune::solve_flops(n, 1);
      return sum;
    }
    case What::solve:
    case What::batched:
    case What::file:
    case What::cold:
      break;
  }
  const bool batched = size.what == What::batched;
  const double systems = batched ? static_cast<double>(size.batch) : 1,
               share =
                   batched && (size.batched.positive_definite || size.batched.symmetric) ? 0.5 : 1,
               each = batched && size.batched.complex ? 4 : 1;
  return systems * each *
         (share * tune::lu_flops(size.n) + tune::solve_flops(size.n, batched ? size.k : 1));
}

Accuracy check(const Problem& problem, const Matrix& result) {
  if (problem.size.what == What::gemm) return check_gemm(problem, result);
  if (problem.size.what == What::batched) return check_batched(problem, result);
  if (problem.size.what == What::vbatched) return check_vbatched(problem, result);
  if (problem.size.what == What::lstsq || problem.size.what == What::gelsy)
    return check_least_squares(problem, result);
  if (is_complex(problem.size.what)) return check_complex(problem, result);
  if (problem.size.what == What::invert) return check_inverse(problem, result);
  if (problem.size.what == What::gecon) return check_condition(problem, result);
  const System system{problem.a, problem.b};
  const Residual residual = compute_residual(system, result, unit_roundoff(problem.size.type));
  return {residual.scaled, kScaledResidualBound};
}

}  // namespace clgauss::bench
