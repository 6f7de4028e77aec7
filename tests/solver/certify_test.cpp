#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/certify.hpp>
#include <clgauss/error.hpp>
#include <clgauss/inverse.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/lu.hpp>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <random>

#include "linalg/estimates/certify.hpp"
#include "linalg/estimates/upward.hpp"
#include "support/complex_matrices.hpp"
#include "support/devices.hpp"
#include "support/exact_answers.hpp"
#include "support/gallery.hpp"

using namespace clgauss;
using clgauss::test::exact_answers;
using clgauss::test::exact_determinant;
using clgauss::test::GaussianRational;
using clgauss::test::Integer;
using clgauss::test::on_every_device;
using clgauss::test::product;
using clgauss::test::random_complex;
using clgauss::test::Rational;
using clgauss::test::rational_of;

namespace {

class Systems {
 public:
  explicit Systems(unsigned seed) : random_(seed) {}

  System make(Index n, Index nrhs, int kind) {
    System system{Matrix(n, n), Matrix(n, nrhs)};
    for (double& value : system.a.values()) value = uniform();
    for (double& value : system.b.values()) value = uniform();
    switch (kind) {
      case 1:  // the condition grows to 1e16 and beyond
        lower_rank(system.a, std::exp2(-60 * std::abs(uniform())));
        break;
      case 2:  // rows and columns of very different sizes
        grade(system, 12, 12);
        break;
      case 3:
        grade(system, 900, 0);
        break;
      case 4:
        grade(system, 0, 400);
        break;
      case 5:  // Hilbert's
        for (Index i = 0; i < n; ++i)
          for (Index j = 0; j < n; ++j) system.a(i, j) = 1 / static_cast<double>(i + j + 1);
        break;
      case 6:  // small integers: often singular where n is small
        for (double& value : system.a.values()) value = std::round(1.5 * value);
        break;
      case 7:  // answers of very different sizes
        for (Index i = 0; i < n; ++i) {
          const Index row = n - 1 - i;
          for (Index j = 0; j < row; ++j) system.a(row, j) = 0;
          for (Index c = 0; c < nrhs; ++c)
            system.b(row, c) = std::ldexp(system.b(row, c), -static_cast<int>(5 * row));
        }
        for (Index i = 0; i < n; ++i) system.a(i, i) = 1 + std::abs(system.a(i, i));
        break;
      default:
        break;
    }
    return system;
  }

  double uniform() { return 2 * static_cast<double>(random_() >> 11U) * 0x1p-53 - 1; }

 private:
  /// The last row becomes the sum of the others, but for `rest` of itself.
  void lower_rank(Matrix& a, double rest) {
    const Index n = a.rows();
    for (Index j = 0; n > 1 && j < n; ++j) {
      double sum = 0;
      for (Index i = 0; i + 1 < n; ++i) sum += a(i, j);
      a(n - 1, j) = sum + rest * a(n - 1, j);
    }
  }

  void grade(System& system, int of_rows, int of_columns) {
    const Index n = system.a.rows();
    std::vector<int> columns(n);
    for (int& by : columns) by = static_cast<int>(of_columns * uniform());
    for (Index i = 0; i < n; ++i) {
      const int by = static_cast<int>(of_rows * uniform());
      for (Index j = 0; j < n; ++j) system.a(i, j) = std::ldexp(system.a(i, j), by + columns[j]);
      for (double& value : system.b.row(i)) value = std::ldexp(value, by);
    }
  }

  std::mt19937_64 random_;
};

constexpr int kKinds = 8;

std::optional<Device> device_with_fp64() {
  for (const Device& device : list_devices())
    if (device.profile.fp64) return device;
  return std::nullopt;
}

/// An answer by LU, worse than that for every fourth system. Empty where a pivot is 0.
std::optional<Matrix> approximate(Lu& lu, const System& system, Systems& systems, int round) {
  lu.factor(system.a);
  if (lu.failed_column()) return std::nullopt;
  Matrix x = lu.solve(system.b);
  if (round % 4 == 3)
    for (double& value : x.values()) value *= 1 + 1e-7 * systems.uniform();
  return x;
}

struct Tally {
  int proven = 0, unproven = 0, singular = 0;
  std::map<int, int> proven_of_kind;
  std::vector<double> widths;  // bounds over true errors

  void count(const Certificate& certificate, const System& system, const Matrix& x, int kind) {
    const auto exact = exact_answers(system);
    if (exact.empty()) {
      ++singular;
      CHECK_FALSE(certificate.proven);
      return;
    }
    ++(certificate.proven ? proven : unproven);
    if (!certificate.proven) {
      CHECK_FALSE(certificate.reason.empty());
      CHECK_FALSE(certificate.norm_bound < 1);
      return;
    }
    ++proven_of_kind[kind];
    double digits = 16, right_digits = 16;
    for (Index c = 0; c < x.cols(); ++c)
      for (Index i = 0; i < x.rows(); ++i) {
        const Rational error = abs(exact[c][i] - rational_of(x(i, c)));
        const double bound = certificate.bounds(i, c);
        const bool inside = error <= rational_of(bound);
        CHECK(inside);
        if (error != 0) widths.push_back(Rational(rational_of(bound) / error).convert_to<double>());
        if (x(i, c) != 0) {
          digits = std::min(digits, -std::log10(bound / std::abs(x(i, c))));
          if (error != 0)
            right_digits = std::min(
                right_digits,
                -std::log10(Rational(error / abs(rational_of(x(i, c)))).convert_to<double>()));
        }
      }
    CHECK(certificate.digits == doctest::Approx(std::clamp(digits, 0.0, 15.95)).epsilon(1e-6));
    CHECK(certificate.digits <= std::max(right_digits, 0.0) + 1e-9);
    CHECK(certificate.norm_digits >= certificate.digits - 1e-9);
  }
};

}  // namespace

