#include "linalg/solve/attempts.hpp"

#include <clgauss/error.hpp>
#include <utility>

#include "lap_timer.hpp"
#include "linalg/estimates/norm_estimator.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "linalg/solve/host_lapack.hpp"
#include "linalg/solve/methods.hpp"
#include "matrix/scaling.hpp"
#include "matrix/shapes.hpp"
#include "opencl_error.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

FactorCall call_for(const Context& context, const Plan& plan, const SolveOptions& options,
                    SystemSize size) {
  const bool maximum = plan.accuracy == Accuracy::maximum;
  FactorCall call{.type = plan.type,
                  .lu = options.lu,
                  .equilibration = options.equilibration,
                  .keeps_f64 = context.profile().fp64 && !plan.in_place &&
                               (options.judge == Judge::device || (plan.refines() && !maximum)),
                  .refines = plan.refines(),
                  .extra_precise = maximum,
                  .transposed = plan.transposed};
  call.lu.pivoting = pivoting_of(plan, options);
  call.lu.positive_definite = row_of(plan.method).definite;
  call.lu.symmetric = row_of(plan.method).symmetric && !row_of(plan.method).definite;
  const Index n = size.n;
  const bool estimates = options.trust || options.doubt;
  call.growth = estimates && tells_growth(plan.method);
  if (estimates && !estimates_on_host(n, call.lu.pivoting)) {
    call.estimate_columns = columns_of_trust(size.nrhs);
    call.question = options.trust ? first_question(n) : doubt_question(n);
  }
  return call;
}

/// The largest n of what is built ahead.
constexpr Index kLargestAhead = 4096;

void prepare(Context& context, const SolveOptions& options, SystemSize size) {
  const Plan plan = make_plan(context, options, size.n, size.nrhs);
  try {
    row_of(plan.method).prepare(context, size, call_for(context, plan, options, size));
  } catch (const NoUsableKernel&) {  // a solve by this method will report the reason
  }
}

void release(Solved& solved, Answer& answer) {
  LapTimer timer;
  if (solved.factors) solved.factors->release();
  solved.factors.reset();
  answer.result.times.free = timer.lap();
}

/// A, if its memory is freed during the upload, and the function that reads it again.
struct GivenUp {
  Matrix& a;
  const ReadMatrix& read_again;
};

/// Carries out `plan` once. Without factors, or with a failed column, nothing is assessed.
Answer answer_once(Context& context, const System& system, const Plan& plan, const FactorCall& call,
                   const SolveOptions& options, const ProgressCallback& progress,
                   const GivenUp* given_up) {
  Answer answer;
  answer.plan = plan;
  if (given_up != nullptr && given_up->a.empty()) given_up->a = given_up->read_again();
  Solved solved = row_of(plan.method).factor(context, system, call, progress);
  answer.result = std::move(solved.result);
  if (solved.factors && !answer.result.failed_column) {
    if (given_up != nullptr) {
      LapTimer timer;
      given_up->a = given_up->read_again();
      check_shapes(system);  // the matrix read again may differ
      answer.result.times.check += timer.lap();
    }
    assess(context, *solved.factors, system, std::move(solved.scaled_x), options, progress, answer);
  }
  release(solved, answer);
  return answer;
}

/// As answer_once(), repeated as in repeat_until_co_resident().
Answer answer_by_plan(Context& context, const System& system, const Plan& plan,
                      const SolveOptions& options, const ProgressCallback& progress,
                      const GivenUp* given_up = nullptr) {
  const SystemSize size = size_of(system);
  FactorCall call = call_for(context, plan, options, size);
  call.later = built_ahead(context, size);
  if (given_up != nullptr) call.give_up_a = &given_up->a;
  return translate_opencl_errors([&] {
    int attempts = 0;
    Answer answer = repeat_until_co_resident(call.lu, [&](const LuOptions& lu) {
      ++attempts;
      FactorCall again = call;
      again.lu = lu;
      return answer_once(context, system, plan, again, options, progress, given_up);
    });
    answer.result.repeated = attempts > 1;
    return answer;
  });
}

