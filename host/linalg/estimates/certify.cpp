#include "linalg/estimates/certify.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <cmath>
#include <complex>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "constants.hpp"
#include "kernels/lu/lu_common.hpp"
#include "linalg/estimates/determinant_bounds.hpp"
#include "linalg/estimates/error_bounds.hpp"
#include "linalg/estimates/exact_scaling.hpp"
#include "linalg/estimates/inverted_factors.hpp"
#include "linalg/estimates/real_operator.hpp"
#include "linalg/estimates/upward.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "linalg/lu/pivots.hpp"
#include "linalg/solve/factored.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "opencl_error.hpp"
#include "program/prepared.hpp"

namespace clgauss {

namespace {

constexpr RealType kType = RealType::f64;
constexpr const char* kCertificateSpace = "a certificate";
constexpr const char* kNoInverse = "the factors are singular: there is no inverse to start from";
constexpr const char* kNotFinite = "A holds a NaN or an infinity";
/// If rcond is below this, an inverse in f32 is not tried. Of 105 matrices with n = 200 to 2000, it
/// was near enough (are_near()) for 83 of 96 above and for 2 of 9 below.
constexpr double kWorthTrying = 16 * 0x1p-24;
/// Substrings of the names of the f64 kernels whose products and sums are all IEEE operations. Do
/// not add a kernel that splits numbers.
constexpr std::array kPlainProducts{"gemm_cpu", "gemm_simt", "gemm_mma_f64"};

Context& checked(Context& context) {
  if (!context.profile().fp64)
    throw DeviceLimit(context.profile().name +
                      " has no fp64: bounds are proven in f64 arithmetic only; use another device, "
                      "or an estimate");
  return context;
}

/// The checked context, with the programs of a certificate of order n.
Context& ready(Context& context, Index n) {
  checked(context).programs().build_for([&] {
    const MatrixView any{{}, 0, padded_ld(n, kType)};
    (void)Gemm(context, kType).kernel_name({n, n, n}, any, any, any, -1, 1);
    constexpr Index kAllGroups = 4 + 2 + 1;  // of right-hand sides
    for (const ResidualSum sum : {ResidualSum::ordinary, ResidualSum::accurate})
      ResidualKernel(context, kType, sum).prepare(kAllGroups);
    (void)context.programs().kernel("copy_rows.cl", "gather_rows", real_defines(kType));
  });
  return context;
}

}  // namespace

/// M v and |M| |v|, as summed by the device, for the rows v of a matrix of vectors.
struct Certifier::Products {
  Matrix sums, magnitudes;
};

/// A vector v of +-1, and A v computed on the host.
struct Certifier::Signs {
  std::vector<double> v, of_a;

  explicit Signs(const ExactScaling& scaled) : v(scaled.n()) {
    for (Index j = 0; j < v.size(); ++j) v[j] = (j * 2654435761U >> 16U) % 2 == 0 ? 1 : -1;
    of_a = scaled.times(v);
  }

  [[nodiscard]] Matrix row() const { return {1, v.size(), {v.begin(), v.end()}}; }

  /// The vector P A v.
  [[nodiscard]] Matrix image(const std::vector<Index>& rows) const {
    Matrix image(1, rows.size());
    for (Index i = 0; i < rows.size(); ++i) image(0, i) = of_a[rows[i]];
    return image;
  }
};

/// An LU and the inverse from its factors, in f32 or f64.
struct Certifier::Inverter {
  RealType type;
  Lu lu;
  Gemm gemm;
  FactorInverse inverse;

