#include "linalg/complex/complex_factors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <cmath>
#include <numeric>

#include "io/memory.hpp"
#include "kernels/estimates/upper_maxima.hpp"
#include "linalg/complex/complex_residual.hpp"
#include "linalg/lu/pivots.hpp"
#include "linalg/solve/memory_need.hpp"
#include "linalg/solve/solve_again.hpp"
#include "matrix/scaling.hpp"
#include "matrix/transfer.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

/// Each exponent twice, for both parts.
std::vector<int> of_parts(const std::vector<int>& exponents) {
  std::vector<int> doubled(2 * exponents.size());
  for (Index j = 0; j < doubled.size(); ++j) doubled[j] = exponents[j / 2];
  return doubled;
}

}  // namespace

ComplexFactors::ComplexFactors(Context& context, const ComplexSystem& system, RealType type,
                               const LuOptions& options, bool estimates, std::uint64_t more_bytes)
    : context_(context),
      type_(type),
      n_(system.a.rows()),
      nrhs_(system.b.cols()),
      positive_definite_(options.positive_definite),
      symmetric_(options.symmetric),
      what_(fmt::format("the complex {} system of n = {} with {} right-hand side{}",
                        real_type_name(type), n_, nrhs_, nrhs_ == 1 ? "" : "s")) {
  const Index columns = std::max<Index>(nrhs_, 1);
  const std::uint64_t number = 2 * bytes_of(type);
  // The right-hand sides lie beside A and, on their way, in vectors_.
  MemoryNeed need{what_, type, n_ * n_ * number, 2 * n_ * columns * number, 0};
  need.workspace =
      ComplexLu::bytes(context.profile(), type, n_, columns, options) + n_ * number + more_bytes;
  need.host_copy = 2 * n_ * n_ * sizeof(double);
  require_memory(need, context.profile(), io::physical_memory());
  context.programs().prepare([&] {
    lu_.emplace(context, type, n_, columns, options);
    diagonal_kernel_ = prepared_diagonal_kernel(context, {type, true});
    if (!estimates) return;
    try {
      lu_->prepare_transposed();
      prepare_upper_maximum(context, {type, true}, n_);
    } catch (const NoUsableKernel&) {  // the self-tests say why; there will be no estimate
    }
  });
  const Index ld = lu_->layout().ld;
  a_ = {context.allocate(n_ * ld * bytes_of(type), what_), 0, ld};
  vectors_ = context.allocate(n_ * lu_->columns_at_once() * number, what_);
  diagonal_ = context.allocate(n_ * number, what_);
}

void ComplexFactors::upload(const ComplexSystem& system, Equilibration equilibration) {
  const ComplexLayout& layout = lu_->layout();
  const Matrix &a = system.a.parts(), &b = system.b.parts();
  of_numbers_ =
      positive_definite_ ? complex_definite_scaling_for(n_, nrhs_, a.values(), b.values(), type_)
      : symmetric_       ? hermitian_scaling_for(n_, nrhs_, a.values(), b.values(), type_)
                   : complex_scaling_for(n_, nrhs_, a.values(), b.values(), type_, equilibration);
  scaling_ = of_numbers_;
  scaling_.rows = of_parts(of_numbers_.rows);
  scaling_.columns = of_parts(of_numbers_.columns);
  const std::vector<int> of_b = of_parts(of_numbers_.right_hand_sides);
  const Matrix gap(n_, layout.b - 2 * n_), rest(n_, layout.ld - layout.b - 2 * nrhs_);
  upload_rows(
      context_, a_.buffer, a_.ld, type_,
      {{&a, of_numbers_.rows, scaling_.columns}, &gap, {&b, of_numbers_.rows, of_b}, &rest});
}

std::int64_t ComplexFactors::exponent_of_determinant() const {
  std::int64_t exponent = 0;
  for (const auto* exponents : {&of_numbers_.rows, &of_numbers_.columns})
    exponent -= std::accumulate(exponents->begin(), exponents->end(), std::int64_t{0});
  return exponent;
}

void ComplexFactors::factor(const ProgressCallback& progress) {
  lu_->factor(queue(), a_, progress);
  queue().finish();
}

