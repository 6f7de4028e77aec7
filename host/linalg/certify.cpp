#include "linalg/certify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <limits>
#include <numeric>
#include <utility>

#include "kernels/exact_sum.hpp"
#include "kernels/lu_common.hpp"
#include "linalg/upward.hpp"
#include "matrix/transfer.hpp"
#include "opencl_error.hpp"
#include "parallel.hpp"

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

int exponent_of(double magnitude) { return magnitude > 0 ? std::ilogb(magnitude) : 0; }

double larger_or_nan(double a, double b) { return a >= b || std::isnan(a) ? a : b; }

/// value 2^exponent, and notes in `exact` whether that is what it is.
double scaled_by(double value, int exponent, bool& exact) {
  if (exponent == 0) return value;
  const double result = std::ldexp(value, exponent);
  exact = exact && std::ldexp(result, -exponent) == value;
  return result;
}

/// -log10(error / size), for a user.
double digits_of(double error, double size) {
  const double ratio = divide_up(error, size);
  return std::clamp(-std::log10(ratio) - 1e-9, 0.0, kMostDigits);
}

}  // namespace

/// A' = R A C, B' = R B S and X' = C^-1 X S for powers of two, none of which rounds anything; X' and B' transposed. Where a number
/// would be rounded all powers are 1.
struct Certifier::Scaled {
  Index n, nrhs;
  const System& system;
  std::vector<int> rows, columns;  // empty: all 0
  std::vector<int> right_hand_sides;
  Matrix x, b;
  bool finite = true;

  Scaled(const System& of, const Matrix& answer)
      : n(of.a.rows()), nrhs(of.b.cols()), system(of), right_hand_sides(nrhs, 0) {
    const auto is_bad = [](double value) { return !std::isfinite(value); };
    for (const Matrix* matrix : {&of.a, &of.b, &answer})
      finite = finite && find_first(matrix->values(), is_bad) == matrix->values().size();
    if (!finite) return;
    choose();
    if (take(answer)) return;
    rows.clear();
    columns.clear();
    right_hand_sides.assign(nrhs, 0);
    (void)take(answer);
  }

  [[nodiscard]] int row(Index i) const { return rows.empty() ? 0 : rows[i]; }
  [[nodiscard]] int column(Index j) const { return columns.empty() ? 0 : columns[j]; }

  /// B' - A' X' of one row and right-hand side, as the device has it to do.
  [[nodiscard]] double residual(Index i, Index c) const {
    Values of_a(n);
    scale_row(system.a.row(i), rows, columns, i, of_a.data());
    ExactSum sum;
    sum.add(b(c, i));
    for (Index j = 0; j < n; ++j) sum.add_product(-of_a[j], x(c, j));
    return sum.rounded();
  }

  /// A' times a vector of +-1.
  [[nodiscard]] std::vector<double> times(const std::vector<double>& signs) const {
    std::vector<double> result(n);
    in_parallel(n, kElementsPerThread / n + 1, [&](Index first, Index last) {
      Values scaled_row(n);
      for (Index i = first; i < last; ++i) {
        std::span<const double> of_a = system.a.row(i);
        if (!rows.empty()) {
          scale_row(of_a, rows, columns, i, scaled_row.data());
          of_a = scaled_row;
        }
        constexpr Index kLanes = 8;  // vectors for the compiler
        std::array<double, kLanes> sums{};
        Index j = 0;
        for (; j + kLanes <= n; j += kLanes)
          for (Index k = 0; k < kLanes; ++k) sums[k] += of_a[j + k] * signs[j + k];
        for (; j < n; ++j) sums[0] += of_a[j] * signs[j];
        result[i] = std::accumulate(sums.begin(), sums.end(), 0.0);
      }
    });
    return result;
  }

 private:
  /// Rows, then columns, to 1 <= |.| < 2, where they are far from it.
  void choose() {
    std::vector<double> of_rows(n, 0), of_columns = column_sizes({}, &of_rows);
    if (is_even(of_rows) && is_even(of_columns)) return;
    rows.resize(n);
    std::ranges::transform(of_rows, rows.begin(), [](double size) { return -exponent_of(size); });
    of_columns = column_sizes(rows, nullptr);
    columns.resize(n);
    std::ranges::transform(of_columns, columns.begin(),
                           [](double size) { return -exponent_of(size); });
  }

  static bool is_even(const std::vector<double>& sizes) {
    constexpr double kNear = 0x1p8, kFar = 0x1p100;
    const auto [least, largest] = std::ranges::minmax(sizes);
    return least > 0 && largest <= kNear * least && largest < kFar && least > 1 / kFar;
  }

  /// The largest magnitude of each column with its rows scaled, and of each row.
  [[nodiscard]] std::vector<double> column_sizes(const std::vector<int>& by,
                                                 std::vector<double>* of_rows) const {
    std::vector<double> sizes(n, 0);
    for (Index i = 0; i < n; ++i) {
      double largest = 0;
      const std::span<const double> of_a = system.a.row(i);
      for (Index j = 0; j < n; ++j) {
        const double size = std::abs(by.empty() ? of_a[j] : std::ldexp(of_a[j], by[i]));
        sizes[j] = std::max(sizes[j], size);
        largest = std::max(largest, size);
      }
      if (of_rows != nullptr) (*of_rows)[i] = largest;
    }
    return sizes;
  }