  Inverter(Context& context, RealType of, Index n, const LuOptions& options)
      : type(of), lu(context, of, n, options), gemm(context, of), inverse(context, of, n) {}
};

Certifier::Certifier(Context& context, Index n, const LuOptions& options)
    : context_(ready(context, n)),
      n_(n),
      options_(options),
      gemm_(context_, kType),
      ordinary_(context_, kType, ResidualSum::ordinary),
      accurate_(context_, kType, ResidualSum::accurate),
      a_(space_for(n)),
      r_(space_for(n)),
      g_(space_for(n)) {
  if (options.symmetric && !options.positive_definite)
    throw UsageError("a certificate takes factors of LU or Cholesky, not L D L^T");
  const std::string name = gemm_.kernel_name({n, n, n}, r_, a_, g_, -1, 1);
  if (std::ranges::none_of(kPlainProducts,
                           [&](const char* part) { return name.find(part) != std::string::npos; }))
    throw DeviceLimit("the rounding errors of the GEMM kernel " + name +
                      " have no known bound: nothing can be proven with it");
}

Certifier::~Certifier() = default;

MatrixView Certifier::space_for(Index n) const {
  const Index ld = padded_ld(n, kType);
  context_.require_memory(3 * n * ld * sizeof(double), kCertificateSpace);
  return {context_.allocate(n * ld * sizeof(double), kCertificateSpace), 0, ld};
}

Certifier::Inverter& Certifier::inverter(RealType type) {
  std::unique_ptr<Inverter>& kept = inverters_[type == kType ? 1 : 0];
  if (!kept) {
    LuOptions options = options_;
    if (type != kType) options.spec.reset();  // the spec is for f64
    kept = prepared(context_.programs(),
                    [&] { return std::make_unique<Inverter>(context_, type, n_, options); });
  }
  return *kept;
}

void Certifier::copy(const char* kernel, const MatrixView& from, const MatrixView& to,
                     const cl::Buffer* rows) {
  Kernel copy = context_.programs().kernel("copy_rows.cl", kernel, real_defines(kType));
  cl_uint index = 0;
  pass_view(copy, index, from);
  pass_view(copy, index, to);
  copy.set_arguments_from(index++, static_cast<cl_uint>(n_));
  if (rows != nullptr) copy.set_arguments_from(index, *rows);
  launch_groups(context_.queue(), copy, n_, std::min<std::size_t>(64, copy.work_group_limit));
}

/// Memory for the f32 factors and the f32 inverse: the halves of g_, which is unused then.
MatrixView Certifier::half_of_g(bool second) const {
  return {g_.buffer, second ? n_ * g_.ld : 0, g_.ld};
}

/// Whether the f32 factors are close enough to A for a proof from their inverse:
/// |v - (L U)^-1 P A v| for one v of signs must be small. The row sums of |I - R A| are at most
/// about 2 sqrt(n) times as large: 2.0, 1.4 and 1.2 sqrt(n) times for random matrices with
/// n = 1000, 2000 and 4096.
bool Certifier::are_near(Lu& lu, const Signs& signs) const {
  constexpr double kLargest = std::numeric_limits<float>::max(), kSums = 0.5;
  const double near = std::min(0x1p-6, kSums / (2 * std::sqrt(static_cast<double>(n_))));
  if (!std::ranges::all_of(signs.of_a, [](double value) { return std::abs(value) < kLargest; }))
    return false;
  const Matrix v = lu.solve(Matrix(n_, 1, {signs.of_a.begin(), signs.of_a.end()}));
  for (Index i = 0; i < n_; ++i)
    if (!(std::abs(signs.v[i] - v(i, 0)) <= near)) return false;
  return true;
}

/// R <- (P A)^-1 from an LU in `type`, a_ <- P A, and `rows` in the order of P. Returns false if a
/// pivot is 0 or if f32 is not accurate enough.
bool Certifier::invert(RealType type, const Signs& signs, std::vector<Index>& rows,
                       const ProgressCallback& progress) {
  Inverter& by = inverter(type);
  const bool narrow = type != kType;
  const MatrixView factors = narrow ? half_of_g(false) : g_,
                   inverse = narrow ? half_of_g(true) : r_;
  if (narrow)
    copy("narrow", a_, factors);
  else
    context_.queue().enqueueCopyBuffer(a_.buffer, g_.buffer, 0, 0, n_ * a_.ld * sizeof(double));
  by.lu.factor(factors);
  if (by.lu.failed_column() || (narrow && !are_near(by.lu, signs))) return false;
  if (progress) progress("certificate: inverse", 0);
  std::vector<cl_int> order(n_);
  std::iota(order.begin(), order.end(), 0);
  const std::vector<Index> exchanges = by.lu.pivots();
  for (Index j = 0; j < n_; ++j) {
    std::swap(order[j], order[exchanges[j]]);
    std::swap(rows[j], rows[exchanges[j]]);
  }
  const cl::Buffer on_device = context_.allocate(n_ * sizeof(cl_int), kCertificateSpace);
  context_.queue().enqueueWriteBuffer(on_device, CL_TRUE, 0, n_ * sizeof(cl_int), order.data());
  copy("gather_rows", a_, r_, &on_device);
  std::swap(a_, r_);

  const MatrixView target = narrow ? inverse : r_;
  enqueue_identity(context_, type, target, n_);
  by.inverse.enqueue(context_.queue(), by.gemm, factors, target);
  if (narrow) copy("widen", target, r_);
  return true;
}

/// G <- I - R P A.
void Certifier::multiply() {
  enqueue_identity(context_, kType, g_, n_);
  gemm_.update(n_, n_, n_, r_, a_, g_);
}

/// r = b - M x and d = |b| + |M| |x| of vectors that are rows; by strips, so that the device needs
/// little memory for them. `seam` sees the r of each strip.
Certifier::Products Certifier::residuals(ResidualKernel& kernel, const MatrixView& m,
                                         const Matrix& x, const Matrix& b,
                                         const std::function<void(const cl::Buffer&)>& seam) {
  constexpr Index kStrip = 256;
  const cl::CommandQueue& queue = context_.queue();
  const Index most = std::min(kStrip, x.rows()) * n_;
  const auto space = [&] { return context_.allocate(most * sizeof(double), kCertificateSpace); };
  const ResidualOperands on_device{space(), {}, space(), space(), space()};
  Products result{Matrix(x.rows(), n_), Matrix(x.rows(), n_)};
  for (Index first = 0; first < x.rows(); first += kStrip) {
    const Index count = std::min(kStrip, x.rows() - first), elements = count * n_;
    upload_values(context_, on_device.x, kType, x.values().subspan(first * n_, elements));
    upload_values(context_, on_device.b, kType, b.values().subspan(first * n_, elements));
    kernel.enqueue(queue, m, n_, count, on_device);
    if (seam) seam(on_device.r);
    std::ranges::copy(download(queue, on_device.r, kType, elements),
                      result.sums.row(first).begin());
    std::ranges::copy(download(queue, on_device.d, kType, elements),
                      result.magnitudes.row(first).begin());
  }
  return result;
}

Certifier::Products Certifier::products(const MatrixView& m, const Matrix& vectors) {
  Products result = residuals(ordinary_, m, vectors, Matrix(vectors.rows(), n_), {});
  for (double& value : result.sums.values()) value = -value;  // the kernel computes 0 - M v
  for (double& value : result.magnitudes.values()) value = sum_up(value, n_);
  return result;
}

namespace {

/// The rows of `above`, then those of `below`.
Matrix stacked(const Matrix& above, const Matrix& below) {
  Matrix both(above.rows() + below.rows(), above.cols());
  std::ranges::copy(below.values(), std::ranges::copy(above.values(), both.values().begin()).out);
  return both;
}

/// An upper bound on |E| w, E = C - X Y, for the rows w >= 0 of `weights`, from |G| w, |X| (|Y| w)
/// and |C| w. An element of the computed G is a sum of n + 1 numbers, so
/// |E - G| <= gamma_(n + 2) (|X| |Y| + |C|) + n kLeast.
Matrix bound_of_error(const Matrix& weights, const Matrix& of_g, const Matrix& of_xy,
                      const Matrix& of_c) {
  const Index n = weights.cols();
  Matrix bounds(weights.rows(), n);
  const double gamma = gamma_up(n + 2);
  for (Index c = 0; c < weights.rows(); ++c) {
    double sum = 0;
    for (const double w : weights.row(c)) sum = add_up(sum, w);
    const double underflow = multiply_up(sum, multiply_up(static_cast<double>(n), kLeast));
    for (Index i = 0; i < n; ++i)
      bounds(c, i) = add_up(add_up(of_g(c, i), multiply_up(gamma, add_up(of_xy(c, i), of_c(c, i)))),
                            underflow);
  }
  return bounds;
}

/// Throws DeviceFault if `difference`, the device's G v for v of +-1, is further from `expected`,
/// C v - X (Y v), than rounding explains. Row sums of the magnitudes: |G|, |X| |Y| and |C|, by row.
struct RowCheck {
  const char* name;
  const Matrix &of_g, &of_xy, &of_c;

