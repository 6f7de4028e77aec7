#include "kernels/refinement/residual.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <cmath>
#include <utility>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/exact_sum.hpp"
#include "kernels/common/known_answers.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_common.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

constexpr cl_uint kMostAtOnce = 4;
/// Work-groups per core. Several, so that the others need not wait for a slow core.
constexpr cl_uint kGroupsPerUnit = 4;

/// An n-by-n system whose b - A x is known. Its rows alternate between three kinds:
///   0  The products cancel in pairs, whose columns are far apart, except for a last one, a x. With
///      b = fl(a x), the residual is its rounding error, which only twice the precision can find.
///   1  The same, so small that the rounding error is a denormal number (only in f64: f32 need not
///      support them).
///   2  Random numbers.
/// Contracted or reordered operations, and numbers flushed to zero, give large errors in 0 and 1.
class Question {
 public:
  /// Odd, and large enough that each work-item of a group of 128 has several products of a row.
  static constexpr Index kN = 301;

  Question(RealType type, ResidualSum sum, Index nrhs)
      : type_(type), two_parts_(sum == ResidualSum::accurate_two_parts), a(kN, kN) {
    constexpr Index half = kN / 2, single = kN - 1;
    const bool f64 = type == RealType::f64;
    const Matrix random = random_matrix(kN + 3, kN, 11);
    x = x_lo = b = expected = Matrix(nrhs, kN);
    for (Index c = 0; c < nrhs; ++c)
      for (Index j = 0; j < kN; ++j) {
        const Index as = j == single ? j : j % half;
        x(c, place(j)) = number(random(kN + c % 2, as));
        x_lo(c, place(j)) = rounded(x(c, place(j)) * unit_roundoff(type) * random(kN + 2, as));
      }
    for (Index i = 0; i < kN; ++i) {
      const Index kind = i % 3 == 1 && !f64 ? 0 : i % 3;
      const double by = kind == 1 ? 0x1p-960 : 1;
      for (Index j = 0; j < kN; ++j)
        a(i, place(j)) =
            by * (kind == 2 || j < half ? number(random(i, j)) : -number(random(i, j % half)));
      if (kind != 2)
        a(i, place(single)) = by * std::ldexp(number(random(i, single)), f64 ? -17 : 2);
      for (Index c = 0; c < nrhs; ++c) {
        b(c, i) = rounded(kind == 2 ? random(i, c) : a(i, place(single)) * x(c, place(single)));
        expected(c, i) = residual_of(c, i, kind == 2 ? 0 : single);
      }
    }
  }

  /// Throws WrongAnswer.
  void judge(ResidualSum sum, std::span<const double> r, std::span<const double> d) const {
    const double u = unit_roundoff(type_), terms = kN + 2,
                 least = type_ == RealType::f64 ? 0x1p-1074 : 0x1p-149;
    for (Index c = 0; c < x.rows(); ++c)
      for (Index i = 0; i < kN; ++i) {
        double size = std::abs(b(c, i));
        for (Index j = 0; j < kN; ++j) size += std::abs(a(i, j)) * std::abs(x(c, j));
        const double right = expected(c, i), underflow = 2 * terms * least,
                     bound = sum == ResidualSum::ordinary
                                 ? 2 * terms * u * size
                                 : u * std::abs(right) + 2 * terms * terms * u * u * size;
        require(r[c * kN + i] - right, bound + underflow, "b - A x");
        require(d[c * kN + i] - size, 2 * terms * u * size + underflow, "|b| + |A| |x|");
      }
  }

 private:
  RealType type_;
  bool two_parts_;

 public:
  Matrix a, x, x_lo, b, expected;  // all but A transposed

 private:
  static void require(double error, double bound, const char* what) {
    if (!(std::abs(error) <= bound))
      throw WrongAnswer(fmt::format("wrong answer: {} is off by {:.3g}, at most {:.3g} is right",
                                    what, error, bound));
  }

  /// The position of column j, which separates the pairs: 83 and kN have no common factor.
  static Index place(Index j) { return j * 83 % kN; }

