#include "linalg/refinement/extra_precise.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "constants.hpp"
#include "kernels/common/exact_sum.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/scaling.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "matrix/transposed.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

constexpr double kShrinks = 0.5;   // rthresh of dgesvxx
constexpr double kSettled = 0.25;  // its dz_ub: below, the elements of x have the right signs
constexpr Index kMostPreciseCorrections = 100;  // each halves the error: enough for eps^2

/// The refinement of one right-hand side.
class Course {
 public:
  [[nodiscard]] bool is_open() const { return open_; }
  [[nodiscard]] bool has_converged() const { return converged_; }
  [[nodiscard]] const Refinement::ForwardError& error() const { return error_; }

  void give_up() {
    open_ = converged_ = false;
    error_ = {};
  }

  /// Whether to make a correction. `largest` is its largest element, `relative` its largest element
  /// relative to that of x, and `norm` the largest element of x.
  bool takes(double largest, double relative, double norm) {
    if (!std::isfinite(largest) || !std::isfinite(norm)) {
      give_up();
      return false;
    }
    const double ratio = largest == 0 ? 0 : largest / last_,
                 of_elements = relative == 0 ? 0 : relative / last_relative_;
    const bool shrinks = ratio <= kShrinks;
    open_ = shrinks && !(relative <= kEps);
    converged_ = converged_ || largest <= kEps * norm;
    if (!shrinks && converged_) return false;  // only rounding is left
    ratio_ = std::max(ratio_, ratio);
    if (relative <= kSettled && last_relative_ <= kSettled)
      element_ratio_ = std::max(element_ratio_, of_elements);
    error_.normwise = left(largest == 0 ? 0 : largest / norm, ratio_);
    error_.componentwise = relative <= kSettled ? left(relative, element_ratio_) : 1;
    last_ = largest;
    last_relative_ = relative;
    return shrinks;
  }

 private:
  /// The error left in x, if the corrections continue as a geometric series, plus rounding.
  static double left(double correction, double ratio) {
    return ratio < 1 ? std::min(1.0, kEps + correction / (1 - ratio)) : 1;
  }

  bool open_ = true, converged_ = false;
  double last_ = HUGE_VAL, last_relative_ = HUGE_VAL;  // of the last correction
  double ratio_ = 0, element_ratio_ = 0;               // the largest of two in succession
  Refinement::ForwardError error_;
};

/// Whether the products of a row can be split exactly; what underflows is below eps^2 d.
bool is_in_range(double d) { return d == 0 || (d >= 0x1p-800 && d <= 0x1p1000); }

/// max r / d; infinity if a d is out of range.
double backward_error(const Matrix& r, const Matrix& d, Index c) {
  double worst = 0;
  for (Index i = 0; i < r.rows(); ++i) {
    if (!is_in_range(d(i, c))) return HUGE_VAL;
    if (d(i, c) > 0) worst = max_or_nan(worst, std::abs(r(i, c)) / d(i, c));
  }
  return worst;
}

/// Adds d to one column of x, which stays in two parts.
void add(TwoParts& x, const Matrix& d, Index c) {
  for (Index i = 0; i < d.rows(); ++i) {
    ExactSum sum{x.hi(i, c), x.lo(i, c)};
    sum.add(d(i, c));
    x.hi(i, c) = sum.rounded();
    x.lo(i, c) = (sum.hi - x.hi(i, c)) + sum.lo;
  }
}

/// The size of the number whose first row is i.
double size_of(const Matrix& x, Index i, Index c, bool pairs) {
  return pairs ? std::hypot(x(i, c), x(i + 1, c)) : std::abs(x(i, c));
}

/// Makes the corrections that Course::takes() allows. Returns whether it made any.
bool correct(TwoParts& x, const Matrix& correction, bool pairs, std::vector<Course>& courses) {
  bool any = false;
  for (Index c = 0; c < courses.size(); ++c) {
    if (!courses[c].is_open()) continue;
    double largest = 0, relative = 0, norm = 0;
    for (Index i = 0; i < correction.rows(); i += pairs ? 2 : 1) {
      const double d = size_of(correction, i, c, pairs), size = size_of(x.hi, i, c, pairs);
      largest = max_or_nan(largest, d);
      norm = max_or_nan(norm, size);
      if (d != 0) relative = max_or_nan(relative, d / size);
    }
    if (!courses[c].takes(largest, relative, norm)) continue;
    add(x, correction, c);
    any = true;
  }
  return any;
}

bool any_open(const std::vector<Course>& courses) {
  return std::ranges::any_of(courses, [](const Course& course) { return course.is_open(); });
}

}  // namespace

