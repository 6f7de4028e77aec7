#include "kernels/refinement/residual_integer.hpp"

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/lab/launch.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "kernels/common/known_answers.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_common.hpp"
#include "kernels/refinement/residual.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

constexpr int kHalf = 32;  // bits of the high or low part of a number
constexpr cl_ulong kLow = (cl_ulong{1} << kHalf) - 1;
constexpr cl_int kNoNumber = std::numeric_limits<cl_int>::max(),
                 kNothing = std::numeric_limits<cl_int>::min();

struct Number {
  cl_ulong m;
  int e;
  bool negative, finite;

  explicit Number(double value)
      : m(0), e(0), negative(std::signbit(value)), finite(std::isfinite(value)) {
    if (!finite || value == 0) return;
    const double fraction = std::frexp(std::abs(value), &e);  // in [1/2, 1)
    m = static_cast<cl_ulong>(std::ldexp(fraction, 64));
    e -= 64;
  }
};

/// The upper 64 bits of the product a b.
cl_ulong multiply_high(cl_ulong a, cl_ulong b) {
  const cl_ulong a_high = a >> kHalf, a_low = a & kLow, b_high = b >> kHalf, b_low = b & kLow;
  const cl_ulong middle = a_high * b_low + (a_low * b_low >> kHalf),
                 other = a_low * b_high + (middle & kLow);
  return a_high * b_high + (middle >> kHalf) + (other >> kHalf);
}

int exponent_of(const Number& a, const Number& x) {
  if (!a.finite || !x.finite) return kNoNumber;
  return a.m > 0 && x.m > 0 ? a.e + x.e + 64 : kNothing;
}

void add_term(const Number& a, const Number& x, bool negative, IntegerSums& sums) {
  if (a.m == 0 || x.m == 0) return;
  const int shift = sums.exponent - exponent_of(a, x);
  const cl_ulong q = shift < 64 ? multiply_high(a.m, x.m) >> shift : 0;
  const auto high = static_cast<cl_long>(q >> kHalf), low = static_cast<cl_long>(q & kLow);
  sums.parts[0] += negative ? -high : high;
  sums.parts[1] += negative ? -low : low;
  sums.parts[2] += high;
  sums.parts[3] += low;
}

/// A system whose rows alternate between seven kinds: numbers of very different magnitudes; pairs
/// of products that cancel except for the last bits; numbers over the whole range of f64; zeros;
/// denormal numbers; a NaN; an infinity.
struct IntegerQuestion {
  static constexpr Index kN = 301, kRhs = 2, kKinds = 7;
  Matrix a, x, b;  // X and B transposed

  IntegerQuestion() : a(kN, kN), x(kRhs, kN), b(kRhs, kN) {
    const Matrix random = random_matrix(kN + 2 * kRhs, kN, 12);
    const auto spread = [](double value, int by) {
      return std::ldexp(value, static_cast<int>(std::lround(by * (2 * std::abs(value) - 1))));
    };
    for (Index c = 0; c < kRhs; ++c)
      for (Index j = 0; j < kN; ++j) x(c, j) = spread(random(kN + c, j % (kN / 2)), 20);
    for (Index i = 0; i < kN; ++i) {
      const Index kind = i % kKinds;
      for (Index j = 0; j < kN; ++j) {
        const double value = random(i, j);
        const double pair = j < kN / 2 ? value : -random(i, j % (kN / 2)) * (1 + value * 0x1p-50);
        a(i, j) = kind == 0   ? spread(value, 40)
                  : kind == 1 ? pair
                  : kind == 2 ? spread(value, 1022)
                  : kind == 3 ? 0
                  : kind == 4 ? std::ldexp(value, -1040)
                              : value;
      }
      if (kind == 5) a(i, i) = std::numeric_limits<double>::quiet_NaN();
      if (kind == 6) a(i, kN - 1) = -std::numeric_limits<double>::infinity();
      for (Index c = 0; c < kRhs; ++c)
        b(c, i) = kind == 3 ? static_cast<double>(c) : kind == 4 ? 0 : random(kN + kRhs + c, i);
    }
  }
};

cl::Buffer numbers(const Context& context, std::span<const double> values) {
  cl::Buffer buffer = context.allocate(values.size_bytes(), kKnownAnswer);
  upload_values(context, buffer, RealType::f64, values);
  return buffer;
}

}  // namespace

double IntegerSums::value(cl_long high, cl_long low) const {
  if (exponent == kNoNumber) return std::numeric_limits<double>::quiet_NaN();
  if (exponent == kNothing) return 0;
  // Below, 0 <= low < 2^32 and `high` is far below 2^53, so the sum is rounded only once.
  high += low >> kHalf;
  low &= static_cast<cl_long>(kLow);
  return std::ldexp(std::ldexp(static_cast<double>(high), kHalf) + static_cast<double>(low),
                    exponent);
}

