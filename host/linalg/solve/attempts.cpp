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
                    const System& system) {
  const bool maximum = plan.accuracy == Accuracy::maximum;
  FactorCall call{.type = plan.type,
                  .lu = options.lu,
                  .equilibration = options.equilibration,
                  .keeps_f64 = context.profile().fp64 && !plan.in_place &&
                               (options.judge == Judge::device || (plan.refines() && !maximum)),
                  .extra_precise = maximum};
  call.lu.pivoting = options.pivoting;
  call.lu.positive_definite = row_of(plan.method).definite;
  call.lu.symmetric = row_of(plan.method).symmetric && !row_of(plan.method).definite;
  const Index n = system.a.rows();
  if ((options.trust || options.doubt) && n > kLargestOnHost) {
    call.estimate_columns = columns_of_trust(system.b.cols());
    call.question = options.trust ? first_question(n) : doubt_question(n);
  }
  return call;
}

/// The answer of one plan. `solve_and_assess(call, answer)` factors, and assesses an answer that
/// has no failed column.
template <typename SolveAndAssess>
Answer attempt(const Plan& plan, const FactorCall& call, const SolveAndAssess& solve_and_assess) {
  return translate_opencl_errors([&] {
    int attempts = 0;
    Answer answer = repeat_until_co_resident(call.lu, [&](const LuOptions& lu) {
      ++attempts;
      FactorCall again = call;
      again.lu = lu;
      Answer one;
      one.plan = plan;
      solve_and_assess(again, one);
      return one;
    });
    answer.result.repeated = attempts > 1;
    return answer;
  });
}

void release(Solved& solved, Answer& answer) {
  LapTimer timer;
  if (solved.factors) solved.factors->release();
  solved.factors.reset();
  answer.result.times.free = timer.lap();
}

Answer answer_by_plan(Context& context, const System& system, const Plan& plan,
                      const SolveOptions& options, const ProgressCallback& progress) {
  const FactorCall call = call_for(context, plan, options, system);
  return attempt(plan, call, [&](const FactorCall& again, Answer& answer) {
    Solved solved = row_of(plan.method).factor(context, system, again, progress);
    answer.result = std::move(solved.result);
    if (solved.factors && !answer.result.failed_column)
      assess(context, *solved.factors, system, std::move(solved.scaled_x), options, progress,
             answer);
    release(solved, answer);
  });
}

/// The host's LAPACK, the last resort where a device has no fp64.
class LapackFactors : public Factored {
 public:
  explicit LapackFactors(const System& system)
      : Factored(scaling_that_keeps(system.a)), lapack_(system.a) {}

  [[nodiscard]] bool usable() const { return !lapack_.failed_column(); }
  [[nodiscard]] double reciprocal_growth(const Matrix& /*a*/) override { return 1; }  // not known
  [[nodiscard]] bool on_device() const override { return false; }

 protected:
  void apply_inverse(bool transposed, const Scaling& /*by: nothing*/, Matrix& x) override {
    if (transposed)
      lapack_.solve_transposed(x);
    else
      lapack_.solve(x);
  }

 private:
  static Scaling scaling_that_keeps(const Matrix& a) {
    Scaling scaling;
    scaling.size = size_of(a);
    return scaling;
  }

  HostLapack lapack_;
};

bool is_finite(const System& system) {
  return find_nonfinite(system.a.values()) == system.a.values().size() &&
         find_nonfinite(system.b.values()) == system.b.values().size();
}

/// x by LAPACK; what else `answer` says stays that of the device. Without a LAPACK, and where that
/// finds A singular, nothing changes.
void try_lapack(Context& context, const System& system, const SolveOptions& options,
                const ProgressCallback& progress, Answer& answer) {
  if (!HostLapack::available() || !is_finite(system)) return;
  if (progress) progress("factorisation by the host's LAPACK", 0);
  LapTimer timer;
  LapackFactors factors(system);
  if (!factors.usable()) return;
  answer.result.x = system.b;
  factors.solve(answer.result.x);
  answer.result.failed_column.reset();
  answer.result.pivots.clear();  // those of f32
  answer.result.pivot_rows.clear();
  answer.by_lapack = true;
  answer.result.times.refine += timer.lap();
  assess(context, factors, system, answer.result.x, options, progress, answer);
}

/// The times of two runs, one after the other.
void add(SolveTimes& times, const SolveTimes& more) {
  for (double SolveTimes::*part :
       {&SolveTimes::build, &SolveTimes::upload, &SolveTimes::forward, &SolveTimes::backward,
        &SolveTimes::download, &SolveTimes::refine, &SolveTimes::trust, &SolveTimes::check,
        &SolveTimes::free})
    times.*part += more.*part;
}

}  // namespace

Answer answer_by_factors(Context& context, const System& system, Plan plan,
                         const SolveOptions& options, const ProgressCallback& progress) {
  std::string doubts;
  SolveTimes spent;
  for (;;) {
    const MethodRow& row = row_of(plan.method);
    const auto next_after = [&](const Answer* answer) {
      return row.next ? row.next({context, options, system.a.rows(), system.b.cols(), plan, answer})
                      : Next{};
    };
    Answer answer;
    Next next;
    try {
      answer = answer_by_plan(context, system, plan, options, progress);
      next = next_after(&answer);
    } catch (const NoUsableKernel&) {  // the verdicts say why
      next = next_after(nullptr);
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
  FactorCall call = call_for(context, in_place, options, system);
  call.give_up_a = &system.a;
  Answer answer = attempt(in_place, call, [&](const FactorCall& again, Answer& one) {
    if (system.a.empty()) system.a = read_again();
    Solved solved = row_of(plan.method).factor(context, system, again, progress);
    one.result = std::move(solved.result);
    if (solved.factors && !one.result.failed_column) {
      LapTimer timer;
      system.a = read_again();
      check_shapes(system);  // it may be another matrix
      one.result.times.check += timer.lap();
      assess(context, *solved.factors, system, std::move(solved.scaled_x), options, progress, one);
    }
    release(solved, one);
  });
  if (row_of(plan.method).next)
    answer.passed_over =
        row_of(plan.method)
            .next({context, options, system.a.rows(), system.b.cols(), in_place, &answer})
            .doubt;
  return answer;
}

}  // namespace clgauss
