#include "linalg/elimination/iterations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <cmath>
#include <vector>

#include "io/memory.hpp"
#include "kernels/elimination/iterations.hpp"
#include "lap_timer.hpp"
#include "linalg/lu/pivots.hpp"
#include "linalg/solve/memory_need.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "matrix/transposed.hpp"
#include "opencl_error.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

/// The largest change of a number, and the largest number, of one right-hand side.
struct Change {
  double change = 0, x = 0;
};

Change change_of(std::span<const double> before, std::span<const double> after) {
  Change largest;
  for (Index i = 0; i < after.size(); ++i) {
    largest.change = max_or_nan(largest.change, std::abs(after[i] - before[i]));
    largest.x = max_or_nan(largest.x, std::abs(after[i]));
  }
  return largest;
}

/// Relative change of a right-hand side: its largest change over its largest number. Returns the
/// worst of all right-hand sides; NaN if a number is not finite.
double relative_change(const Values& before, const Values& after, Index n) {
  double worst = 0;
  for (Index first = 0; first < after.size(); first += n) {
    const Change of_one =
        change_of(std::span(before).subspan(first, n), std::span(after).subspan(first, n));
    worst = max_or_nan(worst, of_one.change == 0 ? 0 : of_one.change / of_one.x);
  }
  return worst;
}

EliminationResult sweep_until_still(Context& context, const System& system, Method method,
                                    RealType type, Index most, const ProgressCallback& progress,
                                    Iterations& done) {
  const Index n = system.a.rows(), nrhs = system.b.cols();
  const auto report = [&](const char* what) {
    if (progress) progress(what, 0);
  };
  EliminationResult result;
  result.pivoting = Pivoting::none;
  LapTimer timer;
  report("building the kernels");
  IterationKernels kernels(context, type);
  const std::string what = system_text(size_of(system), type);
  const std::uint64_t element = bytes_of(type);
  MatrixView a{{}, 0, padded_ld(n, type)};
  a.buffer = context.allocate(n * a.ld * element, what);
  const auto vectors = [&] { return context.allocate(n * nrhs * element, what); };
  IterationKernels::Operands operands{a, vectors(), vectors(), static_cast<cl_uint>(n),
                                      static_cast<cl_uint>(nrhs)};
  cl::Buffer next = vectors();
  result.times.build = timer.lap();

  report("upload");
  upload_rows(context, a.buffer, a.ld, type, {&system.a});
  Values x(n * nrhs, 0.0);
  upload_values(context, operands.b, type, transposed(system.b.values(), n, nrhs));
  upload_values(context, operands.x, type, x);
  result.times.upload = timer.lap();

  report("iterations");
  const double still = 16 * unit_roundoff(type);
  double change = 0;
  while (done.count < most && !done.converged) {
    if (method == Method::jacobi) {
      kernels.jacobi(operands, next);
      std::swap(operands.x, next);
    } else {
      kernels.seidel(operands);
    }
    ++done.count;
    Values after = download(context.queue(), operands.x, type, n * nrhs);
    change = relative_change(x, after, n);
    x = std::move(after);
    if (std::isnan(change)) break;
    done.converged = change <= still;
    report("iterations");
  }
  done.error_bound = done.contraction / (1 - done.contraction) * change;
  result.times.forward = timer.lap();
  result.x = Matrix(n, nrhs, transposed(x, nrhs, n));
  result.finite_input = find_nonfinite(system.b.values()) == system.b.values().size();
  result.times.download = timer.lap();
  return result;
}

}  // namespace

double dominance_of(const Matrix& a, Method method) {
  const Index n = a.rows();
  std::vector<double> sums(n);
  in_parallel(n, kElementsPerThread / std::max<Index>(n, 1) + 1, [&](Index first, Index last) {
    for (Index i = first; i < last; ++i) {
      double sum = 0;
      for (Index j = 0; j < n; ++j) sum += j == i ? 0 : std::abs(a(i, j));
      sums[i] = sum;
    }
  });
  double contraction = 0;
  for (Index i = 0; i < n; ++i) {
    const double diagonal = std::abs(a(i, i));
    if (!(sums[i] < diagonal && std::isfinite(diagonal)))
      throw ValueError(fmt::format(
          "row {} of A is not strictly diagonally dominant (|a_ii| = {:.3g}, the others of the row "
          "make {:.3g}): the method {} is sure to converge only where every row is; the method lu "
          "takes any A",
          i + 1, diagonal, sums[i], method_name(method)));
    contraction = std::max(contraction, sums[i] / diagonal);
  }
  return contraction;
}

EliminationResult iterate(Context& context, const System& system, Method method, RealType type,
                          Index most, const ProgressCallback& progress, Iterations& done) {
  check_system(system, type);
  const Index n = system.a.rows(), nrhs = system.b.cols();
  done.contraction = dominance_of(system.a, method);
  done.converged = n == 0 || nrhs == 0;
  if (n == 0) return empty_result(system, Pivoting::none);
  const std::uint64_t element = bytes_of(type);
  MemoryNeed need{system_text(size_of(system), type), type, n * padded_ld(n, type) * element,
                  n * nrhs * element};
  need.workspace = 2 * n * nrhs * element;
  need.host_copy = n * n * sizeof(double);
  require_memory(need, context.profile(), io::physical_memory());
  return translate_opencl_errors(
      [&] { return sweep_until_still(context, system, method, type, most, progress, done); });
}

}  // namespace clgauss