TEST_CASE("certify: exact rational answers lie inside the bounds, every single time") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  const int count = std::getenv("LONG") != nullptr ? 10000 : 1000;
  constexpr Index kSizes[] = {1, 2, 3, 4, 5, 7, 8, 12, 16, 31, 33, 40};
  std::map<Index, std::pair<std::unique_ptr<Certifier>, std::unique_ptr<Lu>>> kept;
  Systems systems(2026);
  Tally tally;
  for (int round = 0; round < count; ++round) {
    const Index n = kSizes[round % 20 < 12 ? round % 8 : round / 20 % 12],
                nrhs = round % 10 == 0 ? 3 : 1;
    const int kind = round / 3 % kKinds;
    CAPTURE(round);
    CAPTURE(n);
    CAPTURE(kind);
    auto& [certifier, lu] = kept[n];
    if (!certifier) {
      certifier = std::make_unique<Certifier>(context, n);
      lu = std::make_unique<Lu>(context, RealType::f64, n);
    }
    const System system = systems.make(n, nrhs, kind);
    const auto x = approximate(*lu, system, systems, round);
    if (x)
      tally.count(certifier->certify(system, *x), system, *x, kind);
    else
      CHECK_FALSE(certifier->certify(system, Matrix(n, nrhs)).proven);
  }
  MESSAGE(tally.proven << " proven, " << tally.unproven << " not, " << tally.singular
                       << " singular");
  CHECK(tally.proven > 3 * count / 4);
  CHECK(tally.unproven > 0);
  CHECK(tally.singular > 0);
  for (int kind = 0; kind < kKinds; ++kind) {
    CAPTURE(kind);
    CHECK(tally.proven_of_kind[kind] > count / 40);
  }
  std::ranges::sort(tally.widths);
  const double median = tally.widths[tally.widths.size() / 2];
  MESSAGE("bounds over true errors: median " << median << ", 90 % "
                                             << tally.widths[tally.widths.size() * 9 / 10]);
  CHECK(median <= 100);
}

namespace {

/// A well conditioned system whose answer is exact: integers.
struct Bounded {
  System system;
  Matrix x;

  explicit Bounded(Index n, Index nrhs = 1)
      : system{random_matrix(n, n, 3), Matrix(n, nrhs)}, x(n, nrhs) {
    for (double& value : system.a.values()) value = std::round(1000 * value);
    for (Index i = 0; i < n; ++i)
      for (Index c = 0; c < nrhs; ++c) x(i, c) = static_cast<double>((7 * i + 3 * c) % 19) - 9;
    for (Index i = 0; i < n; ++i)
      for (Index c = 0; c < nrhs; ++c)
        for (Index j = 0; j < n; ++j) system.b(i, c) += system.a(i, j) * x(j, c);
  }

  [[nodiscard]] Matrix off_by(double relative) const {
    Matrix off = x;
    for (Index i = 0; i < off.values().size(); ++i)
      off.values()[i] *= 1 + (i % 2 == 0 ? relative : -relative);
    return off;
  }

  /// Whether the bounds of `answer` hold.
  [[nodiscard]] bool holds(const Certificate& certificate, const Matrix& answer) const {
    bool inside = certificate.proven;
    for (Index k = 0; inside && k < x.values().size(); ++k)
      inside = std::abs(x.values()[k] - answer.values()[k]) <= certificate.bounds.values()[k];
    return inside;
  }
};

/// value of the first element that differs from 0 <- value * by + plus
void spoil(Context& context, const cl::Buffer& buffer, Index at, double by, double plus) {
  double value = 0;
  context.queue().enqueueReadBuffer(buffer, CL_TRUE, at * sizeof value, sizeof value, &value);
  value = value * by + plus;
  context.queue().enqueueWriteBuffer(buffer, CL_TRUE, at * sizeof value, sizeof value, &value);
}

double largest(const Matrix& matrix) { return std::ranges::max(matrix.values()); }

/// Numbers of row `row` that are spoiled on the way to a proof of det A are noticed, or prevent it.
template <typename AnyMatrix>
void check_spoiled_determinant(Context& context, Certifier& certifier, const AnyMatrix& a,
                               Index row) {
  const auto spoiled = [&](double by) {
    return [&context, row, by](const MatrixView& view) {
      spoil(context, view.buffer, view.offset + row * view.ld + 3, 1, by);
    };
  };
  CHECK_THROWS_AS((void)certifier.certify_determinant(a, {}, {.difference = spoiled(1e-6)}),
                  DeviceFault);
  CHECK_THROWS_AS((void)certifier.certify_determinant(a, {}, {.product = spoiled(1e-6)}),
                  DeviceFault);
  CHECK_FALSE(certifier.certify_determinant(a, {}, {.inverse = spoiled(1)}).proven);
  for (const double bad : {std::nan(""), HUGE_VAL})
    CHECK_FALSE(certifier.certify_determinant(a, {}, {.difference = spoiled(bad)}).proven);
}

}  // namespace

TEST_CASE("certify: known answers, right and off, one and many right-hand sides, on every device" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (!device.profile.fp64) {
      CHECK_THROWS_AS((void)certify(context, Bounded(3).system, Bounded(3).x), DeviceLimit);
      return;
    }
    for (const Index n : {1, 2, 63, 64, 65, 127, 130, 257, 500})
      for (const Index nrhs : {1, 5}) {
        if (nrhs == 5 && n > 130) continue;
        CAPTURE(n);
        const Bounded known(n, nrhs);
        const Certificate exact = certify(context, known.system, known.x);
        CHECK(known.holds(exact, known.x));
        CHECK(exact.digits >= 15);
        const Matrix off = known.off_by(1e-6);
        const Certificate of_off = certify(context, known.system, off);
        CHECK(known.holds(of_off, off));
        CHECK(of_off.digits == doctest::Approx(6).epsilon(0.01));
        CHECK(of_off.norm_bound < 0.1);
        CHECK(of_off.reason.empty());
      }
  });
}

TEST_CASE("certify: an estimate of rcond says which inverse will do") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  const Bounded known(100);
  Solution solution;
  solution.x = known.off_by(1e-12);
  for (const std::optional<double> rcond : {std::optional<double>{}, {1e-2}, {1e-9}, {0.0}}) {
    if (rcond) solution.trust.emplace().rcond = *rcond;
    const Certificate certificate = certify(context, known.system, solution);
    CHECK(known.holds(certificate, solution.x));
    const bool by_f32 = certificate.norm_bound > 1e-8;
    CHECK(by_f32 == (!rcond || *rcond > 1e-6));
  }
}

