#include "tuner/measure/solve_bench.hpp"

#include <fmt/format.h>

#include <array>
#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>
#include <memory>

#include "matrix/transfer.hpp"
#include "tuner/measure/lu_bench.hpp"

namespace clgauss::tune {

SolveBench::SolveBench(Context& context, RealType type, Index n)
    : context_(context),
      type_(type),
      n_(n),
      host_a_(random_matrix(n, n, 1)),
      host_b_(random_matrix(n, n, 2)),
      a_(context, type, host_a_, n, "a system for the triangular solves"),
      b_(context, type, host_b_, n, "a system for the triangular solves") {}

double SolveBench::timed_ns(Lu& lu) const {
  b_.restore(context_.queue());
  context_.queue().finish();
  return 1e9 * time_once([&] {
           lu.solve(b_.view(), n_);
           context_.queue().finish();
         });
}

/// Of the first, the middle and the last column: all of them would cost the host n^3.
std::string SolveBench::fault_of_answer(Lu& lu) const {
  static_cast<void>(lu.failed_column());
  const std::array<Index, 3> columns{0, n_ / 2, n_ - 1};
  const Values solved = download(context_.queue(), b_.view().buffer, type_, n_ * n_);
  Matrix b(n_, columns.size()), x(n_, columns.size());
  for (Index i = 0; i < n_; ++i)
    for (Index c = 0; c < columns.size(); ++c) {
      b(i, c) = host_b_(i, columns[c]);
      x(i, c) = solved[i * n_ + columns[c]];
    }
  const double residual = compute_residual(n_, columns.size(), host_a_.values(), b.values(),
                                           x.values(), unit_roundoff(type_))
                              .scaled;
  return residual <= kScaledResidualBound ? "" : fmt::format("scaled residual {:.3g}", residual);
}

Prepared SolveBench::prepare(const LuSpec& spec, double timeout_ns) {
  return guarded_spec(spec, context_.profile(), type_, [&] {
    const auto lu = std::make_shared<Lu>(lu_by(context_, type_, n_, spec));
    a_.restore(context_.queue());
    lu->prepare(a_.view(), n_);
    lu->factor(a_.view());
    return checked(
        timeout_ns, "a solve", [this, lu] { return timed_ns(*lu); },
        [&] { return fault_of_answer(*lu); });
  });
}

}  // namespace clgauss::tune
