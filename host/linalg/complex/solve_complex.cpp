#include <fmt/format.h>

#include <algorithm>
#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <cmath>
#include <mutex>
#include <optional>

#include "io/memory.hpp"
#include "lap_timer.hpp"
#include "linalg/complex/complex_lu.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "linalg/lu/pivots.hpp"
#include "linalg/refinement/row_sums.hpp"
#include "linalg/solve/memory_need.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/scaling.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "opencl_error.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

void check_shapes(const ComplexSystem& system) {
  const ComplexMatrix &a = system.a, &b = system.b;
  if (a.rows() != a.cols())
    throw DimensionError(fmt::format("A is {} x {}, not square", a.rows(), a.cols()));
  if (b.rows() != a.rows())
    throw DimensionError(fmt::format("A has {} rows, b has {}", a.rows(), b.rows()));
}

/// Exponents that bring the largest finite part of each complex column near 1, for both of its
/// columns of parts.
std::vector<int> exponents_of_columns(const Matrix& parts) {
  const std::vector<double> largest = sizes_of(parts.values(), parts.cols()).columns;
  std::vector<int> exponents(parts.cols());
  for (Index j = 0; j < parts.cols(); j += 2) {
    const double of_both = std::max(largest[j], largest[j + 1]);
    exponents[j] = exponents[j + 1] =
        of_both > 0 && std::isfinite(of_both) ? -std::ilogb(of_both) : 0;
  }
  return exponents;
}

bool is_finite(const ComplexMatrix& matrix) {
  return find_nonfinite(matrix.parts().values()) == matrix.parts().values().size();
}

class ComplexRun {
 public:
  ComplexRun(Context& context, const ComplexSystem& system, const ComplexOptions& options,
             const ProgressCallback& progress, const LuOptions& lu)
      : context_(context),
        system_(system),
        options_(options),
        progress_(progress),
        lu_options_(lu),
        n_(system.a.rows()),
        nrhs_(system.b.cols()) {
    result_.type = choose_type(context.profile(), options.type);
  }

  ComplexSolution run() {
    if (n_ == 0 || nrhs_ == 0) {
      result_.x = ComplexMatrix(n_, nrhs_);
      return std::move(result_);
    }
    const RealType type = result_.type;
    require_memory_for();
    report("building the kernels");
    std::optional<ComplexLu> lu;
    context_.programs().prepare([&] { lu.emplace(context_, type, n_, nrhs_, lu_options_); });
    const ComplexLayout& layout = lu->layout();
    const MatrixView a{context_.allocate(n_ * layout.ld * bytes_of(type), what()), 0, layout.ld};
    result_.times.build = timer_.lap();

    report("upload");
    const std::vector<int> of_a = exponents_of_columns(system_.a.parts()),
                           of_b = exponents_of_columns(system_.b.parts());
    const Matrix gap(n_, layout.b - 2 * n_), rest(n_, layout.ld - layout.b - 2 * nrhs_);
    upload_rows(context_, a.buffer, a.ld, type,
                {{&system_.a.parts(), {}, of_a}, &gap, {&system_.b.parts(), {}, of_b}, &rest});
    result_.times.upload = timer_.lap();

    report("factorisation");
    const cl::CommandQueue& queue = context_.queue();
    lu->factor(queue, a, progress_);
    queue.finish();
    result_.times.forward = timer_.lap();
    if (!judge_pivots(*lu, a)) return std::move(result_);

    report("substitution");
    lu->solve(queue, a);
    (void)lu->failed_column(queue);  // throws where the substitution waited in vain
    result_.times.backward = timer_.lap();
    download_x(a, layout, of_a, of_b);
    result_.times.download = timer_.lap();
    check();
    result_.times.check = timer_.lap();
    return std::move(result_);
  }

 private:
  void report(const char* what) const {
    if (progress_) progress_(what, 0);
  }

  [[nodiscard]] std::string what() const {
    return fmt::format("the complex {} system of n = {} with {} right-hand side{}",
                       real_type_name(result_.type), n_, nrhs_, nrhs_ == 1 ? "" : "s");
  }

