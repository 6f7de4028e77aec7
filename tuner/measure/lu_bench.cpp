#include "tuner/measure/lu_bench.hpp"

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>

#include "matrix/transfer.hpp"

namespace clgauss::tune {

namespace {

/// Aligned, and no power of two.
Index leading_dimension(Index n) { return (n + 15) / 16 * 16 + 16; }

}  // namespace

Prepared guarded_spec(const LuSpec& spec, const DeviceProfile& device, RealType type,
                      const std::function<Prepared()>& prepare) {
  return guarded_prepare([&]() -> Prepared {
    try {
      check_lu_spec(spec, device, type);
    } catch (const UsageError& error) {
      return {{Status::constraint, error.what(), {}}};
    }
    return prepare();
  });
}

Lu lu_by(Context& context, RealType type, Index n, const LuSpec& spec) {
  LuOptions options;
  options.spec = spec;
  return {context, type, n, options};
}

LuBench::LuBench(Context& context, RealType type, Index n)
    : context_(context),
      type_(type),
      n_(n),
      system_{random_matrix(n, n, 1), random_matrix(n, 1, 2)},
      a_(context, type, system_.a, leading_dimension(n), "a system to tune for"),
      b_(context, type, system_.b, 1, "a system to tune for") {}

std::shared_ptr<Lu> LuBench::prepared(const LuSpec& spec) const {
  auto lu = std::make_shared<Lu>(lu_by(context_, type_, n_, spec));
  lu->prepare(a_.view(), 1);
  return lu;
}

double LuBench::timed_ns(Lu& lu) const {
  const cl::CommandQueue& queue = context_.queue();
  a_.restore(queue);
  b_.restore(queue);
  queue.finish();
  return 1e9 * time_once([&] {
           lu.factor_and_solve(a_.view(), b_.view(), 1);
           queue.finish();
         });
}

std::string LuBench::fault_of_answer(Lu& lu) const {
  static_cast<void>(lu.failed_column());
  Values x = download(context_.queue(), b_.view().buffer, type_, n_);
  const double residual =
      compute_residual(system_, Matrix(n_, 1, std::move(x)), unit_roundoff(type_)).scaled;
  return residual <= kScaledResidualBound ? "" : fmt::format("scaled residual {:.3g}", residual);
}

Prepared LuBench::prepare(const LuSpec& spec, double timeout_ns) {
  return guarded_spec(spec, context_.profile(), type_, [&] {
    const auto lu = prepared(spec);
    return checked(
        timeout_ns, "an LU", [this, lu] { return timed_ns(*lu); },
        [&] { return fault_of_answer(*lu); });
  });
}

Outcome LuBench::measure(const LuSpec& spec, const RunLimits& limits) {
  return guarded([&] { return time_at_once(limits, prepare(spec, limits.timeout_ns)); });
}

Duel LuBench::compare(const LuSpec& a, const LuSpec& b, std::size_t rounds) {
  const auto lu_a = prepared(a), lu_b = prepared(b);
  return duel(
      rounds, [&] { return timed_ns(*lu_a); }, [&] { return timed_ns(*lu_b); });
}

}  // namespace clgauss::tune
