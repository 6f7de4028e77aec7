#include <fmt/format.h>

#include <algorithm>
#include <clgauss/condition.hpp>
#include <clgauss/error.hpp>
#include <clgauss/least_squares.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "io/memory.hpp"
#include "lap_timer.hpp"
#include "linalg/qr/geqrf.hpp"
#include "linalg/solve/memory_need.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/scaling.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "opencl_error.hpp"
#include "parallel.hpp"
#include "program/prepared.hpp"

namespace clgauss {

namespace {

constexpr int kMostLstsqCorrections = 30;

/// Exponents that bring the largest finite number of each column, or row, near 1.
std::vector<int> exponents_of(std::span<const double> largest) {
  std::vector<int> exponents;
  for (const double of_one : largest)
    exponents.push_back(of_one > 0 && std::isfinite(of_one) ? -std::ilogb(of_one) : 0);
  return exponents;
}

std::vector<double> largest_of_columns(const Matrix& a) {
  return sizes_of(a.values(), a.cols()).columns;
}

Matrix transposed_in_parallel(const Matrix& a) {
  constexpr Index kTile = 16;
  Matrix turned(a.cols(), a.rows());
  in_parallel(a.cols(), kElementsPerThread / a.rows() + kTile, [&](Index first, Index last) {
    for (Index i = 0; i < a.rows(); i += kTile)
      for (Index j = first; j < last; ++j)
        for (Index k = i; k < std::min(i + kTile, a.rows()); ++k) turned(j, k) = a(k, j);
  });
  return turned;
}

/// A X or A^T X.
Matrix product(const Matrix& a, const Matrix& x, bool transpose) {
  const Index columns = x.cols();
  Matrix y(transpose ? a.cols() : a.rows(), columns);
  std::mutex one_at_a_time;
  in_parallel(a.rows(), kElementsPerThread / std::max<Index>(a.cols(), 1) + 1,
              [&](Index first, Index last) {
                Values turned(a.cols());
                for (Index c = 0; c < columns; ++c) {
                  if (!transpose)
                    for (Index j = 0; j < a.cols(); ++j) turned[j] = x(j, c);
                  else
                    std::ranges::fill(turned, 0.0);
                  for (Index i = first; i < last; ++i) {
                    const double* const row = a.row(i).data();
                    if (transpose) {
                      const double by = x(i, c);
                      for (Index j = 0; j < a.cols(); ++j) turned[j] += row[j] * by;
                    } else {
                      double sums[8] = {};  // side by side
                      Index j = 0;
                      for (; j + 8 <= a.cols(); j += 8)
                        for (Index k = 0; k < 8; ++k) sums[k] += row[j + k] * turned[j + k];
                      for (; j < a.cols(); ++j) sums[0] += row[j] * turned[j];
                      y(i, c) = ((sums[0] + sums[4]) + (sums[1] + sums[5])) +
                                ((sums[2] + sums[6]) + (sums[3] + sums[7]));
                    }
                  }
                  if (!transpose) continue;
                  const std::scoped_lock lock(one_at_a_time);
                  for (Index j = 0; j < a.cols(); ++j) y(j, c) += turned[j];
                }
              });
  return y;
}

void subtract(Matrix& from, const Matrix& what) {
  for (Index i = 0; i < from.values().size(); ++i) from.values()[i] -= what.values()[i];
}

double largest_in_column(const Matrix& x, Index c) {
  double largest = 0;
  for (Index i = 0; i < x.rows(); ++i) largest = max_or_nan(largest, std::abs(x(i, c)));
  return largest;
}

/// Without overflow and underflow of squares.
double norm2_of_column(const Matrix& x, Index c) {
  const double largest = largest_in_column(x, c);
  if (!(largest > 0) || !std::isfinite(largest)) return largest;
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i) sum += (x(i, c) / largest) * (x(i, c) / largest);
  return largest * std::sqrt(sum);
}

/// Largest sums of magnitudes: of a row, and of a column.
struct MatrixNorms {
  double inf = 0, one = 0;
};

MatrixNorms norms_of(const Matrix& a) {
  MatrixNorms norms{0, size_of(a).norm1};
  for (Index i = 0; i < a.rows(); ++i) {
    double sum = 0;
    for (const double value : a.row(i)) sum += std::abs(value);
    norms.inf = max_or_nan(norms.inf, sum);
  }
  return norms;
}

/// How many columns of the n-by-n `r` QR with column exchanges leaves above `tolerance` times the
/// largest, in the 2-norm.
Index rank_of(Matrix r, double tolerance) {
  const Index n = r.rows();
  std::vector<double> squares(n);
  double first = 0;
  std::vector<double> products(n);
  for (Index k = 0; k < n; ++k) {
    std::ranges::fill(squares, 0.0);
    for (Index i = k; i < n; ++i)
      for (Index j = k; j < n; ++j) squares[j] += r(i, j) * r(i, j);
    const auto best = static_cast<Index>(
        std::max_element(squares.begin() + static_cast<std::ptrdiff_t>(k), squares.end()) -
        squares.begin());
    const double norm = std::sqrt(squares[best]);
    if (k == 0) first = norm;
    if (!(norm > tolerance * first)) return k;
    for (Index i = 0; i < n; ++i) std::swap(r(i, k), r(i, best));
    // Householder's reflection of column k.
    r(k, k) += r(k, k) < 0 ? -norm : norm;
    const double tau = 1 / (norm * std::abs(r(k, k)));
    std::ranges::fill(products, 0.0);
    for (Index i = k; i < n; ++i)
      for (Index j = k + 1; j < n; ++j) products[j] += r(i, k) * r(i, j);
    for (Index i = k; i < n; ++i)
      for (Index j = k + 1; j < n; ++j) r(i, j) -= tau * r(i, k) * products[j];
  }
  return n;
}

/// A X = B, as its transpose if it is wide: F = A or A^T, rows x columns, rows >= columns, F' = F
/// C.
class LeastSquaresRun {
 public:
  LeastSquaresRun(Context& context, const Matrix& a, const Matrix& b,
                  const LeastSquaresOptions& options, const ProgressCallback& progress)
      : context_(context),
        a_(a),
        b_(b),
        options_(options),
        progress_(progress),
        wide_(a.rows() < a.cols()),
        rows_(std::max(a.rows(), a.cols())),
        columns_(std::min(a.rows(), a.cols())),
        nrhs_(b.cols()) {
    const DeviceProfile& device = context.profile();
    if (options.accuracy == Accuracy::maximum)
      throw UsageError("least squares know the accuracies single and double, not max");
    result_.type = choose_type(
        device, options.accuracy == Accuracy::single_precision && !options.type ? RealType::f32
                                                                                : options.type);
    result_.accuracy = options.accuracy.value_or(
        options.type == RealType::f32 ? Accuracy::single_precision : Accuracy::double_precision);
    refines_ = result_.type == RealType::f32 && result_.accuracy == Accuracy::double_precision;
    ld_ = padded_ld(columns_ + along(), result_.type);
    require_memory_for();
  }

