#include "session/arithmetic_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "lap_timer.hpp"
#include "opencl_error.hpp"
#include "statistics.hpp"

namespace clgauss {

namespace {

constexpr const char *kRatesQuestion = "arithmetic rates", *kRatesFile = "arithmetic_rate.cl";
/// Multiply-adds of a work-item per turn of its loop: eight in each of eight chains.
constexpr double kOfTurn = 64;
/// In a shorter launch, the launch overhead would outweigh the arithmetic.
constexpr double kLeastSeconds = 1e-3;
constexpr cl_uint kFewestTurns = 32, kMostTurns = 1U << 20U;
constexpr int kRatesRounds = 3;

/// The kernel of one type, with enough turns for a measurable time.
template <typename Real>
class Chains {
 public:
  Chains(Context& context, const char* name)
      : context_(context),
        kernel_(context.programs().kernel_at_once(kRatesFile, name, {})),
        local_(std::min<std::size_t>(kernel_.work_group_limit, 256)),
        items_(local_ * context.profile().compute_units * 8),
        sums_(context.allocate(items_ * sizeof(Real), "a probe")) {
    (void)seconds();  // drivers finish building at the first launch
    while (seconds() < kLeastSeconds && turns_ < kMostTurns) turns_ *= 2;
  }

  /// Multiply-adds per second, from one launch.
  [[nodiscard]] double rate() {
    return kOfTurn * static_cast<double>(turns_) * static_cast<double>(items_) / seconds();
  }

 private:
  double seconds() {
    // x <- x / 2 + 1 converges to 2, so the results are known.
    constexpr Real kFactor = Real(0.5), kTerm = 1, kSum = 16;
    const cl::CommandQueue& queue = context_.queue();
    Real sum = 0;
    queue.enqueueWriteBuffer(sums_, CL_TRUE, 0, sizeof sum, &sum);
    kernel_.set_arguments(sums_, kFactor, kTerm, turns_);
    LapTimer timer;
    enqueue_kernel(queue, kernel_, cl::NDRange(items_), cl::NDRange(local_));
    queue.enqueueReadBuffer(sums_, CL_TRUE, 0, sizeof sum, &sum);
    const double taken = timer.lap();
    if (!(std::abs(sum - kSum) < Real(1e-3)))
      throw WrongAnswer(fmt::format("{} gives {} instead of {}", kernel_.name, sum, kSum));
    return taken;
  }

  Context& context_;
  Kernel kernel_;
  std::size_t local_, items_;
  cl::Buffer sums_;
  cl_uint turns_ = kFewestTurns;
};

ArithmeticRates measured(Context& context) {
  Chains<float> in_f32(context, "multiply_add_f32");
  Chains<double> in_f64(context, "multiply_add_f64");
  std::vector<double> rates, ratios;
  for (int round = 0; round < kRatesRounds; ++round) {
    rates.push_back(in_f32.rate());
    ratios.push_back(rates.back() / in_f64.rate());
  }
  const double f32 = median(rates);
  return ArithmeticRates::of(f32, f32 / median(ratios));
}

std::string text_of(const ArithmeticRates& rates) {
  return fmt::format("{:.4g} {:.4g}", rates.f32, rates.f64);
}

/// Empty if `text` was not written by text_of().
std::optional<ArithmeticRates> rates_in(const std::string& text) {
  double f32 = 0, f64 = 0;
  if (std::sscanf(text.c_str(), "%lf %lf", &f32, &f64) != 2) return std::nullopt;
  const ArithmeticRates rates = ArithmeticRates::of(f32, f64);
  if (!(f32 > 0 && f64 > 0) || text_of(rates) != text) return std::nullopt;
  return rates;
}

}  // namespace

ArithmeticRates ArithmeticRates::of(double f32, double f64) {
  constexpr double kMost = 6;
  const double power = std::round(std::log2(f32 / f64));
  return {f32, f64, 1U << static_cast<unsigned>(power > 0 ? std::min(power, kMost) : 0)};
}

std::optional<ArithmeticRates> measure_arithmetic(Context& context) {
  if (!context.profile().fp64) return std::nullopt;
  ProgramStore& programs = context.programs();
  if (const auto kept = programs.recall(kRatesQuestion, kRatesFile, {}))
    if (const auto rates = rates_in(*kept)) return rates;
  try {
    const ArithmeticRates rates = translate_opencl_errors([&] { return measured(context); });
    programs.remember(kRatesQuestion, kRatesFile, {}, text_of(rates));
    return rates_in(text_of(rates));  // rounded as every later call reads them
  } catch (const Error& error) {      // methods can be chosen without the rates
    if (error.error_code() == ErrorCode::stopped) throw;
    return std::nullopt;
  }
}

}  // namespace clgauss
