// Batches of systems of clgauss.h, in host memory and on cl_mem.
#include <clgauss.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/batched.hpp>
#include <clgauss/solve.hpp>
#include <clgauss/vbatched.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <optional>
#include <vector>

#include "c/call.hpp"
#include "c/enqueue.hpp"
#include "c/host_matrix.hpp"
#include "c/host_transfer.hpp"
#include "c/in_double.hpp"
#include "io/memory.hpp"
#include "kernels/common/number_type.hpp"
#include "matrix/fit.hpp"
#include "parallel.hpp"

namespace clgauss::c {

namespace {

/// The numbers that the library stores for a caller's, and the type of their parts.
template <typename Number>
struct Stored {
  using Type = double;
  static constexpr RealType kType = kRealType<Number>;
  static constexpr bool kComplex = false;
};
template <typename Real>
struct Stored<std::complex<Real>> {
  using Type = std::complex<double>;
  static constexpr RealType kType = kRealType<Real>;
  static constexpr bool kComplex = true;
};

/// Matrix `s` of the batch, counted from `first`.
template <typename Real>
HostMatrix<Real> matrix_of(HostMatrix<Real> first, Index stride, Index s) {
  if (!first.empty()) first.data += s * stride;
  return first;
}

/// Matrix `s` of a batch of the caller's numbers.
template <typename Number>
HostMatrix<typename Stored<Number>::Type> matrix_in(Batch& batch, Index columns, Index s) {
  return row_major(reinterpret_cast<typename Stored<Number>::Type*>(batch.matrix(s).data()),
                   batch.rows, columns, columns);
}

template <typename Number>
Batch own_batch(const HostMatrix<const Number>& first, Index stride, Index count,
                const char* name) {
  const Index columns = first.columns * (Stored<Number>::kComplex ? 2 : 1),
              one = first.rows * columns;  // fits: host_matrix() checked it
  io::require_memory(name, count, one);
  Batch batch{count, first.rows, columns, Values(count * one)};
  for (Index s = 0; s < count; ++s)
    copy(matrix_of(first, stride, s), matrix_in<Number>(batch, first.columns, s));
  return batch;
}

/// `number` below the diagonal of a Hermitian matrix, as it is above.
double across(double number) { return number; }
std::complex<double> across(std::complex<double> number) { return std::conj(number); }

/// Writes to the other triangle of each Hermitian n-by-n matrix what `uplo` says of it, and real
/// diagonals.
template <typename Number>
void complete_triangles(Batch& batch, Index n, int uplo) {
  in_parallel(batch.count, kElementsPerThread / (n * n + 1) + 1, [&](Index first, Index last) {
    for (Index s = first; s < last; ++s) {
      const auto a = with_lower_triangle(matrix_in<Number>(batch, n, s), uplo);
      const auto at = [&](Index i, Index j) -> auto& {
        return a.data[i * a.row_step + j * a.column_step];
      };
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) at(j, i) = across(at(i, j));
        at(i, i) = std::real(at(i, i));
      }
    }
  });
}

clgauss_status status_of(const BatchedSolution& solution) {
  const auto without_answer = [&](const char* what) {
    return failed(CLGAUSS_SINGULAR,
                  fmt::format("{} of the systems are {}, system {} (from 0) the first",
                              solution.singular.size(), what, solution.singular.front())
                      .c_str());
  };
  switch (solution.status) {
    case SolveStatus::ok:
      return CLGAUSS_OK;
    case SolveStatus::singular:
      return without_answer("singular");
    case SolveStatus::not_positive_definite:
      return without_answer("not positive definite");
    case SolveStatus::overflow:
      return failed(CLGAUSS_OVERFLOW, "numbers of some systems left the range of the type");
    case SolveStatus::inaccurate:
      break;
  }
  return failed(
      CLGAUSS_INACCURATE,
      fmt::format("the largest scaled residual is {:.3g}", solution.worst.scaled).c_str());
}

/// How a batch is factored: gesv, posv or sysv.
enum class Factored { by_lu, by_cholesky, by_ldlt };

BatchedLuOptions options_of(Factored factored) {
  BatchedLuOptions options;
  options.positive_definite = factored == Factored::by_cholesky;
  options.symmetric = factored == Factored::by_ldlt;
  return options;
}