TEST_CASE("certify: faults in the inverse, the product and the residual are caught") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  constexpr Index n = 100;
  const Bounded known(n);
  const Matrix x = known.off_by(1e-12);
  Certifier certifier(context, n);
  const auto certificate = [&](const CertifySeams& seams) {
    return certifier.certify(known.system, x, {}, seams);
  };
  const auto in_view = [&](Index i, Index j, double by, double plus) {
    return [&context, i, j, by, plus](const MatrixView& view) {
      spoil(context, view.buffer, view.offset + i * view.ld + j, by, plus);
    };
  };
  const auto in_residual = [&](Index i, double by, double plus) {
    return [&context, i, by, plus](const cl::Buffer& residual) {
      spoil(context, residual, i, by, plus);
    };
  };
  const Certificate good = certificate({});
  CHECK(known.holds(good, x));

  SUBCASE("an inverse that is a little off still proves what is true, by a weaker norm") {
    const Certificate spoiled = certificate({.inverse = in_view(17, 41, 1.5, 0)});
    CHECK(known.holds(spoiled, x));
    CHECK(spoiled.norm_bound > 10 * good.norm_bound);
  }
  SUBCASE("one that is far off proves nothing") {
    for (const auto& spoiler :
         {in_view(17, 41, 1, 1), in_view(0, 0, 0, std::nan("")), in_view(99, 99, 1, HUGE_VAL)}) {
      const Certificate spoiled = certificate({.inverse = spoiler});
      CHECK_FALSE(spoiled.proven);
      CHECK_FALSE(spoiled.norm_bound < 1);
      CHECK(spoiled.bounds.empty());
      CHECK_FALSE(spoiled.reason.empty());
    }
  }
  SUBCASE("a product that is not I - R A") {
    for (const double by : {1e-6, 2.0})
      CHECK_THROWS_AS((void)certificate({.product = in_view(50, 3, 1, by)}), DeviceFault);
    CHECK_FALSE(certificate({.product = in_view(50, 3, 1, std::nan(""))}).proven);
    // What would hide that R is off:
    CHECK_THROWS_AS((void)certificate({.inverse = in_view(17, 41, 1.001, 0),
                                       .product =
                                           [&](const MatrixView& g) {
                                             context.queue().enqueueFillBuffer(
                                                 g.buffer, 0.0, 0, n * g.ld * sizeof(double));
                                           }}),
                    DeviceFault);
  }
  SUBCASE("a residual that is not b - A x") {
    CHECK(largest(certificate({.residual = in_residual(1, 1, 1)}).bounds) >
          100 * largest(good.bounds));
    CHECK_FALSE(certificate({.residual = in_residual(1, 0, std::nan(""))}).proven);
    CHECK_THROWS_AS((void)certificate({.residual = in_residual(0, 1, 1)}), DeviceFault);
    CHECK_THROWS_AS((void)certificate({.residual =
                                           [&](const cl::Buffer& residual) {
                                             context.queue().enqueueFillBuffer(residual, 0.0, 0,
                                                                               n * sizeof(double));
                                           }}),
                    DeviceFault);
  }
}

TEST_CASE("certify: an inverse in f32 is multiplied with A only where it leads to a proof") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  constexpr Index kN = 1000;
  Certifier certifier(context, kN);
  int products = 0, in_vain = 0;
  CertifySeams seams;
  seams.product = [&](const MatrixView&) { ++products; };
  for (int tenths = 40; tenths <= 64; tenths += 2) {
    const Matrix a = test::randsvd(kN, std::pow(10.0, tenths / 10.0), test::Spread{3}, 3);
    const System system{a, row_sums(a)};
    Matrix x(kN, 1);
    std::ranges::fill(x.values(), 1.0);
    products = 0;
    CHECK(certifier.certify(system, x, {}, seams).proven);
    in_vain += products - 1;
  }
  CHECK(in_vain == 0);
}

namespace {

/// The real system of order 2 n that has the answer of a complex one, part by part.
System real_system_of(const ComplexSystem& system) {
  const Index n = system.a.rows(), nrhs = system.b.cols();
  System real{Matrix(2 * n, 2 * n), Matrix(2 * n, nrhs)};
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j)
      for (const Index half : {Index{0}, n}) {
        real.a(half + i, half + j) = system.a(i, j).real();
        real.a(half + i, n - half + j) = (half == 0 ? -1 : 1) * system.a(i, j).imag();
      }
    for (Index c = 0; c < nrhs; ++c) {
      real.b(i, c) = system.b(i, c).real();
      real.b(n + i, c) = system.b(i, c).imag();
    }
  }
  return real;
}

/// Whether the exact parts `x` solve the complex system, in complex rational arithmetic.
bool solve_exactly(const ComplexSystem& system, const std::vector<std::vector<Rational>>& x) {
  const Index n = system.a.rows();
  for (Index c = 0; c < system.b.cols(); ++c)
    for (Index i = 0; i < n; ++i) {
      Rational re = rational_of(system.b(i, c).real()), im = rational_of(system.b(i, c).imag());
      for (Index j = 0; j < n; ++j) {
        const Rational a = rational_of(system.a(i, j).real()),
                       b = rational_of(system.a(i, j).imag());
        re -= a * x[c][j] - b * x[c][n + j];
        im -= a * x[c][n + j] + b * x[c][j];
      }
      if (re != 0 || im != 0) return false;
    }
  return true;
}

ComplexMatrix of_parts(const Matrix& re, const Matrix& im) {
  ComplexMatrix both(re.rows(), re.cols());
  for (Index i = 0; i < re.rows(); ++i)
    for (Index j = 0; j < re.cols(); ++j) both.set(i, j, {re(i, j), im(i, j)});
  return both;
}

}  // namespace

