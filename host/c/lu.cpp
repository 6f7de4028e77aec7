// Factorisations of clgauss.h, on host memory and on cl_mem, and gesv.
#include <clgauss.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/condition.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "c/checked.hpp"
#include "c/cholesky.hpp"
#include "c/enqueue.hpp"
#include "c/gesv.hpp"
#include "io/memory.hpp"
#include "launch/staging.hpp"
#include "linalg/lu/getrf_tall.hpp"
#include "linalg/lu/kept_lu.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "matrix/view_check.hpp"

namespace clgauss::c {

namespace {

/// Looks up a clgauss_lu and marks its context as used by this call.
struct LuUse {
  explicit LuUse(clgauss_lu handle) : object(object_of(handle)), use(object->owner) {}

  std::shared_ptr<LuObject> object;
  Use use;
};

template <typename Real>
Lu& lu_of(const LuUse& at_work) {
  Lu& lu = at_work.object->lu;
  if (lu.type() != kRealType<Real>)
    throw UsageError(
        fmt::format("the factorisation was created for {}; the functions with {} are for {}",
                    real_type_name(lu.type()), lu.type() == RealType::f32 ? "d" : "s",
                    real_type_name(kRealType<Real>)));
  return lu;
}

/// Memory for an n-by-n matrix. The context keeps it for the next call if no exception is thrown.
struct KeptMatrix {
  KeptMatrix(const Context& context, RealType type, Index n)
      : bytes(n * padded_ld(n, type) * bytes_of(type)),
        view{context.staging().matrices().take(context, bytes, "A"), 0, padded_ld(n, type)} {}

  /// Makes no OpenCL call that could fail, because the caller's memory has already been written.
  void give_back(const Context& context) {
    context.staging().matrices().give(context, std::move(view.buffer), bytes);
  }

