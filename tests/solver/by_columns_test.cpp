// A that lies by columns, solved as it lies: what is said of it is what is said of the same A by
// rows.
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <functional>
#include <limits>

#include "linalg/refinement/answer_residual.hpp"
#include "linalg/refinement/system_operator.hpp"
#include "matrix/transfer.hpp"
#include "support/devices.hpp"
#include "support/gallery.hpp"
#include "support/padded_matrix.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::types_of;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

bool same_numbers(const Matrix& u, const Matrix& v) {
  if (u.rows() != v.rows() || u.cols() != v.cols()) return false;
  for (Index i = 0; i < u.values().size(); ++i)
    if (u.values()[i] != v.values()[i] && !(std::isnan(u.values()[i]) && std::isnan(v.values()[i])))
      return false;
  return true;
}

bool about(double u, double v) {
  return u == v || (std::isnan(u) && std::isnan(v)) || std::abs(u - v) <= 1e-6 * std::abs(v);
}

/// Two orders of summation: to some units where that is so small, else to a few digits.
bool near_residual(double u, double v) {
  return about(u, v) || std::abs(u - v) <= 0.1 + 0.1 * std::abs(v);
}

void check_same_by_columns(Context& context, const Matrix& a, const Matrix& b,
                           const SolveOptions& options) {
  const Solution by_rows = solve(context, {a, b}, options),
                 by_columns = solve_transposed(context, {transposed(a), b}, options);
  CHECK(by_columns.status == by_rows.status);
  CHECK(by_columns.method == by_rows.method);
  CHECK(by_columns.type == by_rows.type);
  CHECK(by_columns.failed_column == by_rows.failed_column);
  CHECK(by_columns.pivot_rows == by_rows.pivot_rows);
  CHECK(by_columns.scaled_rows == by_rows.scaled_rows);
  CHECK(by_columns.scaled_columns == by_rows.scaled_columns);
  CHECK(doubt_of(by_columns) == doubt_of(by_rows));
  CHECK(by_columns.determinant.sign == by_rows.determinant.sign);
  CHECK(about(by_columns.determinant.log10_abs, by_rows.determinant.log10_abs));
  CHECK(near_residual(by_columns.residual.scaled, by_rows.residual.scaled));
  REQUIRE(by_columns.trust.has_value() == by_rows.trust.has_value());
  if (by_rows.trust) {
    CHECK(about(by_columns.trust->rcond, by_rows.trust->rcond));
    CHECK(about(by_columns.trust->reciprocal_growth, by_rows.trust->reciprocal_growth));
    CHECK(about(by_columns.trust->determinant_error, by_rows.trust->determinant_error));
  }
  // Corrections are made from residuals, whose last bits differ; without them the factors are the
  // same, and so is x.
  if (by_rows.refinement.corrections() == 0 && by_columns.refinement.corrections() == 0)
    CHECK(same_numbers(by_columns.x, by_rows.x));
}

SolveOptions trusting(RealType type) {
  SolveOptions options;
  options.type = type;
  options.trust = true;
  return options;
}

/// The host turns A over where memory is mapped, else the device does.
void on_every_device_by_every_way(const std::function<void(Context&)>& body) {
  on_every_device([&](const Device& device) {
    for (const auto transfers : {Transfers::mapped, Transfers::pinned}) {
      CAPTURE(transfers_name(transfers));
      ContextOptions options = ContextOptions::from_environment();
      options.transfers = transfers;
      Context context(device, options);
      body(context);
    }
  });
}

}  // namespace

TEST_CASE("by columns: every size, one and more right-hand sides") {
  on_every_device_by_every_way([](Context& context) {
    for (const RealType type : types_of(context.profile()))
      for (const Index n : {1, 2, 31, 128, 256, 257, 300, 511, 700})
        for (const Index nrhs : {1, 3, 40}) {
          CAPTURE(n);
          CAPTURE(nrhs);
          check_same_by_columns(context, generate_matrix("random", n, 3), random_matrix(n, nrhs, 4),
                                trusting(type));
        }
  });
}