TEST_CASE("certify: exact complex answers lie inside the bounds of moduli, every single time") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  const int count = std::getenv("LONG") != nullptr ? 4000 : 400;
  Systems systems(77);
  int proven = 0, unproven = 0, singular = 0;
  std::vector<double> widths;
  for (int round = 0; round < count; ++round) {
    const Index n = 1 + round % 7, nrhs = round % 5 == 0 ? 2 : 1;
    const int kind = round / 7 % kKinds;
    CAPTURE(round);
    CAPTURE(kind);
    const System re = systems.make(n, nrhs, kind);
    // The imaginary parts are of the same kind; or multiples, for what makes A ill-conditioned.
    System im = systems.make(n, nrhs, kind);
    if (kind == 1 || kind == 5) {
      im = re;
      for (double& value : im.a.values()) value *= round % 2 == 0 ? -0.5 : 0;
    }
    const ComplexSystem system{of_parts(re.a, im.a), of_parts(re.b, im.b)};
    const auto exact = exact_answers(real_system_of(system));
    ComplexSolution solution = solve_complex(context, system);
    if (!has_answer(solution.status)) solution.x = ComplexMatrix(n, nrhs);
    if (round % 4 == 3)
      for (double& value : solution.x.parts().values()) value *= 1 + 1e-7 * systems.uniform();
    const Certificate certificate = certify(context, system, solution);
    if (exact.empty()) {
      ++singular;
      CHECK_FALSE(certificate.proven);
      continue;
    }
    REQUIRE(solve_exactly(system, exact));
    ++(certificate.proven ? proven : unproven);
    CHECK(certificate.proven == certificate.reason.empty());
    if (!certificate.proven) continue;
    REQUIRE(certificate.bounds.rows() == n);
    REQUIRE(certificate.bounds.cols() == nrhs);
    for (Index c = 0; c < nrhs; ++c)
      for (Index i = 0; i < n; ++i) {
        const Rational off_re = exact[c][i] - rational_of(solution.x(i, c).real()),
                       off_im = exact[c][n + i] - rational_of(solution.x(i, c).imag()),
                       bound = rational_of(certificate.bounds(i, c));
        const Rational square = off_re * off_re + off_im * off_im;
        const bool inside = square <= bound * bound;
        CHECK(inside);
        if (square != 0)
          widths.push_back(std::sqrt(Rational(bound * bound / square).convert_to<double>()));
        const double size = std::abs(solution.x(i, c));
        if (size > 0)
          CHECK(certificate.digits <=
                std::max(0.0, -std::log10(certificate.bounds(i, c) / size)) + 1e-9);
      }
  }
  std::ranges::sort(widths);
  MESSAGE(proven << " proven, " << unproven << " not, " << singular
                 << " singular; bounds over true errors: median " << widths[widths.size() / 2]);
  CHECK(proven > count / 2);
  CHECK(unproven > 0);
  CHECK(singular > 0);
  CHECK(widths[widths.size() / 2] <= 100);
}

TEST_CASE("certify: complex systems, right and off, on every device" * test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : {1, 33, 64, 130}) {
      CAPTURE(n);
      ComplexSystem system{random_complex(n, n, 5), ComplexMatrix(n, 2)};
      ComplexMatrix x(n, 2);
      for (double& value : system.a.parts().values()) value = std::round(1000 * value);
      for (Index i = 0; i < n; ++i)
        for (Index c = 0; c < 2; ++c)
          x.set(i, c,
                {static_cast<double>((7 * i + 3 * c) % 19) - 9, static_cast<double>(i % 5) - 2});
      system.b = product(system.a, x);  // exact: integers
      if (!device.profile.fp64) {
        CHECK_THROWS_AS((void)certify(context, system, x), DeviceLimit);
        continue;
      }
      const Certificate exact = certify(context, system, x);
      CHECK(exact.proven);
      CHECK(exact.digits >= 15);
      ComplexMatrix off = x;
      off.set(0, 1, off(0, 1) + std::complex<double>(3e-6, -4e-6));
      const Certificate of_off = certify(context, system, off);
      CHECK(of_off.proven);
      CHECK(of_off.bounds(0, 1) >= 5e-6 * (1 - 1e-8));
      CHECK(of_off.bounds(0, 1) <= 5.1e-6);
    }
  });
}

TEST_CASE("certify: what cannot be certified of complex systems, and what is empty") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  const ComplexSystem system{random_complex(5, 5, 1), random_complex(5, 1, 2)};
  ComplexMatrix x = solve_complex(context, system).x;
  CHECK(certify(context, {ComplexMatrix(0, 0), ComplexMatrix(0, 1)}, ComplexMatrix(0, 1)).proven);
  CHECK(certify(context, {system.a, ComplexMatrix(5, 0)}, ComplexMatrix(5, 0)).proven);
  CHECK_THROWS_AS((void)certify(context, system, ComplexMatrix(4, 1)), DimensionError);
  CHECK_THROWS_AS(
      (void)certify(context, {ComplexMatrix(2, 3), ComplexMatrix(2, 1)}, ComplexMatrix(2, 1)),
      DimensionError);
  for (const double bad : {std::nan(""), HUGE_VAL}) {
    x.set(3, 0, {0, bad});
    const Certificate none = certify(context, system, x);
    CHECK_FALSE(none.proven);
    CHECK(none.bounds.empty());
  }
}

TEST_CASE("certify: bounds of moduli, from tiny to huge") {
  for (const double scale : {0x1p-1070, 0x1p-600, 1.0, 0x1p600, 0x1p1020}) {
    const double bound = modulus_up(3 * scale, 4 * scale);
    CHECK(bound >= 5 * scale);
    CHECK(bound <= 5 * scale * (1 + 0x1p-48) + 0x1p-1070);
  }
  CHECK(modulus_up(0x1p-1074, 1) > 1);
  CHECK(modulus_up(0, 0) < 0x1p-1060);
  CHECK(modulus_up(1, HUGE_VAL) == HUGE_VAL);
  CHECK(modulus_up(0x1.8p1023, 0x1.8p1023) == HUGE_VAL);
  CHECK(std::isnan(modulus_up(1, std::nan(""))));
  CHECK(std::isnan(modulus_up(std::nan(""), 1)));
}