  std::uint64_t bytes;
  MatrixView view;
};

}  // namespace

template <typename Real>
clgauss_status gesv(const Use& use, const HostMatrix<Real>& a, int32_t* ipiv,
                    const HostMatrix<Real>& b) {
  Context& context = use.context();
  const Index n = a.rows, nrhs = b.columns;
  const RealType type = choose_type(context.profile(), kRealType<Real>);
  KeptMatrix kept(context, type, n);
  PassingLu lu(context, type, n, nrhs);
  upload(context, constant(a), kept.view);
  upload(context, constant(b), lu.b());
  lu.factor_and_solve(kept.view);
  Checked<Real> checked(use, a, b, weighted_sums(constant(a)));  // while the device computes
  const auto column = lu.failed_column();
  const std::vector<Index> pivots = lu.pivots();
  checked.fetch_factors(kept.view);
  if (!column) checked.fetch_answer(lu.b());
  if (!agree(checked.of_a(), checked.factors(), pivots) || !checked.has_answer())
    return out_of_range_or_wrong(checked.of_a().norm1);
  copy(checked.factors(), a);
  checked.write_answer();
  write_pivots(pivots, ipiv);
  kept.give_back(context);
  lu.give_back();
  return column ? singular(*column) : CLGAUSS_OK;
}

template <typename Real>
clgauss_status tall_getrf(const Use& use, const HostMatrix<Real>& a, int32_t* ipiv) {
  Context& context = use.context();
  const RealType type = choose_type(context.profile(), kRealType<Real>);
  TallLu lu(context, type, a.rows, a.columns);
  const MatrixView view = uploaded(context, a, padded_ld(a.columns, type), "A");
  lu.factor(view);
  Checked<Real> checked(use, a, {}, weighted_sums(constant(a)));  // while the device computes
  const auto column = lu.failed_column();
  const std::vector<Index> pivots = lu.pivots();
  checked.fetch_factors(view);
  if (!agree(checked.of_a(), checked.factors(), pivots))
    return out_of_range_or_wrong(checked.of_a().norm1);
  copy(checked.factors(), a);
  write_pivots(pivots, ipiv);
  return column ? singular(*column) : CLGAUSS_OK;
}

#define CLGAUSS_FOR(Real)                                                     \
  template clgauss_status gesv(const Use&, const HostMatrix<Real>&, int32_t*, \
                               const HostMatrix<Real>&);                      \
  template clgauss_status tall_getrf(const Use&, const HostMatrix<Real>&, int32_t*);
CLGAUSS_FOR(float)
CLGAUSS_FOR(double)
#undef CLGAUSS_FOR

namespace {

template <typename Real>
clgauss_status gesv(clgauss_context handle, int layout, Index n, Index nrhs, Real* a_data,
                    Index lda, int32_t* ipiv, Real* b_data, Index ldb) {
  const Use use(object_of(handle));
  check_counts(n, nrhs);
  const auto a = host_matrix(layout, n, n, a_data, lda, "A");
  const auto b = host_matrix(layout, n, nrhs, b_data, ldb, "B");
  if (n == 0) return CLGAUSS_OK;
  return gesv(use, a, not_null(ipiv, "ipiv"), b);
}

template <typename Real>
clgauss_status posv(clgauss_context handle, int layout, int uplo, Index n, Index nrhs, Real* a_data,
                    Index lda, Real* b_data, Index ldb) {
  const Use use(object_of(handle));
  Context& context = use.context();
  check_counts(n, nrhs);
  const auto a = with_lower_triangle(host_matrix(layout, n, n, a_data, lda, "A"), uplo);
  const auto b = host_matrix(layout, n, nrhs, b_data, ldb, "B");
  if (n == 0) return CLGAUSS_OK;
  const RealType type = choose_type(context.profile(), kRealType<Real>);
  LuOptions options;
  options.positive_definite = true;
  KeptMatrix kept(context, type, n);
  PassingLu cholesky(context, type, n, nrhs, options);
  upload(context, constant(a), kept.view);
  upload(context, constant(b), cholesky.b());
  cholesky.factor_and_solve(kept.view);
  Checked<Real> checked(use, a, b, weighted_sums_of_symmetric(constant(a)));
  if (const auto column = cholesky.failed_column())
    return not_positive_definite(*column, checked.of_a().norm1);
  checked.fetch_factors(kept.view);
  checked.fetch_answer(cholesky.b());
  if (!agree_symmetric(checked.of_a(), checked.factors()) || !checked.has_answer())
    return out_of_range_or_wrong(checked.of_a().norm1);
  write_cholesky(checked.factors(), a);
  checked.write_answer();
  kept.give_back(context);
  cholesky.give_back();
  return CLGAUSS_OK;
}

template <typename Real>
clgauss_status getrf(clgauss_lu handle, int layout, const Real* data, Index lda) {
  const LuUse at_work(handle);
  Lu& lu = lu_of<Real>(at_work);
  const auto a = host_matrix(layout, lu.n(), lu.n(), data, lda, "A");
  lu.factor(
      uploaded(at_work.use.context(), a, padded_ld(lu.n(), lu.type()), "the matrix to factor"));
  at_work.object->transposed = false;
  return CLGAUSS_OK;
}

void enqueue_solve(Lu& lu, bool transposed, const MatrixView& b, Index nrhs,
                   const EnqueueOptions& options) {
  if (transposed)
    lu.solve_transposed(b, nrhs, options);
  else
    lu.solve(b, nrhs, options);
}

template <typename Real>
clgauss_status getrs(clgauss_lu handle, int layout, int trans, Index nrhs, Real* data, Index ldb) {
  const LuUse at_work(handle);
  Lu& lu = lu_of<Real>(at_work);
  check_counts(lu.n(), nrhs);
  const bool transposed = is_transposed(trans) != at_work.object->transposed;
  const auto b = host_matrix(layout, lu.n(), nrhs, data, ldb, "B");
  if (const auto column = lu.failed_column()) return singular(*column);
  if (b.empty()) return CLGAUSS_OK;
  Context& context = at_work.use.context();
  const MatrixView x = uploaded(context, b, nrhs, "B");
  enqueue_solve(lu, transposed, x, nrhs, {});
  download(context, x, b);
  return CLGAUSS_OK;
}

template <typename Real>
clgauss_status getrf_buffer(clgauss_lu handle, int layout, cl_mem a, Index offset, Index lda,
                            const CallerEnqueue& caller) {
  const LuUse at_work(handle);
  Lu& lu = lu_of<Real>(at_work);
  const bool transposed = !is_row_major(layout);
  caller.run(at_work.use.context(), [&](const EnqueueOptions& options) {
    lu.factor({caller_buffer(at_work.use.context(), a, "A"), offset, lda}, options);
  });
  at_work.object->transposed = transposed;
  return CLGAUSS_OK;
}

/// Enqueues the copies that transpose the column-major `b` into the row-major `turned`, which has
/// no gaps, or with `back` the reverse.
template <typename Real>
void turn_over(const cl::CommandQueue& queue, const MatrixView& b, const MatrixView& turned,
               Index n, bool back) {
  for (Index j = 0; j < turned.ld; ++j) {
    const ByteRows column{b.buffer, (b.offset + j * b.ld) * sizeof(Real), sizeof(Real)};
    const ByteRows row{turned.buffer, j * sizeof(Real), turned.ld * sizeof(Real)};
    enqueue_copy_rows(queue, back ? row : column, back ? column : row, sizeof(Real), n);
  }
}

template <typename Real>
clgauss_status getrs_buffer(clgauss_lu handle, int layout, int trans, Index nrhs, cl_mem data,
                            Index offset, Index ldb, const CallerEnqueue& caller) {
  const LuUse at_work(handle);
  Lu& lu = lu_of<Real>(at_work);
  const Index n = lu.n();
  check_counts(n, nrhs);
  const bool transposed = is_transposed(trans) != at_work.object->transposed;
  const bool rows = is_row_major(layout);
  const Context& context = at_work.use.context();
  caller.run(context, [&](const EnqueueOptions& options) {
    const MatrixView b{caller_buffer(context, data, "B"), offset, ldb};
    if (rows || n == 0 || nrhs == 0) return enqueue_solve(lu, transposed, b, nrhs, options);
    check_view(b, nrhs, n, lu.type(), "B, column by column,");
    if (nrhs == 1) return enqueue_solve(lu, transposed, {b.buffer, offset, 1}, 1, options);
    const cl::CommandQueue& queue = *options.queue;
    const MatrixView turned{context.allocate(n * nrhs * sizeof(Real), "a copy of B"), 0, nrhs};
    queue.enqueueBarrierWithWaitList(&options.wait_for);
    turn_over<Real>(queue, b, turned, n, false);
    enqueue_solve(lu, transposed, turned, nrhs, {.queue = &queue});
    turn_over<Real>(queue, b, turned, n, true);
    if (options.done != nullptr) queue.enqueueMarkerWithWaitList(nullptr, options.done);
  });
  return CLGAUSS_OK;
}

template <typename Real>
clgauss_status norm1(int layout, Index rows, Index columns, const Real* data, Index lda,
                     double* norm) {
  const auto a = host_matrix(layout, rows, columns, data, lda, "A");
  double* const largest = not_null(norm, "norm");
  *largest = 0;
  if (a.empty()) return CLGAUSS_OK;
  io::require_memory("the sums of the columns", 1, columns);
  Values sums(columns, 0.0);
  // Follows the order in memory, row by row or column by column. Each core sums its own columns.
  in_parallel(columns, kElementsPerThread / rows + 1, [&](Index first, Index last) {
    if (a.row_step == 1)
      for (Index j = first; j < last; ++j)
        for (Index i = 0; i < rows; ++i) sums[j] += std::abs(double{a.data[i + j * a.column_step]});
    else
      for (Index i = 0; i < rows; ++i)
        for (Index j = first; j < last; ++j)
          sums[j] += std::abs(double{a.data[i * a.row_step + j]});
  });
  for (const double sum : sums) *largest = max_or_nan(*largest, sum);
  return CLGAUSS_OK;
}

}  // namespace

}  // namespace clgauss::c