  LeastSquares run() {
    report("building the kernels");
    qr_ = prepared(context_.programs(), [&] {
      auto made = std::make_unique<Geqrf>(context_, result_.type, rows_, columns_, nrhs_);
      made->prepare_solves(std::max(nrhs_, NormEstimateOptions{}.columns));
      return made;
    });
    const cl::CommandQueue& queue = context_.queue();
    const MatrixView f{space(rows_, ld_), 0, ld_};
    result_.times.build = timer_.lap();

    report("upload");
    upload(f);
    result_.times.upload = timer_.lap();

    report("factorisation");
    qr_->factor(queue, f, along(), progress_);
    queue.finish();
    result_.times.forward = timer_.lap();
    if (!judge_r(f)) return std::move(result_);
    result_.times.trust = timer_.lap();

    if (refines_)
      refine();
    else
      solve(f);
    check();
    result_.times.check = timer_.lap();
    return std::move(result_);
  }

 private:
  void report(const char* what) const {
    if (progress_) progress_(what, 0);
  }
  [[nodiscard]] double eps() const { return unit_roundoff(result_.type); }
  /// Right-hand sides that the factorisation takes along.
  [[nodiscard]] Index along() const { return wide_ || refines_ ? 0 : nrhs_; }

  [[nodiscard]] std::string what() const {
    return fmt::format("the {} least squares problem, {} x {} with {} right-hand side{},",
                       real_type_name(result_.type), a_.rows(), a_.cols(), nrhs_,
                       nrhs_ == 1 ? "" : "s");
  }
  [[nodiscard]] cl::Buffer space(Index rows, Index ld) const {
    return context_.allocate(std::max<Index>(rows * ld, 1) * bytes_of(result_.type), what());
  }

