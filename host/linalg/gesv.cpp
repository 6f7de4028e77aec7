#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <limits>
#include <tuple>
#include <utility>

#include "io/memory.hpp"
#include "kernels/lu_small.hpp"
#include "kernels/upper_maxima.hpp"
#include "launch/staging.hpp"
#include "linalg/device_operator.hpp"
#include "linalg/extra_precise.hpp"
#include "linalg/gesv.hpp"
#include "linalg/lu_backend.hpp"
#include "linalg/memory_need.hpp"
#include "linalg/norm_estimator.hpp"
#include "linalg/solve_again.hpp"
#include "matrix/transfer.hpp"
#include "matrix/view_check.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

/// A and B of a system on the device; A becomes L and U, B becomes X.
struct LuBuffers {
  Index n = 0, nrhs = 0;
  MatrixView a, b;
  cl::Buffer diagonal;

  LuBuffers() = default;
  LuBuffers(const Context& context, const System& system, RealType type)
      : n(system.a.rows()), nrhs(system.b.cols()) {
    const std::uint64_t element = bytes_of(type);
    const std::string what = system_text(system, type);
    a.ld = padded_ld(n, type);
    b.ld = nrhs;
    a.buffer = context.staging().matrices().take(context, n * a.ld * element, what);
    b.buffer = context.allocate(n * nrhs * element, what);
    diagonal = context.allocate(n * element, what);
  }
};

/// Asks for all that will be needed at once. `keeps_a`: the host's copy of A stays.
void require_memory_for(Context& context, const System& system, const GesvCall& call,
                        bool keeps_a) {
  const Index n = system.a.rows(), nrhs = system.b.cols();
  const RealType type = call.type;
  const LuSpec spec = lu_spec_for(context, type, n, call.lu);
  const std::uint64_t element = bytes_of(type);
  MemoryNeed need{system_text(system, type), type, n * padded_ld(n, type) * element,
                  n * nrhs * element};
  need.workspace = n * element + lu_workspace_bytes(context.profile(), spec, type, n, nrhs,
                                                    call.lu.positive_definite);
  if (call.keeps_f64)
    need.workspace +=
        n * padded_ld(n, RealType::f64) * sizeof(double) + DeviceOperator::bytes(n, nrhs);
  if (call.extra_precise && context.profile().fp64)
    need.workspace += ExtraPreciseDevice::bytes(n, nrhs);
  need.host_copy = keeps_a ? n * n * sizeof(double) : 0;
  require_memory(need, context.profile(), io::physical_memory());
}

double least_normal(RealType type) {
  return type == RealType::f32 ? static_cast<double>(std::numeric_limits<float>::min())
                               : std::numeric_limits<double>::min();
}

/// The pivots, from the diagonal of U.
Values read_diagonal(Context& context, Kernel& diagonal, const LuBuffers& buffers, RealType type) {
  enqueue_diagonal(context.queue(), diagonal, buffers.a, buffers.n, buffers.diagonal);
  return download_diagonal(context.queue(), buffers.a, buffers.diagonal, type, buffers.n);
}

/// Writes A to the device, scaled.
using UploadMatrix = std::function<void(const LuBuffers&, const Scaling&)>;

/// On the device where that has fp64 and a kernel for it.
std::unique_ptr<ExtraPreciseOperator> extra_precise_operator(Context& context, const System& system,
                                                             const Scaling& scaling) {
  if (context.profile().fp64) {
    try {
      return std::make_unique<ExtraPreciseDevice>(context, system, scaling);
    } catch (const NoUsableKernel&) {  // the verdicts say why; the host can do it, too
    }
  }
  return std::make_unique<ExtraPreciseHost>(system, scaling);
}

/// Whether rcond's first question is solved with b, which reads the factors once for both. It does not hang on how A is scaled: kernels
/// for more columns add up in another order, and x is to have the same bits when A is multiplied by a power of two.
bool takes_question(const GesvCall& call) {
  return call.estimate_columns > 0 && call.equilibration != Equilibration::off &&
         !call.lu.positive_definite;
}

/// The first `count` columns, and the others.
std::pair<Matrix, Matrix> split_columns(Matrix all, Index count) {
  if (count == all.cols()) return {std::move(all), {}};
  std::pair<Matrix, Matrix> parts{Matrix(all.rows(), count),
                                  Matrix(all.rows(), all.cols() - count)};
  for (Index i = 0; i < all.rows(); ++i) {
    const std::span<const double> row = all.row(i);
    std::ranges::copy(row.first(count), parts.first.row(i).begin());
    std::ranges::copy(row.subspan(count), parts.second.row(i).begin());
  }
  return parts;
}

