// solve_batched(): solves the batch in chunks on the device and checks every answer on the host.

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/batched.hpp>
#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <cmath>
#include <exception>
#include <iterator>
#include <limits>
#include <map>
#include <optional>

#include "kernels/batched/known_answers.hpp"
#include "lap_timer.hpp"
#include "linalg/lu/pivots.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/scaling.hpp"
#include "matrix/shapes.hpp"
#include "matrix/symmetry.hpp"
#include "matrix/transfer.hpp"
#include "opencl_error.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

/// Bytes of matrices on the device at once. More is not faster, and the host holds a copy during
/// the transfer.
constexpr std::uint64_t kMostChunkBytes = std::uint64_t{1} << 30;

void check_shapes(const BatchedSystem& system) {
  const Batch &a = system.a, &b = system.b;
  const Index parts = system.parts();
  if (parts * a.rows != a.cols)
    throw DimensionError(fmt::format("the systems of the batch are {} x {}{}, not square", a.rows,
                                     a.cols, system.complex ? " parts of complex numbers" : ""));
  if (b.count != a.count || b.rows != a.rows || b.cols % parts != 0)
    throw DimensionError(
        fmt::format("b is {} x {} x {}, which does not belong to {} systems of n = {}", b.count,
                    b.rows, b.cols, a.count, a.rows));
  if (a.values.size() != a.count * a.rows * a.cols || b.values.size() != b.count * b.rows * b.cols)
    throw DimensionError("the batch holds other numbers of values than its shapes say");
}

/// Throws ValueError, naming the `method` and the first system that is not symmetric, or Hermitian.
void require_symmetric_kind(const BatchedSystem& system, std::string_view method) {
  const Batch& batch = system.a;
  for (Index s = 0; s < batch.count; ++s) {
    const auto a = batch.matrix(s);
    Matrix matrix(batch.rows, batch.cols, {a.begin(), a.end()});
    try {
      if (system.complex)
        require_hermitian(ComplexMatrix(std::move(matrix)), method);
      else
        require_symmetric(matrix, method);
    } catch (const ValueError& error) {
      throw ValueError(fmt::format("system [{}]: {}", s, error.what()));
    }
  }
}

/// Number of systems on the device at once.
Index chunk_of(const DeviceProfile& device, const BatchedSystem& system, RealType type,
               Index wanted) {
  const Batch &a = system.a, &b = system.b;
  const std::uint64_t limit =
      std::min({kMostChunkBytes, device.max_alloc_bytes, device.global_mem_bytes / 4});
  const Index numbers = std::max(a.rows * a.cols, b.rows * b.cols);
  const Index fitting = std::max<Index>(1, limit / (numbers * bytes_of(type)));
  return std::min(a.count, wanted != 0 ? std::min(wanted, fitting) : fitting);
}

/// The systems of a chunk that need scaling or are not finite, with their scaling, by system
/// number.
using Scalings = std::map<Index, Scaling>;

Scalings scalings_of(const BatchedSystem& system, Index first, Index count, RealType type,
                     const BatchedLuOptions& lu) {
  const bool definite = lu.positive_definite;
  const Batch &a = system.a, &b = system.b;
  const Index n = a.rows, nrhs = system.nrhs();
  const auto scaling_of = [&](Index s) {
    if (system.complex)
      return definite ? complex_definite_scaling_for(n, nrhs, a.matrix(s), b.matrix(s), type)
                      : complex_scaling_for(n, nrhs, a.matrix(s), b.matrix(s), type);
    if (lu.symmetric && !definite)
      return symmetric_scaling_for(sizes_of(a.matrix(s), n), nrhs, a.matrix(s), b.matrix(s), type);
    return definite ? definite_scaling_for(n, nrhs, a.matrix(s), b.matrix(s), type)
                    : scaling_for(n, nrhs, a.matrix(s), b.matrix(s), type);
  };
  const auto chunk = [&](const Batch& batch) {
    const Index size = batch.rows * batch.cols;
    return std::span(batch.values).subspan(first * size, count * size);
  };
  Scalings scalings;
  if (fits_range(chunk(a), chunk(b), type)) return scalings;
  for (Index s = first; s < first + count; ++s)
    if (!fits_range(a.matrix(s), b.matrix(s), type)) scalings.emplace(s, scaling_of(s));
  return scalings;
}