  void require_memory_for() const {
    const std::uint64_t element = bytes_of(result_.type);
    MemoryNeed need{what(), result_.type, rows_ * ld_ * element, rows_ * nrhs_ * element, 0};
    need.workspace = Geqrf::bytes(context_.profile(), result_.type, rows_, columns_, nrhs_);
    need.host_copy = (wide_ ? 2 : 1) * rows_ * columns_ * sizeof(double);
    require_memory(need, context_.profile(), io::physical_memory());
  }

  void upload(const MatrixView& f) {
    by_columns_ =
        exponents_of(wide_ ? sizes_of(a_.values(), a_.cols()).rows : largest_of_columns(a_));
    by_right_hand_sides_ = exponents_of(largest_of_columns(b_));
    if (wide_) {
      const Matrix turned = transposed_in_parallel(a_);
      upload_rows(context_, f.buffer, f.ld, result_.type, {{&turned, {}, by_columns_}});
    } else if (along() > 0) {
      upload_rows(context_, f.buffer, f.ld, result_.type,
                  {{&a_, {}, by_columns_}, {&b_, {}, by_right_hand_sides_}});
    } else {
      upload_rows(context_, f.buffer, f.ld, result_.type, {{&a_, {}, by_columns_}});
    }
  }

  /// R's condition and the rank. False if there is no x.
  bool judge_r(const MatrixView& f) {
    const Values values = download(context_.queue(), f.buffer, result_.type, columns_ * f.ld);
    Matrix r(columns_, columns_);
    bool zero = false;
    for (Index i = 0; i < columns_; ++i) {
      for (Index j = i; j < columns_; ++j) r(i, j) = values[i * f.ld + j];
      zero = zero || r(i, i) == 0;
    }
    result_.tolerance = eps() * static_cast<double>(rows_);
    if (find_nonfinite(r.values()) != r.values().size() ||
        find_nonfinite(b_.values()) != b_.values().size()) {
      result_.status = LeastSquaresStatus::overflow;
      return false;
    }
    const auto solver = [this](bool transposed) {
      return [this, transposed](const Matrix& x) { return solve_r(x, transposed); };
    };
    result_.rcond =
        zero ? 0 : reciprocal_condition({columns_, solver(false), solver(true)}, size_of(r).norm1);
    result_.rank =
        result_.rcond >= result_.tolerance ? columns_ : rank_of(std::move(r), result_.tolerance);
    if (result_.rank == columns_ && !zero) return true;
    result_.status = LeastSquaresStatus::rank_deficient;
    return false;
  }

  [[nodiscard]] MatrixView on_device(const Matrix& x) const {
    return to_device(context_, result_.type, x, x.cols(), what());
  }
  /// Of a matrix without gaps between its rows.
  [[nodiscard]] Matrix on_host(const MatrixView& x, Index rows, Index columns) const {
    return {rows, columns, download(context_.queue(), x.buffer, result_.type, rows * columns)};
  }
  /// R^-1 X or R^-T X.
  [[nodiscard]] Matrix solve_r(const Matrix& x, bool transposed) const {
    const MatrixView device = on_device(x);
    qr_->solve(context_.queue(), device, x.cols(), transposed);
    return on_host(device, columns_, x.cols());
  }