/// A triangle is given unless it is by LU.
template <typename Number>
clgauss_status solve_batch(clgauss_context handle, int layout, Factored factored,
                           std::optional<int> uplo, Index n, Index nrhs, const Number* a, Index lda,
                           Index stride_a, Number* b, Index ldb, Index stride_b, Index batch,
                           int32_t* info) {
  const Use use(object_of(handle));
  if (uplo) static_cast<void>(is_upper(*uplo));
  const auto first_a = host_matrix(layout, n, n, a, lda, "A", batch, stride_a);
  const auto first_b = host_matrix(layout, n, nrhs, b, ldb, "B", batch, stride_b);
  constexpr bool kComplex = Stored<Number>::kComplex;
  const Index largest = factored == Factored::by_ldlt ? kLargestSymmetricBatchedSystem
                        : kComplex                    ? kLargestComplexBatchedSystem
                                                      : kLargestBatchedSystem;
  if (n > largest)
    throw DimensionError(fmt::format("n = {}: batched systems have up to {} unknowns", n, largest));
  if (batch == 0) return CLGAUSS_OK;
  not_null(info, "info");
  BatchedOptions options;
  options.type = Stored<Number>::kType;
  options.lu = options_of(factored);
  BatchedSystem system{own_batch<Number>(first_a, stride_a, batch, "A"),
                       own_batch<Number>(constant(first_b), stride_b, batch, "B"), false, kComplex};
  if (uplo) complete_triangles<Number>(system.a, n, *uplo);
  BatchedSolution solution = solve_batched(use.context(), system, options);
  refuse_unfit<typename RealOf<Number>::Type>(solution);
  std::fill_n(info, batch, 0);
  for (Index i = 0; i < solution.singular.size(); ++i)
    info[solution.singular[i]] = static_cast<int32_t>(solution.failed_columns[i] + 1);
  for (const Index s : solution.overflowed) info[s] = -1;
  for (Index s = 0; s < batch; ++s)
    copy(matrix_in<Number>(solution.x, nrhs, s), matrix_of(first_b, stride_b, s));
  return status_of(solution);
}

/// The caller's arrays, one element per system.
template <typename Real>
struct CallerSystems {
  const std::size_t *n, *nrhs;
  const Real* const* a;
  const std::size_t* lda;
  Real* const* b;
  const std::size_t* ldb;
};

/// Throws as host_matrix(), and names the system.
template <typename Real>
HostMatrix<Real> matrix_of_system(int layout, Index rows, Index columns, Real* data, Index ld,
                                  const char* name, Index s) {
  check_counts(rows, columns);
  return host_matrix(layout, rows, columns, data, ld, fmt::format("{} [{}]", name, s).c_str());
}

/// The systems in double, in place or in the memory of `object`; if that is too small, in `own`.
template <typename Real>
std::vector<System> systems_in_double(ContextObject& object,
                                      const std::vector<HostMatrix<const Real>>& matrices,
                                      const std::vector<HostMatrix<Real>>& right_hand_sides,
                                      Values& own) {
  const Index batch = matrices.size();
  std::vector<Index> begin{0};  // of the copy of number i; A_s is number 2 s, B_s the next
  const auto number = [&](Index i) {
    return i % 2 == 0 ? matrices[i / 2] : constant(right_hand_sides[i / 2]);
  };
  for (Index i = 0; i < 2 * batch; ++i) {
    const auto from = number(i);
    begin.push_back(begin.back() + (lies_in_double(from) ? 0 : from.rows * from.columns));
  }
  io::require_memory("The copy of the systems", 1, begin.back());
  double* const space = object.space(begin.back(), own).data();
  const auto part = [&](Index i) {
    const auto from = number(i);
    if constexpr (std::is_same_v<Real, double>)
      if (lies_in_double(from)) return borrowed(from.data, from.rows, from.columns);
    return borrowed(space + begin[i], from.rows, from.columns);
  };
  for (Index i = 0; i < 2 * batch; ++i)
    if (const auto from = number(i); !lies_in_double(from))
      copy(from, row_major(space + begin[i], from.rows, from.columns, from.columns));
  std::vector<System> systems;
  for (Index s = 0; s < batch; ++s) systems.push_back({part(2 * s), part(2 * s + 1)});
  return systems;
}