/// Buffers that the chunks use one after another.
class Chunks {
 public:
  Chunks(Context& context, RealType type, const BatchedSystem& system, Index chunk,
         const BatchedOptions& options)
      : context_(context),
        type_(type),
        system_(system),
        parts_(system.parts()),
        n_(system.a.rows),
        nrhs_(system.nrhs()),
        lu_(options.lu) {
    const auto buffer = [&](Index numbers, const char* what) {
      return context.allocate(numbers * parts_ * bytes_of(type), what);
    };
    const Index n = n_, nrhs = nrhs_;
    a_ = {buffer(chunk * n * n, "the matrices of a batch"), 0, n, n * n};
    b_ = {buffer(chunk * n * nrhs, "the right-hand sides of a batch"), 0, nrhs, n * nrhs};
    info_ = context.allocate(chunk * sizeof(cl_int), "the outcomes of a batch");
    if (options.trust) inverse_ = {buffer(chunk * n * n, "the inverses of a batch"), 0, n, n * n};
  }

  /// Solves systems [first, first + count) and stores the results in `solution`.
  void run(BatchedLu& lu, Index first, Index count, BatchedSolution& solution) {
    LapTimer timer;
    const cl::CommandQueue& queue = context_.queue();
    const Scalings scalings = scalings_of(system_, first, count, type_, lu_);
    upload(scalings, first, count);
    solution.times.upload += timer.lap();
    lu.factor_and_solve(a_, b_, nrhs_, count, info_);
    queue.finish();
    std::ranges::copy(lu.inertias(), std::back_inserter(solution.inertias));
    solution.times.forward += timer.lap();
    const Index size = parts_ * b_.stride;
    const auto x = download(queue, b_.buffer, type_, count * size);
    std::ranges::copy(x, solution.x.values.begin() + static_cast<std::ptrdiff_t>(first * size));
    for (const auto& [s, scaling] : scalings)
      scale_back(scaling, nrhs_, solution.x.matrix(s), parts_);
    std::vector<cl_int> info(count);
    queue.enqueueReadBuffer(info_, CL_TRUE, 0, count * sizeof(cl_int), info.data());
    solution.times.download += timer.lap();
    for (Index s = 0; s < count; ++s) {
      const auto special = scalings.find(first + s);
      judge(first + s, info[s], special == scalings.end() ? Scaling{} : special->second, solution);
    }
    timer.lap();
    if (inverse_.stride != 0) estimate(lu, first, info, scalings, solution);
    solution.times.trust += timer.lap();
  }

 private:
  void upload(const Scalings& scalings, Index first, Index count) const {
    const Index size_a = parts_ * a_.stride, size_b = parts_ * b_.stride;
    auto a = std::span(system_.a.values).subspan(first * size_a, count * size_a);
    auto b = std::span(system_.b.values).subspan(first * size_b, count * size_b);
    Values scaled_a, scaled_b;
    if (!scalings.empty()) {
      scaled_a.assign(a.begin(), a.end());
      scaled_b.assign(b.begin(), b.end());
      for (const auto& [s, scaling] : scalings)
        scale(scaling, n_, parts_, std::span(scaled_a).subspan((s - first) * size_a, size_a),
              std::span(scaled_b).subspan((s - first) * size_b, size_b));
      a = scaled_a;
      b = scaled_b;
    }
    upload_values(context_, a_.buffer, type_, a);
    upload_values(context_, b_.buffer, type_, b);
  }

  /// Estimates rcond of systems from `first` on, one for each `info`. `a_` must still hold their A.
  void estimate(BatchedLu& lu, Index first, const std::vector<cl_int>& info,
                const Scalings& scalings, BatchedSolution& solution) const {
    const Index n = n_, size = parts_ * n * n, count = info.size();
    Values ones(count * size, 0.0);
    for (Index s = 0; s < count; ++s)
      for (Index i = 0; i < n; ++i) ones[s * size + parts_ * (i * n + i)] = 1;
    upload_values(context_, inverse_.buffer, type_, ones);
    lu.factor_and_solve(a_, inverse_, n, count, info_);
    const Values inverses = download(context_.queue(), inverse_.buffer, type_, count * size);
    for (Index s = 0; s < count; ++s) {
      const auto x = std::as_const(solution.x).matrix(first + s);
      if (info[s] != 0 || std::isnan(x.empty() ? 0.0 : x.front())) continue;
      const auto special = scalings.find(first + s);
      const double norm = largest_column_sum(system_.a.matrix(first + s), {}),
                   of_inverse =
                       largest_column_sum(std::span(inverses).subspan(s * size, size),
                                          special == scalings.end() ? Scaling{} : special->second);
      const double rcond = std::isfinite(norm) && std::isfinite(of_inverse)
                               ? std::min(1.0, 1 / norm / of_inverse)
                               : 0.0;
      if (!solution.trust) solution.trust = BatchedTrust{rcond, first + s, 0};
      BatchedTrust& trust = *solution.trust;
      if (rcond < trust.worst_rcond) {
        trust.worst_rcond = rcond;
        trust.worst_system = first + s;
      }
      trust.below_eps += rcond >= unit_roundoff(type_) ? 0 : 1;
    }
  }

