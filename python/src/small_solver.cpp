#include "small_solver.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "constants.hpp"
#include "linalg/estimates/norm_estimator.hpp"
#include "linalg/refinement/row_sums.hpp"
#include "linalg/solve/attempts.hpp"
#include "linalg/solve/host_answer.hpp"
#include "linalg/solve/host_getrf.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/transposed.hpp"
#include "opencl_error.hpp"
#include "program/prepared.hpp"

namespace clgauss::python {

namespace {

/// Row-major numbers of an array, where they lie if they are of that kind.
struct Rows {
  explicit Rows(const Numbers& of) : numbers(of.row_major()) {
    if (numbers.data() != nullptr) return;
    copy.resize(of.rows * of.columns);
    of.copy_to(copy.data(), of.columns);
    numbers = copy;
  }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;

  Values copy;
  std::span<const double> numbers;
};

/// The largest sum of magnitudes of the first `columns` numbers of a row.
double norm_of(std::span<const double> rows, Index ld, Index columns) {
  double norm = 0;
  for (Index first = 0; first < rows.size(); first += ld) {
    double sum = 0;
    for (const double value : rows.subspan(first, columns)) sum += std::abs(value);
    norm = max_or_nan(norm, sum);
  }
  return norm;
}

}  // namespace

std::optional<Values> solve_on_host(const Numbers& a, const Numbers& b) {
  auto answer = clgauss::solve_on_host({a.rows, b.columns, Rows(a).numbers, Rows(b).numbers});
  if (!answer) return std::nullopt;
  return std::move(answer->x);
}

namespace {

/// ||A X - I||, whose rows are `ld` numbers apart; of larger matrices by a vector of signs s, as
/// ||A (X s) - s||, in n^2 operations and not n^3.
double residual_of_inverse(std::span<const double> a, std::span<const double> x, Index n,
                           Index ld) {
  if (n <= kLargestSmallSystem) {
    Values r(n * ld, 0.0);
    for (Index i = 0; i < n; ++i) r[i * ld + i] = 1;
    host_lu_kernels<double>().subtract_product(n, n, n, a.data(), ld, x.data(), ld, r.data(), ld);
    return norm_of(r, ld, n);
  }
  const Values s = doubt_signs(n);
  Values y(n), r(n);
  for (Index i = 0; i < n; ++i) y[i] = sums_of_row(x.subspan(i * ld, n), s.data()).product;
  for (Index i = 0; i < n; ++i) r[i] = s[i] - sums_of_row(a.subspan(i * ld, n), y.data()).product;
  return largest_magnitude(r);
}

}  // namespace

std::optional<Values> invert_on_host(const Numbers& a) {
  const Rows of_a(a);
  const HostFactors<double> factors(of_a.numbers, a.rows);
  const Index n = factors.n, ld = factors.ld;
  Values x(n * ld, 0.0), original(n * ld, 0.0);
  for (Index i = 0; i < n; ++i) {
    std::ranges::copy(of_a.numbers.subspan(i * n, n), original.data() + i * ld);
    x[i * ld + i] = 1;
  }
  factors.solve(n, x.data(), ld);
  const double condition = norm_of(original, ld, n) * norm_of(x, ld, n);
  const double scaled =
      residual_of_inverse(original, x, n, ld) / condition / (static_cast<double>(n) * kEps);
  if (!(scaled <= 1 && 2 * static_cast<double>(n + 1) * kEps * condition <= 1e-3))
    return std::nullopt;
  for (Index i = 1; i < n; ++i) std::copy_n(x.begin() + i * ld, n, x.begin() + i * n);
  x.resize(n * n);
  return x;
}

Determinant determinant_on_host(std::span<const double> a, Index n) {
  const HostFactors<double> factors(a, n);
  Determinant det;
  for (Index j = 0; j < n; ++j) det.take(factors.lu[j * factors.ld + j], factors.pivots[j] != j);
  return det;
}

SmallSolver::SmallSolver(Context& context, Index n, Index nrhs)
    : context_(context), n_(n), nrhs_(nrhs), host_(n * (n + nrhs + 1)), both_(n * (nrhs + 1)) {
  const cl::Buffer buffer =
      context_.allocate(host_.size() * sizeof(double), "a small system in f64");
  a_ = {buffer, 0, n};
  b_ = {buffer, n * n, nrhs + 1};
  lu_ = prepared(
      context_.programs(),
      [&] {
        auto made = std::make_unique<Lu>(context_, RealType::f64, n);
        made->prepare(a_, nrhs + 1);
        return made;
      },
      built_ahead(context_, {n, nrhs}));
}

bool SmallSolver::solve(const Array& a, const Array& b, const WritableArray& x) {
  const Numbers of_a(a), of_b(b);
  const std::span<double> all(host_), a_values = all.first(n_ * n_),
                                      b_values = all.last(n_ * (nrhs_ + 1));
  of_a.copy_to(a_values.data(), n_);
  of_b.copy_to(b_values.data(), nrhs_ + 1);
  const Matrix question = doubt_question(n_);
  for (Index i = 0; i < n_; ++i) b_values[i * (nrhs_ + 1) + nrhs_] = question(i, 0);
  const cl::CommandQueue& queue = context_.queue();
  translate_opencl_errors([&] {
    queue.enqueueWriteBuffer(a_.buffer, CL_FALSE, 0, all.size_bytes(), all.data());
    lu_->factor_and_solve(a_, b_, nrhs_ + 1);
    queue.enqueueReadBuffer(b_.buffer, CL_TRUE, b_.offset * sizeof(double),
                            both_.size() * sizeof(double), both_.data());
  });
  const Values columns = transposed(both_, n_, nrhs_ + 1);
  if (!residual_if_good({n_, nrhs_, a_values, Rows(of_b).numbers}, columns, kEps)) return false;
  copy_out(transposed(std::span(columns).first(n_ * nrhs_), nrhs_, n_), x);
  return true;
}

}  // namespace clgauss::python
