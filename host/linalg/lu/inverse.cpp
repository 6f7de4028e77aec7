#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/inverse.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <vector>

#include "io/memory.hpp"
#include "kernels/substitution/triangle_inverse.hpp"
#include "lap_timer.hpp"
#include "launch/staging.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "linalg/solve/memory_need.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/scaling.hpp"
#include "matrix/shapes.hpp"
#include "matrix/symmetry.hpp"
#include "matrix/transfer.hpp"
#include "opencl_error.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

constexpr const char* kInverseSpace = "the inverse of a matrix";

double largest_of(std::span<const double> sums) {
  double largest = 0;
  for (const double sum : sums) largest = max_or_nan(largest, sum);
  return largest;
}

/// The infinity norm: the largest row sum of magnitudes.
double norm_inf(const Matrix& a) {
  Values sums(a.rows());
  in_parallel(a.rows(), kElementsPerThread / std::max<Index>(a.cols(), 1) + 1,
              [&](Index first, Index last) {
                for (Index i = first; i < last; ++i) {
                  sums[i] = 0;
                  for (const double value : a.row(i)) sums[i] += std::abs(value);
                }
              });
  return largest_of(sums);
}

void require_memory_for(Context& context, Index n, RealType type, const LuOptions& options) {
  const std::uint64_t matrix = n * padded_ld(n, type) * bytes_of(type);
  MemoryNeed need{fmt::format("{} of n = {}", kInverseSpace, n), type, 3 * matrix, 0};
  need.workspace = lu_workspace_bytes(context.profile(), lu_spec_for(context, type, n, options),
                                      type, n, n, options);
  need.host_copy = 3 * n * n * sizeof(double);  // A, X and A X
  require_memory(need, context.profile(), io::physical_memory());
}

/// Row i of P A is row rows[i] of A.
std::vector<Index> rows_of(const std::vector<Index>& exchanges) {
  std::vector<Index> rows(exchanges.size());
  std::iota(rows.begin(), rows.end(), Index{0});
  for (Index j = 0; j < rows.size(); ++j) std::swap(rows[j], rows[exchanges[j]]);
  return rows;
}

class Inversion {
 public:
  Inversion(Context& context, const Matrix& a, RealType type, const InverseOptions& options,
            const ProgressCallback& progress)
      : context_(context), a_(a), n_(a.rows()), options_(options), progress_(progress) {
    inverse_.type = type;
  }

  Inverse run() {
    LapTimer timer;
    report("building the kernels");
    const MatrixView original = space(), factors = space(), x = space();
    std::optional<Lu> lu;
    std::optional<Gemm> gemm;
    std::optional<FactorInverse> by_factors;
    context_.programs().prepare([&] {
      lu.emplace(context_, inverse_.type, n_, options_.lu);
      lu->prepare(factors, 0);
      gemm.emplace(context_, inverse_.type);
      by_factors.emplace(context_, inverse_.type, n_);
      by_factors->prepare(*gemm, factors, x);
      (void)gemm->kernel_name({n_, n_, n_}, original, x, factors, 1, 0);
    });
    inverse_.times.build = timer.lap();

    report("upload");
    const Scaling scaling =
        options_.lu.positive_definite
            ? definite_scaling_for(n_, 0, a_.values(), {}, inverse_.type)
            : scaling_for(n_, 0, a_.values(), {}, inverse_.type, options_.equilibration);
    inverse_.scaled_rows = !scaling.rows.empty();
    inverse_.scaled_columns = !scaling.columns.empty();
    upload_rows(context_, original.buffer, original.ld, inverse_.type,
                {{&a_, scaling.rows, scaling.columns}});
    inverse_.times.upload = timer.lap();

    report("factorisation");
    const cl::CommandQueue& queue = context_.queue();
    queue.enqueueCopyBuffer(original.buffer, factors.buffer, 0, 0,
                            n_ * factors.ld * bytes_of(inverse_.type));
    lu->factor(factors);
    inverse_.failed_column = lu->failed_column();
    inverse_.times.forward = timer.lap();
    if (inverse_.failed_column) {
      fail(factors, scaling);
      return std::move(inverse_);
    }
    report("inverse");
    enqueue_identity(context_, inverse_.type, x, n_);
    by_factors->enqueue(queue, *gemm, factors, x);  // Y = U^-1 L^-1, X = Y P
    gemm->multiply({n_, n_, n_}, 1, original, x, 0, factors);
    queue.finish();
    inverse_.times.backward = timer.lap();

    const std::vector<Index> rows = rows_of(lu->pivots());
    inverse_.x = downloaded(x, rows, scaling);
    inverse_.times.download = timer.lap();
    report("check");
    judge(off_identity(factors, rows, scaling.rows));
    inverse_.times.check = timer.lap();
    return std::move(inverse_);
  }

 private:
  void report(const char* what) const {
    if (progress_) progress_(what, 0);
  }

  [[nodiscard]] MatrixView space() const {
    const Index ld = padded_ld(n_, inverse_.type);
    return {context_.allocate(n_ * ld * bytes_of(inverse_.type), kInverseSpace), 0, ld};
  }

