#include "linalg/certify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/lu_common.hpp"
#include "linalg/exact_scaling.hpp"
#include "linalg/upward.hpp"
#include "matrix/transfer.hpp"
#include "opencl_error.hpp"

namespace clgauss {

namespace {

constexpr RealType kType = RealType::f64;
constexpr const char* kWhat = "a certificate";
constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// -log10 of f64's unit roundoff: more digits no f64 has.
constexpr double kMostDigits = 15.95;

/// The kernels for f64 whose products and sums are IEEE operations, each of them; by what their names contain. Who adds one that
/// splits numbers leaves it out.
constexpr std::array kPlainProducts{"cpu_packed", "gemm_cpu", "simt", "mma_f64"};

Context& checked(Context& context) {
  if (!context.profile().fp64)
    throw DeviceLimit(context.profile().name +
                      " has no fp64: bounds are proven in f64 arithmetic alone; another device, "
                      "or an estimate, may do");
  return context;
}

/// -log10(error / size), for a user.
double digits_of(double error, double size) {
  const double ratio = divide_up(error, size);
  return std::clamp(-std::log10(ratio) - 1e-9, 0.0, kMostDigits);
}

}  // namespace

/// M v and |M| |v| for the rows of a matrix of vectors, as the device sums them up.
struct Certifier::Products {
  Matrix sums, magnitudes;
};

Certifier::Certifier(Context& context, Index n, const LuOptions& options)
    : context_(checked(context)),
      n_(n),
      lu_(context_, kType, n, options),
      gemm_(context_, kType),
      inverse_(context_, kType, n),
      ordinary_(context_, kType, ResidualSum::ordinary),
      accurate_(context_, kType, ResidualSum::accurate) {
  const Index ld = padded_ld(n, kType);
  context_.require_memory(3 * n * ld * sizeof(double), kWhat);
  for (MatrixView* view : {&a_, &r_, &g_}) {
    view->buffer = context_.allocate(n * ld * sizeof(double), kWhat);
    view->ld = ld;
  }
  const std::string name = gemm_.kernel_name({n, n, n}, r_, a_, g_, -1, 1);
  if (std::ranges::none_of(kPlainProducts,
                           [&](const char* part) { return name.find(part) != std::string::npos; }))
    throw DeviceLimit("the rounding errors of the GEMM kernel " + name +
                      " have no known bound: nothing can be proven with it");
}

/// P A = L U, L and U in g_, P A in a_; the rows of A in the order of P A. Empty where a pivot is 0.
std::optional<std::vector<Index>> Certifier::factor(const ExactScaling& scaled) {
  const cl::CommandQueue& queue = context_.queue();
  const std::size_t bytes = n_ * a_.ld * sizeof(double);
  upload_rows(queue, r_.buffer, r_.ld, kType, {{&scaled.a(), scaled.rows(), scaled.columns()}});
  queue.enqueueCopyBuffer(r_.buffer, g_.buffer, 0, 0, bytes);
  lu_.factor(g_);
  if (lu_.failed_column()) return std::nullopt;
  std::vector<Index> rows(n_);
  std::iota(rows.begin(), rows.end(), Index{0});
  const std::vector<Index> exchanges = lu_.pivots();
  for (Index j = 0; j < n_; ++j) std::swap(rows[j], rows[exchanges[j]]);

  const std::vector<cl_int> order(rows.begin(), rows.end());
  const cl::Buffer on_device = context_.allocate(n_ * sizeof(cl_int), kWhat);
  queue.enqueueWriteBuffer(on_device, CL_TRUE, 0, n_ * sizeof(cl_int), order.data());
  Kernel gather = context_.programs().kernel("gather_rows.cl", "gather_rows", real_defines(kType));
  cl_uint index = 0;
  pass_view(gather, index, r_);
  pass_view(gather, index, a_);
  gather.set_arguments_from(index, on_device, static_cast<cl_uint>(n_));
  launch_groups(queue, gather, n_, std::min<std::size_t>(64, gather.work_group_limit));
  return rows;
}

namespace {

void enqueue_identity(Context& context, const MatrixView& view, Index n) {
  const cl::CommandQueue& queue = context.queue();
  const std::size_t element = sizeof(double);
  queue.enqueueFillBuffer(view.buffer, 0.0, 0, n * view.ld * element);
  const cl::Buffer ones = context.allocate(n * element, kWhat);
  queue.enqueueFillBuffer(ones, 1.0, 0, n * element);
  queue.enqueueCopyBufferRect(ones, view.buffer, {0, 0, 0}, {0, 0, 0}, {element, n, 1}, element, 0,
                              (view.ld + 1) * element, 0);
}

}  // namespace

void Certifier::invert() {
  enqueue_identity(context_, r_, n_);
  inverse_.enqueue(context_.queue(), gemm_, g_, r_);
}

/// G <- I - R P A.
void Certifier::multiply() {
  enqueue_identity(context_, g_, n_);
  gemm_.update(n_, n_, n_, r_, a_, g_);
}

Certifier::Products Certifier::products(const MatrixView& m, const Matrix& vectors) {
  const cl::CommandQueue& queue = context_.queue();
  const Index count = vectors.rows(), elements = count * n_;
  const auto space = [&] { return context_.allocate(elements * sizeof(double), kWhat); };
  const ResidualOperands on_device{space(), {}, space(), space(), space()};
  upload_values(queue, on_device.x, kType, vectors.values());
  queue.enqueueFillBuffer(on_device.b, 0.0, 0, elements * sizeof(double));
  ordinary_.enqueue(queue, m, n_, count, on_device);
  Products result{Matrix(count, n_, download(queue, on_device.r, kType, elements)),
                  Matrix(count, n_, download(queue, on_device.d, kType, elements))};
  for (double& value : result.sums.values()) value = -value;  // of 0 - M v
  for (double& value : result.magnitudes.values()) value = sum_up(value, n_);
  return result;
}

namespace {

/// The rows of two matrices one under the other.
Matrix stacked(const Matrix& above, const Matrix& below) {
  Matrix both(above.rows() + below.rows(), above.cols());
  std::ranges::copy(below.values(), std::ranges::copy(above.values(), both.values().begin()).out);
  return both;
}

/// At least |E| w, E = I - R P A, for the rows w >= 0 of `weights`, from |G| w and |R| (|P A| w). An element of E was summed up
/// from n + 1 numbers: |E - G| <= gamma_(n + 2) (|R| |P A| + I) + n kLeast.
Matrix bound_of_error(const Matrix& weights, const Matrix& of_g, const Matrix& of_ra) {
  const Index n = weights.cols();
  Matrix bounds(weights.rows(), n);
  const double gamma = gamma_up(n + 2);
  for (Index c = 0; c < weights.rows(); ++c) {
    double sum = 0;
    for (const double w : weights.row(c)) sum = add_up(sum, w);
    const double underflow = multiply_up(sum, multiply_up(static_cast<double>(n), kLeast));
    for (Index i = 0; i < n; ++i)
      bounds(c, i) = add_up(
          add_up(of_g(c, i), multiply_up(gamma, add_up(of_ra(c, i), weights(c, i)))), underflow);
  }
  return bounds;
}

}  // namespace

Matrix Certifier::apply_error(const Matrix& weights) {
  const Matrix of_a = products(a_, weights).magnitudes;
  return bound_of_error(weights, products(g_, weights).magnitudes, products(r_, of_a).magnitudes);
}

/// At least |E| 1. G v is compared with v - R (P A v), for v of +-1 and A v from the host: what no rounding explains is a fault of
/// the device, and a proof from it void.
Matrix Certifier::checked_row_sums(const ExactScaling& scaled, const std::vector<Index>& rows) {
  std::vector<double> signs(n_);
  for (Index j = 0; j < n_; ++j) signs[j] = (j * 2654435761U >> 16U) % 2 == 0 ? 1 : -1;
  const std::vector<double> of_signs = scaled.times(signs);
  Matrix ones(1, n_), image(1, n_), sign_row(1, n_, {signs.begin(), signs.end()});
  std::ranges::fill(ones.values(), 1.0);
  for (Index i = 0; i < n_; ++i) image(0, i) = of_signs[rows[i]];
  const Matrix of_a = products(a_, ones).magnitudes;
  const Products of_r = products(r_, stacked(of_a, image)),
                 of_g = products(g_, stacked(ones, sign_row));
  const Matrix bounds = bound_of_error(ones, of_g.magnitudes, of_r.magnitudes);
  if (!std::ranges::all_of(bounds.values(), [](double bound) { return bound < kInfinity; }))
    return bounds;  // of R that is no inverse
  const double gamma = gamma_up(2 * (n_ + 4));
  for (Index i = 0; i < n_; ++i) {
    const double off = std::abs(of_g.sums(1, i) - (signs[i] - of_r.sums(1, i))),
                 bound = gamma * (of_g.magnitudes(1, i) + 3 * of_r.magnitudes(0, i) + 4) +
                         8 * static_cast<double>(n_) * static_cast<double>(n_) * kLeast;
    if (!(off <= bound))
      throw DeviceFault(fmt::format("row {} of I - R A is off by {:.3g}, rounding explains {:.3g}",
                                    i + 1, off, bound));
  }
  return bounds;
}

/// A few rows against the host's.
void Certifier::check_residual(const ExactScaling& scaled, const std::vector<Index>& rows,
                               const Matrix& residual, const Matrix& off) const {
  constexpr Index kRows = 16;
  for (Index c = 0; c < scaled.nrhs(); ++c)
    for (Index i = c % kRows; i < n_; i += n_ / kRows + 1) {
      const double right = scaled.residual(rows[i], c), bound = 3 * off(c, i),
                   difference = std::abs(residual(c, i) - right);
      if (!(difference <= bound))
        throw DeviceFault(
            fmt::format("row {} of b - A x is off by {:.3g}, rounding explains {:.3g}", rows[i] + 1,
                        difference, bound));
    }
}

/// At least |R r|, r the exact P (B - A X), transposed. The device's sum in double-double is off by
///   |r' - r| <= u |r| + 2 (n + 2)^2 u^2 d + n kLeast   (cl/residual.cl; n below 2^25)
Matrix Certifier::correction(const ExactScaling& scaled, const std::vector<Index>& rows,
                             const CertifySeams& seams) {
  const cl::CommandQueue& queue = context_.queue();
  const Index nrhs = scaled.nrhs(), elements = nrhs * n_;
  const auto space = [&] { return context_.allocate(elements * sizeof(double), kWhat); };
  Matrix b(nrhs, n_);
  for (Index c = 0; c < nrhs; ++c)
    for (Index i = 0; i < n_; ++i) b(c, i) = scaled.b()(c, rows[i]);
  const ResidualOperands on_device{space(), {}, space(), space(), space()};
  upload_values(queue, on_device.x, kType, scaled.x().values());
  upload_values(queue, on_device.b, kType, b.values());
  accurate_.enqueue(queue, a_, n_, nrhs, on_device);
  if (seams.residual) seams.residual(on_device.r);
  const Matrix residual(nrhs, n_, download(queue, on_device.r, kType, elements)),
      sizes(nrhs, n_, download(queue, on_device.d, kType, elements));

  Matrix off(nrhs, n_);
  const double terms = static_cast<double>(n_ + 2), of_size = 2.001 * terms * terms * kUnit * kUnit;
  for (Index k = 0; k < elements; ++k)
    off.values()[k] = add_up(add_up(multiply_up(1.001 * kUnit, std::abs(residual.values()[k])),
                                    multiply_up(of_size, sum_up(sizes.values()[k], n_ + 1))),
                             multiply_up(terms, kLeast));
  check_residual(scaled, rows, residual, off);
  const Products of_r = products(r_, stacked(residual, off));
  const double gamma = gamma_up(n_ + 3);
  Matrix y(nrhs, n_);
  for (Index c = 0; c < nrhs; ++c)
    for (Index i = 0; i < n_; ++i)
      y(c, i) = add_up(add_up(std::abs(of_r.sums(c, i)), multiply_up(gamma, of_r.magnitudes(c, i))),
                       add_up(of_r.magnitudes(nrhs + c, i), multiply_up(terms, kLeast)));
  return y;
}

namespace {

Certificate unproven(double norm_bound, std::string reason) {
  Certificate certificate;
  certificate.norm_bound = norm_bound;
  certificate.reason = std::move(reason);
  return certificate;
}

/// Digits, for bounds that are all there.
void count_digits(Certificate& certificate, const Matrix& x) {
  certificate.digits = certificate.norm_digits = kMostDigits;
  for (Index c = 0; c < x.cols(); ++c) {
    double largest = 0, largest_bound = 0;
    for (Index i = 0; i < x.rows(); ++i) {
      const double size = std::abs(x(i, c)), bound = certificate.bounds(i, c);
      if (size > 0) certificate.digits = std::min(certificate.digits, digits_of(bound, size));
      largest = std::max(largest, size);
      largest_bound = std::max(largest_bound, bound);
    }
    if (largest > 0)
      certificate.norm_digits =
          std::min(certificate.norm_digits, digits_of(largest_bound, largest));
  }
}

/// The best bounds so far of |x_true - x|, scaled and transposed.
class Bounds {
 public:
  /// `y` bounds |R r|.
  Bounds(const ExactScaling& scaled, const Matrix& y)
      : scaled_(scaled), y_(y), best_(y.rows(), y.cols()) {
    std::ranges::fill(best_.values(), kInfinity);
  }