TEST_CASE("certify: exact inverses lie inside the bounds, every single time") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  const int count = std::getenv("LONG") != nullptr ? 5000 : 500;
  Systems systems(9);
  int proven = 0, unproven = 0, singular = 0;
  std::map<int, int> of_kind;
  std::vector<double> widths;
  for (int round = 0; round < count; ++round) {
    const Index n = 1 + round % 9;
    const int kind = round / 9 % kKinds;
    CAPTURE(round);
    CAPTURE(kind);
    const Matrix a = systems.make(n, 1, kind).a;
    Matrix x = invert(context, a).x;
    if (x.empty()) x = Matrix(n, n);
    if (round % 4 == 3)
      for (double& value : x.values()) value *= 1 + 1e-7 * systems.uniform();
    Matrix identity(n, n);
    for (Index i = 0; i < n; ++i) identity(i, i) = 1;
    const auto exact = exact_answers(System{a, identity});
    const Certificate certificate = certify_inverse(context, a, x);
    if (exact.empty()) {
      ++singular;
      CHECK_FALSE(certificate.proven);
      continue;
    }
    ++(certificate.proven ? proven : unproven);
    CHECK(certificate.proven == certificate.reason.empty());
    if (!certificate.proven) continue;
    ++of_kind[kind];
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) {
        const Rational error = abs(exact[j][i] - rational_of(x(i, j)));
        const Rational bound = rational_of(certificate.bounds(i, j));
        const bool inside = error <= bound;
        CHECK(inside);
        if (error != 0) widths.push_back(Rational(bound / error).convert_to<double>());
      }
  }
  std::ranges::sort(widths);
  MESSAGE(proven << " proven, " << unproven << " not, " << singular
                 << " singular; bounds over true errors: median " << widths[widths.size() / 2]);
  CHECK(proven > 3 * count / 4);
  CHECK(unproven > 0);
  CHECK(singular > 0);
  for (int kind = 0; kind < kKinds; ++kind) {
    CAPTURE(kind);
    CHECK(of_kind[kind] > count / 40);
  }
  CHECK(widths[widths.size() / 2] <= 100);
}

TEST_CASE("certify: inverses, real and complex, and those of wrong shapes") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  const Matrix a(2, 2, {2, 1, 0, 4});
  const Matrix off(2, 2, {0.5 + 1e-9, -0.125, 3e-9, 0.25});
  const Certificate certificate = certify_inverse(context, a, off);
  REQUIRE(certificate.proven);
  CHECK(certificate.bounds(0, 0) == doctest::Approx(1e-9).epsilon(1e-6));
  CHECK(certificate.bounds(1, 0) == doctest::Approx(3e-9).epsilon(1e-6));
  CHECK(certificate.bounds(0, 1) < 1e-15);
  for (const Index n : {1, 20, 65}) {
    const ComplexMatrix z = random_complex(n, n, 4);
    ComplexMatrix x = invert_complex(context, z).x;
    const Certificate good = certify_inverse(context, z, x);
    REQUIRE(good.proven);
    const double right = good.bounds(n - 1, 0);
    x.set(n - 1, 0, x(n - 1, 0) + std::complex<double>(0, 1e-3));
    const Certificate bad = certify_inverse(context, z, x);
    CHECK(bad.proven);
    CHECK(bad.bounds(n - 1, 0) >= 1e-3 - right - 1e-15);
    CHECK(bad.bounds(n - 1, 0) <= 1.1e-3);
  }
  CHECK(certify_inverse(context, Matrix(0, 0), Matrix(0, 0)).proven);
  CHECK_THROWS_AS((void)certify_inverse(context, a, Matrix(2, 1)), DimensionError);
  CHECK_THROWS_AS((void)certify_inverse(context, Matrix(2, 3), Matrix(3, 2)), DimensionError);
}

namespace {

/// log10 of a positive rational number, in double.
double log10_of(const Rational& value) {
  const auto of_integer = [](const Integer& integer) {
    const auto bits = static_cast<int>(msb(integer)), shift = std::max(0, bits - 60);
    return std::log10(Integer(integer >> static_cast<unsigned>(shift)).convert_to<double>()) +
           shift * std::log10(2.0);
  };
  return of_integer(numerator(value)) - of_integer(denominator(value));
}

/// Whether the sign and the enclosure of |det A| are true; `width` becomes that of the enclosure.
bool is_true(const DeterminantCertificate& certificate, const Rational& det, double& width) {
  if (det == 0) return false;
  width = certificate.log10_high - certificate.log10_low;
  const double right = log10_of(abs(det)), slack = 1e-13 * (1 + std::abs(right));
  return certificate.sign == (det > 0 ? 1 : -1) && certificate.log10_low <= right + slack &&
         certificate.log10_high >= right - slack && width >= 0;
}

}  // namespace

TEST_CASE("certify: exact determinants have the proven sign and magnitude, every single time") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  const int count = std::getenv("LONG") != nullptr ? 10000 : 1000;
  std::map<Index, std::unique_ptr<Certifier>> kept;
  Systems systems(6);
  int proven = 0, unproven = 0, singular = 0, plain_wrong = 0;
  std::map<int, int> of_kind, of_sign;
  std::vector<double> widths;
  SolveOptions plain;
  plain.determinant = true;
  plain.trust = false;
  for (int round = 0; round < count; ++round) {
    const Index n = 1 + round % 12;
    const int kind = round / 12 % kKinds;
    CAPTURE(round);
    CAPTURE(kind);
    Matrix a = systems.make(n, 1, kind).a;
    const Rational det = exact_determinant(a);
    auto& certifier = kept[n];
    if (!certifier) certifier = std::make_unique<Certifier>(context, n);
    const DeterminantCertificate certificate = certifier->certify_determinant(a);
    CHECK(certificate.proven == certificate.reason.empty());
    CHECK(certificate.proven == (certificate.sign != 0));
    if (det == 0) {
      ++singular;
      CHECK_FALSE(certificate.proven);
      continue;
    }
    const int sign = solve(context, System{a, Matrix(n, 0)}, plain).determinant.sign;
    if (sign != (det > 0 ? 1 : -1)) {
      ++plain_wrong;
      CHECK_FALSE(certificate.proven);
    }
    ++(certificate.proven ? proven : unproven);
    if (!certificate.proven) {
      CHECK_FALSE(certificate.norm_bound < 1);
      continue;
    }
    ++of_kind[kind];
    ++of_sign[certificate.sign];
    double width = 0;
    const bool truth = is_true(certificate, det, width);
    CHECK(truth);
    widths.push_back(width);
  }
  std::ranges::sort(widths);
  MESSAGE(proven << " proven, " << unproven << " not, " << singular << " singular; the sign by LU "
                 << plain_wrong << " times wrong; width of log10: median "
                 << widths[widths.size() / 2]);
  CHECK(proven > 3 * count / 4);
  CHECK(unproven > 0);
  CHECK(singular > 0);
  CHECK(of_sign[1] > count / 5);
  CHECK(of_sign[-1] > count / 5);
  for (int kind = 0; kind < kKinds; ++kind) {
    CAPTURE(kind);
    CHECK(of_kind[kind] > count / 40);
  }
  CHECK(widths[widths.size() / 2] < 1e-11);
}