  /// The largest column sum of magnitudes of C M R, n-by-n, where M = A'^-1 of a scaled system.
  [[nodiscard]] double largest_column_sum(std::span<const double> m, const Scaling& scaling) const {
    std::vector<double> sums(n_, 0.0);
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < n_; ++j) {
        const int by = (scaling.columns.empty() ? 0 : scaling.columns[i]) +
                       (scaling.rows.empty() ? 0 : scaling.rows[j]);
        const double* const number = m.data() + parts_ * (i * n_ + j);
        const double magnitude =
            parts_ == 2 ? safe_modulus(number[0], number[1]) : std::abs(*number);
        sums[j] += by == 0 ? magnitude : times_power(magnitude, by);
      }
    double largest = 0;
    for (const double sum : sums) largest = max_or_nan(largest, sum);
    return largest;
  }

  /// Whether the zero or non-finite pivot of `column` results from leaving the type's range.
  [[nodiscard]] bool left_range(Index s, Index column, const Scaling& scaling) const {
    if (!scaling.finite || scaling.may_underflow || lu_.positive_definite || lu_.symmetric)
      return scaling.finite && scaling.may_underflow;
    const auto original = system_.a.matrix(s);
    Values a(original.begin(), original.end());
    scale(scaling, n_, parts_, a, {});
    return grows_beyond(type_, n_, parts_, a, column);
  }

  /// Records the outcome of system `s`, whose x has been read. `info` as in BatchFactors.
  void judge(Index s, cl_int info, const Scaling& scaling, BatchedSolution& solution) const {
    const auto x = solution.x.matrix(s);
    const auto is_finite = [](double value) { return std::isfinite(value); };
    const Index column = info == 0 ? n_ : checked_failed_column(static_cast<Index>(info) - 1, n_);
    if (info == 0 ? scaling.finite && !std::ranges::all_of(x, is_finite)
                  : left_range(s, column, scaling)) {
      solution.overflowed.push_back(s);
      std::ranges::fill(x, std::numeric_limits<double>::quiet_NaN());
    } else if (info != 0) {
      solution.singular.push_back(s);
      solution.failed_columns.push_back(column);
    }
  }

  Context& context_;
  RealType type_;
  const BatchedSystem& system_;
  Index parts_, n_, nrhs_;
  BatchedLuOptions lu_;
  BatchView a_, b_, inverse_;
  cl::Buffer info_;
};

/// Systems without an answer, ascending.
std::vector<Index> without_answer(const BatchedSolution& solution) {
  std::vector<Index> systems;
  std::ranges::merge(solution.singular, solution.overflowed, std::back_inserter(systems));
  return systems;
}

/// The residuals of the systems that have an answer. Each core checks some of the systems; of large
/// ones, all cores check one after the other.
std::vector<Residual> residuals_of(const BatchedSystem& system, const BatchedSolution& solution,
                                   const std::vector<Index>& without) {
  const double eps = unit_roundoff(solution.type);
  const NumberType number(solution.type, system.complex);
  const Index count = system.a.count, size = system.a.rows * system.a.cols;
  std::vector<Residual> residuals(count);
  std::vector<std::exception_ptr> failures(count);  // no thread may throw
  const Index grain = size < kElementsPerThread ? kElementsPerThread / size : count;
  in_parallel(count, grain, [&](Index first, Index last) {
    try {
      for (Index s = first; s < last; ++s)
        if (!std::ranges::binary_search(without, s))
          residuals[s] = residual_in_batch(number, system.a.rows, system.nrhs(), system.a.matrix(s),
                                           system.b.matrix(s), solution.x.matrix(s), eps);
    } catch (...) {
      failures[first] = std::current_exception();
    }
  });
  for (const std::exception_ptr& failure : failures)
    if (failure) std::rethrow_exception(failure);
  return residuals;
}