TEST_CASE("by columns: every method") {
  on_every_device_by_every_way([](Context& context) {
    const Index n = 300;
    const Matrix general = generate_matrix("random", n, 5), b = random_matrix(n, 2, 6);
    Matrix definite = generate_matrix("spd", n, 5);
    for (const Method method : {Method::automatic, Method::lu, Method::mixed, Method::rbt,
                                Method::gauss, Method::cholesky, Method::ldlt}) {
      CAPTURE(method_name(method));
      SolveOptions options;
      options.method = method;
      options.trust = method != Method::gauss;
      const bool symmetric = method == Method::cholesky || method == Method::ldlt;
      check_same_by_columns(context, symmetric ? definite : general, b, options);
      if (!symmetric) continue;
      definite(7, 3) += 1;
      CHECK_THROWS_AS(solve_transposed(context, {transposed(definite), b}, options), ValueError);
      definite(7, 3) -= 1;
    }
    for (const Accuracy accuracy : {Accuracy::single_precision, Accuracy::maximum}) {
      SolveOptions options;
      options.accuracy = accuracy;
      check_same_by_columns(context, general, b, options);
    }
    if (!context.profile().fp64) return;
    SolveOptions options;
    options.judge = Judge::device;
    check_same_by_columns(context, general, b, options);
  });
}

TEST_CASE("by columns: singular, nearly so, without numbers, and far apart in size") {
  on_every_device_by_every_way([](Context& context) {
    const Index n = 300;
    const Matrix b = random_matrix(n, 1, 6);
    for (const RealType type : types_of(context.profile())) {
      const SolveOptions options = trusting(type);
      Matrix a = generate_matrix("random", n, 5);
      for (Index i = 0; i < n; ++i) a(i, 17) = 0;  // a column, which elimination must name
      check_same_by_columns(context, a, b, options);
      CHECK(solve_transposed(context, {transposed(a), b}, options).failed_column == Index{17});
      a = generate_matrix("random", n, 5);
      for (Index j = 0; j < n; ++j) a(17, j) = 0;
      check_same_by_columns(context, a, b, options);
      a = generate_matrix("random", n, 5);
      for (Index i = 0; i < n; ++i) a(i, 20) = a(i, 10) * (1 + 0x1p-50 * static_cast<double>(i));
      CHECK(doubt_of(solve_transposed(context, {transposed(a), b}, options)) ==
            doubt_of(solve(context, {a, b}, options)));
      for (const double value : {std::nan(""), kInf}) {
        a = generate_matrix("random", n, 5);
        a(4, 250) = value;
        check_same_by_columns(context, a, b, options);
      }
      for (const int exponent : {1000, -1000, 120}) {
        a = generate_matrix("random", n, 5);
        for (Index i = 0; i < n; ++i) {
          for (Index j = 0; j < n; ++j) a(i, j) = std::ldexp(a(i, j), exponent);
          a(i, 3) = std::ldexp(a(i, 3), -exponent / 2);
        }
        check_same_by_columns(context, a, b, options);
        for (Index j = 0; j < n; ++j) a(5, j) = std::ldexp(a(5, j), -exponent);
        check_same_by_columns(context, a, b, options);
      }
    }
  });
}

TEST_CASE("by columns: shapes that do not fit") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    CHECK_THROWS_AS(solve_transposed(context, {Matrix(3, 4), Matrix(3, 1)}), DimensionError);
    CHECK_THROWS_AS(solve_transposed(context, {Matrix(300, 300), Matrix(299, 1)}), DimensionError);
    CHECK(solve_transposed(context, {Matrix(0, 0), Matrix(0, 2)}).status == SolveStatus::ok);
  });
}