TEST_CASE("certify: integers of determinant 1 and -1, whose sign an LU mostly guesses") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  Systems systems(11);
  SolveOptions plain;
  plain.determinant = true;
  int wrong = 0, proven = 0, unproven = 0;
  for (int round = 0; round < 1000; ++round) {
    CAPTURE(round);
    // Rows are added to rows until a number is above 2^6 to 2^49: the condition is up to 2^98.
    const Index n = 2 + round % 3;
    Matrix a(n, n);
    for (Index i = 0; i < n; ++i) a(i, i) = i == 0 && round % 2 == 0 ? -1 : 1;
    double largest = 1;
    const auto any = [&](double most) { return std::floor(most * std::abs(systems.uniform())); };
    for (const double size = std::exp2(6 + round % 44); largest < size;) {
      const auto to = static_cast<Index>(any(static_cast<double>(n))),
                 from = (to + 1 + static_cast<Index>(any(static_cast<double>(n - 1)))) % n;
      const double by = any(5) - 2;
      for (Index j = 0; j < n; ++j) {
        a(to, j) += by * a(from, j);
        largest = std::max(largest, std::abs(a(to, j)));
      }
    }
    const int sign = round % 2 == 0 ? -1 : 1;
    REQUIRE(exact_determinant(a) == sign);
    const DeterminantCertificate certificate = certify_determinant(context, a);
    ++(certificate.proven ? proven : unproven);
    double width = 0;
    const bool truth = !certificate.proven || is_true(certificate, sign, width);
    CHECK(truth);
    if (solve(context, System{a, Matrix(n, 0)}, plain).determinant.sign != sign) {
      ++wrong;
      CHECK_FALSE(certificate.proven);
    }
  }
  MESSAGE(proven << " proven, " << unproven << " not; the sign by LU " << wrong << " times wrong");
  CHECK(wrong > 50);
  CHECK(proven > 300);
}

TEST_CASE("certify: determinants on every device, and faults that are caught" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (!device.profile.fp64) {
      CHECK_THROWS_AS((void)certify_determinant(context, Matrix(1, 1, {2})), DeviceLimit);
      return;
    }
    for (const Index n : {1, 2, 63, 64, 65, 130, 257, 500}) {
      CAPTURE(n);
      // P (I + N) with rows of powers of two: det = +-2^-(n / 2), N below the diagonal.
      Matrix a(n, n);
      for (Index i = 0; i < n; ++i) {
        const Index row = (i + 1) % n;
        const double by = i % 2 == 0 ? 1 : 0.5;
        a(row, i) = -by;
        for (Index j = 0; j < i; ++j) a(row, j) = by * static_cast<double>((i * 7 + j) % 3) / 64;
      }
      const DeterminantCertificate certificate = certify_determinant(context, a);
      REQUIRE(certificate.proven);
      CHECK(certificate.sign == -1);  // (-1)^n of the pivots, (-1)^(n - 1) of the cycle
      const double right = -static_cast<double>(n / 2) * std::log10(2.0);
      CHECK(certificate.log10_low <= right + 1e-12);
      CHECK(certificate.log10_high >= right - 1e-12);
      CHECK(certificate.log10_high - certificate.log10_low < 1e-5);
    }
    constexpr Index kN = 100;
    Certifier certifier(context, kN);
    const Matrix a = random_matrix(kN, kN, 8);
    CHECK(certifier.certify_determinant(a).proven);
    check_spoiled_determinant(context, certifier, a, 50);
  });
}

TEST_CASE("certify: determinants that have no proof, and the empty one") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  const DeterminantCertificate one = certify_determinant(context, Matrix(0, 0));
  CHECK(one.proven);
  CHECK(one.sign == 1);
  CHECK(one.log10_low == 0);
  CHECK_THROWS_AS((void)certify_determinant(context, Matrix(2, 3)), DimensionError);
  Matrix hilbert = Systems(1).make(14, 1, 5).a;
  CHECK(certify_determinant(context, Systems(1).make(8, 1, 5).a).sign == 1);
  for (const Matrix& a : {Matrix(2, 2), Matrix(2, 2, {1, 2, 2, 4}), hilbert,
                          Matrix(1, 1, {std::nan("")}), Matrix(1, 1, {HUGE_VAL})}) {
    const DeterminantCertificate none = certify_determinant(context, a);
    CHECK_FALSE(none.proven);
    CHECK(none.sign == 0);
    CHECK(std::isnan(none.log10_low));
    CHECK_FALSE(none.reason.empty());
  }
  // Far beyond f64's range, and below it.
  for (const double size : {1e-300, 1e300}) {
    Matrix a(5, 5);
    for (Index i = 0; i < 5; ++i) a(i, 4 - i) = -size;
    const DeterminantCertificate certificate = certify_determinant(context, a);
    CHECK(certificate.sign == -1);
    CHECK(certificate.log10_low == doctest::Approx(5 * std::log10(size)).epsilon(1e-12));
    CHECK(certificate.log10_high >= certificate.log10_low);
  }
}

