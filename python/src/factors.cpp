#include "factors.hpp"

#include <algorithm>
#include <clgauss/condition.hpp>
#include <clgauss/error.hpp>
#include <clgauss/solve.hpp>
#include <cmath>

#include "linalg/estimates/norm_estimator.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "opencl_error.hpp"

namespace clgauss::python {

namespace {

Index square(const Array& a) {
  if (a.ndim() != 2 || a.shape(0) != a.shape(1)) throw DimensionError("the matrix is not square");
  return a.shape(0);
}

template <typename Real>
std::vector<double> diagonal_of(const cl::CommandQueue& queue, const MatrixView& a, Index n) {
  std::vector<Real> row(n);
  // Row by row: a rectangle of columns one element wide takes a driver as long as the whole matrix.
  for (Index i = 0; i < n; ++i)
    queue.enqueueReadBuffer(a.buffer, CL_FALSE, (a.offset + i * (a.ld + 1)) * sizeof(Real),
                            sizeof(Real), &row[i]);
  queue.finish();
  return {row.begin(), row.end()};
}

}  // namespace

MatrixView view_of(Session& session, const Place& place) {
  if (place.memory == 0) throw UsageError("the buffer is NULL");
  cl::Buffer buffer(reinterpret_cast<cl_mem>(place.memory), true);
  return translate_opencl_errors([&] {
    if (buffer.getInfo<CL_MEM_CONTEXT>()() != session.context().context()())
      throw UsageError(
          "the array lies in another OpenCL context than the queue of this clgauss.Context");
    if ((buffer.getInfo<CL_MEM_FLAGS>() & CL_MEM_READ_ONLY) != 0)
      throw UsageError("the array's buffer is read-only for kernels");
    return MatrixView{buffer, place.offset, place.ld};
  });
}

Factors::Factors(std::shared_ptr<Session> session, const Array& a, bool positive_definite)
    : session_(std::move(session)) {
  const Index n = square(a);
  const auto result = std::make_shared<std::shared_ptr<State>>();
  session_->run([=, session = session_](const ProgressCallback&) {
    const Matrix matrix = to_matrix(a);
    const RealType type = choose_type(session->context().profile(), type_of(a));
    LuOptions options;
    options.positive_definite = positive_definite;
    auto state = std::make_shared<State>(State{Lu(session->context(), type, n, options), n});
    state->a =
        to_device(session->context(), type, matrix, padded_ld(n, type), "the matrix to factor");
    state->lu.factor(state->a);
    state->norm1 = size_of(matrix).norm1;  // while the device works
    state->failed_column = state->lu.failed_column();
    *result = std::move(state);
  });
  state_ = std::move(*result);
}

Factors::Factors(std::shared_ptr<Session> session, const Place& a, Index n)
    : session_(std::move(session)) {
  const auto result = std::make_shared<std::shared_ptr<State>>();
  session_->run([=, session = session_](const ProgressCallback&) {
    auto state =
        std::make_shared<State>(State{Lu(session->context(), a.type, n), n, view_of(*session, a)});
    state->lu.factor(state->a);
    state->failed_column = state->lu.failed_column();
    *result = std::move(state);
  });
  state_ = std::move(*result);
}

void Factors::solve(const Array& b, const WritableArray& x, bool transposed) {
  session_->run([=, state = state_](const ProgressCallback&) {
    const Matrix right = to_matrix(b);
    copy_out((transposed ? state->lu.solve_transposed(right) : state->lu.solve(right)).values(), x);
  });
}

void Factors::solve_in_place(const Place& b, Index columns, bool transposed) {
  if (b.type != type()) throw UsageError("the right-hand sides have another type than the factors");
  if (const auto column = failed_column()) throw SingularFactors(*column);
  session_->run([=, session = session_, state = state_](const ProgressCallback&) {
    const MatrixView view = view_of(*session, b);
    if (transposed)
      state->lu.solve_transposed(view, columns);
    else
      state->lu.solve(view, columns);
    translate_opencl_errors([&] { session->context().queue().finish(); });
  });
}

Determinant Factors::determinant() {
  if (failed_column()) return {0, 0};
  const auto det = std::make_shared<Determinant>();
  session_->run([=, session = session_, state = state_](const ProgressCallback&) {
    const cl::CommandQueue& queue = session->context().queue();
    const auto diagonal = translate_opencl_errors([&] {
      return state->lu.type() == RealType::f64 ? diagonal_of<double>(queue, state->a, state->n)
                                               : diagonal_of<float>(queue, state->a, state->n);
    });
    const std::vector<Index> rows = state->lu.pivots();
    for (Index j = 0; j < state->n; ++j) det->take(diagonal[j], rows[j] != j);
  });
  return *det;
}

std::optional<double> Factors::rcond() {
  if (!state_->norm1) return {};
  const auto rcond = std::make_shared<double>(1.0);
  session_->run([=, state = state_](const ProgressCallback&) {
    *rcond = reciprocal_condition(state->lu, *state->norm1);
  });
  return *rcond;
}

void Factors::packed(const WritableArray& out) {
  session_->run([=, session = session_, state = state_](const ProgressCallback&) {
    auto* const to = static_cast<double*>(out.data());
    const auto copy = [&]<typename Real>(Real /*of the type*/) {
      const MatrixView& view = state->a;
      std::vector<Real> row(state->n);
      const cl::CommandQueue& queue = session->context().queue();
      for (Index i = 0; i < state->n; ++i) {
        queue.enqueueReadBuffer(view.buffer, CL_TRUE, (view.offset + i * view.ld) * sizeof(Real),
                                row.size() * sizeof(Real), row.data());
        std::ranges::copy(row, to + i * state->n);
      }
    };
    translate_opencl_errors([&] { state->lu.type() == RealType::f32 ? copy(0.0F) : copy(0.0); });
  });
}

bool Factors::is_doubtful() {
  if (!state_->norm1) return false;
  const auto doubtful = std::make_shared<bool>(false);
  session_->run([=, state = state_](const ProgressCallback&) {
    const Matrix product = state->lu.solve(doubt_question(state->n));
    double largest = 0;
    for (const double value : product.values()) largest = max_or_nan(largest, std::abs(value));
    *doubtful =
        clgauss::is_doubtful(state->n, unit_roundoff(state->lu.type()), *state->norm1, largest);
  });
  return *doubtful;
}

std::vector<Index> Factors::pivots() {
  const auto rows = std::make_shared<std::vector<Index>>();
  session_->run([=, state = state_](const ProgressCallback&) { *rows = state->lu.pivots(); });
  return *rows;
}

}  // namespace clgauss::python