  /// Calls visit(i, row), on several threads, for the rows of the f32 or f64 matrix at `view`.
  template <typename Visit>
  void visit_rows(const MatrixView& view, const Visit& visit) const {
    const auto visit_as = [&]<typename Real>(Real /*of the type*/) {
      context_.staging().read(context_.queue(), view.buffer, n_, view.ld * sizeof(Real),
                              [&](Index first, Index last, const std::byte* in) {
                                for (Index i = first; i < last; ++i, in += view.ld * sizeof(Real))
                                  visit(i, std::span(reinterpret_cast<const Real*>(in), n_));
                              });
    };
    inverse_.type == RealType::f32 ? visit_as(0.0F) : visit_as(0.0);
  }

  /// A^-1 = Y P from the Y at `view`: permutes its columns and undoes the scaling.
  [[nodiscard]] Matrix downloaded(const MatrixView& view, const std::vector<Index>& rows,
                                  const Scaling& scaling) const {
    Matrix result(n_, n_, Values(n_ * n_));
    const bool keeps = scaling.keeps_matrix();
    visit_rows(view, [&](Index i, const auto& row) {
      const std::span<double> out = result.row(i);
      const int of_row = scaling.columns.empty() ? 0 : scaling.columns[i];
      for (Index k = 0; k < n_; ++k) {
        const int by = keeps ? 0 : of_row + (scaling.rows.empty() ? 0 : scaling.rows[rows[k]]);
        out[rows[k]] = by == 0 ? row[k] : times_power(row[k], by);
      }
    });
    return result;
  }

  /// ||A X - I||, infinity norm, from R A X R^-1 P^T at `view`; R holds the powers of two `by_row`.
  [[nodiscard]] double off_identity(const MatrixView& view, const std::vector<Index>& rows,
                                    const std::vector<int>& by_row) const {
    Values sums(n_);
    visit_rows(view, [&](Index i, const auto& row) {
      double sum = 0;
      for (Index k = 0; k < n_; ++k) {
        const int by = by_row.empty() ? 0 : by_row[rows[k]] - by_row[i];
        const double value = by == 0 ? row[k] : times_power(row[k], by);
        sum += std::abs(rows[k] == i ? value - 1 : value);
      }
      sums[i] = sum;
    });
    return largest_of(sums);
  }

  void fail(const MatrixView& factors, const Scaling& scaling) {
    const Index k = *inverse_.failed_column;
    inverse_.failed_pivot = download(context_.queue(), factors.buffer, inverse_.type,
                                     n_ * factors.ld)[k * factors.ld + k];
    const bool finite = std::isfinite(inverse_.failed_pivot);
    inverse_.status = options_.lu.positive_definite && finite ? SolveStatus::not_positive_definite
                      : finite
                          ? (scaling.may_underflow ? SolveStatus::overflow : SolveStatus::singular)
                      : scaling.finite ? SolveStatus::overflow
                                       : SolveStatus::singular;
  }

  /// Sets the residuals, rcond and the status. `residual` is ||A X - I||.
  void judge(double residual) {
    const double eps = unit_roundoff(inverse_.type);
    const MatrixSize a = size_of(a_), x = size_of(inverse_.x);
    inverse_.residual = residual;
    inverse_.scaled_residual =
        inverse_.residual / norm_inf(a_) / norm_inf(inverse_.x) / (static_cast<double>(n_) * eps);
    inverse_.rcond = 1 / a.norm1 / x.norm1;
    inverse_.status = inverse_.scaled_residual <= options_.max_scaled_residual
                          ? SolveStatus::ok
                          : SolveStatus::inaccurate;
    if (find_nonfinite(inverse_.x.values()) == inverse_.x.values().size()) return;
    inverse_.status = SolveStatus::overflow;
    inverse_.x = {};
  }

  Context& context_;
  const Matrix& a_;
  Index n_;
  const InverseOptions& options_;
  const ProgressCallback& progress_;
  Inverse inverse_;
};

}  // namespace

Inverse invert(Context& context, const Matrix& a, const InverseOptions& options,
               const ProgressCallback& progress) {
  const RealType type = choose_type(context.profile(), options.type);
  if (a.rows() != a.cols())
    throw DimensionError(
        fmt::format("A is {} x {}, not square: it has no inverse", a.rows(), a.cols()));
  if (options.lu.symmetric && !options.lu.positive_definite)
    throw UsageError("the inverse takes factors of LU or Cholesky, not L D L^T");
  if (options.lu.positive_definite) require_symmetric(a);
  if (a.rows() == 0) {
    Inverse empty;
    empty.type = type;
    empty.rcond = 1;
    return empty;
  }
  require_memory_for(context, a.rows(), type, options.lu);
  return translate_opencl_errors([&] {
    return repeat_until_co_resident(options.lu, [&](const LuOptions& lu) {
      InverseOptions attempt = options;
      attempt.lu = lu;
      return Inversion(context, a, type, attempt, progress).run();
    });
  });
}

}  // namespace clgauss