namespace {

/// Whether |det / |det| - phase| <= phase_bound, without a root: with c the phase and r its bound,
/// |det| (1 + |c|^2 - r^2) <= 2 Re(det conj(c)).
bool phase_is_true(const ComplexDeterminantCertificate& certificate, const GaussianRational& det) {
  const Rational c_re = rational_of(certificate.phase.real()),
                 c_im = rational_of(certificate.phase.imag()),
                 r = rational_of(certificate.phase_bound);
  const Rational left = 1 + c_re * c_re + c_im * c_im - r * r,
                 right = 2 * (det.re * c_re + det.im * c_im);
  REQUIRE(left > 0);
  return right > 0 && (det.re * det.re + det.im * det.im) * left * left <= right * right;
}

/// Whether phase and enclosure are true.
bool is_true(const ComplexDeterminantCertificate& certificate, const GaussianRational& det) {
  if (det.re == 0 && det.im == 0) return false;
  const double right = log10_of(det.re * det.re + det.im * det.im) / 2,
               slack = 1e-13 * (1 + std::abs(right));
  return phase_is_true(certificate, det) && certificate.log10_low <= right + slack &&
         certificate.log10_high >= right - slack &&
         certificate.log10_low <= certificate.log10_high && certificate.phase_bound < 1;
}

constexpr int kComplexKinds = kKinds + 6;

ComplexMatrix complex_of_kind(Systems& systems, Index n, int kind) {
  const bool known = kind < kKinds;
  const Matrix re = systems.make(n, 1, known ? kind : 0).a;
  Matrix im = systems.make(n, 1, known ? kind : 0).a;
  if (kind == 1 || kind == 5) {  // multiples: A stays as near to a singular one
    im = re;
    for (double& value : im.values()) value *= -0.5;
  }
  ComplexMatrix a = of_parts(re, im);
  const auto any = [&](Index most) {
    return std::min(most - 1,
                    static_cast<Index>(std::abs(systems.uniform()) * static_cast<double>(most)));
  };
  const auto for_each = [&](const auto& value) {
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) a.set(i, j, value(i, j));
  };
  switch (kind - kKinds) {
    case 0: {  // Hermitian
      const ComplexMatrix whole = a;
      for_each([&](Index i, Index j) {
        return i == j ? whole(i, i).real() : i < j ? whole(i, j) : std::conj(whole(j, i));
      });
      break;
    }
    case 1:  // Fourier's, unitary but for rounding and a factor
      for_each([&](Index i, Index j) {
        return std::polar(1.0, 2 * M_PI * static_cast<double>(i * j % n) / static_cast<double>(n));
      });
      break;
    case 2: {  // units and powers of two, permuted
      a = ComplexMatrix(n, n);
      const Index shift = any(n);
      for (Index i = 0; i < n; ++i) {
        const double size = std::ldexp(1.0, static_cast<int>(900 * systems.uniform()));
        const std::complex<double> units[] = {size, {0, size}, -size, {0, -size}};
        a.set(i, (i + shift) % n, units[any(4)]);
        if (i > 0 && shift == 0) a.set(i, 0, size / 2);
      }
      break;
    }
    case 3: {  // Gaussian integers, the last row a sum of others: singular where n > 1
      for_each([&](Index, Index) {
        return std::complex<double>(std::round(9 * systems.uniform()),
                                    std::round(9 * systems.uniform()));
      });
      const std::complex<double> i_unit{0, 1};
      for (Index j = 0; n > 1 && j < n; ++j) a.set(n - 1, j, i_unit * a(0, j) - a(n - 2, j));
      break;
    }
    case 4:  // tiny or huge
      for (double& value : a.parts().values()) value = std::ldexp(value, n % 2 == 0 ? -900 : 900);
      break;
    case 5: {  // Gaussian integers of determinant 1, i, -1 or -i, of condition up to about 2^80
      const std::complex<double> unit[] = {1, {0, 1}, -1, {0, -1}};
      a = ComplexMatrix(n, n);
      for (Index i = 0; i < n; ++i) a.set(i, i, i == 0 ? unit[any(4)] : 1);
      double largest = 1;
      for (const double size = std::exp2(40 * std::abs(systems.uniform()));
           n > 1 && largest < size;) {
        const Index to = any(n), from = (to + 1 + any(n - 1)) % n;
        const std::complex<double> by(std::round(2 * systems.uniform()),
                                      std::round(2 * systems.uniform()));
        for (Index j = 0; j < n; ++j) {
          a.set(to, j, a(to, j) + by * a(from, j));
          largest = std::max(largest, std::abs(a(to, j)));
        }
      }
      break;
    }
    default:
      break;
  }
  return a;
}

}  // namespace

TEST_CASE("certify: exact complex determinants have the proven phase and modulus, every time") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  const int count = std::getenv("LONG") != nullptr ? 10000 : 1000;
  std::map<Index, std::unique_ptr<Certifier>> kept;
  Systems systems(21);
  int proven = 0, unproven = 0, singular = 0;
  std::map<int, int> of_kind, of_quadrant;
  std::vector<double> bounds;
  for (int round = 0; round < count; ++round) {
    const Index n = 1 + round % 9;
    const int kind = round / 9 % kComplexKinds;
    CAPTURE(round);
    CAPTURE(kind);
    const ComplexMatrix a = complex_of_kind(systems, n, kind);
    const GaussianRational det = exact_determinant(a);
    auto& certifier = kept[n];
    if (!certifier) certifier = std::make_unique<Certifier>(context, 2 * n);
    const ComplexDeterminantCertificate certificate = certifier->certify_determinant(a);
    CHECK(certificate.proven == certificate.reason.empty());
    CHECK(certificate.proven == (certificate.phase != 0.0));
    if (det.re == 0 && det.im == 0) {
      ++singular;
      CHECK_FALSE(certificate.proven);
      continue;
    }
    ++(certificate.proven ? proven : unproven);
    if (!certificate.proven) continue;
    ++of_kind[kind];
    ++of_quadrant[(det.re > 0 ? 1 : 0) + (det.im > 0 ? 2 : 0)];
    const bool truth = is_true(certificate, det);
    CHECK(truth);
    bounds.push_back(certificate.phase_bound);
  }
  std::ranges::sort(bounds);
  MESSAGE(proven << " proven, " << unproven << " not, " << singular
                 << " singular; bounds of the phase: median " << bounds[bounds.size() / 2]);
  CHECK(proven > 3 * count / 4);
  CHECK(unproven > 0);
  CHECK(singular > 0);
  for (int quadrant = 0; quadrant < 4; ++quadrant) CHECK(of_quadrant[quadrant] > count / 20);
  for (int kind = 0; kind < kComplexKinds; ++kind) {
    CAPTURE(kind);
    const bool is_singular = kind == kKinds + 3;  // but for n = 1
    CHECK(of_kind[kind] > count / (is_singular ? 200 : 40));
  }
  CHECK(bounds[bounds.size() / 2] < 1e-11);
}