/// The status of the worst system.
clgauss_status status_of(std::span<const Solution> solutions) {
  const auto count_of = [&](SolveStatus status) {
    return std::ranges::count(solutions, status, &Solution::status);
  };
  const auto first_of = [&](SolveStatus status) {
    return std::ranges::find(solutions, status, &Solution::status) - solutions.begin();
  };
  const struct {
    SolveStatus status;
    clgauss_status code;
    const char* text;
  } kinds[] = {{SolveStatus::singular, CLGAUSS_SINGULAR, "are singular"},
               {SolveStatus::overflow, CLGAUSS_OVERFLOW, "left the range of the type"},
               {SolveStatus::inaccurate, CLGAUSS_INACCURATE, "have too large a residual"}};
  for (const auto& [status, code, text] : kinds)
    if (const auto count = count_of(status); count > 0)
      return failed(code, fmt::format("{} of the systems {}, system {} (from 0) the first", count,
                                      text, first_of(status))
                              .c_str());
  return CLGAUSS_OK;
}

template <typename Real>
clgauss_status gesv_vbatched(clgauss_context handle, int layout, const CallerSystems<Real>& of,
                             Index batch, int32_t* info) {
  const Use use(object_of(handle));
  static_cast<void>(is_row_major(layout));
  if (batch == 0) return CLGAUSS_OK;
  for (const auto* sizes : {of.n, of.nrhs, of.lda, of.ldb}) not_null(sizes, "n, nrhs, lda or ldb");
  not_null(of.a, "A");
  not_null(of.b, "B");
  not_null(info, "info");
  std::vector<HostMatrix<const Real>> matrices;
  std::vector<HostMatrix<Real>> answers;
  for (Index s = 0; s < batch; ++s) {
    const Index n = of.n[s], nrhs = of.nrhs[s];
    matrices.push_back(matrix_of_system(layout, n, n, of.a[s], of.lda[s], "A", s));
    answers.push_back(matrix_of_system(layout, n, nrhs, of.b[s], of.ldb[s], "B", s));
  }
  Values own;
  const std::vector<System> systems = systems_in_double(use.object(), matrices, answers, own);
  VbatchedOptions options;
  options.type = kRealType<Real>;
  std::vector<Solution> solutions = solve_vbatched(use.context(), systems, options);
  for (Index s = 0; s < batch; ++s) {
    Solution& solution = solutions[s];
    if (has_answer(solution.status) && !fit_in<Real>(solution.x.values()))
      solution.status = SolveStatus::overflow;
    const HostMatrix<Real>& x = answers[s];
    info[s] = solution.status == SolveStatus::overflow ? -1
              : solution.failed_column ? static_cast<int32_t>(*solution.failed_column + 1)
                                       : 0;
    const Values nothing(has_answer(solution.status) ? 0 : x.rows * x.columns,
                         std::numeric_limits<double>::quiet_NaN());
    const double* const values =
        has_answer(solution.status) ? solution.x.values().data() : nothing.data();
    copy(row_major(values, x.rows, x.columns, x.columns), x);
  }
  return status_of(solutions);
}

/// A BatchView as the caller passes it.
struct CallerBatch {
  cl_mem buffer;
  Index offset, ld, stride;
};

/// Reads the lower triangles alone unless it is by LU.
clgauss_status solve_batch_buffer(clgauss_context handle, NumberType number, Factored factored,
                                  Index n, Index nrhs, const CallerBatch& a, const CallerBatch& b,
                                  Index batch, cl_mem info, const CallerEnqueue& caller) {
  const Use use(object_of(handle));
  Context& context = use.context();
  BatchedLuOptions of_lu = options_of(factored);
  of_lu.complex = number.complex;
  BatchedLu lu(context, choose_type(context.profile(), number.real), n, of_lu);
  const auto view = [&](const CallerBatch& of, const char* name) -> BatchView {
    return {caller_buffer(context, of.buffer, name), of.offset, of.ld, of.stride};
  };
  if (nrhs == 0) throw DimensionError("nrhs is 0: there is nothing to solve for");
  caller.run(context, [&](const EnqueueOptions& options) {
    if (batch == 0) return enqueue_nothing(options);
    lu.factor_and_solve(view(a, "A"), view(b, "B"), nrhs, batch,
                        caller_buffer(context, info, "info"), options);
  });
  return CLGAUSS_OK;
}

}  // namespace

}  // namespace clgauss::c

