#include <algorithm>
#include <array>
#include <bit>
#include <clgauss/context.hpp>
#include <clgauss/lab/tuned.hpp>

namespace clgauss {

namespace {

constexpr const char *kMixedFrom = "MIXED_FROM", *kRbtFrom = "RBT_FROM";
constexpr Index kRbtFromBuiltIn = 1536;
constexpr Index kEstimatesTo = 3072;

/// The n from which mixed is faster than lu, on a GPU whose f32 is 1, 2, 4 .. 64 times as fast as
/// its f64. The model: with m = n / 1024, lu takes 0.0061 (ratio - 1) m^3 ms more for arithmetic.
/// mixed takes 0.073 m^2 ms more for residuals, which read A, and 0.4 ms more for launches. These
/// numbers are fitted to an H200, where mixed is faster from m = 12 on. The table has the m where
/// both times are equal, to the nearest half. (A GPU with a fifth of the H200's rates and a tenth
/// of its bandwidth has its m within a factor of 1.5 of these, and near them both methods take
/// similar time.) Ratios up to 2 were measured.
constexpr std::array<Index, 7> kMixedFromOfRatio{12288, 12288, 5120, 3072, 2048, 1536, 1024};
static_assert(kMixedFromOfRatio.back() == MethodChoice::kMeasuredFrom);

bool is_cpu(const DeviceProfile& device) { return device.type == DeviceType::cpu; }

/// The choice without measurements. mixed on a CPU: below its limit, loading PoCL's two additional
/// programs takes as long as the LU of n = 1500 saves. mixed on a GPU: on an H200, whose f64 is
/// half as fast as its f32, an LU below n = 16384 spends its time on panels, not on products. rbt:
/// where sub-groups factor diagonal blocks (lu_diagonal_ptx.cl). Cholesky on a CPU: below its
/// limit, its factors save less time than loading their kernels takes. Cholesky on a GPU: on an
/// H200 a solve from host memory takes 0.83 of the time at n = 640, 0.68 at 1000, 0.74 at 2048,
/// 0.82 at 4096, and 1.66 at 8192, where the host takes 40 ms to see that A is symmetric. Below its
/// first limit it saves 0.2 ms, and a first solve takes 0.4 s more. With portable kernels factor +
/// solve take 0.28 of LU's time at n = 500, 0.32 at 4096. L D L^T: on two cores it takes as long
/// as lu at n = 2048, 0.84 of it at 3072, 0.75 to 0.82 at 4096; in f32 0.94 there, more below.
/// Estimates: the rcond of random matrices, 1e-5 to 1e-7 with n = 2048 to 16384, cannot be told by
/// factors in f32 of rbt for 0 of 6 with n = 2048, 4 of 6 with 4096, all of 6 with 8192. Then lu
/// follows. On an H200 both take 14 ms with n = 4096, lu alone 8.5, rbt alone 5.5.
MethodChoice built_in(const DeviceProfile& device) {
  const bool cpu = is_cpu(device);
  const bool butterflies = !cpu && device.fp64 && device.lacks_ptx().empty();
  MethodChoice choice;
  choice.mixed_from = cpu ? Index{1536} : kMixedFromOfRatio.front();
  if (butterflies) choice.rbt_from = kRbtFromBuiltIn;
  if (cpu) {
    choice.cholesky_from = 1024;
    choice.ldlt_from = 4096;
  } else if (device.fp64) {
    choice.cholesky_from = 512;
    choice.cholesky_to = 4096;
    choice.estimates_to = kEstimatesTo;
  }
  return choice;
}

/// The choice on a GPU with these rates. rbt is mixed without panels, so it pays off no later than
/// mixed. Where f64 is slow, arithmetic takes far longer than the host's look at A, which limits
/// Cholesky where f64 is fast; from a ratio of 4 on that was not measured. An attempt in f32 that
/// fails takes a small part of what lu takes there.
MethodChoice by_rates(DeviceProfile device, const ArithmeticRates& rates) {
  device.type = DeviceType::gpu;  // also if the rates are simulated
  MethodChoice choice = built_in(device);
  choice.rates = rates;
  choice.mixed_from =
      kMixedFromOfRatio.at(static_cast<std::size_t>(std::bit_width(rates.ratio)) - 1);
  if (choice.rbt_from != MethodChoice::kNever)
    choice.rbt_from = std::min(choice.rbt_from, choice.mixed_from);
  if (rates.ratio > 2) choice.cholesky_to = choice.estimates_to = MethodChoice::kNever;
  return choice;
}

/// Empty if the file was edited and holds an invalid value.
std::optional<Index> from_of(const Parameters& parameters, const char* name) {
  const auto found = std::ranges::find(parameters, name, &Parameters::value_type::first);
  if (found == parameters.end() || found->second < 0) return std::nullopt;
  return found->second == 0 ? MethodChoice::kNever : static_cast<Index>(found->second);
}

int number_of(Index from) {
  constexpr auto kMost = static_cast<Index>(std::numeric_limits<int>::max());
  return from > kMost ? 0 : static_cast<int>(from);
}

}  // namespace

std::string_view MethodChoice::source() const {
  if (entry != nullptr) return "tuned";
  if (!rates) return "built-in";
  return rates->pretended() ? "pretended" : "measured";
}

MethodChoice method_choice(const DeviceProfile& device, const Tuning& tuning,
                           const std::optional<ArithmeticRates>& rates) {
  MethodChoice choice = built_in(device);
  for (const TunedEntry* entry : tuning.entries(kTunedMethod, RealType::f64)) {
    const auto mixed = from_of(entry->parameters, kMixedFrom),
               rbt = from_of(entry->parameters, kRbtFrom);
    if (!mixed || !rbt) continue;
    choice.mixed_from = *mixed;
    choice.rbt_from = *rbt;
    if (*mixed < kMixedFromOfRatio.front()) choice.estimates_to = MethodChoice::kNever;  // slow f64
    choice.entry = entry;
    return choice;
  }
  return rates && (!is_cpu(device) || rates->pretended()) ? by_rates(device, *rates) : choice;
}

MethodChoice method_choice(Context& context) {
  const DeviceProfile& device = context.profile();
  const MethodChoice known = method_choice(device, context.tuning());
  if (known.entry != nullptr || !device.fp64 || (is_cpu(device) && !device.pretended_ratio))
    return known;
  return method_choice(device, context.tuning(), context.arithmetic_rates());
}

Parameters method_parameters(const MethodChoice& choice) {
  return {{kMixedFrom, number_of(choice.mixed_from)}, {kRbtFrom, number_of(choice.rbt_from)}};
}

}  // namespace clgauss