  [[nodiscard]] double rounded(double value) const {
    return type_ == RealType::f32 ? static_cast<double>(static_cast<float>(value)) : value;
  }
  /// Maps [-1, 1) to +-[1/2, 1), so that the smallest product has a known exponent.
  [[nodiscard]] double number(double value) const {
    return rounded(std::copysign(0.5 + 0.49 * std::abs(value), value));
  }
  /// The residual of row i from the columns `from` and later; the pairs before them cancel exactly.
  [[nodiscard]] double residual_of(Index c, Index i, Index from) const {
    ExactSum sum;
    sum.add(b(c, i));
    for (Index j = from; j < kN; ++j) {
      sum.add_product(-a(i, place(j)), x(c, place(j)));
      if (two_parts_) sum.add_product(-a(i, place(j)), x_lo(c, place(j)));
    }
    return sum.rounded();
  }
};

int usual_fma(const Setting& at) { return at.device.fast_fma ? 1 : 0; }

ParameterSpec use_fma() { return {.name = "USE_FMA", .least = 0, .most = 1, .usual = usual_fma}; }

std::string broken_width(const Parameters& parameters, RealType /*type*/) {
  const std::string rule = not_power_of_two(parameters, "VEC_WIDTH");
  return rule.empty() ? not_power_of_two(parameters, "WG_SIZE") : rule;
}

std::vector<Demand> residual_demands(const Parameters& parameters, RealType type) {
  const auto group = static_cast<std::size_t>(value_of(parameters, "WG_SIZE"));
  return {{"WG_SIZE", group, group > 1 ? 3 * kMostAtOnce * group * bytes_of(type) : 0}};
}

template <const KernelVariant& (*variant)()>
void ask(Context& context, RealType type) {
  for (const ResidualSum sum :
       {ResidualSum::ordinary, ResidualSum::accurate, ResidualSum::accurate_two_parts})
    (void)ResidualKernel(context, type, sum, variant(),
                         usual_parameters(std::array{&variant()}, {context.profile(), type, 1000}))
        .works(1);
}

}  // namespace

ParameterSpec group_of_a_row() {
  return {.name = "WG_SIZE",
          .least = 1,
          .most = 1024,
          .usual = [](const Setting& at) { return usual_group(at, 128); },
          .tried = {64, 128, 256}};
}

const KernelVariant& residual_cpu_variant() {
  static const KernelVariant variant{
      .name = "residual_cpu",
      .file = "residual.cl",
      .parameters =
          {{.name = "WG_SIZE", .least = 1, .most = 1, .usual = [](const Setting&) { return 1; }},
           {.name = "VEC_WIDTH",
            .least = 1,
            .most = 16,
            .usual = [](const Setting& at) { return usual_tile(at, "VEC_WIDTH"); },
            .tried = {4, 8, 16}},
           use_fma()},
      .lacks = lacks_long_loops,
      .ask = ask<residual_cpu_variant>,
      .broken_rule = broken_width,
      .demands = residual_demands};
  return variant;
}

const KernelVariant& residual_variant() {
  static const KernelVariant variant{.name = "residual",
                                     .file = "residual.cl",
                                     .parameters = {group_of_a_row(),
                                                    {.name = "VEC_WIDTH",
                                                     .least = 1,
                                                     .most = 2,
                                                     .usual = [](const Setting&) { return 1; },
                                                     .tried = {1, 2}},
                                                    use_fma()},
                                     .lacks = lacks_nothing,
                                     .ask = ask<residual_variant>,
                                     .broken_rule = broken_width,
                                     .demands = residual_demands};
  return variant;
}

Variants residual_variants() {
  static const std::array all{&residual_cpu_variant(), &residual_variant()};
  return all;
}

ResidualKernel::ResidualKernel(Context& context, RealType type, ResidualSum sum)
    : context_(context), type_(type), sum_(sum) {
  std::vector<std::string> names;
  for (const KernelVariant* variant : residual_variants()) {
    variant_ = variant;
    names.emplace_back(variant->name);
    parameters_ = usual_parameters(std::array{variant}, {context_.profile(), type, 0});
    if (variant->lacks(context_).empty() && works(1)) return;
  }
  throw NoUsableKernel("no kernel for a residual works on " + context_.profile().name + ": " +
                       context_.trials().reasons(names));
}

