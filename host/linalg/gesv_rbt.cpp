#include "linalg/gesv_rbt.hpp"

#include <clgauss/error.hpp>

#include "io/memory.hpp"
#include "linalg/integer_operator.hpp"
#include "linalg/memory_need.hpp"
#include "linalg/rbt.hpp"
#include "linalg/refine.hpp"
#include "linalg/solve_again.hpp"
#include "matrix/transfer.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

void require_memory_for(const Context& context, const System& system, RealType input) {
  const DeviceProfile& device = context.profile();
  const Index n = system.a.rows(), nrhs = system.b.cols();
  MemoryNeed need{system_text(system, input), input, n * padded_ld(n, input) * bytes_of(input),
                  n * nrhs * sizeof(float)};
  need.workspace = rbt_workspace_bytes(device, RealType::f32, n, nrhs);
  if (input == RealType::f64) need.workspace += DeviceOperator::bytes(n, nrhs);
  need.host_copy = n * n * sizeof(double);
  require_memory(need, device, io::physical_memory());
}

/// `scaling` leaves the matrix as it is.
EliminationResult solve_by_butterflies(Context& context, const System& system, RealType input,
                                       const Scaling& scaling, const GesvCall& call,
                                       const ProgressCallback& progress) {
  const Index n = system.a.rows(), nrhs = system.b.cols();
  const cl::CommandQueue& queue = context.queue();
  const auto report = [&](const char* what) {
    if (progress) progress(what, 0);
  };
  EliminationResult result;
  result.pivoting = Pivoting::none;
  LapTimer timer;
  report("building the kernels");
  RbtOptions rbt_options;
  rbt_options.gemm = call.lu.gemm;
  MatrixView a{{}, 0, padded_ld(n, input)};
  a.buffer = context.allocate(n * a.ld * bytes_of(input), "A");
  const MatrixView b{context.allocate(n * nrhs * sizeof(float), "B"), 0, nrhs};
  std::optional<RbtLu> made;
  std::optional<DeviceOperator> in_f64;
  context.programs().prepare([&] {
    in_f64.reset();
    made.reset();
    made.emplace(context, RealType::f32, input, n, rbt_options);
    made->prepare(nrhs);
    if (call.estimate_columns > 0) {
      try {
        made->prepare_both(call.estimate_columns);
      } catch (const NoUsableKernel&) {  // the verdicts say why; there will be no estimate
      }
    }
    if (input == RealType::f64) in_f64.emplace(context, a, n, nrhs);
  });
  RbtLu& rbt = *made;
  result.times.build = timer.lap();

  report("upload");
  upload_rows(context, a.buffer, a.ld, input, {&system.a});
  if (in_f64) in_f64->set_right_hand_sides(system.b);
  result.times.upload = timer.lap();

  report("factorisation");
  rbt.factor(queue, a, progress);
  queue.finish();
  result.times.forward = timer.lap();
  const RbtOutcome outcome = rbt.outcome(queue);
  if (!outcome.ok()) return result;

  report("substitution");
  const auto getrs = [&] { rbt.solve(queue, b, nrhs); };
  const ApproximateSolve solve = [&](Matrix& r) {
    solve_again(context, getrs, b, RealType::f32, {}, r);
  };
  const std::unique_ptr<SystemOperator> without_fp64 =
      in_f64 ? nullptr : residuals_without_fp64(context, system);
  SystemOperator& residuals = in_f64 ? *in_f64 : *without_fp64;
  if (in_f64 && nrhs == 1) {
    result.refinement = refine_from_zero(*in_f64, {b.buffer, getrs}, solve, progress);
    result.x = in_f64->x();
  } else {
    result.x = system.b;
    solve(result.x);
    result.times.backward = timer.lap();
    result.refinement = refine(residuals, solve, result.x, progress);
  }
  result.times.refine = timer.lap();
  if (!result.refinement.accepted || !call.polish) return result;

  LiveFactors live;
  live.inverse = live.scaled_inverse =
      inverse_by_solves(context, RealType::f32, n, scaling,
                        [&](bool transposed, const MatrixView& vectors, Index columns) {
                          if (transposed)
                            rbt.solve_transposed(queue, vectors, columns);
                          else
                            rbt.solve(queue, vectors, columns);
                        });
  if (in_f64) live.residual_on_device = residual_by(*in_f64, system);
  live.growth = outcome.growth;
  live.scaling = &scaling;
  call.polish(result, live);
  return result;
}

}  // namespace

EliminationResult gesv_rbt(Context& context, const System& system, const GesvCall& call,
                           const ProgressCallback& progress) {
  check_shapes(system);
  const Scaling scaling = scaling_for(system, RealType::f32, call.equilibration);
  const bool plain = scaling.finite && scaling.rows.empty() && scaling.columns.empty();
  // Butterflies add rows and columns: those that f32 holds only scaled differ too much in size for that.
  if (!plain || system.a.rows() == 0 || system.b.cols() == 0) return {};
  const RealType input = context.profile().fp64 ? RealType::f64 : RealType::f32;
  require_memory_for(context, system, input);
  return translate_opencl_errors(
      [&] { return solve_by_butterflies(context, system, input, scaling, call, progress); });
}

}  // namespace clgauss
