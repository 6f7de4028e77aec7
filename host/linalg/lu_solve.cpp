#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lu.hpp>
#include <cmath>

#include "linalg/transfer.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

/// Up to this n a GPU factors and solves in one launch, which cannot be timed in two parts.
constexpr Index kOneLaunch = 128;

/// Leading dimension of an n-by-n matrix of our own: whole lines of 128 bytes, so that every row starts aligned; and no
/// multiple of 4096 bytes, at which the rows of a column would share one set of a CPU's caches.
Index padded_ld(Index n, RealType type) {
  const Index line = 128 / bytes_of(type);
  const Index ld = (n + line - 1) / line * line;
  return ld * bytes_of(type) % 4096 == 0 ? ld + line : ld;
}

/// A and B of a system on the device; A becomes L and U, B becomes X.
struct LuBuffers {
  Index n, nrhs;
  MatrixView a, b;
  cl::Buffer diagonal;

  LuBuffers(const DeviceContext& context, const System& system, RealType type)
      : n(system.a.rows()), nrhs(system.b.cols()) {
    const std::uint64_t element = bytes_of(type);
    const std::string what = fmt::format("the {} system of n = {} with {} right-hand side{}",
                                         real_type_name(type), n, nrhs, nrhs == 1 ? "" : "s");
    a.ld = padded_ld(n, type);
    b.ld = nrhs;
    context.require_memory((n * (a.ld + nrhs) + n) * element, what);
    a.buffer = context.allocate(n * a.ld * element, what);
    b.buffer = context.allocate(n * nrhs * element, what);
    diagonal = context.allocate(n * element, what);
  }
};

/// The pivots, from the diagonal of U.
std::vector<double> read_diagonal(DeviceContext& context, const LuBuffers& buffers, RealType type) {
  Kernel kernel = context.programs().kernel("gauss.cl", "gauss_diagonal", real_defines(type));
  kernel.set_arguments(buffers.a.buffer, cl_ulong{buffers.a.ld}, buffers.diagonal);
  context.queue().enqueueNDRangeKernel(kernel.handle, cl::NullRange, cl::NDRange(buffers.n));
  return download(context.queue(), buffers.diagonal, type, buffers.n);
}

EliminationResult factor_and_solve(DeviceContext& context, const System& system, RealType type,
                                   const LuOptions& options, const ProgressCallback& progress) {
  const auto report = [&](const char* what) {
    if (progress) progress(what, 0);
  };
  EliminationResult result;
  LapTimer timer;
  report("building the kernels");
  const LuBuffers buffers(context, system, type);
  const auto lu = make_lu(context, type, buffers.n, options);
  lu->prepare(buffers.a, buffers.nrhs);
  result.times.build = timer.lap();

  const cl::CommandQueue& queue = context.queue();
  report("upload");
  upload_rows(queue, buffers.a.buffer, buffers.a.ld, type, {&system.a});
  upload_rows(queue, buffers.b.buffer, buffers.b.ld, type, {&system.b});
  result.times.upload = timer.lap();

  report("factorisation");
  if (buffers.n <= kOneLaunch && buffers.nrhs <= 1) {
    lu->factor_and_solve(buffers.a, buffers.b, buffers.nrhs);
    queue.finish();
    result.times.forward = timer.lap();
  } else {
    lu->factor(buffers.a);
    queue.finish();
    result.times.forward = timer.lap();
    report("substitution");
    lu->solve(buffers.b, buffers.nrhs);
    queue.finish();
    result.times.backward = timer.lap();
  }

  result.pivoting = lu->pivoting();
  result.failed_column = lu->failed_column();
  result.pivots = read_diagonal(context, buffers, type);
  const std::vector<Index> pivots = lu->pivots();
  for (Index k = 0; k < pivots.size(); ++k) result.row_exchanges += pivots[k] != k ? 1 : 0;
  // An infinite pivot is no zero, but no answer can come of it either.
  const auto bad =
      std::ranges::find_if(result.pivots, [](double p) { return p == 0 || !std::isfinite(p); });
  if (bad != result.pivots.end())
    result.failed_column = static_cast<Index>(bad - result.pivots.begin());
  result.x = Matrix(buffers.n, buffers.nrhs,
                    download(queue, buffers.b.buffer, type, buffers.n * buffers.nrhs));
  result.times.download = timer.lap();
  return result;
}

}  // namespace

LuFactors lu_factor(DeviceContext& context, RealType type, const MatrixView& a, Index n,
                    const LuOptions& options) {
  LuFactors factors{make_lu(context, type, n, options), &context, type, n, a};
  factors.lu->factor(a);
  return factors;
}

LuFactors lu_factor(DeviceContext& context, RealType type, const Matrix& a,
                    const LuOptions& options) {
  check_system({a, Matrix(a.rows(), 0)}, type);
  const Index n = a.rows(), ld = padded_ld(n, type);
  return translate_opencl_errors([&] {
    const MatrixView copy{context.allocate(n * ld * bytes_of(type), "the matrix to factor"), 0, ld};
    upload_rows(context.queue(), copy.buffer, ld, type, {&a});
    return lu_factor(context, type, copy, n, options);
  });
}

void lu_solve(const LuFactors& factors, const MatrixView& b, Index nrhs) {
  factors.lu->solve(b, nrhs);
}

Matrix lu_solve(const LuFactors& factors, const Matrix& b) {
  if (b.rows() != factors.n)
    throw DimensionError(fmt::format("b has {} rows, A has {}", b.rows(), factors.n));
  return translate_opencl_errors([&] {
    const cl::CommandQueue& queue = factors.context->queue();
    const Index count = b.rows() * b.cols();
    const MatrixView x{
        factors.context->allocate(count * bytes_of(factors.type), "the right-hand sides"), 0,
        b.cols()};
    upload_rows(queue, x.buffer, x.ld, factors.type, {&b});
    lu_solve(factors, x, b.cols());
    return Matrix(b.rows(), b.cols(), download(queue, x.buffer, factors.type, count));
  });
}

EliminationResult lu_solve_system(DeviceContext& context, const System& system, RealType type,
                                  const LuOptions& options, const ProgressCallback& progress) {
  check_system(system, type);
  if (system.a.rows() == 0) return {Matrix(0, system.b.cols()), {}, 0, {}, options.pivoting, {}};
  return translate_opencl_errors(
      [&] { return factor_and_solve(context, system, type, options, progress); });
}

}  // namespace clgauss