  /// By weights w > 0 and bounds e of |E| w, of which the first row is for every right-hand side, the others for one each:
  /// where e <= alpha w and alpha < 1, |x_true - x| <= y + e max(y / w) / (1 - alpha).
  void improve(const Matrix& weights, const Matrix& errors) {
    for (Index k = 0; k < weights.rows(); ++k) {
      const double alpha = largest_ratio(errors.row(k), weights.row(k));
      norm_ = std::min(norm_, alpha);  // which passes NaN over
      if (!(alpha < 1)) continue;
      const Index first = k == 0 ? 0 : k - 1, last = k == 0 ? y_.rows() : k;
      for (Index c = first; c < last; ++c) improve(c, alpha, weights.row(k), errors.row(k));
    }
  }

  /// The least alpha.
  [[nodiscard]] double norm() const { return norm_; }

  /// Whether other weights cannot make much of a difference: next to y, or to the last digit of x, nothing else is large.
  [[nodiscard]] bool are_tight() const {
    for (Index k = 0; k < best_.values().size(); ++k)
      if (!(best_.values()[k] <=
            1.5 * y_.values()[k] + 0.25 * kUnit * std::abs(scaled_.x().values()[k])))
        return false;
    return norm_ < 1;
  }

  [[nodiscard]] Matrix scaled_back() const {
    Matrix bounds(best_.cols(), best_.rows());
    for (Index i = 0; i < bounds.rows(); ++i)
      for (Index c = 0; c < bounds.cols(); ++c)
        bounds(i, c) = up(std::ldexp(best_(c, i), scaled_.back(i, c)));
    return bounds;
  }