  void operator()(Index i, double difference, double expected) const {
    const double n = static_cast<double>(of_g.cols()), off = std::abs(difference - expected),
                 bound = gamma_up(2 * (of_g.cols() + 4)) *
                             (of_g(0, i) + 3 * of_xy(0, i) + 4 * of_c(0, i)) +
                         8 * n * n * kLeast;
    if (!(off <= bound))
      throw DeviceFault(fmt::format("row {} of {} is off by {:.3g}, rounding explains {:.3g}",
                                    i + 1, name, off, bound));
  }
};

Matrix ones_of(Index n) {
  Matrix ones(1, n);
  std::ranges::fill(ones.values(), 1.0);
  return ones;
}

}  // namespace

Matrix Certifier::apply_error(const Matrix& weights) {
  const Matrix of_a = products(a_, weights).magnitudes;
  return bound_of_error(weights, products(g_, weights).magnitudes, products(r_, of_a).magnitudes,
                        weights);
}

/// An upper bound on |E| 1. Also compares G v with v - R (P A v), for v of +-1 and A v from the
/// host. A difference that rounding cannot explain is a fault of the device, and a proof would be
/// void.
Matrix Certifier::checked_row_sums(const Signs& signs, const std::vector<Index>& rows) {
  const Matrix sign_row = signs.row(), ones = ones_of(n_);
  const Matrix of_a = products(a_, ones).magnitudes;
  const Products of_r = products(r_, stacked(of_a, signs.image(rows))),
                 of_g = products(g_, stacked(ones, sign_row));
  const Matrix bounds = bound_of_error(ones, of_g.magnitudes, of_r.magnitudes, ones);
  if (!are_bounds(bounds)) return bounds;  // R is not an inverse
  const RowCheck check{"I - R A", of_g.magnitudes, of_r.magnitudes, ones};
  for (Index i = 0; i < n_; ++i) check(i, of_g.sums(1, i), signs.v[i] - of_r.sums(1, i));
  return bounds;
}

/// L and U as matrices of their own, and U's diagonal on the host.
struct Certifier::Factors {
  MatrixView l, u;
  Values pivots;
};

/// From the factors in g_.
Certifier::Factors Certifier::split_factors() {
  Factors factors{space_for(n_), space_for(n_), {}};
  copy("lower", g_, factors.l);
  copy("upper", g_, factors.u);
  const cl::Buffer diagonal = context_.allocate(n_ * sizeof(double), kCertificateSpace);
  enqueue_copy_rows(context_.queue(), {factors.u.buffer, 0, (factors.u.ld + 1) * sizeof(double)},
                    {diagonal, 0, sizeof(double)}, sizeof(double), n_);
  factors.pivots = download_diagonal(context_.queue(), factors.u, diagonal, kType, n_);
  return factors;
}

/// An upper bound on |D| 1, D = P A - L U; checked as checked_row_sums(). Uses g_.
Matrix Certifier::off_factors(const Factors& factors, const Signs& signs,
                              const std::vector<Index>& rows, const CertifySeams& seams) {
  context_.queue().enqueueCopyBuffer(a_.buffer, g_.buffer, 0, 0, n_ * a_.ld * sizeof(double));
  gemm_.update(n_, n_, n_, factors.l, factors.u, g_);
  if (seams.difference) seams.difference(g_);
  const Matrix ones = ones_of(n_), both = stacked(ones, signs.row()), image = signs.image(rows);
  const Matrix of_a = products(a_, ones).magnitudes;
  const Products of_u = products(factors.u, both), of_d = products(g_, both);
  Matrix of_signs(1, n_);  // U v
  std::ranges::copy(of_u.sums.row(1), of_signs.row(0).begin());
  Matrix magnitudes(1, n_);  // |U| 1
  std::ranges::copy(of_u.magnitudes.row(0), magnitudes.row(0).begin());
  const Products of_l = products(factors.l, stacked(magnitudes, of_signs));
  const Matrix bounds = bound_of_error(ones, of_d.magnitudes, of_l.magnitudes, of_a);
  if (!are_bounds(bounds)) return bounds;
  const RowCheck check{"P A - L U", of_d.magnitudes, of_l.magnitudes, of_a};
  for (Index i = 0; i < n_; ++i) check(i, of_d.sums(1, i), image(0, i) - of_l.sums(1, i));
  return bounds;
}

/// Compares a few rows with the host's.
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

/// An upper bound on |R r|, transposed, where r is the exact P (B - A X). The device's
/// double-double sum r' satisfies
///   |r' - r| <= u |r| + 2 (n + 2)^2 u^2 d + n kLeast   (cl/refinement/residual.cl; n below 2^25)
Matrix Certifier::correction(const ExactScaling& scaled, const std::vector<Index>& rows,
                             const CertifySeams& seams) {
  const Index nrhs = scaled.nrhs();
  Matrix b(nrhs, n_);
  for (Index c = 0; c < nrhs; ++c)
    for (Index i = 0; i < n_; ++i) b(c, i) = scaled.b()(c, rows[i]);
  const auto [residual, sizes] = residuals(accurate_, a_, scaled.x(), b, seams.residual);

  Matrix off(nrhs, n_);
  const double terms = static_cast<double>(n_ + 2), of_size = 2.001 * terms * terms * kUnit * kUnit;
  for (Index k = 0; k < off.values().size(); ++k)
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

/// Weights w, and bounds of |E| w, as rows of two matrices.
struct Certifier::Weighted {
  Matrix weights, errors;
};

/// The first row of weights is ones; the others follow the sizes |x|, with 16 |E| |x| added so that
/// no weight is 0.
Certifier::Weighted Certifier::weighted_by(const Matrix& x) {
  Matrix weights(1 + x.rows(), n_);
  std::ranges::fill(weights.row(0), 1.0);
  for (Index c = 0; c < x.rows(); ++c)
    std::ranges::transform(x.row(c), weights.row(1 + c).begin(),
                           [](double value) { return std::abs(value); });
  const Matrix errors = apply_error(weights);
  for (Index k = 0; k < weights.values().size(); ++k)
    weights.values()[k] += 16 * errors.values()[k];
  return {weights, apply_error(weights)};
}

Certificate Certifier::certify(const System& system, const Matrix& x,
                               const ProgressCallback& progress, const CertifySeams& seams,
                               double rcond) {
  const auto report = [&](const char* what) {
    if (progress) progress(what, 0);
  };
  report("certificate: scaling");
  const ExactScaling scaled(system, x);
  if (!scaled.finite()) return unproven(kInfinity, "A, b or x holds a NaN or an infinity");
  upload_rows(context_, a_.buffer, a_.ld, kType, {{&scaled.a(), scaled.rows(), scaled.columns()}});
  const Signs signs(scaled);
  std::vector<Index> rows(n_);  // of A, in the order of P A
  std::iota(rows.begin(), rows.end(), Index{0});

  // An inverse in f32 suffices unless A is too ill-conditioned.
  for (const RealType type : {RealType::f32, kType}) {
    const bool last = type == kType;
    if (!last && rcond < kWorthTrying) continue;
    report("certificate: factorisation");
    if (!invert(type, signs, rows, progress)) {
      if (last) break;
      continue;
    }
    if (seams.inverse) seams.inverse(r_);
    report("certificate: product");
    multiply();
    if (seams.product) seams.product(g_);

    report("certificate: bounds");
    const Matrix row_sums = checked_row_sums(signs, rows), y = correction(scaled, rows, seams);
    ErrorBounds bounds(scaled, y);
    bounds.improve(ones_of(n_), row_sums);
    if (!bounds.are_tight()) {
      const Weighted better = weighted_by(scaled.x());
      bounds.improve(better.weights, better.errors);
    }
    if (last || bounds.are_tight()) return bounds.certificate(x);
  }
  return unproven(kInfinity, kNoInverse);
}

/// Row sums of |E| and of |E| + |R| |D|, which bounds those of |F|, too.
struct Certifier::DeterminantErrors {
  Matrix of_e, of_f;
};

/// From P A in a_ and R in r_.
Certifier::DeterminantErrors Certifier::determinant_errors(const Factors& factors,
                                                           const Signs& signs,
                                                           const std::vector<Index>& rows,
                                                           const ProgressCallback& progress,
                                                           const CertifySeams& seams) {
  if (seams.inverse) seams.inverse(r_);
  if (progress) progress("certificate: product", 0);
  const Matrix of_rd = products(r_, off_factors(factors, signs, rows, seams)).magnitudes;
  multiply();
  if (seams.product) seams.product(g_);
  if (progress) progress("certificate: bounds", 0);
  DeterminantErrors errors{checked_row_sums(signs, rows), {}};
  errors.of_f = errors.of_e;
  for (Index i = 0; i < n_; ++i) errors.of_f(0, i) = add_up(errors.of_f(0, i), of_rd(0, i));
  return errors;
}

DeterminantCertificate Certifier::certify_determinant(const Matrix& a,
                                                      const ProgressCallback& progress,
                                                      const CertifySeams& seams) {
  const auto report = [&](const char* what) {
    if (progress) progress(what, 0);
  };
  report("certificate: scaling");
  context_.require_memory(5 * n_ * padded_ld(n_, kType) * sizeof(double), kCertificateSpace);
  const System system{a, Matrix(n_, 0)};
  const ExactScaling scaled(system, system.b);
  if (!scaled.finite()) return unproven_determinant<DeterminantCertificate>(kInfinity, kNotFinite);
  upload_rows(context_, a_.buffer, a_.ld, kType, {{&scaled.a(), scaled.rows(), scaled.columns()}});
  const Signs signs(scaled);
  std::vector<Index> rows(n_);  // of A, in the order of P A
  std::iota(rows.begin(), rows.end(), Index{0});
  report("certificate: factorisation");
  if (!invert(kType, signs, rows, progress))
    return unproven_determinant<DeterminantCertificate>(kInfinity, kNoInverse);
  const Factors factors = split_factors();
  const DeterminantErrors errors = determinant_errors(factors, signs, rows, progress, seams);
  return determinant_certificate(factors.pivots, rows, scaled, errors.of_e.row(0),
                                 errors.of_f.row(0));
}

/// `to` <- real_operator(m).
void Certifier::upload_operator(const ComplexMatrix& m, const MatrixView& to) {
  const Matrix real = real_operator(m);
  upload_rows(context_, to.buffer, to.ld, kType, {&real});
}

ComplexDeterminantCertificate Certifier::certify_determinant(const ComplexMatrix& a,
                                                             const ProgressCallback& progress,
                                                             const CertifySeams& seams) {
  using Proof = ComplexDeterminantCertificate;
  if (progress) progress("certificate: scaling", 0);
  context_.require_memory(5 * n_ * padded_ld(n_, kType) * sizeof(double), kCertificateSpace);
  const System system{real_operator(a), Matrix(n_, 0)};
  const ExactScaling scaling(system, system.b);
  if (!scaling.finite()) return unproven_determinant<Proof>(kInfinity, kNotFinite);
  const Signs signs(scaling);
  // Rows i and n + i of a real operator have the same magnitudes, as have columns, so their powers
  // of two are equal: the scaled operator is that of the scaled complex matrix.
  const Index n = a.rows();
  std::vector<int> columns;
  for (Index j = 0; j < n && !scaling.columns().empty(); ++j)
    columns.insert(columns.end(), 2, scaling.columns()[j]);
  if (progress) progress("certificate: factorisation", 0);
  const std::optional<InvertedFactors> made = inverted_factors(
      context_, ComplexMatrix(scaled(a.parts(), scaling.rows(), columns)), options_, progress);
  if (!made) return unproven_determinant<Proof>(kInfinity, kNoInverse);
  std::vector<Index> rows = made->rows;
  for (Index i = 0; i < n; ++i) rows.push_back(n + made->rows[i]);
  const Factors factors{space_for(n_), space_for(n_), {}};
  upload_operator(made->a, a_);
  upload_operator(made->inverse, r_);
  upload_operator(made->l, factors.l);
  upload_operator(made->u, factors.u);
  CertifySeams reading = seams;
  Matrix of_e, difference;  // as computed
  reading.product = [&](const MatrixView& g) {
    if (seams.product) seams.product(g);
    of_e = read_matrix(context_.queue(), g, n, n_);
  };
  reading.difference = [&](const MatrixView& d) {
    if (seams.difference) seams.difference(d);
    difference = read_matrix(context_.queue(), d, n, n_);
  };
  const DeterminantErrors errors = determinant_errors(factors, signs, rows, progress, reading);
  const DiagonalBounds diagonals = diagonal_bounds(*made, of_e, difference);
  return complex_determinant_certificate(made->pivots, made->rows, scaling,
                                         {errors.of_e.row(0), diagonals.of_e},
                                         {errors.of_f.row(0), diagonals.of_f});
}

namespace {

Certificate certify(Context& context, const System& system, const Matrix& x,
                    const LuOptions& options, const ProgressCallback& progress, double rcond) {
  check_shapes(system);
  if (x.rows() != system.b.rows() || x.cols() != system.b.cols())
    throw DimensionError("a certificate needs x and b of the same shape, with as many rows as A");
  return translate_opencl_errors([&] {
    checked(context);
    if (x.rows() == 0) return proven(x, x, 0);
    const auto attempt = [&](const LuOptions& with) {
      return Certifier(context, system.a.rows(), with).certify(system, x, progress, {}, rcond);
    };
    return repeat_until_co_resident(options, attempt);
  });
}

/// Of a real or complex `a`, by a Certifier of this order.
template <typename MatrixOf, typename Empty>
auto certify_determinant(Context& context, const MatrixOf& a, Index order, const Empty& empty,
                         const LuOptions& options, const ProgressCallback& progress) {
  if (a.rows() != a.cols())
    throw DimensionError(fmt::format("A is {} x {}, not square", a.rows(), a.cols()));
  return translate_opencl_errors([&] {
    checked(context);
    if (order == 0) return empty();
    return repeat_until_co_resident(options, [&](const LuOptions& with) {
      return Certifier(context, order, with).certify_determinant(a, progress);
    });
  });
}

}  // namespace

Certificate certify_inverse(Context& context, const Matrix& a, const Matrix& x,
                            const LuOptions& options, const ProgressCallback& progress) {
  Matrix identity(a.rows(), a.rows());
  for (Index i = 0; i < a.rows(); ++i) identity(i, i) = 1;
  return certify(context, System{a, std::move(identity)}, x, options, progress);
}

DeterminantCertificate certify_determinant(Context& context, const Matrix& a,
                                           const LuOptions& options,
                                           const ProgressCallback& progress) {
  return certify_determinant(context, a, a.rows(), empty_determinant, options, progress);
}

ComplexDeterminantCertificate certify_determinant(Context& context, const ComplexMatrix& a,
                                                  const LuOptions& options,
                                                  const ProgressCallback& progress) {
  return certify_determinant(context, a, 2 * a.rows(), empty_complex_determinant, options,
                             progress);
}

Certificate certify(Context& context, const System& system, const Matrix& x,
                    const LuOptions& options, const ProgressCallback& progress) {
  return certify(context, system, x, options, progress, 1);
}

Certificate certify(Context& context, const System& system, const Solution& solution,
                    const LuOptions& options, const ProgressCallback& progress) {
  return certify(context, system, solution.x, options, progress,
                 solution.trust ? solution.trust->rcond : 1);
}

}  // namespace clgauss
