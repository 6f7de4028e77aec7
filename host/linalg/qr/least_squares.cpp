#include <fmt/format.h>

#include <algorithm>
#include <clgauss/condition.hpp>
#include <clgauss/error.hpp>
#include <clgauss/least_squares.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "io/memory.hpp"
#include "lap_timer.hpp"
#include "launch/staging.hpp"
#include "linalg/estimates/host_triangles.hpp"
#include "linalg/lu/mapped_factors.hpp"
#include "linalg/qr/geqp3.hpp"
#include "linalg/qr/geqrf.hpp"
#include "linalg/qr/host_products.hpp"
#include "linalg/qr/ridge_and_weights.hpp"
#include "linalg/qr/tzrzf.hpp"
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
constexpr double kClearOfRefined = 1000;  // times the tolerance

/// Exponents that bring the largest finite number of a column or row, or of each, near 1.
int exponent_of(double largest) {
  return largest > 0 && std::isfinite(largest) ? -std::ilogb(largest) : 0;
}
std::vector<int> exponents_of(std::span<const double> largest) {
  std::vector<int> exponents(largest.size());
  std::ranges::transform(largest, exponents.begin(), exponent_of);
  return exponents;
}

std::vector<double> largest_of_columns(const Matrix& a) {
  return sizes_of(a.values(), a.cols()).columns;
}

/// The first `rows` rows of A; rows that A does not have are zero.
Matrix first_rows(const Matrix& a, Index rows) {
  Matrix top(rows, a.cols());
  std::ranges::copy(a.values().first(std::min(rows, a.rows()) * a.cols()), top.values().begin());
  return top;
}

Matrix columns_of(const Matrix& a, std::span<const Index> columns) {
  Matrix some(a.rows(), columns.size());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index j = 0; j < columns.size(); ++j) some(i, j) = a(i, columns[j]);
  return some;
}

Matrix beside(const Matrix& left, const Matrix& right) {
  Matrix both(left.rows(), left.cols() + right.cols());
  for (Index i = 0; i < left.rows(); ++i)
    std::ranges::copy(right.row(i), std::ranges::copy(left.row(i), both.row(i).begin()).out);
  return both;
}