EliminationResult factor_and_solve(Context& context, const System& system, const GesvCall& call,
                                   const ProgressCallback& progress, const UploadMatrix& upload_a) {
  const RealType type = call.type;
  const auto report = [&](const char* what) {
    if (progress) progress(what, 0);
  };
  EliminationResult result;
  LapTimer timer;
  report("building the kernels");
  LuBuffers buffers(context, system, type);
  MatrixView a64;
  if (call.keeps_f64) {
    a64.ld = padded_ld(buffers.n, RealType::f64);
    a64.buffer = context.staging().matrices().take(context, buffers.n * a64.ld * sizeof(double),
                                                   "A in f64, for residuals");
  }
  std::unique_ptr<LuBackend> lu;
  std::optional<Kernel> diagonal;
  std::optional<DeviceOperator> in_f64;
  context.programs().prepare([&] {
    in_f64.reset();
    lu.reset();
    lu = make_lu_backend(context, type, buffers.n, call.lu,
                         lu_spec_for(context, type, buffers.n, call.lu));
    lu->prepare(buffers.a, buffers.nrhs);
    diagonal = lu->diagonal_kernel();
    if (!diagonal)
      diagonal = context.programs().kernel("diagonal.cl", "diagonal", real_defines(type));
    if (call.estimate_columns > 0) {
      try {
        lu->prepare_both(call.estimate_columns);
        prepare_upper_maximum(context, type, buffers.n);
      } catch (const NoUsableKernel&) {  // the verdicts say why; there will be no estimate
      }
    }
    if (call.keeps_f64) {
      try {
        in_f64.emplace(context, a64, buffers.n, buffers.nrhs);
      } catch (const NoUsableKernel&) {  // the verdicts say why; the host can do it, too
      }
    }
  });
  result.times.build = timer.lap();

  const cl::CommandQueue& queue = context.queue();
  report("upload");
  const Scaling scaling = call.lu.positive_definite
                              ? symmetric_scaling_for(system.a.rows(), system.b.cols(),
                                                      system.a.values(), system.b.values(), type)
                              : scaling_for(system, type, call.equilibration);
  if (!in_f64) {
    upload_a(buffers, scaling);
  } else {
    upload_rows(context, in_f64->a().buffer, in_f64->a().ld, RealType::f64, {&system.a});
    in_f64->set_right_hand_sides(system.b);
    if (!scaling.keeps_matrix())
      upload_a(buffers, scaling);
    else if (type == RealType::f32)
      in_f64->demote(buffers.a);
    else
      in_f64->copy_matrix(buffers.a.buffer);
  }
  const bool asks_first = takes_question(call);
  const Matrix question = asks_first ? first_question(buffers.n) : Matrix(buffers.n, 0);
  const Index columns = buffers.nrhs + question.cols();
  MatrixView b = buffers.b;
  if (asks_first)
    b = {context.allocate(buffers.n * columns * bytes_of(type), "b and a question"), 0, columns};
  upload_rows(context, b.buffer, b.ld, type, {scaled_right_hand_sides(system, scaling), &question});
  result.times.upload = timer.lap();

  report("factorisation");
  if (buffers.n <= kLargestSmallSystem && buffers.nrhs <= 1) {
    (void)lu->gesv(queue, buffers.a, b, columns);  // failed_column() tells
    queue.finish();
    result.times.forward = timer.lap();
  } else {
    lu->getrf(queue, buffers.a, progress);
    queue.finish();
    result.times.forward = timer.lap();
    report("substitution");
    (void)lu->getrs(queue, buffers.a, b, columns);
    queue.finish();
    result.times.backward = timer.lap();
  }

  result.pivoting = lu->pivoting();
  result.failed_column = lu->failed_column(queue);
  result.pivots = read_diagonal(context, *diagonal, buffers, type);
  judge_pivots(result, read_twice([&] { return lu->pivots(queue); }),
               call.lu.positive_definite ? std::optional(least_normal(type)) : std::nullopt);
  Matrix first_product;
  std::tie(result.x, first_product) = split_columns(
      Matrix(buffers.n, columns, download(queue, b.buffer, type, buffers.n * columns)),
      buffers.nrhs);
  const Matrix first_x = call.extra_precise ? result.x : Matrix();  // of the scaled system
  scale_back(scaling, result);
  result.times.download = timer.lap();

  if (call.polish && !result.failed_column) {
    const auto getrs = [&] { (void)lu->getrs(queue, buffers.a, buffers.b, buffers.nrhs); };
    const ApproximateSolve solve = [&](Matrix& r) {
      solve_again(context, getrs, buffers.b, type, scaling, r);
    };
    LiveFactors live;
    live.refine = [&](SystemOperator& other, Matrix& x) {
      if (!in_f64) return refine(other, solve, x, progress);
      std::optional<DeviceFactors> factors;
      if (type == RealType::f32 && scaling.keeps_matrix()) factors = {buffers.b.buffer, getrs};
      return refine(*in_f64, factors, solve, x, progress);
    };
    if (in_f64) live.residual_on_device = residual_by(*in_f64, system);
    live.refine_in_extra_precision = [&](Matrix& x) {
      const auto in_extra_precision = extra_precise_operator(context, system, scaling);
      const ApproximateSolve solve_scaled = [&](Matrix& r) {
        solve_again(context, getrs, buffers.b, type, {}, r);
      };
      x = first_x;
      Refinement refinement =
          clgauss::refine_in_extra_precision(*in_extra_precision, solve_scaled, x, progress);
      scale_back(scaling, x.cols(), x.values());
      return refinement;
    };
    const EnqueueSolve solve_with = [&](bool transposed, const MatrixView& b, Index columns) {
      if (transposed)
        lu->getrs_transposed(queue, buffers.a, b, columns);
      else
        (void)lu->getrs(queue, buffers.a, b, columns);
    };
    live.inverse = inverse_by_solves(context, type, buffers.n, scaling, solve_with);
    live.scaled_inverse = inverse_by_solves(context, type, buffers.n, {}, solve_with);
    live.largest_of_u = [&] { return upper_maximum(context, queue, type, buffers.a, buffers.n); };
    // estimate_trust_from() wants rows of about one size, and A as it is.
    if (scaling.keeps_matrix()) live.first_product = std::move(first_product);
    live.scaling = &scaling;
    call.polish(result, live);
    timer.lap();  // the polish keeps its own times
  }

  lu.reset();
  MatrixMemory& matrices = context.staging().matrices();
  in_f64.reset();
  if (call.keeps_f64)
    matrices.give(context, std::move(a64.buffer), buffers.n * a64.ld * sizeof(double));
  matrices.give(context, std::move(buffers.a.buffer), buffers.n * buffers.a.ld * bytes_of(type));
  buffers = {};
  result.times.free = timer.lap();
  return result;
}

