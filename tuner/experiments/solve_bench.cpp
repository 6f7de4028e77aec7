#include "tuner/experiments/solve_bench.hpp"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>

#include "linalg/transfer.hpp"

namespace clgauss::tune {

SolveBench::SolveBench(Context& context, RealType type, Index n)
    : context_(context),
      type_(type),
      n_(n),
      host_a_(random_matrix(n, n, 1)),
      host_b_(random_matrix(n, n, 2)) {
  const auto upload = [&](const Matrix& matrix) {
    return to_device(context, type, matrix, n, "a system for the triangular solves");
  };
  original_ = upload(host_a_);
  a_ = upload(host_a_);
  b_original_ = upload(host_b_);
  b_ = upload(host_b_);
}

void SolveBench::copy(const MatrixView& from, const MatrixView& to) const {
  context_.queue().enqueueCopyBuffer(from.buffer, to.buffer, 0, 0, n_ * n_ * bytes_of(type_));
}

double SolveBench::timed(Lu& lu) {
  copy(b_original_, b_);
  context_.queue().finish();
  const auto start = std::chrono::steady_clock::now();
  lu.solve(b_, n_);
  context_.queue().finish();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start).count();
}

/// Of the first, the middle and the last column: all of them would cost the host n^3.
double SolveBench::scaled_residual(Lu& lu) const {
  static_cast<void>(lu.failed_column());
  const std::array<Index, 3> columns{0, n_ / 2, n_ - 1};
  const Values solved = download(context_.queue(), b_.buffer, type_, n_ * n_);
  Matrix b(n_, columns.size()), x(n_, columns.size());
  for (Index i = 0; i < n_; ++i)
    for (Index c = 0; c < columns.size(); ++c) {
      b(i, c) = host_b_(i, columns[c]);
      x(i, c) = solved[i * n_ + columns[c]];
    }
  return compute_residual(n_, columns.size(), host_a_.values(), b.values(), x.values(),
                          unit_roundoff(type_))
      .scaled;
}

Outcome SolveBench::measure(const LuSpec& spec, std::size_t repetitions, double timeout_ns) {
  return guarded([&]() -> Outcome {
    try {
      check_lu_spec(spec, context_.profile(), type_);
    } catch (const UsageError& error) {
      return {Status::constraint, error.what(), {}};
    }
    return run(spec, repetitions, timeout_ns);
  });
}

Outcome SolveBench::run(const LuSpec& spec, std::size_t repetitions, double timeout_ns) {
  LuOptions options;
  options.spec = spec;
  const auto lu = make_lu(context_, type_, n_, options);
  copy(original_, a_);
  lu->prepare(a_, n_);
  lu->factor(a_);
  const double first = timed(*lu);
  if (first > timeout_ns)
    return {Status::timeout, fmt::format("{:.3g} s a solve", first * 1e-9), {}};
  const double residual = scaled_residual(*lu);
  if (!(residual <= kScaledResidualBound))
    return {Status::wrong_result, fmt::format("scaled residual {:.3g}", residual), {}};
  Outcome outcome;
  while (outcome.times_ns.size() < repetitions) outcome.times_ns.push_back(timed(*lu));
  return outcome;
}

}  // namespace clgauss::tune