using namespace clgauss;
using namespace clgauss::c;

extern "C" {

clgauss_status clgauss_sposv(clgauss_context context, int layout, int uplo, size_t n, size_t nrhs,
                             float* a, size_t lda, float* b, size_t ldb) {
  return guarded([&] { return posv(context, layout, uplo, n, nrhs, a, lda, b, ldb); });
}

clgauss_status clgauss_dposv(clgauss_context context, int layout, int uplo, size_t n, size_t nrhs,
                             double* a, size_t lda, double* b, size_t ldb) {
  return guarded([&] { return posv(context, layout, uplo, n, nrhs, a, lda, b, ldb); });
}

clgauss_status clgauss_sgesv(clgauss_context context, int layout, size_t n, size_t nrhs, float* a,
                             size_t lda, int32_t* ipiv, float* b, size_t ldb) {
  return guarded([&] { return gesv(context, layout, n, nrhs, a, lda, ipiv, b, ldb); });
}

clgauss_status clgauss_dgesv(clgauss_context context, int layout, size_t n, size_t nrhs, double* a,
                             size_t lda, int32_t* ipiv, double* b, size_t ldb) {
  return guarded([&] { return gesv(context, layout, n, nrhs, a, lda, ipiv, b, ldb); });
}

clgauss_status clgauss_snorm1(int layout, size_t rows, size_t columns, const float* a, size_t lda,
                              double* norm) {
  return guarded([&] { return norm1(layout, rows, columns, a, lda, norm); });
}

clgauss_status clgauss_dnorm1(int layout, size_t rows, size_t columns, const double* a, size_t lda,
                              double* norm) {
  return guarded([&] { return norm1(layout, rows, columns, a, lda, norm); });
}

clgauss_status clgauss_lu_create(clgauss_context handle, int type, size_t n, clgauss_lu* lu) {
  return guarded([&] {
    auto owner = object_of(handle);
    const Use use(owner);
    not_null(lu, "lu");
    if (type != CLGAUSS_F32 && type != CLGAUSS_F64)
      throw UsageError(
          fmt::format("type is {}, neither CLGAUSS_F32 (32) nor CLGAUSS_F64 (64)", type));
    Context& context = use.context();
    const RealType wanted = type == CLGAUSS_F32 ? RealType::f32 : RealType::f64;
    Lu made(context, choose_type(context.profile(), wanted), n);
    *lu = add_handle(std::make_shared<LuObject>(std::move(owner), std::move(made)));
    return CLGAUSS_OK;
  });
}

clgauss_status clgauss_lu_destroy(clgauss_lu lu) {
  return guarded([&] {
    if (lu != nullptr) remove_handle(lu);
    return CLGAUSS_OK;
  });
}

clgauss_status clgauss_sgetrf(clgauss_lu lu, int layout, const float* a, size_t lda) {
  return guarded([&] { return getrf(lu, layout, a, lda); });
}

clgauss_status clgauss_dgetrf(clgauss_lu lu, int layout, const double* a, size_t lda) {
  return guarded([&] { return getrf(lu, layout, a, lda); });
}

clgauss_status clgauss_sgetrs(clgauss_lu lu, int layout, int trans, size_t nrhs, float* b,
                              size_t ldb) {
  return guarded([&] { return getrs(lu, layout, trans, nrhs, b, ldb); });
}

clgauss_status clgauss_dgetrs(clgauss_lu lu, int layout, int trans, size_t nrhs, double* b,
                              size_t ldb) {
  return guarded([&] { return getrs(lu, layout, trans, nrhs, b, ldb); });
}

clgauss_status clgauss_sgetrf_buffer(clgauss_lu lu, int layout, cl_mem a, size_t offset, size_t lda,
                                     cl_command_queue queue, uint32_t events_in_wait_list,
                                     const cl_event* wait_list, cl_event* event) {
  return guarded([&] {
    return getrf_buffer<float>(lu, layout, a, offset, lda,
                               {queue, events_in_wait_list, wait_list, event});
  });
}

clgauss_status clgauss_dgetrf_buffer(clgauss_lu lu, int layout, cl_mem a, size_t offset, size_t lda,
                                     cl_command_queue queue, uint32_t events_in_wait_list,
                                     const cl_event* wait_list, cl_event* event) {
  return guarded([&] {
    return getrf_buffer<double>(lu, layout, a, offset, lda,
                                {queue, events_in_wait_list, wait_list, event});
  });
}

clgauss_status clgauss_sgetrs_buffer(clgauss_lu lu, int layout, int trans, size_t nrhs, cl_mem b,
                                     size_t offset, size_t ldb, cl_command_queue queue,
                                     uint32_t events_in_wait_list, const cl_event* wait_list,
                                     cl_event* event) {
  return guarded([&] {
    return getrs_buffer<float>(lu, layout, trans, nrhs, b, offset, ldb,
                               {queue, events_in_wait_list, wait_list, event});
  });
}

clgauss_status clgauss_dgetrs_buffer(clgauss_lu lu, int layout, int trans, size_t nrhs, cl_mem b,
                                     size_t offset, size_t ldb, cl_command_queue queue,
                                     uint32_t events_in_wait_list, const cl_event* wait_list,
                                     cl_event* event) {
  return guarded([&] {
    return getrs_buffer<double>(lu, layout, trans, nrhs, b, offset, ldb,
                                {queue, events_in_wait_list, wait_list, event});
  });
}

clgauss_status clgauss_lu_failed_column(clgauss_lu lu, size_t* column) {
  return guarded([&] {
    const LuUse at_work(lu);
    not_null(column, "column");
    const auto failed_column = at_work.object->lu.failed_column();
    *column = failed_column ? *failed_column + 1 : 0;
    return CLGAUSS_OK;
  });
}

clgauss_status clgauss_lu_pivots(clgauss_lu lu, int32_t* ipiv) {
  return guarded([&] {
    const LuUse at_work(lu);
    if (at_work.object->lu.n() > 0)
      write_pivots(at_work.object->lu.pivots(), not_null(ipiv, "ipiv"));
    return CLGAUSS_OK;
  });
}

clgauss_status clgauss_lu_rcond(clgauss_lu lu, double anorm, double* rcond) {
  return guarded([&] {
    const LuUse at_work(lu);
    not_null(rcond, "rcond");
    if (!(anorm >= 0))
      throw UsageError(fmt::format("anorm is {}; a norm is a number of at least 0", anorm));
    Lu& factors = at_work.object->lu;
    InverseProducts inverse = inverse_of(factors);
    if (at_work.object->transposed) std::swap(inverse.solve, inverse.solve_transposed);
    *rcond = factors.failed_column() ? 0 : reciprocal_condition(inverse, anorm);
    return CLGAUSS_OK;
  });
}

}  // extern "C"