  /// Whether X' and B' are exact, and A' will be.
  bool take(const Matrix& answer) {
    bool exact = true;
    if (!rows.empty())
      for (Index i = 0; i < n; ++i)
        for (Index j = 0; j < n; ++j) (void)scaled_by(system.a(i, j), row(i) + column(j), exact);
    x = b = Matrix(nrhs, n);
    for (Index c = 0; c < nrhs; ++c) {
      int& by = right_hand_sides[c];
      if (!rows.empty()) {
        int largest = std::numeric_limits<int>::min();
        for (Index i = 0; i < n; ++i)
          if (answer(i, c) != 0)
            largest = std::max(largest, exponent_of(std::abs(answer(i, c))) - column(i));
        by = largest == std::numeric_limits<int>::min() ? 0 : -largest;
      }
      for (Index i = 0; i < n; ++i) {
        x(c, i) = scaled_by(answer(i, c), by - column(i), exact);
        b(c, i) = scaled_by(system.b(i, c), by + row(i), exact);
      }
    }
    return exact;
  }
};

/// M v and |M| |v| for the rows of a matrix of vectors, as the device sums them up.
struct Certifier::Products {
  Matrix sums, magnitudes;
};

/// Weights w > 0, the bound e of |E| w, and the least alpha with e <= alpha w.
struct Certifier::Weighted {
  std::span<const double> w, e;
  double alpha = 0;

  Weighted(std::span<const double> weights, std::span<const double> bounds)
      : w(weights), e(bounds) {
    for (Index i = 0; i < w.size(); ++i) {
      alpha = larger_or_nan(alpha, divide_up(e[i], w[i]));
    }
  }

  [[nodiscard]] bool proves() const { return alpha < 1; }