IntegerSums integer_sums(std::span<const double> a, std::span<const double> x, double b) {
  const Number right(b), one(1);
  IntegerSums sums;
  sums.exponent = exponent_of(right, one);
  for (Index j = 0; j < a.size(); ++j)
    sums.exponent = std::max(sums.exponent, exponent_of(Number(a[j]), Number(x[j])));
  if (sums.exponent == kNoNumber) return sums;
  add_term(right, one, right.negative, sums);
  for (Index j = 0; j < a.size(); ++j) {
    const Number entry(a[j]), factor(x[j]);
    add_term(entry, factor, entry.negative == factor.negative, sums);
  }
  return sums;
}

const KernelVariant& residual_integer_variant() {
  static const KernelVariant variant{
      .name = "residual_integer",
      .file = "residual_integer.cl",
      .parameters = {group_of_a_row()},
      .lacks = lacks_nothing,
      .ask = [](Context& context, RealType) { (void)IntegerResidual(context); },
      .broken_rule = [](const Parameters& parameters, RealType) -> std::string {
        return not_power_of_two(parameters, "WG_SIZE");
      },
      .demands =
          [](const Parameters& parameters, RealType) {
            const auto group = static_cast<std::size_t>(value_of(parameters, "WG_SIZE"));
            return std::vector<Demand>{
                {"WG_SIZE", group, (4 * sizeof(cl_long) + sizeof(cl_int)) * group}};
          }};
  return variant;
}

Variants residual_integer_variants() {
  static const std::array all{&residual_integer_variant()};
  return all;
}

IntegerResidual::IntegerResidual(Context& context)
    : context_(context),
      parameters_(usual_parameters(std::array{&residual_integer_variant()},
                                   {context.profile(), RealType::f32, 0})) {
  const KernelVariant& variant = residual_integer_variant();
  const auto make = [&] {
    kernel_ = context_.programs().kernel(variant.file, "residual_integer", macros());
  };
  const bool works = context_.trials().passes({variant.name, variant.file, macros()}, [&] {
    make();
    require_known_answer();
  });
  if (!works)
    throw NoUsableKernel("the kernel for a residual in integers does not work on " +
                         context_.profile().name + ": " +
                         context_.trials().reasons({variant.name}));
  make();
}

std::vector<IntegerSums> IntegerResidual::sums(const Operands& operands, Index rows) const {
  const auto& [a, x, b, n, nrhs] = operands;
  const Index count = rows * nrhs;
  const cl::CommandQueue& queue = context_.queue();
  const cl::Buffer parts = context_.allocate(count * 4 * sizeof(cl_long), "residuals"),
                   exponents = context_.allocate(count * sizeof(cl_int), "residuals");
  Kernel kernel = kernel_;
  kernel.set_arguments(a.buffer, static_cast<cl_uint>(a.ld), static_cast<cl_uint>(n),
                       static_cast<cl_uint>(rows), x, b, parts, exponents);
  const auto group = static_cast<std::size_t>(value_of(parameters_, "WG_SIZE"));
  enqueue_kernel(queue, kernel, cl::NDRange(rows * group, nrhs), cl::NDRange(group, 1));
  std::vector<std::array<cl_long, 4>> found(count);
  std::vector<cl_int> found_exponents(count);
  queue.enqueueReadBuffer(parts, CL_TRUE, 0, count * 4 * sizeof(cl_long), found.data());
  queue.enqueueReadBuffer(exponents, CL_TRUE, 0, count * sizeof(cl_int), found_exponents.data());
  std::vector<IntegerSums> all(count);
  for (Index k = 0; k < count; ++k) all[k] = {found[k], found_exponents[k]};
  return all;
}

Defines IntegerResidual::macros() const {
  return macros_of(residual_integer_variant(), RealType::f32, parameters_);
}

void IntegerResidual::require_known_answer() const {
  constexpr Index n = IntegerQuestion::kN;
  const IntegerQuestion question;
  const MatrixView a{numbers(context_, question.a.values()), 0, n};
  const std::vector<IntegerSums> found =
      sums({a, numbers(context_, question.x.values()), numbers(context_, question.b.values()), n,
            IntegerQuestion::kRhs},
           n);
  for (Index c = 0; c < IntegerQuestion::kRhs; ++c)
    for (Index i = 0; i < n; ++i)
      if (found[c * n + i] != integer_sums(question.a.row(i), question.x.row(c), question.b(c, i)))
        throw WrongAnswer("wrong answer: the integers of b - A x are not the host's");
}

}  // namespace clgauss