ExactResidual exact_residual(std::span<const double> a, double b, const double* hi,
                             const double* lo) {
  ExactSum sum;
  sum.add(b);
  double size = std::abs(b);
  for (Index j = 0; j < a.size(); ++j) {
    sum.add_product(-a[j], hi[j]);
    sum.lo -= a[j] * lo[j];
    size += std::abs(a[j] * hi[j]);
  }
  return {sum.rounded(), size};
}

void ExtraPreciseHost::residual(const TwoParts& x, Matrix& r, Matrix& d) {
  const Index n = system_.a.rows(), nrhs = system_.b.cols();
  const Values hi = transposed(x.hi.values(), n, nrhs), lo = transposed(x.lo.values(), n, nrhs);
  in_parallel(n, kElementsPerThread / n + 1, [&](Index first, Index last) {
    Values a(n), b(nrhs);
    for (Index i = first; i < last; ++i) {
      scale_row(system_.a.row(i), scaling_.rows, scaling_.columns, i, a.data());
      scale_row(system_.b.row(i), scaling_.rows, scaling_.right_hand_sides, i, b.data());
      for (Index c = 0; c < nrhs; ++c) {
        const ExactResidual exact = exact_residual(a, b[c], &hi[c * n], &lo[c * n]);
        r(i, c) = exact.r;
        d(i, c) = exact.d;
      }
    }
  });
}

ExtraPreciseDevice::ExtraPreciseDevice(Context& context, const System& system,
                                       const Scaling& scaling)
    : context_(context),
      n_(system.a.rows()),
      nrhs_(system.b.cols()),
      residual_(context, RealType::f64, ResidualSum::accurate_two_parts) {
  a_.ld = padded_ld(n_, RealType::f64);
  a_.buffer = context.allocate(n_ * a_.ld * sizeof(double), "A in f64, for residuals");
  for (cl::Buffer* vectors : {&b_, &x_, &x_lo_, &r_, &d_})
    *vectors = context.allocate(n_ * nrhs_ * sizeof(double), "the right-hand sides in f64");
  upload_rows(context_, a_.buffer, a_.ld, RealType::f64, {scaled_matrix(system, scaling)});
  Matrix b(n_, nrhs_);
  for (Index i = 0; i < n_; ++i)
    scale_row(system.b.row(i), scaling.rows, scaling.right_hand_sides, i, b.row(i).data());
  upload_values(context_, b_, RealType::f64, transposed(b.values(), n_, nrhs_));
  residual_.prepare(nrhs_);
}

void ExtraPreciseDevice::prepare(Context& context, Index nrhs) {
  ResidualKernel(context, RealType::f64, ResidualSum::accurate_two_parts).prepare(nrhs);
}

std::uint64_t ExtraPreciseDevice::bytes(Index n, Index nrhs) {
  return n * (padded_ld(n, RealType::f64) + 5 * nrhs) * sizeof(double);
}

void ExtraPreciseDevice::residual(const TwoParts& x, Matrix& r, Matrix& d) {
  const cl::CommandQueue& queue = context_.queue();
  upload_values(context_, x_, RealType::f64, transposed(x.hi.values(), n_, nrhs_));
  upload_values(context_, x_lo_, RealType::f64, transposed(x.lo.values(), n_, nrhs_));
  residual_.enqueue(queue, a_, n_, nrhs_, {x_, x_lo_, b_, r_, d_});
  const auto read = [&](const cl::Buffer& buffer) {
    const Values values = download(queue, buffer, RealType::f64, n_ * nrhs_);
    return Matrix(n_, nrhs_, transposed(values, nrhs_, n_));
  };
  r = read(r_);
  d = read(d_);
}

Refinement refine_in_extra_precision(ExtraPreciseOperator& system, const ApproximateSolve& solve,
                                     Matrix& x, const ProgressCallback& progress) {
  const Index n = x.rows(), nrhs = x.cols();
  TwoParts parts{x, Matrix(n, nrhs)};
  Matrix r(n, nrhs), d(n, nrhs);
  std::vector<Course> courses(nrhs);
  Refinement refinement;
  refinement.on_device = system.on_device();
  const auto judge = [&] {
    if (progress) progress("refinement", 0);
    system.residual(parts, r, d);
    double worst = 0;
    for (Index c = 0; c < nrhs; ++c) {
      const double error = backward_error(r, d, c);
      if (!std::isfinite(error)) courses[c].give_up();
      worst = max_or_nan(worst, error);
    }
    refinement.backward_errors.push_back(worst);
  };
  judge();
  for (Index k = 0; k < kMostPreciseCorrections && any_open(courses); ++k) {
    solve(r);
    if (correct(parts, r, system.pairs(), courses)) judge();
  }
  refinement.accepted = std::ranges::all_of(courses, &Course::has_converged);
  for (const Course& course : courses) refinement.forward_errors.push_back(course.error());
  x = std::move(parts.hi);
  return refinement;
}

}  // namespace clgauss