/// The next step after `plan` gave `answer`, if there is one. Null `answer`: no usable kernel.
Next next_after(Context& context, const System& system, const SolveOptions& options,
                const Plan& plan, const Answer* answer) {
  const MethodRow& row = row_of(plan.method);
  if (row.next == nullptr) return {};
  return row.next({context, options, system, plan, answer});
}

bool is_finite(const System& system) {
  return find_nonfinite(system.a.values()) == system.a.values().size() &&
         find_nonfinite(system.b.values()) == system.b.values().size();
}

/// Replaces x by LAPACK's solution. The rest of `answer` stays the device's. Does nothing if there
/// is no LAPACK or if LAPACK finds A singular.
void try_lapack(Context& context, const System& system, const SolveOptions& options,
                const ProgressCallback& progress, Answer& answer) {
  if (!HostLapack::available() || !is_finite(system)) return;
  if (progress) progress("factorisation by the host's LAPACK", 0);
  LapTimer timer;
  HostLapack factors(system.a);
  if (factors.failed_column()) return;
  answer.result.x = system.b;
  factors.solve(answer.result.x);
  answer.result.failed_column.reset();
  answer.result.pivots.clear();  // those of the f32 factors
  answer.result.pivot_rows.clear();
  answer.by_lapack = true;
  answer.result.times.refine += timer.lap();
  assess(context, factors, system, answer.result.x, options, progress, answer);
}

/// Adds the times of two consecutive runs.
void add(SolveTimes& times, const SolveTimes& more) {
  for (double SolveTimes::*part :
       {&SolveTimes::build, &SolveTimes::upload, &SolveTimes::forward, &SolveTimes::backward,
        &SolveTimes::download, &SolveTimes::refine, &SolveTimes::trust, &SolveTimes::check,
        &SolveTimes::free})
    times.*part += more.*part;
}

}  // namespace

void prepare_every_method(Context& context, SystemSize size) {
  for (const SolveOptions& options : factorizations_on(context.profile()))
    prepare(context, options, size);
  if (size.n >= kLargestAhead) return;
  SolveOptions larger;
  larger.method = Method::lu;
  larger.trust = true;
  larger.type = context.profile().fp64 ? RealType::f64 : RealType::f32;
  prepare(context, larger, {kLargestAhead, 1});
}

std::function<void()> built_ahead(Context& context, SystemSize size) {
  constexpr std::uint64_t kLeastMemory = std::uint64_t{20} << 30U;
  if (size.n > kLargestAhead || context.profile().global_mem_bytes < kLeastMemory) return {};
  return [&context, size] { prepare_every_method(context, size); };
}

Answer answer_by_factors(Context& context, const System& system, Plan plan,
                         const SolveOptions& options, const ProgressCallback& progress) {
  std::string doubts;
  SolveTimes spent;
  const bool transposed = plan.transposed;
  for (;;) {
    plan.transposed = transposed && !row_of(plan.method).symmetric;
    Answer answer;
    Next next;
    try {
      answer = answer_by_plan(context, system, plan, options, progress);
      next = next_after(context, system, options, plan, &answer);
    } catch (const NoUsableKernel&) {  // the self-tests say why
      next = next_after(context, system, options, plan, nullptr);
      if (!next.plan) throw;
    }
    if (!next.doubt.empty()) doubts += (doubts.empty() ? "" : ", ") + next.doubt;
    if (next.lapack) try_lapack(context, system, options, progress, answer);
    add(answer.result.times, spent);
    if (!next.plan) {
      answer.passed_over = std::move(doubts);
      return answer;
    }
    spent = answer.result.times;
    plan = *next.plan;
  }
}

Answer answer_in_place(Context& context, System system, const ReadMatrix& read_again,
                       const Plan& plan, const SolveOptions& options,
                       const ProgressCallback& progress) {
  Plan in_place = plan;
  in_place.in_place = true;
  const GivenUp given_up{system.a, read_again};
  Answer answer = answer_by_plan(context, system, in_place, options, progress, &given_up);
  answer.passed_over = next_after(context, system, options, in_place, &answer).doubt;
  return answer;
}

}  // namespace clgauss