ResidualKernel::ResidualKernel(Context& context, RealType type, ResidualSum sum,
                               const KernelVariant& variant, Parameters parameters)
    : context_(context),
      type_(type),
      sum_(sum),
      variant_(&variant),
      parameters_(std::move(parameters)) {}

void ResidualKernel::prepare(Index nrhs) {
  for (Index c = 0; c < nrhs;) c += at_once(nrhs - c);
}

bool ResidualKernel::works(cl_uint rhs) {
  return context_.trials().passes({variant_->name, variant_->file, macros(rhs)}, [&] {
    const Question question(type_, sum_, rhs);
    constexpr Index n = Question::kN;
    const auto upload = [&](const Matrix& matrix, Index ld) {
      return to_device(context_, type_, matrix, ld, kKnownAnswer);
    };
    const auto space = [&] { return context_.allocate(rhs * n * bytes_of(type_), kKnownAnswer); };
    const ResidualOperands operands{upload(question.x, n).buffer, upload(question.x_lo, n).buffer,
                                    upload(question.b, n).buffer, space(), space()};
    launch(context_.queue(), upload(question.a, n + 3), {n, n}, {0, rhs}, operands);
    question.judge(sum_, download(context_.queue(), operands.r, type_, rhs * n),
                   download(context_.queue(), operands.d, type_, rhs * n));
  });
}

void ResidualKernel::enqueue(const cl::CommandQueue& queue, const MatrixView& a,
                             const std::array<Index, 2>& shape, Index nrhs,
                             const ResidualOperands& operands) {
  if (shape[0] == 0) return;
  for (Index c = 0; c < nrhs;) {
    const cl_uint rhs = at_once(nrhs - c);
    launch(queue, a, shape, {static_cast<cl_uint>(c), rhs}, operands);
    c += rhs;
  }
}

Defines ResidualKernel::macros(cl_uint rhs) const {
  return with_parameters(*variant_, parameters_,
                         with_real(type_, {{"RHS", std::to_string(rhs)},
                                           {"ACCURATE", sum_ == ResidualSum::ordinary ? "0" : "1"},
                                           {"X_PARTS", two_parts() ? "2" : "1"}}));
}

cl_uint ResidualKernel::at_once(Index left) {
  cl_uint rhs = kMostAtOnce;
  while (rhs > 1 && (rhs > left || !works(rhs))) rhs /= 2;
  if (rhs == 1 && !works(1))
    throw NoUsableKernel("the kernel for a residual does not work on " + context_.profile().name +
                         ": " + context_.trials().reasons({variant_->name}));
  return rhs;
}

void ResidualKernel::launch(const cl::CommandQueue& queue, const MatrixView& a,
                            const std::array<Index, 2>& shape, const std::array<cl_uint, 2>& rhs,
                            const ResidualOperands& operands) {
  const auto [first, count] = rhs;
  const auto n = static_cast<cl_uint>(shape[0]), columns = static_cast<cl_uint>(shape[1]);
  if (!kernels_.contains(count))
    kernels_.emplace(count, context_.programs().kernel(variant_->file, "residual", macros(count)));
  Kernel& kernel = kernels_.at(count);
  const auto group = static_cast<cl_uint>(value_of(parameters_, "WG_SIZE"));
  const cl_uint rows =
      group == 1 ? ceil_div(n, kGroupsPerUnit * context_.profile().compute_units) : 1;
  cl_uint index = 0;
  pass_view(kernel, index, a);
  kernel.set_arguments_from(index, n, columns, rows, first, operands.x);
  index += 5;
  if (two_parts()) kernel.set_arguments_from(index++, operands.x_lo);
  kernel.set_arguments_from(index, operands.b, operands.r, operands.d);
  launch_groups(queue, kernel, ceil_div(n, rows), group);
}

}  // namespace clgauss