  void require_memory_for() const {
    const RealType type = result_.type;
    const DeviceProfile& device = context_.profile();
    const std::uint64_t number = 2 * bytes_of(type);
    MemoryNeed need{what(), type, n_ * n_ * number, n_ * nrhs_ * number, 0};
    need.workspace = ComplexLu::bytes(device, type, n_, nrhs_);
    need.host_copy = 2 * n_ * n_ * sizeof(double);
    require_memory(need, device, io::physical_memory());
  }

  /// False if there is no x.
  bool judge_pivots(const ComplexLu& lu, const MatrixView& a) {
    const cl::CommandQueue& queue = context_.queue();
    result_.pivot_rows = read_twice([&] { return lu.pivots(queue); });
    result_.failed_column = lu.failed_column(queue);
    if (!result_.failed_column) return true;
    const MatrixView at = a.at(*result_.failed_column, 2 * *result_.failed_column);
    const MatrixView pivot{context_.allocate(2 * bytes_of(result_.type), what()), 0, 2};
    const std::size_t element = bytes_of(result_.type);
    enqueue_copy_rows(queue, {at.buffer, at.offset * element, at.ld * element},
                      {pivot.buffer, 0, 2 * element}, 2 * element, 1);
    const Values parts = download(queue, pivot.buffer, result_.type, 2);
    result_.failed_pivot = std::abs(parts[0]) + std::abs(parts[1]);
    result_.status = result_.failed_pivot == 0 || !is_finite(system_.a) ? SolveStatus::singular
                                                                        : SolveStatus::overflow;
    return false;
  }

  void download_x(const MatrixView& a, const ComplexLayout& layout, std::span<const int> of_a,
                  std::span<const int> of_b) {
    const RealType type = result_.type;
    const std::size_t element = bytes_of(type), row = 2 * nrhs_ * element;
    const cl::Buffer x = context_.allocate(n_ * row, what());
    enqueue_copy_rows(context_.queue(), {a.buffer, layout.b * element, layout.ld * element},
                      {x, 0, row}, row, n_);
    Matrix parts(n_, 2 * nrhs_, download(context_.queue(), x, type, n_ * 2 * nrhs_));
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < 2 * nrhs_; ++j)
        parts(i, j) = times_power(parts(i, j), of_a[2 * i] - of_b[j]);
    result_.x = ComplexMatrix(std::move(parts));
  }

  void check() {
    report("check");
    if (!is_finite(result_.x)) {
      result_.status = SolveStatus::overflow;
      result_.x = {};
      return;
    }
    result_.residual = compute_residual(system_, result_.x, unit_roundoff(result_.type));
    if (!(result_.residual.scaled <= options_.max_scaled_residual))
      result_.status = SolveStatus::inaccurate;
  }

  Context& context_;
  const ComplexSystem& system_;
  const ComplexOptions& options_;
  const ProgressCallback& progress_;
  const LuOptions& lu_options_;
  Index n_, nrhs_;
  LapTimer timer_;
  ComplexSolution result_;
};

double modulus(double re, double im) { return std::sqrt(re * re + im * im); }

/// Of one right-hand side: ||b - A x||, ||x||, ||b||, infinity norms of moduli.
struct ColumnNorms {
  double residual = 0, x = 0, b = 0;
};

}  // namespace

ComplexMatrix::ComplexMatrix(Matrix parts) : parts_(std::move(parts)) {
  if (parts_.cols() % 2 != 0)
    throw DimensionError(fmt::format(
        "{} columns of real and imaginary parts are no columns of complex numbers", parts_.cols()));
}

ComplexMatrix::ComplexMatrix(Index rows, Index cols, std::span<const std::complex<double>> values)
    : parts_(rows, 2 * cols) {
  if (values.size() != rows * cols)
    throw DimensionError(
        fmt::format("{} numbers are not those of a {} x {} matrix", values.size(), rows, cols));
  for (Index i = 0; i < values.size(); ++i) {
    parts_.values()[2 * i] = values[i].real();
    parts_.values()[2 * i + 1] = values[i].imag();
  }
}

ComplexMatrix ComplexMatrix::of_real(const Matrix& real) {
  ComplexMatrix result(real.rows(), real.cols());
  for (Index i = 0; i < real.values().size(); ++i) result.parts_.values()[2 * i] = real.values()[i];
  return result;
}

namespace {

/// Of the finite ones.
int exponent_of_largest(std::span<const double> values) {
  double largest = 0;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest > 0 ? std::ilogb(largest) : 0;
}

}  // namespace