 private:
  /// NaN if there is one.
  static double largest_ratio(std::span<const double> of, std::span<const double> to) {
    double largest = 0;
    for (Index i = 0; i < of.size(); ++i) {
      const double ratio = divide_up(of[i], to[i]);
      largest = largest >= ratio || std::isnan(largest) ? largest : ratio;
    }
    return largest;
  }

  void improve(Index c, double alpha, std::span<const double> w, std::span<const double> e) {
    const double factor = divide_up(largest_ratio(y_.row(c), w), complement_down(alpha));
    for (Index i = 0; i < e.size(); ++i)
      best_(c, i) = std::min(best_(c, i), add_up(y_(c, i), multiply_up(e[i], factor)));
  }

  const ExactScaling& scaled_;
  const Matrix& y_;
  Matrix best_;
  double norm_ = kInfinity;
};

}  // namespace

Certificate Certifier::certify(const System& system, const Matrix& x,
                               const ProgressCallback& progress, const CertifySeams& seams) {
  const auto report = [&](const char* what) {
    if (progress) progress(what, 0);
  };
  report("certificate: factorisation");
  const ExactScaling scaled(system, x);
  if (!scaled.finite()) return unproven(kInfinity, "A, b or x holds a NaN or an infinity");
  const auto rows = factor(scaled);
  if (!rows)
    return unproven(kInfinity, "the factors are singular: there is no inverse to start from");
  report("certificate: inverse");
  invert();
  if (seams.inverse) seams.inverse(r_);
  report("certificate: product");
  multiply();
  if (seams.product) seams.product(g_);

  report("certificate: bounds");
  Matrix weights(1, n_);
  std::ranges::fill(weights.values(), 1.0);
  Matrix errors = checked_row_sums(scaled, *rows);
  const Matrix y = correction(scaled, *rows, seams);
  Bounds bounds(scaled, y);
  bounds.improve(weights, errors);
  if (!bounds.are_tight()) {
    // Weights near the sizes that x has in its directions; 16 |E| |x| where x is 0.
    Matrix start = stacked(weights, scaled.x());
    for (double& value : start.values()) value = std::abs(value);
    errors = apply_error(start);
    weights = start;
    for (Index k = 0; k < weights.values().size(); ++k)
      weights.values()[k] += 16 * errors.values()[k];
    errors = apply_error(weights);
    bounds.improve(weights, errors);
  }
  if (!(bounds.norm() < 1))
    return unproven(
        bounds.norm(),
        fmt::format("the norm of I - R A could only be bounded by {:.3g}, and less than "
                    "1 is needed: A is too ill-conditioned for f64, or singular",
                    bounds.norm()));
  Certificate certificate;
  certificate.norm_bound = bounds.norm();
  certificate.bounds = bounds.scaled_back();
  if (!std::ranges::all_of(certificate.bounds.values(),
                           [](double bound) { return bound < kInfinity; }))
    return unproven(bounds.norm(), "A is not singular, but an error has no bound in f64's range");
  certificate.proven = true;
  count_digits(certificate, x);
  return certificate;
}

Certificate certify(Context& context, const System& system, const Matrix& x,
                    const LuOptions& options, const ProgressCallback& progress) {
  check_shapes(system);
  if (x.rows() != system.b.rows() || x.cols() != system.b.cols())
    throw DimensionError("a certificate needs x and b of the same shape, with as many rows as A");
  return translate_opencl_errors([&] {
    checked(context);
    if (x.rows() == 0) {
      Certificate empty;
      empty.proven = true;
      empty.bounds = x;
      empty.digits = empty.norm_digits = kMostDigits;
      return empty;
    }
    const auto attempt = [&](const LuOptions& with) {
      return Certifier(context, system.a.rows(), with).certify(system, x, progress);
    };
    try {
      return attempt(options);
    } catch (const CoResidencyLost&) {  // as solve() does
      LuOptions tournament = options;
      tournament.pivoting = Pivoting::tournament;
      return attempt(tournament);
    }
  });
}

}  // namespace clgauss