TEST_CASE("by columns: residuals are those of A, to rounding") {
  for (const Index n : {1, 2, 7, 255, 256, 257, 700})
    for (const Index nrhs : {0, 1, 2, 9, 150}) {
      CAPTURE(n);
      CAPTURE(nrhs);
      const Matrix a = generate_matrix("random", n, 3), b = random_matrix(n, nrhs, 4),
                   x = random_matrix(n, nrhs, 5), turned = transposed(a);
      const AnswerResidual by_rows = answer_residual({a, b}, x, 0x1p-53),
                           by_columns = answer_residual({turned, b}, x, 0x1p-53, true);
      CHECK(std::abs(by_columns.norms.scaled - by_rows.norms.scaled) <=
            1e-12 * by_rows.norms.scaled);
      const System system{turned, b}, of_rows{a, b};
      Matrix r(n, nrhs), d(n, nrhs), row_r(n, nrhs), row_d(n, nrhs);
      HostOperator(system, true).residual(x, r, d);
      HostOperator(of_rows).residual(x, row_r, row_d);
      double worst = 0;
      for (Index i = 0; i < n; ++i)
        for (Index c = 0; c < nrhs; ++c)
          for (const double difference :
               {by_columns.r(i, c) - by_rows.r(i, c), by_columns.d(i, c) - by_rows.d(i, c),
                r(i, c) - by_rows.r(i, c), d(i, c) - by_rows.d(i, c), row_r(i, c) - by_rows.r(i, c),
                row_d(i, c) - by_rows.d(i, c)})
            worst = std::max(worst, std::abs(difference) / by_rows.d(i, c));
      CHECK(worst <= static_cast<double>(2 * n + 2) * 0x1p-53);
      const Matrix v = random_matrix(n, 1, 8), y = HostOperator(system, true).product(v);
      CHECK(max_difference(y, HostOperator(of_rows).product(v)) <=
            static_cast<double>(n * n) * 0x1p-50);
    }
}

TEST_CASE("by columns: a residual whose norms leave f64's range") {
  const Index n = 70;
  Matrix a = generate_matrix("random", n, 3);
  for (double& value : a.values()) value = std::ldexp(value, 1020);
  const Matrix b = random_matrix(n, 1, 4), x = random_matrix(n, 1, 5);
  const double by_rows = answer_residual({a, b}, x, 0x1p-53).norms.scaled;
  CHECK(std::isfinite(by_rows));
  CHECK(about(answer_residual({transposed(a), b}, x, 0x1p-53, true).norms.scaled, by_rows));
}

TEST_CASE("by columns: in strips as in one, what is uploaded is A, and so are its sizes") {
  on_every_device_by_every_way([](Context& context) {
    for (const RealType type : types_of(context.profile()))
      for (const Index n : {1, 5, 64, 700})
        for (const std::size_t strip_bytes : {std::size_t{1}, std::size_t{40000}, kStripBytes}) {
          const Matrix a = test::rounded(generate_matrix("random", n, 3), type);
          const Index ld = n + 3;
          const std::size_t bytes = n * ld * bytes_of(type);
          const cl::Buffer plain = context.allocate(bytes, "A"),
                           turned = context.allocate(bytes, "A");
          const Sizes expected = upload_and_measure(context, plain, ld, type, a),
                      sizes = upload_turned_and_measure(context, turned, ld, type, transposed(a),
                                                        strip_bytes);
          CHECK(sizes.rows == expected.rows);
          CHECK(sizes.columns == expected.columns);
          CHECK(about(sizes.norm1, expected.norm1));
          CHECK(sizes.least == expected.least);
          CHECK(sizes.largest == expected.largest);
          const Values was = download(context.queue(), plain, type, n * ld),
                       is = download(context.queue(), turned, type, n * ld);
          bool same = true;
          for (Index i = 0; i < n; ++i)
            for (Index j = 0; j < n; ++j) same = same && was[i * ld + j] == is[i * ld + j];
          CHECK(same);
        }
  });
}
