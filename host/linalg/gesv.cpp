#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>

#include "io/memory.hpp"
#include "kernels/lu_small.hpp"
#include "linalg/gesv.hpp"
#include "linalg/lu_backend.hpp"
#include "linalg/memory_need.hpp"
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
    a.buffer = context.allocate(n * a.ld * element, what);
    b.buffer = context.allocate(n * nrhs * element, what);
    diagonal = context.allocate(n * element, what);
  }
};

/// Asks for all that will be needed at once. `keeps_a`: the host's copy of A stays.
void require_memory_for(Context& context, const System& system, RealType type, const LuSpec& spec,
                        bool keeps_a) {
  const Index n = system.a.rows(), nrhs = system.b.cols();
  const std::uint64_t element = bytes_of(type);
  MemoryNeed need{system_text(system, type), type, n * padded_ld(n, type) * element,
                  n * nrhs * element};
  need.workspace = lu_workspace_bytes(context.profile(), spec, type, n, nrhs) + n * element;
  need.host_copy = keeps_a ? n * n * sizeof(double) : 0;
  require_memory(need, context.profile(), io::physical_memory());
}

/// The pivots, from the diagonal of U.
Values read_diagonal(Context& context, LuBackend& lu, const LuBuffers& buffers, RealType type) {
  std::optional<Kernel> kernel = lu.diagonal_kernel();
  if (!kernel) kernel = context.programs().kernel("diagonal.cl", "diagonal", real_defines(type));
  enqueue_diagonal(context.queue(), *kernel, buffers.a, buffers.n, buffers.diagonal);
  return download_diagonal(context.queue(), buffers.a, buffers.diagonal, type, buffers.n);
}

/// Writes A to the device, scaled.
using UploadMatrix = std::function<void(const LuBuffers&, const Scaling&)>;

EliminationResult factor_and_solve(Context& context, const System& system, RealType type,
                                   const LuOptions& options, const ProgressCallback& progress,
                                   const UploadMatrix& upload_a) {
  const auto report = [&](const char* what) {
    if (progress) progress(what, 0);
  };
  EliminationResult result;
  LapTimer timer;
  report("building the kernels");
  LuBuffers buffers(context, system, type);
  auto lu = make_lu_backend(context, type, buffers.n, options,
                            lu_spec_for(context, type, buffers.n, options));
  lu->prepare(buffers.a, buffers.nrhs);
  result.times.build = timer.lap();

  const cl::CommandQueue& queue = context.queue();
  report("upload");
  const Scaling scaling = scaling_for(system, type);
  upload_a(buffers, scaling);
  upload_rows(queue, buffers.b.buffer, buffers.b.ld, type,
              {scaled_right_hand_sides(system, scaling)});
  result.times.upload = timer.lap();

  report("factorisation");
  if (buffers.n <= kLargestSmallSystem && buffers.nrhs <= 1) {
    (void)lu->gesv(queue, buffers.a, buffers.b, buffers.nrhs);  // failed_column() tells
    queue.finish();
    result.times.forward = timer.lap();
  } else {
    lu->getrf(queue, buffers.a);
    queue.finish();
    result.times.forward = timer.lap();
    report("substitution");
    (void)lu->getrs(queue, buffers.a, buffers.b, buffers.nrhs);
    queue.finish();
    result.times.backward = timer.lap();
  }

  result.pivoting = lu->pivoting();
  result.failed_column = lu->failed_column(queue);
  result.pivots = read_diagonal(context, *lu, buffers, type);
  judge_pivots(result, read_twice([&] { return lu->pivots(queue); }));
  result.x = Matrix(buffers.n, buffers.nrhs,
                    download(queue, buffers.b.buffer, type, buffers.n * buffers.nrhs));
  scale_back(scaling, result);
  result.times.download = timer.lap();

  lu.reset();
  buffers = {};
  result.times.free = timer.lap();
  return result;
}

}  // namespace

EliminationResult repeat_by_tournament(
    const LuOptions& options, const std::function<EliminationResult(const LuOptions&)>& attempt) {
  try {
    return attempt(options);
  } catch (const CoResidencyLost&) {
    LuOptions tournament = options;
    tournament.pivoting = Pivoting::tournament;
    EliminationResult result = attempt(tournament);
    result.repeated = true;
    return result;
  }
}

EliminationResult gesv(Context& context, const System& system, RealType type,
                       const LuOptions& options, const ProgressCallback& progress) {
  check_shapes(system);
  if (system.a.rows() == 0) return empty_result(system, options.pivoting);
  require_memory_for(context, system, type, lu_spec_for(context, type, system.a.rows(), options),
                     true);
  const auto upload = [&](const LuBuffers& buffers, const Scaling& scaling) {
    upload_rows(context.queue(), buffers.a.buffer, buffers.a.ld, type,
                {scaled_matrix(system, scaling)});
  };
  return translate_opencl_errors([&] {
    return repeat_by_tournament(options, [&](const LuOptions& attempt) {
      return factor_and_solve(context, system, type, attempt, progress, upload);
    });
  });
}

EliminationResult gesv_in_place(Context& context, System& system, RealType type,
                                const ReadMatrix& read_again, const LuOptions& options,
                                const ProgressCallback& progress) {
  check_shapes(system);
  if (system.a.rows() == 0) return empty_result(system, options.pivoting);
  require_memory_for(context, system, type, lu_spec_for(context, type, system.a.rows(), options),
                     false);
  const auto upload = [&](const LuBuffers& buffers, const Scaling& scaling) {
    upload_and_release(context.queue(), buffers.a.buffer, buffers.a.ld, type, system.a, scaling);
  };
  return translate_opencl_errors([&] {
    return repeat_by_tournament(options, [&](const LuOptions& attempt) {
      if (system.a.empty()) system.a = read_again();
      check_shapes(system);  // what was read again may be another matrix
      return factor_and_solve(context, system, type, attempt, progress, upload);
    });
  });
}

}  // namespace clgauss