Residual compute_residual(const ComplexSystem& system, const ComplexMatrix& x, double eps) {
  const auto& [a, b] = system;
  const Index n = a.rows(), nrhs = b.cols();
  if (a.cols() != n || b.rows() != n || x.rows() != n || x.cols() != nrhs)
    throw DimensionError("the residual needs x and b of the same shape, with as many rows as A");
  // With A, x and b brought near 1 by powers of two no product leaves the range of f64.
  const int of_a = exponent_of_largest(a.parts().values());
  Matrix of_b = b.parts();
  // The products' real and imaginary parts are those of rows of A with these.
  Matrix for_real(nrhs, 2 * n), for_imaginary(nrhs, 2 * n);
  std::vector<ColumnNorms> norms(nrhs);
  for (Index c = 0; c < nrhs; ++c) {
    double largest_x = 0, largest_b = 0;
    for (Index i = 0; i < n; ++i) {
      largest_x =
          max_or_nan(largest_x, std::max(std::abs(x(i, c).real()), std::abs(x(i, c).imag())));
      largest_b =
          max_or_nan(largest_b, std::max(std::abs(b(i, c).real()), std::abs(b(i, c).imag())));
    }
    const auto exponent = [](double largest) {
      return largest > 0 && std::isfinite(largest) ? std::ilogb(largest) : -10000;
    };
    const int by = -std::max(of_a + exponent(largest_x), exponent(largest_b));
    for (Index i = 0; i < n; ++i) {
      const double re = times_power(x(i, c).real(), by + of_a),
                   im = times_power(x(i, c).imag(), by + of_a);
      for_real(c, 2 * i) = for_imaginary(c, 2 * i + 1) = re;
      for_real(c, 2 * i + 1) = -im;
      for_imaginary(c, 2 * i) = im;
      for (Index part : {2 * c, 2 * c + 1}) of_b(i, part) = times_power(of_b(i, part), by);
      norms[c].x = max_or_nan(norms[c].x, modulus(re, im));
      norms[c].b = max_or_nan(norms[c].b, modulus(of_b(i, 2 * c), of_b(i, 2 * c + 1)));
    }
  }
  double norm_a = 0;
  std::mutex one_at_a_time;
  in_parallel(n, kElementsPerThread / std::max<Index>(2 * n, 1) + 1, [&](Index first, Index last) {
    std::vector<double> residual(nrhs);
    double largest_sum = 0;
    Values row(2 * n);
    for (Index i = first; i < last; ++i) {
      double sum = 0;
      for (Index j = 0; j < 2 * n; ++j) row[j] = times_power(a.parts()(i, j), -of_a);
      for (Index j = 0; j < 2 * n; j += 2) sum += modulus(row[j], row[j + 1]);
      largest_sum = max_or_nan(largest_sum, sum);
      for (Index c = 0; c < nrhs; ++c) {
        const double re = of_b(i, 2 * c) - sums_of_row(row, for_real.row(c).data()).product,
                     im =
                         of_b(i, 2 * c + 1) - sums_of_row(row, for_imaginary.row(c).data()).product;
        residual[c] = max_or_nan(residual[c], modulus(re, im));
      }
    }
    const std::scoped_lock lock(one_at_a_time);
    norm_a = max_or_nan(norm_a, largest_sum);
    for (Index c = 0; c < nrhs; ++c) norms[c].residual = max_or_nan(norms[c].residual, residual[c]);
  });
  Residual worst;
  for (const ColumnNorms& of : norms) {
    const double scale = norm_a * of.x + of.b;
    const double error = of.residual == 0 && std::isfinite(scale) ? 0 : of.residual / scale;
    worst.backward_error = max_or_nan(worst.backward_error, error);
  }
  worst.scaled = n == 0 ? 0 : worst.backward_error / (eps * static_cast<double>(n));
  return worst;
}

ComplexSolution solve_complex(Context& context, const ComplexSystem& system,
                              const ComplexOptions& options, const ProgressCallback& progress) {
  check_shapes(system);
  return translate_opencl_errors([&] {
    return repeat_until_co_resident({}, [&](const LuOptions& lu) {
      return ComplexRun(context, system, options, progress, lu).run();
    });
  });
}

}  // namespace clgauss