TEST_CASE("certify: a false phase would be seen") {
  const GaussianRational det{3, -4};
  ComplexDeterminantCertificate claim;
  claim.phase = {0.6, -0.8};
  claim.log10_low = claim.log10_high = std::log10(5);
  claim.phase_bound = 1e-15;
  CHECK(is_true(claim, det));
  claim.phase = {0.6 + 1e-9, -0.8};
  CHECK_FALSE(is_true(claim, det));
  claim.phase_bound = 1.1e-9;
  CHECK(is_true(claim, det));
  claim.phase = {-0.6, 0.8};
  CHECK_FALSE(is_true(claim, det));
  claim.phase = {0.6, -0.8};
  claim.log10_low = claim.log10_high = std::log10(5) + 1e-9;
  CHECK_FALSE(is_true(claim, det));
}

TEST_CASE("certify: complex determinants on every device, and faults that are caught" *
          test::also_on_slow_devices) {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (!device.profile.fp64) {
      CHECK_THROWS_AS((void)certify_determinant(context, test::identity(1)), DeviceLimit);
      return;
    }
    for (const Index n : {1, 2, 33, 64, 65, 130, 300}) {
      CAPTURE(n);
      // P (i D + N), N below the diagonal, D of 1 and 1/2: det = (-1)^(n - 1) i^n 2^-(n / 2).
      ComplexMatrix a(n, n);
      for (Index i = 0; i < n; ++i) {
        const Index row = (i + 1) % n;
        const double by = i % 2 == 0 ? 1 : 0.5;
        a.set(row, i, {0, by});
        for (Index j = 0; j < i; ++j)
          a.set(row, j,
                {by * static_cast<double>((i * 7 + j) % 3) / 64,
                 by * static_cast<double>((i + 3 * j) % 5) / 128});
      }
      const ComplexDeterminantCertificate certificate = certify_determinant(context, a);
      REQUIRE(certificate.proven);
      const std::complex<double> powers[] = {1, {0, 1}, -1, {0, -1}},
                                 phase = n % 2 == 0 ? -powers[n % 4] : powers[n % 4];
      CHECK(std::abs(certificate.phase - phase) <= certificate.phase_bound);
      CHECK(certificate.phase_bound < 1e-5);
      const double right = -static_cast<double>(n / 2) * std::log10(2.0);
      CHECK(certificate.log10_low <= right + 1e-12);
      CHECK(certificate.log10_high >= right - 1e-12);
      CHECK(certificate.log10_high - certificate.log10_low < 1e-5);
    }
    constexpr Index kN = 50;
    Certifier certifier(context, 2 * kN);
    const ComplexMatrix a = random_complex(kN, kN, 8);
    CHECK(certifier.certify_determinant(a).proven);
    check_spoiled_determinant(context, certifier, a, 20);
  });
}

TEST_CASE("certify: complex determinants that have no proof, and the empty one") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  const ComplexDeterminantCertificate one = certify_determinant(context, ComplexMatrix(0, 0));
  CHECK(one.proven);
  CHECK(one.phase == 1.0);
  CHECK(one.phase_bound == 0);
  CHECK(one.log10_low == 0);
  CHECK_THROWS_AS((void)certify_determinant(context, ComplexMatrix(2, 3)), DimensionError);
  ComplexMatrix with_nan = test::identity(2), singular(2, 2);
  with_nan.set(1, 0, {0, std::nan("")});
  singular.set(0, 1, {1, 2});
  singular.set(1, 1, {3, -1});
  Matrix hilbert = Systems(1).make(14, 1, 5).a;
  for (const ComplexMatrix& a :
       {ComplexMatrix(2, 2), singular, ComplexMatrix::of_real(hilbert), with_nan}) {
    const ComplexDeterminantCertificate none = certify_determinant(context, a);
    CHECK_FALSE(none.proven);
    CHECK(none.phase == 0.0);
    CHECK(none.phase_bound == HUGE_VAL);
    CHECK(std::isnan(none.log10_low));
    CHECK_FALSE(none.reason.empty());
  }
}

TEST_CASE("certify: the phase of many complex pivots, each of which rounds") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  constexpr Index kN = 400;
  ComplexMatrix a(kN, kN);
  for (Index i = 0; i < kN; ++i) a.set(i, i, {1.25, 0.75});
  const ComplexDeterminantCertificate certificate = certify_determinant(context, a);
  REQUIRE(certificate.proven);
  std::complex<long double> power = 1;
  for (Index i = 0; i < kN; ++i) power *= std::complex<long double>(1.25L, 0.75L);
  const std::complex<long double> phase = power / std::abs(power);
  const long double off = std::abs(phase - std::complex<long double>(certificate.phase));
  CHECK(off <= certificate.phase_bound + 1e-16L);
  CHECK(certificate.phase_bound < 1e-9);
}

TEST_CASE("certify: what cannot be certified, and what is empty") {
  const auto device = device_with_fp64();
  REQUIRE(device);
  Context context(*device, ContextOptions::from_environment());
  Bounded known(20);
  const Certificate nothing = certify(context, {Matrix(0, 0), Matrix(0, 1)}, Matrix(0, 1));
  CHECK(nothing.proven);
  CHECK_THROWS_AS((void)certify(context, known.system, Matrix(19, 1)), DimensionError);
  CHECK_THROWS_AS((void)certify(context, {Matrix(2, 3), Matrix(2, 1)}, Matrix(2, 1)),
                  DimensionError);
  const Certificate no_columns = certify(context, {known.system.a, Matrix(20, 0)}, Matrix(20, 0));
  CHECK(no_columns.proven);
  const Certificate of_zero = certify(context, {known.system.a, Matrix(20, 1)}, Matrix(20, 1));
  CHECK(of_zero.proven);
  CHECK(largest(of_zero.bounds) < 1e-300);
  Matrix x = known.x;
  x(3, 0) = std::nan("");
  CHECK_FALSE(certify(context, known.system, x).proven);
  known.system.a(4, 4) = HUGE_VAL;
  CHECK_FALSE(certify(context, known.system, known.x).proven);
}
