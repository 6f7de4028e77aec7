#include "tuner/measure/gemm_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <cmath>
#include <memory>

#include "kernels/gemm/gemm_backend.hpp"
#include "matrix/transfer.hpp"
#include "tuner/measure/gemm_rules.hpp"

namespace clgauss::tune {

namespace {

constexpr const char* kOperand = "an operand of the GEMM to tune";

/// Throws UsageError for a task that no bench is made for.
const GemmTask& checked(const GemmTask& task) {
  const auto& [m, n, k, transpose_a, transpose_b, lower] = task.shape;
  if (m == 0 || n == 0 || k == 0 || transpose_a || transpose_b)
    throw UsageError("a GEMM is tuned for m, n, k of at least 1 and without transposition");
  return task;
}

/// Euclidean norms of the rows, or of the columns.
std::vector<double> norms(const Matrix& matrix, bool of_rows) {
  std::vector<double> sums(of_rows ? matrix.rows() : matrix.cols());
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index j = 0; j < matrix.cols(); ++j) sums[of_rows ? i : j] += matrix(i, j) * matrix(i, j);
  for (double& sum : sums) sum = std::sqrt(sum);
  return sums;
}

/// A product that no tile, sub-tile or block divides.
GemmShape cut_shape(const GemmSpec& spec) {
  const auto v = [&](const char* name) { return static_cast<Index>(spec.value(name)); };
  if (spec.is_for_cpu()) return {2 * v("MR") + 5, 2 * v("NR") + 7, v("KC") + 3};
  const Index align = spec.alignment();
  const auto cut = [&](Index extent) { return (extent + align) / align * align; };
  return {cut(v("TILE_M") + 5), cut(v("TILE_N") + 7), cut(2 * v("TILE_K") + 3)};
}

}  // namespace

GemmSpec built_in_gemm_spec(Context& context, const GemmTask& task) {
  Gemm gemm(context, task.type);
  const bool update = task.use == GemmUse::update;
  const MatrixView a{{}, 0, task.shape.k}, b{{}, 0, task.shape.n}, c = b;
  const std::string name = gemm.kernel_name(task.shape, a, b, c, update ? -1 : 1, update ? 1 : 0);
  const std::vector<TunedGemm> tuned = tuned_gemm_specs(context, task.type, task.use);
  const GemmSpec* const nearest = nearest_tuned_gemm(tuned, std::max(task.shape.m, task.shape.n));
  if (nearest != nullptr && nearest->name == name) return *nearest;
  const auto found = std::ranges::find(gemm_specs(), name, &GemmSpec::name);
  return found == gemm_specs().end() ? default_cpu_gemm_spec(context.profile(), task.type) : *found;
}

GemmBench::GemmBench(Context& context, const GemmTask& task)
    : context_(context),
      task_(checked(task)),
      c_(context, task.type, random_matrix(task.shape.m, task.shape.n, 3), task.shape.n, kOperand) {
  const auto& [m, n, k, transpose_a, transpose_b, lower] = task.shape;
  const Matrix a = random_matrix(m, k, 1), b = random_matrix(k, n, 2);
  a_ = to_device(context, task.type, a, k, kOperand);
  b_ = to_device(context, task.type, b, n, kOperand);
  bounds_of_rows_ = norms(a, true);
  bounds_of_cols_ = norms(b, false);
  Gemm gemm(context, task.type);
  c_.restore(context.queue());
  static_cast<void>(timed_ns(gemm));
  reference_ = download(context.queue(), c_.view().buffer, task.type, m * n);
}

double GemmBench::timed_ns(Gemm& gemm) {
  const bool update = task_.use == GemmUse::update;
  return 1e9 * time_once([&] {
           gemm.multiply(task_.shape, update ? -1 : 1, a_, b_, update ? 1 : 0, c_.view());
           context_.queue().finish();
         });
}

std::string GemmBench::first_wrong_element() const {
  const Values result = download(context_.queue(), c_.view().buffer, task_.type, reference_.size());
  const Index n = task_.shape.n;
  // |A||B| <= row norm times column norm (Cauchy, Schwarz), |C0| <= 1; twice, because the reference
  // is rounded too.
  const double each = 8 * static_cast<double>(task_.shape.k + 2) * unit_roundoff(task_.type);
  for (Index i = 0; i < reference_.size(); ++i) {
    const double bound = each * (bounds_of_rows_[i / n] * bounds_of_cols_[i % n] + 1);
    if (!(std::abs(result[i] - reference_[i]) <= bound))
      return fmt::format("C({}, {}) is {} instead of {}", i / n, i % n, result[i], reference_[i]);
  }
  return {};
}

Prepared GemmBench::prepare(const GemmSpec& spec, double timeout_ns) {
  if (const std::string rule = broken_rule(spec); !rule.empty())
    return {{Status::constraint, rule, {}}};
  if (const std::string limit = exceeded_limit(spec, context_.profile()); !limit.empty())
    return {{Status::device_limit, limit, {}}};
  return guarded_prepare([&] { return checked_product(spec, timeout_ns); });
}

Outcome GemmBench::measure(const GemmSpec& spec, const RunLimits& limits) {
  return guarded([&] { return time_at_once(limits, prepare(spec, limits.timeout_ns)); });
}

Prepared GemmBench::checked_product(const GemmSpec& spec, double timeout_ns) {
  std::shared_ptr<Gemm> gemm;
  try {
    gemm = std::make_shared<Gemm>(context_, task_.type, GemmOptions{{spec}, true});
  } catch (const UsageError& error) {  // check_gemm_spec()
    return {{Status::constraint, error.what(), {}}};
  }
  require_known_answer(context_, task_.type, cut_shape(spec), [&](const GemmCall& call) {
    gemm->multiply(call.shape, call.alpha, call.a, call.b, call.beta, call.c);
  });
  c_.restore(context_.queue());
  context_.queue().finish();
  return checked(
      timeout_ns, "a product", [this, gemm] { return timed_ns(*gemm); },
      [this] { return first_wrong_element(); });
}

Duel GemmBench::compare(const GemmSpec& a, const GemmSpec& b, std::size_t rounds) {
  Gemm gemm_a(context_, task_.type, {{a}}), gemm_b(context_, task_.type, {{b}});
  int pair = 0;
  const auto timed_a_ns = [&] {
    if (pair++ % 8 == 0) {  // repeated updates must not grow without bounds
      c_.restore(context_.queue());
      context_.queue().finish();
    }
    return timed_ns(gemm_a);
  };
  return duel(rounds, timed_a_ns, [&] { return timed_ns(gemm_b); });
}

}  // namespace clgauss::tune