/// A X = B. A wide A is factored as its transpose: F = A or A^T, rows x columns, rows >= columns,
/// and F' = F C.
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
      throw UsageError("least squares have the accuracies single and double, not max");
    if (options.rank_tolerance && !(*options.rank_tolerance >= 0 && *options.rank_tolerance < 1))
      throw UsageError(fmt::format("the rank tolerance is {}; it must be at least 0 and below 1",
                                   *options.rank_tolerance));
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
      made->prepare({{}, 0, ld_}, along());
      made->prepare_solves(nrhs_);
      if (!maps_factors(context_)) made->prepare_solves(NormEstimateOptions{}.columns);
      return made;
    });
    const cl::CommandQueue& queue = context_.queue();
    const std::uint64_t bytes_of_f = rows_ * ld_ * bytes_of(result_.type);
    MatrixView f{context_.staging().matrices().take(context_, bytes_of_f, what()), 0, ld_};
    result_.times.build = timer_.lap();

    report("upload");
    upload(f);
    result_.times.upload = timer_.lap();

    report("factorisation");
    qr_->factor(queue, f, along(), progress_);
    queue.finish();
    result_.times.forward = timer_.lap();
    auto [r, top_of_b] = download_top(f);
    const std::optional<Geqp3> deficient = judge_r(r);
    r = {};
    result_.times.trust = timer_.lap();
    if (result_.status != LeastSquaresStatus::ok) return std::move(result_);

    if (deficient)
      solve_deficient(top_of_b, *deficient);
    else if (refines_)
      refine();
    else
      solve(f);
    check();
    qr_->keep_memory();
    context_.staging().matrices().give(context_, std::move(f.buffer), bytes_of_f);
    result_.times.check = timer_.lap();
    return std::move(result_);
  }

 private:
  void report(const char* what) const {
    if (progress_) progress_(what, 0);
  }
  [[nodiscard]] double eps() const { return unit_roundoff(result_.type); }
  /// Number of right-hand sides that the factorisation also transforms.
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
    const Sizes sizes = sizes_of(a_.values(), a_.cols());
    norm1_ = sizes.norm1;
    by_columns_ = exponents_of(wide_ ? sizes.rows : sizes.columns);
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

  /// R, and the rows beside it of the right-hand sides that were factored along.
  [[nodiscard]] std::pair<Matrix, Matrix> download_top(const MatrixView& f) const {
    return result_.type == RealType::f32 ? download_top_as<float>(f) : download_top_as<double>(f);
  }
  template <typename Real>
  [[nodiscard]] std::pair<Matrix, Matrix> download_top_as(const MatrixView& f) const {
    const Index beside = along();
    Matrix r(columns_, columns_, Values(columns_ * columns_)),
        of_b(columns_, beside, Values(columns_ * beside));
    context_.staging().read(context_.queue(), f.buffer, columns_, f.ld * sizeof(Real),
                            [&](Index first, Index last, const std::byte* in) {
                              const auto* row = reinterpret_cast<const Real*>(in);
                              for (Index i = first; i < last; ++i, row += f.ld) {
                                std::copy_n(row, columns_, r.row(i).begin());
                                std::copy_n(row + columns_, beside, of_b.row(i).begin());
                              }
                            });
    return {std::move(r), std::move(of_b)};
  }

  /// Estimates R's condition and the rank. If the rank is below full, returns R with its columns
  /// exchanged. If there is no x, sets the status.
  std::optional<Geqp3> judge_r(const Matrix& r) {
    result_.tolerance = options_.rank_tolerance.value_or(2 * eps() * static_cast<double>(rows_));
    if (find_nonfinite(r.values()) != r.values().size() ||
        find_nonfinite(b_.values()) != b_.values().size()) {
      result_.status = LeastSquaresStatus::overflow;
      return std::nullopt;
    }
    const HostTriangles<double> triangle{r.values().data(), columns_, columns_};
    const auto solver = [&](bool transposed) {
      return [&, transposed](const Matrix& x) {
        return maps_factors(context_) ? triangle.solve_upper(x, transposed)
                                      : solve_r(x, transposed);
      };
    };
    bool zero = false;
    for (Index i = 0; i < columns_; ++i) zero = zero || r(i, i) == 0;
    if (zero)
      result_.rcond = 0;
    else if (has_full_rank_)
      result_.rcond = 1;  // not needed
    else
      result_.rcond =
          reciprocal_condition({columns_, solver(false), solver(true)}, size_of(r).norm1);
    std::optional<Geqp3> exchanged;
    if (zero || !(result_.rcond >= result_.tolerance))
      // Factors in f32 that are refined need a basis of a smaller condition.
      exchanged = Geqp3::of_triangle(r, result_.tolerance, refines_ ? kClearOfRefined : 1);
    // With a zero on its diagonal R does not have full rank, even if rounding hides that.
    result_.rank = exchanged ? std::min(exchanged->rank(), columns_ - (zero ? 1 : 0)) : columns_;
    result_.nullity = a_.cols() - result_.rank;
    if (result_.rank == columns_) return std::nullopt;
    if (options_.require_full_rank) result_.status = LeastSquaresStatus::rank_deficient;
    return exchanged;
  }

  [[nodiscard]] MatrixView on_device(const Matrix& x) const {
    return to_device(context_, result_.type, x, x.cols(), what());
  }
  /// Downloads a matrix without gaps between its rows.
  [[nodiscard]] Matrix on_host(const MatrixView& x, Index rows, Index columns) const {
    return {rows, columns, download(context_.queue(), x.buffer, result_.type, rows * columns)};
  }
  /// Computes R^-1 X or R^-T X.
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

  /// Multiplies by powers of two: the first rows of x by `rows`, and its columns by `columns` and
  /// by `sign` times `more`, all as exponents.
  static void scale_rows(Matrix& x, std::span<const int> rows, std::span<const int> columns,
                         std::span<const int> more, int sign) {
    for (Index i = 0; i < x.rows(); ++i)
      for (Index c = 0; c < x.cols(); ++c)
        x(i, c) = times_power(x(i, c), (i < rows.size() ? rows[i] : 0) +
                                           (columns.empty() ? 0 : columns[c]) +
                                           (more.empty() ? 0 : sign * more[c]));
  }

  /// Refines by the augmented system [I F; F^T 0] (y, z) = (b, 0), whose z is x. For a wide A the
  /// right side is (0, b), and y is x. Corrections are solved for with the factors; residuals are
  /// computed in f64 (Bjorck 1967).
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
      // The first correction is x itself. A later one that is not half of the last is only noise.
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

  /// (dy, dz) with dy + F dz = f and F^T dy = g. Computes h = R^-T g, (d1, d2) = Q^T f,
  /// dy = Q (h, d2) and dz = R^-1 (d1 - h).
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

  /// The least x among those that minimize ||b - A x||, for a rank r below k = columns. Within the
  /// tolerance, F is a basis of its range, of r columns, times an r-by-k W of full rank. For a tall
  /// A = F, x is the least one with W x = c, where c holds b in that basis. For a wide A = F^T, x
  /// is the basis times the u that minimizes ||b - W^T u||. Both problems have full rank.
  void solve_deficient(const Matrix& top_of_b, const Geqp3& exchanged) {
    if (result_.rank == 0)
      result_.x = Matrix(a_.cols(), nrhs_);
    else if (refines_)
      solve_by_columns(exchanged.order());
    else
      solve_by_rows(top_of_b, exchanged);
    result_.times.backward = timer_.lap();
  }

  /// F P = Q1 R P C^-1 = Q1 Q2 (W; 0), and W is factored further to a complete orthogonal
  /// factorisation. W's rows are equilibrated. The basis is the first columns of Q1 Q2.
  void solve_by_rows(const Matrix& top_of_b, const Geqp3& exchanged) {
    const Index rank = result_.rank;
    const std::span<const Index> order = exchanged.order();
    Matrix w(rank, columns_, Values(rank * columns_));
    std::vector<int> by_columns, by_rows(rank);
    for (const Index j : order) by_columns.push_back(-by_columns_[j]);
    in_parallel(rank, kElementsPerThread / columns_ + 1, [&](Index first, Index last) {
      for (Index i = first; i < last; ++i) {
        const auto row = w.row(i).subspan(i);
        scale_row(exchanged.row(i), {}, std::span(by_columns).subspan(i), 0, row.data());
        by_rows[i] = exponent_of(largest_magnitude(row));
        scale_row(row, by_rows, {}, i, row.data());
      }
    });
    const Tzrzf tzrzf(std::move(w));
    if (!wide_) {
      Matrix c = top_of_b;  // Q1^T b', then Q2^T Q1^T b'
      exchanged.apply(c, true);
      scale_rows(c, by_rows, {}, {}, 0);
      const Matrix x = tzrzf.least_solution(c);
      result_.x = Matrix(columns_, nrhs_);
      for (Index j = 0; j < columns_; ++j)
        std::ranges::copy(x.row(j), result_.x.row(order[j]).begin());
      scale_rows(result_.x, {}, {}, by_right_hand_sides_, -1);
    } else {
      Matrix b(columns_, nrhs_);
      for (Index j = 0; j < columns_; ++j) std::ranges::copy(b_.row(order[j]), b.row(j).begin());
      scale_rows(b, {}, by_right_hand_sides_, {}, 0);
      Matrix y = first_rows(tzrzf.transposed_fit(b), columns_);  // (u; 0)
      scale_rows(y, by_rows, {}, {}, 0);
      exchanged.apply(y, false);
      const std::vector<int> exponents = exponents_of(largest_of_columns(y));
      scale_rows(y, {}, exponents, {}, 0);
      result_.x = applied(first_rows(y, rows_), false);
      scale_rows(result_.x, {}, {}, exponents, -1);
      scale_rows(result_.x, {}, {}, by_right_hand_sides_, -1);
    }
  }

  /// F P = F1 (I M), where F1 is the first r columns, the basis. Refinement computes with F1 and M
  /// more accurately than f32 factors would.
  void solve_by_columns(std::span<const Index> order) {
    const Index rank = result_.rank;
    const Matrix f = wide_ ? transposed_in_parallel(a_) : a_;
    const auto basis = order.first(rank), others = order.subspan(rank);
    const Matrix f1 = columns_of(f, basis), f2 = columns_of(f, others);
    const Matrix found = answer_of(f1, wide_ ? f2 : beside(f2, b_));  // M; then b in the basis
    Matrix w(rank, columns_);
    for (Index i = 0; i < rank; ++i) {
      w(i, basis[i]) = 1;
      for (Index j = 0; j < others.size(); ++j) w(i, others[j]) = found(i, j);
    }
    if (!wide_) {
      std::vector<Index> of_b(nrhs_);
      std::iota(of_b.begin(), of_b.end(), others.size());
      result_.x = answer_of(w, columns_of(found, of_b));
    } else {
      const Matrix u = answer_of(transposed_in_parallel(w), b_);
      result_.x = answer_of(transposed_in_parallel(f1), u);
    }
  }

  /// Solves a problem of full rank with this run's type and accuracy. Returns NaN if it has no
  /// solution.
  Matrix answer_of(const Matrix& a, const Matrix& b) {
    LeastSquaresOptions options;
    options.type = result_.type;
    options.accuracy = result_.accuracy;
    options.rank_tolerance = 0;
    LeastSquaresRun part(context_, a, b, options, progress_);
    part.has_full_rank_ = true;
    LeastSquares answer = part.run();
    result_.corrections = std::max(result_.corrections, answer.corrections);
    if (!answer.x.empty()) return std::move(answer.x);
    return {a.cols(), b.cols(), Values(a.cols() * b.cols(), std::nan(""))};
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
    const double norm_inf = norm_inf_of(a_);
    const bool deficient = result_.rank < columns_, solves = wide_ && !deficient;
    const Matrix normal = solves ? Matrix() : product(a_, r, true);
    double rounding =
        unit_roundoff(result_.accuracy == Accuracy::double_precision ? RealType::f64
                                                                     : RealType::f32) *
        static_cast<double>(rows_);
    if (deficient) rounding = std::max(rounding, options_.rank_tolerance.value_or(0));
    for (Index c = 0; c < nrhs_; ++c) {
      result_.residual_norms.push_back(norm2_of_column(r, c));
      const double missed = largest_in_column(solves ? r : normal, c);
      const double off = solves || missed == 0 ? missed : missed / norm1_;
      const double size = norm_inf * largest_in_column(result_.x, c) + largest_in_column(b_, c);
      const double scaled = off == 0 ? 0 : off / size / rounding;
      result_.scaled_residual = max_or_nan(result_.scaled_residual, scaled);
    }
    if (!(result_.scaled_residual <= options_.max_scaled_residual))
      result_.status = LeastSquaresStatus::inaccurate;
    result_.objective_norms = result_.residual_norms;
  }

  Context& context_;
  const Matrix& a_;
  const Matrix& b_;
  const LeastSquaresOptions& options_;
  const ProgressCallback& progress_;
  bool wide_, refines_ = false;
  bool has_full_rank_ = false;  // known to the caller; the condition is not estimated
  Index rows_, columns_, nrhs_, ld_ = 0;
  LapTimer timer_;
  std::unique_ptr<Geqrf> qr_;
  double norm1_ = 0;                                   // of A
  std::vector<int> by_columns_, by_right_hand_sides_;  // exponents of C; of B
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
  require_ridge_and_weights(options, a.rows());
  return translate_opencl_errors([&] {
    if (options.ridge == 0 && options.weights.empty())
      return LeastSquaresRun(context, a, b, options, progress).run();
    const RidgeAndWeights plain(a, b, options);
    LeastSquares answer = LeastSquaresRun(context, plain.a(), plain.b(), options, progress).run();
    if (options.ridge > 0) answer.nullity = std::min(a.rows(), a.cols()) - answer.rank;
    answer.x = plain.x_of(answer.x);
    if (!answer.x.empty()) measure_objective(a, b, options, answer);
    return answer;
  });
}

}  // namespace clgauss