  /// bounds <- min(bounds, y + e max(y / w) / (1 - alpha)), for y >= |R r|.
  void improve(std::span<const double> y, std::span<double> bounds) const {
    double factor = 0;
    for (Index i = 0; i < w.size(); ++i) factor = larger_or_nan(factor, divide_up(y[i], w[i]));
    factor = divide_up(factor, complement_down(alpha));
    for (Index i = 0; i < w.size(); ++i)
      bounds[i] = std::min(bounds[i], add_up(y[i], multiply_up(e[i], factor)));
  }
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
std::optional<std::vector<Index>> Certifier::factor(const Scaled& scaled) {
  const cl::CommandQueue& queue = context_.queue();
  const std::size_t bytes = n_ * a_.ld * sizeof(double);
  upload_rows(queue, r_.buffer, r_.ld, kType, {{&scaled.system.a, scaled.rows, scaled.columns}});
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

/// At least |M| v for vectors v >= 0.
Matrix Certifier::magnitudes(const MatrixView& m, const Matrix& vectors) {
  return products(m, vectors).magnitudes;
}

/// At least |E| w, E = I - R P A, for the rows w >= 0 of `weights`. An element of E was summed up from n + 1 numbers:
///   |E - G| <= gamma_(n + 2) (|R| |P A| + I) + n kLeast
Matrix Certifier::apply_bound(const Matrix& weights) {
  const Matrix of_g = magnitudes(g_, weights), of_ra = magnitudes(r_, magnitudes(a_, weights));
  Matrix bounds(weights.rows(), n_);
  const double gamma = gamma_up(n_ + 2);
  for (Index c = 0; c < weights.rows(); ++c) {
    double sum = 0;
    for (const double w : weights.row(c)) sum = add_up(sum, w);
    const double underflow = multiply_up(sum, multiply_up(static_cast<double>(n_), kLeast));
    for (Index i = 0; i < n_; ++i)
      bounds(c, i) = add_up(
          add_up(of_g(c, i), multiply_up(gamma, add_up(of_ra(c, i), weights(c, i)))), underflow);
  }
  return bounds;
}

/// G v against v - R (P A v), with A v from the host: what no rounding explains is a fault of the device, and a proof from it void.
void Certifier::check_product(const Scaled& scaled, const std::vector<Index>& rows) {
  std::vector<double> signs(n_);
  for (Index j = 0; j < n_; ++j) signs[j] = (j * 2654435761U >> 16U) % 2 == 0 ? 1 : -1;
  const std::vector<double> of_a = scaled.times(signs);
  Matrix sign_row(1, n_), image(1, n_), ones(1, n_);
  for (Index i = 0; i < n_; ++i) {
    sign_row(0, i) = signs[i];
    image(0, i) = of_a[rows[i]];
    ones(0, i) = 1;
  }
  const Matrix expected = products(r_, image).sums, size = magnitudes(r_, magnitudes(a_, ones));
  const Products of_g = products(g_, sign_row);
  const double gamma = gamma_up(2 * (n_ + 4));
  for (Index i = 0; i < n_; ++i) {
    const double off = std::abs(of_g.sums(0, i) - (signs[i] - expected(0, i))),
                 bound = gamma * (of_g.magnitudes(0, i) + 3 * size(0, i) + 4) +
                         8 * static_cast<double>(n_) * static_cast<double>(n_) * kLeast;
    if (!(off <= bound))
      throw DeviceFault(fmt::format("row {} of I - R A is off by {:.3g}, rounding explains {:.3g}",
                                    i + 1, off, bound));
  }
}

/// A few rows against the host's.
void Certifier::check_residual(const Scaled& scaled, const std::vector<Index>& rows,
                               const Matrix& residual, const Matrix& off) const {
  constexpr Index kRows = 16;
  for (Index c = 0; c < scaled.nrhs; ++c)
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
Matrix Certifier::correction(const Scaled& scaled, const std::vector<Index>& rows,
                             const CertifySeams& seams) {
  const cl::CommandQueue& queue = context_.queue();
  const Index nrhs = scaled.nrhs, elements = nrhs * n_;
  const auto space = [&] { return context_.allocate(elements * sizeof(double), kWhat); };
  Matrix b(nrhs, n_);
  for (Index c = 0; c < nrhs; ++c)
    for (Index i = 0; i < n_; ++i) b(c, i) = scaled.b(c, rows[i]);
  const ResidualOperands on_device{space(), {}, space(), space(), space()};
  upload_values(queue, on_device.x, kType, scaled.x.values());
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
  Products y = products(r_, residual);
  const Matrix of_off = magnitudes(r_, off);
  const double gamma = gamma_up(n_ + 3);
  for (Index k = 0; k < elements; ++k)
    y.sums.values()[k] =
        add_up(add_up(std::abs(y.sums.values()[k]), multiply_up(gamma, y.magnitudes.values()[k])),
               add_up(of_off.values()[k], multiply_up(terms, kLeast)));
  return std::move(y.sums);
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

/// Weights near the size that x has in its directions: 16 |E| |x| where x is 0.
Matrix weights_for(const Matrix& start, const Matrix& bounds) {
  Matrix weights = start;
  for (Index k = 0; k < weights.values().size(); ++k)
    weights.values()[k] += 16 * bounds.values()[k];
  return weights;
}

}  // namespace

Certificate Certifier::certify(const System& system, const Matrix& x,
                               const ProgressCallback& progress, const CertifySeams& seams) {
  const auto report = [&](const char* what) {
    if (progress) progress(what, 0);
  };
  report("certificate: factorisation");
  const Scaled scaled(system, x);
  if (!scaled.finite) return unproven(kInfinity, "A, b or x holds a NaN or an infinity");
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
  const Index nrhs = scaled.nrhs;
  // Row 0 are ones, the others what is best for a right-hand side.
  Matrix start(1 + nrhs, n_);
  std::ranges::fill(start.row(0), 1.0);
  for (Index c = 0; c < nrhs; ++c)
    for (Index i = 0; i < n_; ++i) start(1 + c, i) = std::abs(scaled.x(c, i));
  const Matrix of_start = apply_bound(start), weights = weights_for(start, of_start),
               of_weights = apply_bound(weights);
  const Weighted plain(start.row(0), of_start.row(0));
  std::vector<Weighted> weighted;
  for (Index c = 0; c < weights.rows(); ++c)
    weighted.emplace_back(weights.row(c), of_weights.row(c));
  double norm_bound = plain.alpha;
  for (const Weighted& one : weighted)
    if (one.alpha < norm_bound || std::isnan(norm_bound)) norm_bound = one.alpha;
  if (!(norm_bound < 1))
    return unproven(
        std::isnan(norm_bound) ? kInfinity : norm_bound,
        fmt::format("the norm of I - R A could only be bounded by {:.3g}, and less than "
                    "1 is needed: A is too ill-conditioned for f64, or singular",
                    norm_bound));
  check_product(scaled, *rows);

  Certificate certificate;
  certificate.norm_bound = norm_bound;
  const Matrix y = correction(scaled, *rows, seams);
  certificate.bounds = Matrix(n_, nrhs);
  std::vector<double> bounds(n_);
  for (Index c = 0; c < nrhs; ++c) {
    std::ranges::fill(bounds, kInfinity);
    for (const Weighted* one :
         std::array<const Weighted*, 3>{&plain, &weighted[0], &weighted[1 + c]})
      if (one->proves()) one->improve(y.row(c), bounds);
    for (Index i = 0; i < n_; ++i)
      certificate.bounds(i, c) =
          up(std::ldexp(bounds[i], scaled.column(i) - scaled.right_hand_sides[c]));
  }
  if (!std::ranges::all_of(certificate.bounds.values(),
                           [](double bound) { return bound < kInfinity; }))
    return unproven(norm_bound,
                    "A is not singular, but a bound of the error is beyond f64's range");
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
