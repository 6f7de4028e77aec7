#include <doctest/doctest.h>

#include <array>
#include <boost/multiprecision/cpp_bin_float.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <cmath>

#include "kernels/lu/lu_common.hpp"
#include "kernels/refinement/residual.hpp"
#include "support/changed_kernels.hpp"
#include "support/devices.hpp"
#include "support/padded_matrix.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;
using clgauss::test::types_of;

namespace {

using Quad = boost::multiprecision::cpp_bin_float_quad;

constexpr std::array kSums{ResidualSum::ordinary, ResidualSum::accurate,
                           ResidualSum::accurate_two_parts};

/// Rows of numbers 2^-30 to 2^30 that cancel: b is A x, rounded. All but A transposed.
struct Cancelling {
  Matrix a, x, x_lo, b;

  Cancelling(Index n, Index nrhs, RealType type) : Cancelling(n, n, nrhs, type) {}
  Cancelling(Index n, Index columns, Index nrhs, RealType type)
      : a(n, columns), x(nrhs, columns), x_lo(nrhs, columns), b(nrhs, n) {
    const Matrix random = random_matrix(n, columns, 5), sizes = random_matrix(n, columns, 6),
                 answers = random_matrix(2 * nrhs, columns, 7);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < columns; ++j)
        a(i, j) = std::ldexp(random(i, j), static_cast<int>(30 * sizes(i, j)));
    a = rounded(a, type);
    for (Index c = 0; c < nrhs; ++c)
      for (Index j = 0; j < columns; ++j) x(c, j) = answers(c, j);
    x = rounded(x, type);
    for (Index c = 0; c < nrhs; ++c)
      for (Index j = 0; j < columns; ++j) {
        x_lo(c, j) = x(c, j) * unit_roundoff(type) * answers(nrhs + c, j);
        for (Index i = 0; i < n; ++i) b(c, i) += a(i, j) * x(c, j);
      }
    x_lo = rounded(x_lo, type);
    b = rounded(b, type);
  }

  [[nodiscard]] Quad residual(Index c, Index i, bool two_parts) const {
    Quad sum = b(c, i);
    for (Index j = 0; j < a.cols(); ++j) {
      sum -= Quad(a(i, j)) * x(c, j);
      if (two_parts) sum -= Quad(a(i, j)) * x_lo(c, j);
    }
    return sum;
  }

  [[nodiscard]] double size(Index c, Index i) const {
    double sum = std::abs(b(c, i));
    for (Index j = 0; j < a.cols(); ++j) sum += std::abs(a(i, j) * x(c, j));
    return sum;
  }
};

void check(Context& context, RealType type, ResidualSum sum, ResidualKernel& kernel,
           const Cancelling& system) {
  const Index n = system.a.rows(), columns = system.a.cols(), nrhs = system.x.rows();
  CAPTURE(n);
  CAPTURE(nrhs);
  CAPTURE(static_cast<int>(sum));
  const auto flat = [&](const Matrix& matrix) { return PaddedMatrix(context, type, matrix, 0, 0); };
  const PaddedMatrix a(context, type, system.a, 5, 3),
      x = flat(system.x), x_lo = flat(system.x_lo), b = flat(system.b), r = flat(Matrix(nrhs, n)),
      d = flat(Matrix(nrhs, n));
  kernel.enqueue(context.queue(), a.view, {n, columns}, nrhs,
                 {x.view.buffer, x_lo.view.buffer, b.view.buffer, r.view.buffer, d.view.buffer});
  const Matrix left = r.read(context, type), sizes = d.read(context, type);
  const double u = unit_roundoff(type), terms = static_cast<double>(columns) + 2;
  double worst = 0, worst_size = 0;  // over their bounds
  for (Index c = 0; c < nrhs; ++c)
    for (Index i = 0; i < n; i += i + 1 < n ? std::min(n - 1 - i, n / 32 + 1) : 1) {
      const Quad exact = system.residual(c, i, sum == ResidualSum::accurate_two_parts);
      const double size = system.size(c, i), right = std::abs(exact.convert_to<double>()),
                   off = Quad(abs(exact - Quad(left(c, i)))).convert_to<double>(),
                   bound = sum == ResidualSum::ordinary
                               ? 2 * terms * u * size
                               : u * right + 2 * terms * terms * u * u * size;
      if (!(off / bound <= worst)) worst = off / bound;
      const double off_size = std::abs(sizes(c, i) - size) / (2 * terms * u * size);
      if (!(off_size <= worst_size)) worst_size = off_size;
    }
  CHECK(worst <= 1);
  CHECK(worst_size <= 1);
}

}  // namespace

TEST_CASE("residual: every row and right-hand side, ordinary and as if in twice the precision") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const ResidualSum sum : kSums) {
        ResidualKernel kernel(context, type, sum);
        for (const Index n : {1, 2, 3, 31, 32, 33, 127, 129, 500, 1031})
          for (const Index nrhs : {1, 2, 3, 5})
            if (n < 500 || nrhs == 5) check(context, type, sum, kernel, {n, nrhs, type});
        for (const Index columns : {2, 66, 300})
          check(context, type, sum, kernel, {33, columns, 6, type});
      }
  });
}

TEST_CASE("residual: right with every width and group") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      const Cancelling system(131, 3, type);
      for (const auto& [group, width] :
           std::vector<std::array<int, 2>>{{1, 1}, {1, 16}, {2, 2}, {256, 1}}) {
        if (group == 1 && !context.runs_long_loops()) continue;
        CAPTURE(group);
        CAPTURE(width);
        const ResidualSum sum = width == 16 ? ResidualSum::ordinary : kSums[group == 2 ? 2 : 1];
        const Parameters parameters{{"WG_SIZE", group}, {"VEC_WIDTH", width}, {"USE_FMA", 1}};
        ResidualKernel kernel(context, type, sum, residual_variant(), parameters);
        check(context, type, sum, kernel, system);
      }
    }
  });
}

TEST_CASE("residual: double-double that a compiler or a device spoils is found out") {
  const std::array<std::array<std::string, 2>, 4> spoiled{{
      {"s.lo = (a - (s.hi - of_b)) + (b - of_b);", "s.lo = (T)(0);"},  // as a fast-math option does
      {"p.lo = fma(a, b, -p.hi);", "p.lo = a * b - p.hi;"},            // no fma
      {"dd_##T t = two_sum_##T(s.hi, p.hi);",                          // contracted
       "dd_##T t = two_sum_##T(s.hi, p.hi); t.hi = fma(a, b, s.hi);"},
      {"p.lo = fma(a, b, -p.hi);",  // flushed to zero
       "p.lo = fma(a, b, -p.hi); p.lo = fabs(p.lo) < REAL_MIN_NORMAL ? (T)(0) : p.lo;"},
  }};
  on_every_device([&](const Device& device) {
    for (Index k = 0; k < spoiled.size(); ++k) {
      CAPTURE(spoiled[k][1]);
      const test::ChangedKernels changed("double_double.clh", spoiled[k][0], spoiled[k][1]);
      Context context(device, changed.context_options());
      for (const RealType type : types_of(device.profile)) {
        const bool flushes = k + 1 == spoiled.size();
        if (flushes && type == RealType::f32) continue;  // it may do so
        CAPTURE(real_type_name(type));
        CHECK_THROWS_AS(ResidualKernel(context, type, ResidualSum::accurate), NoUsableKernel);
      }
      CHECK_NOTHROW(ResidualKernel(context, RealType::f32, ResidualSum::ordinary));
    }
  });
}