ComplexFactors::Pivots ComplexFactors::pivots() {
  const NumberType number(type_, true);
  const MatrixView a = number.in_numbers(a_);
  Pivots pivots;
  pivots.positive_definite = positive_definite_;
  pivots.rows = read_twice([&] { return lu_->pivots(queue()); });
  pivots.failed_column = lu_->failed_column(queue());
  pivots.symmetric = lu_->symmetric_pivots(queue());
  enqueue_diagonal(queue(), *diagonal_kernel_, a, n_, diagonal_);
  pivots.diagonal = Matrix(n_, 2, download_diagonal(queue(), a, diagonal_, number, n_));
  return pivots;
}

double ComplexFactors::Pivots::failed_pivot() const {
  const std::span<const double> pivot = diagonal.row(*failed_column);
  return positive_definite ? pivot[0] : std::abs(pivot[0]) + std::abs(pivot[1]);
}

SolveStatus ComplexFactors::failure(const Pivots& pivots) const {
  const double pivot = pivots.failed_pivot();
  if (positive_definite_ && std::isfinite(pivot)) return SolveStatus::not_positive_definite;
  const bool left_range = pivot == 0 ? scaling_.may_underflow : scaling_.finite;
  return left_range ? SolveStatus::overflow : SolveStatus::singular;
}

Matrix ComplexFactors::first_answer() {
  lu_->solve(queue(), a_);
  (void)lu_->failed_column(queue());              // throws if the substitution waited in vain
  return in_pairs(ComplexMatrix(read_b(nrhs_)));  // nrhs <= columns_at_once()
}

double ComplexFactors::reciprocal_growth(const Matrix& a) {
  const NumberType number(type_, true);
  Scaling by_rows = scaling_;
  by_rows.rows = of_numbers_.rows;  // a row of `a` holds both parts
  return largest_of_scaled(a, by_rows) /
         upper_maximum(context_, queue(), number, number.in_numbers(a_), n_);
}

Matrix ComplexFactors::packed() const {
  const Values all = download(queue(), a_.buffer, type_, n_ * a_.ld);
  Matrix lu(n_, 2 * n_);
  for (Index i = 0; i < n_; ++i)
    for (Index part = 0; part < 2 * n_; ++part) {  // R^-1 L' R and R^-1 U' C^-1
      const Index j = part / 2;
      const int power =
          j < i ? exponent_at(of_numbers_.rows, j) : -exponent_at(of_numbers_.columns, j);
      lu(i, part) = times_power(all[i * a_.ld + part], power - exponent_at(of_numbers_.rows, i));
    }
  return lu;
}

Matrix ComplexFactors::read_b(Index columns) {
  const std::size_t element = bytes_of(type_), row = 2 * columns * element;
  enqueue_copy_rows(queue(), {a_.buffer, lu_->layout().b * element, a_.ld * element},
                    {vectors_, 0, row}, row, n_);
  return {n_, 2 * columns, download(queue(), vectors_, type_, n_ * 2 * columns)};
}

void ComplexFactors::write_b(const Matrix& parts) {
  const std::size_t element = bytes_of(type_), row = parts.cols() * element;
  upload_values(context_, vectors_, type_, parts.values());
  enqueue_copy_rows(queue(), {vectors_, 0, row},
                    {a_.buffer, lu_->layout().b * element, a_.ld * element}, row, n_);
}

void ComplexFactors::apply_inverse(bool transposed, const Scaling& by, Matrix& x) {
  const std::vector<int> to_one = exponents_of_columns(x, by.rows);
  for (Index first = 0; first < x.cols(); first += lu_->columns_at_once()) {
    const Index columns = std::min(lu_->columns_at_once(), x.cols() - first);
    Matrix parts(n_, 2 * columns);
    const auto for_all = [&](const auto& body) {
      for (Index i = 0; i < 2 * n_; ++i)
        for (Index c = 0; c < columns; ++c)
          body(parts(i / 2, 2 * c + i % 2), x(i, first + c), i, exponent_at(to_one, first + c));
    };
    for_all([&](double& on_device, double here, Index i, int to) {
      on_device = times_power(here, exponent_at(by.rows, i) + to);
    });
    write_b(parts);
    if (transposed)
      lu_->solve_transposed(queue(), a_, columns);
    else
      lu_->solve_again(queue(), a_, columns);
    (void)lu_->failed_column(queue());  // throws if work-groups waited in vain
    parts = read_b(columns);
    for_all([&](double on_device, double& here, Index i, int to) {
      here = times_power(on_device, exponent_at(by.columns, i) - to);
    });
  }
}

}  // namespace clgauss