  void solve(const MatrixView& f) {
    report("solve");
    const cl::CommandQueue& queue = context_.queue();
    if (!wide_) {  // x' = R^-1 (Q^T b)
      const MatrixView b{space(columns_, nrhs_), 0, nrhs_};
      const std::size_t element = bytes_of(result_.type);
      enqueue_copy_rows(queue, {f.buffer, columns_ * element, f.ld * element},
                        {b.buffer, 0, nrhs_ * element}, nrhs_ * element, columns_);
      qr_->solve(queue, b, nrhs_, false);
      queue.finish();
      result_.times.backward = timer_.lap();
      result_.x = on_host(b, columns_, nrhs_);
      scale_rows(result_.x, by_columns_, {}, by_right_hand_sides_, -1);
    } else {  // x = Q (R^-T b'; 0)
      Matrix above(rows_, nrhs_);
      for (Index i = 0; i < columns_; ++i) std::ranges::copy(b_.row(i), above.row(i).begin());
      scale_rows(above, by_columns_, by_right_hand_sides_, {}, 1);
      const MatrixView y = on_device(above);
      qr_->solve(queue, y, nrhs_, true);
      qr_->apply(queue, y, nrhs_, false);
      queue.finish();
      result_.times.backward = timer_.lap();
      result_.x = on_host(y, rows_, nrhs_);
      scale_rows(result_.x, {}, {}, by_right_hand_sides_, -1);
    }
    result_.times.download = timer_.lap();
  }

  /// Numbers times powers of two: of the first rows by `rows`, of columns by `columns`, or by their
  /// inverses.
  static void scale_rows(Matrix& x, std::span<const int> rows, std::span<const int> columns,
                         std::span<const int> more, int sign) {
    for (Index i = 0; i < x.rows(); ++i)
      for (Index c = 0; c < x.cols(); ++c)
        x(i, c) = times_power(x(i, c), (i < rows.size() ? rows[i] : 0) +
                                           (columns.empty() ? 0 : columns[c]) +
                                           (more.empty() ? 0 : sign * more[c]));
  }

  /// By the augmented system [I F; F^T 0] (y, z) = (b, 0), of which z is the answer, or, wide, (0,
  /// b), of which y is. Its corrections are solved for with the factors, its residuals are computed
  /// in f64 (Bjorck 1967).
  void refine() {
    report("refinement");
    const auto f_times = [&](const Matrix& z) { return product(a_, z, wide_); };
    const auto f_transposed_times = [&](const Matrix& y) { return product(a_, y, !wide_); };
    Matrix y(rows_, nrhs_), z(columns_, nrhs_);
    double last_change = std::numeric_limits<double>::infinity();
    while (result_.corrections < kMostLstsqCorrections) {
      Matrix f = wide_ ? Matrix(rows_, nrhs_) : b_, g = wide_ ? b_ : Matrix(columns_, nrhs_);
      subtract(f, y);
      subtract(f, f_times(z));
      subtract(g, f_transposed_times(y));
      const auto [dy, dz] = correction(std::move(f), std::move(g));
      Matrix& x = wide_ ? y : z;
      const Matrix& dx = wide_ ? dy : dz;
      double change = 0;
      for (Index c = 0; c < nrhs_; ++c) {
        const double of_x = largest_in_column(x, c), of_dx = largest_in_column(dx, c);
        change = max_or_nan(change, of_dx == 0 ? 0 : of_x == 0 ? HUGE_VAL : of_dx / of_x);
      }
      // The first correction is x, from 0; one that is not half of the last is not worth its noise.
      if (result_.corrections > 1 && !(change <= last_change / 2)) break;
      for (Index i = 0; i < y.values().size(); ++i) y.values()[i] += dy.values()[i];
      for (Index i = 0; i < z.values().size(); ++i) z.values()[i] += dz.values()[i];
      ++result_.corrections;
      report("refinement");
      if (change <= 0x1p-53) break;
      last_change = change;
    }
    result_.x = std::move(wide_ ? y : z);
    result_.times.refine = timer_.lap();
  }