GesvCall with(GesvCall call, const LuOptions& lu) {
  call.lu = lu;
  return call;
}

/// repeat_until_co_resident(), with EliminationResult::repeated.
template <typename Attempt>
EliminationResult repeated(const LuOptions& options, const Attempt& attempt) {
  int attempts = 0;
  EliminationResult result = repeat_until_co_resident(options, [&](const LuOptions& lu) {
    ++attempts;
    return attempt(lu);
  });
  result.repeated = attempts > 1;
  return result;
}

}  // namespace

std::function<std::optional<AnswerResidual>(const Matrix& x, double eps)> residual_by(
    DeviceOperator& in_f64, const System& system) {
  return [&](const Matrix& x, double eps) {
    Matrix r(x.rows(), x.cols()), d(x.rows(), x.cols());
    in_f64.residual(x, r, d);
    return confirmed_residual(system, x, eps, std::move(r), std::move(d), in_f64.row_sums());
  };
}

EliminationResult gesv(Context& context, const System& system, const GesvCall& call,
                       const ProgressCallback& progress) {
  check_shapes(system);
  if (system.a.rows() == 0) return empty_result(system, call.lu.pivoting);
  require_memory_for(context, system, call, true);
  const auto upload = [&](const LuBuffers& buffers, const Scaling& scaling) {
    upload_rows(context, buffers.a.buffer, buffers.a.ld, call.type,
                {scaled_matrix(system, scaling)});
  };
  return translate_opencl_errors([&] {
    return repeated(call.lu, [&](const LuOptions& attempt) {
      return factor_and_solve(context, system, with(call, attempt), progress, upload);
    });
  });
}

EliminationResult gesv_in_place(Context& context, System& system, const ReadMatrix& read_again,
                                const GesvCall& call, const ProgressCallback& progress) {
  check_shapes(system);
  if (system.a.rows() == 0) return empty_result(system, call.lu.pivoting);
  require_memory_for(context, system, call, false);
  const auto upload = [&](const LuBuffers& buffers, const Scaling& scaling) {
    upload_and_release(context, buffers.a.buffer, buffers.a.ld, call.type, system.a, scaling);
  };
  return translate_opencl_errors([&] {
    return repeated(call.lu, [&](const LuOptions& attempt) {
      if (system.a.empty()) system.a = read_again();
      check_shapes(system);  // what was read again may be another matrix
      return factor_and_solve(context, system, with(call, attempt), progress, upload);
    });
  });
}

}  // namespace clgauss