using namespace clgauss;
using namespace clgauss::c;

extern "C" {

#define CLGAUSS_OF_BUFFERS(letter, name, Number, factored)                                   \
  clgauss_status clgauss_##letter##name##_batched_buffer(                                    \
      clgauss_context context, size_t n, size_t nrhs, cl_mem a, size_t offset_a, size_t lda, \
      size_t stride_a, cl_mem b, size_t offset_b, size_t ldb, size_t stride_b, size_t batch, \
      cl_mem info, cl_command_queue queue, uint32_t events_in_wait_list,                     \
      const cl_event* wait_list, cl_event* event) {                                          \
    return guarded([&] {                                                                     \
      return solve_batch_buffer(context, {Stored<Number>::kType, Stored<Number>::kComplex},  \
                                Factored::factored, n, nrhs, {a, offset_a, lda, stride_a},   \
                                {b, offset_b, ldb, stride_b}, batch, info,                   \
                                {queue, events_in_wait_list, wait_list, event});             \
    });                                                                                      \
  }
#define CLGAUSS_OF_TRIANGLE(letter, name, Given, Number, factored)                              \
  clgauss_status clgauss_##letter##name##_batched(                                              \
      clgauss_context context, int layout, int uplo, size_t n, size_t nrhs, const Given* a,     \
      size_t lda, size_t stride_a, Given* b, size_t ldb, size_t stride_b, size_t batch,         \
      int32_t* info) {                                                                          \
    return guarded([&] {                                                                        \
      return solve_batch(context, layout, Factored::factored, uplo, n, nrhs,                    \
                         static_cast<const Number*>(a), lda, stride_a, static_cast<Number*>(b), \
                         ldb, stride_b, batch, info);                                           \
    });                                                                                         \
  }                                                                                             \
  CLGAUSS_OF_BUFFERS(letter, name, Number, factored)
#define CLGAUSS_FOR(letter, Given, Number)                                                      \
  clgauss_status clgauss_##letter##gesv_batched(                                                \
      clgauss_context context, int layout, size_t n, size_t nrhs, const Given* a, size_t lda,   \
      size_t stride_a, Given* b, size_t ldb, size_t stride_b, size_t batch, int32_t* info) {    \
    return guarded([&] {                                                                        \
      return solve_batch(context, layout, Factored::by_lu, {}, n, nrhs,                         \
                         static_cast<const Number*>(a), lda, stride_a, static_cast<Number*>(b), \
                         ldb, stride_b, batch, info);                                           \
    });                                                                                         \
  }                                                                                             \
  CLGAUSS_OF_BUFFERS(letter, gesv, Number, by_lu)                                               \
  CLGAUSS_OF_TRIANGLE(letter, posv, Given, Number, by_cholesky)
CLGAUSS_FOR(s, float, float)
CLGAUSS_FOR(d, double, double)
CLGAUSS_FOR(c, void, std::complex<float>)
CLGAUSS_FOR(z, void, std::complex<double>)
CLGAUSS_OF_TRIANGLE(s, sysv, float, float, by_ldlt)
CLGAUSS_OF_TRIANGLE(d, sysv, double, double, by_ldlt)
#undef CLGAUSS_FOR
#undef CLGAUSS_OF_TRIANGLE
#undef CLGAUSS_OF_BUFFERS

clgauss_status clgauss_sgesv_vbatched(clgauss_context context, int layout, const size_t* n,
                                      const size_t* nrhs, const float* const* a, const size_t* lda,
                                      float* const* b, const size_t* ldb, size_t batch,
                                      int32_t* info) {
  return guarded([&] {
    return gesv_vbatched<float>(context, layout, {n, nrhs, a, lda, b, ldb}, batch, info);
  });
}

clgauss_status clgauss_dgesv_vbatched(clgauss_context context, int layout, const size_t* n,
                                      const size_t* nrhs, const double* const* a, const size_t* lda,
                                      double* const* b, const size_t* ldb, size_t batch,
                                      int32_t* info) {
  return guarded([&] {
    return gesv_vbatched<double>(context, layout, {n, nrhs, a, lda, b, ldb}, batch, info);
  });
}

}  // extern "C"