  /// (dy, dz) with dy + F dz = f and F^T dy = g: h = R^-T g, (d1, d2) = Q^T f, dy = Q (h, d2), dz =
  /// R^-1 (d1 - h).
  std::pair<Matrix, Matrix> correction(Matrix f, Matrix g) {
    scale_rows(g, by_columns_, {}, {}, 0);
    std::vector<double> largest(nrhs_);
    for (Index c = 0; c < nrhs_; ++c)
      largest[c] = std::max(largest_in_column(f, c), largest_in_column(g, c));
    const std::vector<int> exponents = exponents_of(largest);
    scale_rows(f, {}, exponents, {}, 0);
    scale_rows(g, {}, exponents, {}, 0);
    const Matrix h = solve_r(g, true);
    Matrix d = applied(f, true), e = h;
    for (Index i = 0; i < columns_; ++i)
      for (Index c = 0; c < nrhs_; ++c) e(i, c) = std::exchange(d(i, c), h(i, c)) - h(i, c);
    Matrix dy = applied(d, false), dz = solve_r(e, false);
    scale_rows(dy, {}, {}, exponents, -1);
    scale_rows(dz, by_columns_, {}, exponents, -1);
    return {std::move(dy), std::move(dz)};
  }
  [[nodiscard]] Matrix applied(const Matrix& x, bool transposed) const {
    const MatrixView device = on_device(x);
    qr_->apply(context_.queue(), device, nrhs_, transposed);
    return on_host(device, rows_, nrhs_);
  }

  void check() {
    report("check");
    if (find_nonfinite(result_.x.values()) != result_.x.values().size()) {
      result_.status = LeastSquaresStatus::overflow;
      result_.x = {};
      return;
    }
    Matrix r = b_;
    subtract(r, product(a_, result_.x, false));
    const MatrixNorms norms = norms_of(a_);
    const Matrix normal = wide_ ? Matrix() : product(a_, r, true);
    const double unit = unit_roundoff(
        result_.accuracy == Accuracy::double_precision ? RealType::f64 : RealType::f32);
    for (Index c = 0; c < nrhs_; ++c) {
      result_.residual_norms.push_back(norm2_of_column(r, c));
      const double off = wide_ ? largest_in_column(r, c) : largest_in_column(normal, c) / norms.one;
      const double size = norms.inf * largest_in_column(result_.x, c) + largest_in_column(b_, c);
      const double scaled = off == 0 ? 0 : off / size / (unit * static_cast<double>(rows_));
      result_.scaled_residual = max_or_nan(result_.scaled_residual, scaled);
    }
    if (!(result_.scaled_residual <= options_.max_scaled_residual))
      result_.status = LeastSquaresStatus::inaccurate;
  }

  Context& context_;
  const Matrix& a_;
  const Matrix& b_;
  const LeastSquaresOptions& options_;
  const ProgressCallback& progress_;
  bool wide_, refines_ = false;
  Index rows_, columns_, nrhs_, ld_ = 0;
  LapTimer timer_;
  std::unique_ptr<Geqrf> qr_;
  std::vector<int> by_columns_, by_right_hand_sides_;  // C; of B
  LeastSquares result_;
};

}  // namespace

std::string_view least_squares_status_name(LeastSquaresStatus status) {
  switch (status) {
    case LeastSquaresStatus::ok:
      return "ok";
    case LeastSquaresStatus::rank_deficient:
      return "rank_deficient";
    case LeastSquaresStatus::overflow:
      return "overflow";
    case LeastSquaresStatus::inaccurate:
      break;
  }
  return "inaccurate";
}

LeastSquares least_squares(Context& context, const Matrix& a, const Matrix& b,
                           const LeastSquaresOptions& options, const ProgressCallback& progress) {
  if (a.rows() == 0 || a.cols() == 0)
    throw DimensionError(
        fmt::format("A is {} x {}: there is nothing to solve", a.rows(), a.cols()));
  if (b.cols() == 0) throw DimensionError("b has no right-hand side");
  if (a.rows() != b.rows())
    throw DimensionError(fmt::format("A has {} rows, b has {}", a.rows(), b.rows()));
  return translate_opencl_errors(
      [&] { return LeastSquaresRun(context, a, b, options, progress).run(); });
}

}  // namespace clgauss