/// Solves the systems whose pivots of Bunch and Kaufman grew so far that the residual is too large,
/// one by one with rook pivoting. Without growth it is well below 1.
void solve_again(Context& context, const BatchedSystem& system, const BatchedOptions& options,
                 std::vector<Residual>& residuals, BatchedSolution& solution) {
  SolveOptions alone;
  alone.method = Method::ldlt;
  alone.pivoting = Pivoting::rook;
  alone.type = solution.type;
  alone.max_scaled_residual = options.max_scaled_residual;
  const double grown = std::max(1.0, options.max_scaled_residual);
  const auto matrix = [](const Batch& batch, Index s) {
    const auto values = batch.matrix(s);
    return Matrix(batch.rows, batch.cols, Values(values.begin(), values.end()));
  };
  for (Index s = 0; s < residuals.size(); ++s) {
    if (residuals[s].scaled <= grown) continue;
    const Solution found = solve(context, {matrix(system.a, s), matrix(system.b, s)}, alone);
    if (found.status != SolveStatus::ok) continue;
    std::ranges::copy(found.x.values(), solution.x.matrix(s).begin());
    residuals[s] = found.residual;
    if (found.inertia) solution.inertias[s] = *found.inertia;
    solution.solved_again.push_back(s);
  }
}

/// Finds the worst residual among the systems that have an answer. NaN counts as the worst.
void find_worst(const std::vector<Residual>& residuals, const std::vector<Index>& without,
                BatchedSolution& solution) {
  for (Index s = 0; s < residuals.size(); ++s) {
    if (std::ranges::binary_search(without, s)) continue;
    const bool worse = !solution.worst_system || !(residuals[s].scaled <= solution.worst.scaled);
    if (worse && !std::isnan(solution.worst.scaled)) {
      solution.worst = residuals[s];
      solution.worst_system = s;
    }
  }
}

SolveStatus status_of(const BatchedSolution& solution, const BatchedOptions& options) {
  if (!solution.singular.empty())
    return options.lu.positive_definite ? SolveStatus::not_positive_definite
                                        : SolveStatus::singular;
  if (!solution.overflowed.empty()) return SolveStatus::overflow;
  return solution.worst.scaled <= options.max_scaled_residual ? SolveStatus::ok
                                                              : SolveStatus::inaccurate;
}

}  // namespace

BatchedSolution solve_batched(Context& context, const BatchedSystem& system,
                              const BatchedOptions& options, const ProgressCallback& progress) {
  check_shapes(system);
  if (options.lu.positive_definite || options.lu.symmetric)
    require_symmetric_kind(system, options.lu.positive_definite ? "cholesky" : "ldlt");
  LapTimer timer;
  BatchedSolution solution;
  solution.type = choose_type(context.profile(), options.type);
  std::optional<BatchedLu> lu;
  context.programs().prepare([&] {
    BatchedLuOptions of_lu = options.lu;
    of_lu.complex = system.complex;
    lu.emplace(context, solution.type, system.a.rows, of_lu);
    lu->prepare(system.nrhs());
    if (options.trust) lu->prepare(system.a.rows);
  });
  solution.kernel = lu->kernel_name();
  solution.times.build = timer.lap();

  const Index batch = system.a.count;
  solution.x = {batch, system.b.rows, system.b.cols, Values(system.b.values.size(), 0.0)};
  translate_opencl_errors([&] {
    const Index chunk = chunk_of(context.profile(), system, solution.type, options.chunk);
    Chunks chunks(context, solution.type, system, chunk, options);
    for (Index first = 0; first < batch; first += chunk) {
      if (progress) progress("solving", static_cast<double>(first) / static_cast<double>(batch));
      chunks.run(*lu, first, std::min(chunk, batch - first), solution);
    }
  });
  lu.reset();
  // The remaining time goes into buffers and the memory of x.
  SolveTimes& times = solution.times;
  times.free = timer.lap() - times.upload - times.forward - times.download - times.trust;
  const std::vector<Index> without = without_answer(solution);
  std::vector<Residual> residuals = residuals_of(system, solution, without);
  if (options.lu.symmetric && !options.lu.positive_definite)
    solve_again(context, system, options, residuals, solution);
  find_worst(residuals, without, solution);
  times.check = timer.lap();
  solution.status = status_of(solution, options);
  return solution;
}

}  // namespace clgauss
