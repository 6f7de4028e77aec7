// The rule by which auto takes its methods, of devices that need not be there.

#include <doctest/doctest.h>

#include <clgauss/lab/tuned.hpp>

#include "support/recorded_profiles.hpp"

using namespace clgauss;

namespace {

constexpr Index kNever = MethodChoice::kNever;

MethodChoice choice_of(const DeviceProfile& device, double f32, double f64) {
  return method_choice(device, {}, ArithmeticRates::of(f32, f64));
}

bool takes_cholesky_on_gpu(const MethodChoice& choice) {
  const bool slow_f64 = choice.rates && choice.rates->ratio > 2;
  return choice.takes_cholesky(512) && choice.takes_cholesky(4096) && !choice.takes_cholesky(511) &&
         choice.takes_cholesky(4097) == slow_f64;
}

}  // namespace

TEST_CASE("rates: the ratio is a power of two, whatever noise there is") {
  for (unsigned ratio = 1; ratio <= 64; ratio *= 2)
    for (const double noise : {0.75, 0.9, 1.0, 1.1, 1.3})
      CHECK(ArithmeticRates::of(noise * ratio * 3e11, 3e11).ratio == ratio);
  CHECK(ArithmeticRates::of(1, 3).ratio == 1);
  CHECK(ArithmeticRates::of(1000, 3).ratio == 64);
  CHECK(ArithmeticRates::of(0, 0).ratio == 1);
}

TEST_CASE("method choice: of a GPU that nobody tuned by how much slower its f64 is") {
  const std::pair<unsigned, Index> rows[] = {{1, 12288}, {2, 12288}, {4, 5120}, {8, 3072},
                                             {16, 2048}, {32, 1536}, {64, 1024}};
  const DeviceProfile portable = test::recorded_profile("rx_7900_xtx").profile,
                      nvidia = test::recorded_profile("h200").profile;
  REQUIRE(nvidia.lacks_ptx().empty());
  REQUIRE_FALSE(portable.lacks_ptx().empty());
  for (const auto& [ratio, mixed_from] : rows) {
    CAPTURE(ratio);
    for (const DeviceProfile& device : {portable, nvidia}) {
      const MethodChoice choice = choice_of(device, 1e12 * ratio, 1e12);
      CHECK(choice.mixed_from == mixed_from);
      CHECK(takes_cholesky_on_gpu(choice));
      CHECK(choice.source() == "measured");
      CHECK(choice.rates->ratio == ratio);
    }
    CHECK(choice_of(portable, 1e12 * ratio, 1e12).rbt_from == kNever);
    CHECK(choice_of(nvidia, 1e12 * ratio, 1e12).rbt_from == std::min<Index>(1536, mixed_from));
  }
  for (const DeviceProfile& device : {portable, nvidia}) {  // up to 2 it is what is built in
    const MethodChoice built_in = method_choice(device, {}), measured = choice_of(device, 2, 1);
    CHECK(built_in.source() == "built-in");
    CHECK(measured.mixed_from == built_in.mixed_from);
    CHECK(measured.rbt_from == built_in.rbt_from);
    CHECK(measured.cholesky_from == built_in.cholesky_from);
  }
}

TEST_CASE("method choice: a GPU takes Cholesky whatever its kernels are, if it has fp64") {
  DeviceProfile gpu = test::recorded_profile("h200").profile;
  CHECK(takes_cholesky_on_gpu(method_choice(gpu, {})));
  CHECK(method_choice(gpu, {}).ldlt_from == kNever);
  gpu.vendor_kernels = false;
  CHECK(takes_cholesky_on_gpu(method_choice(gpu, {})));
  gpu.fp64 = false;
  CHECK(method_choice(gpu, {}).cholesky_from == kNever);
}

TEST_CASE(
    "method choice: where f64 is fast, large n with estimates have no factors in f32 on GPUs") {
  const DeviceProfile gpu = test::recorded_profile("h200").profile;
  const auto limited = [](const MethodChoice& choice) {
    CHECK(choice.allows_f32(1'000'000, false));
    CHECK(choice.allows_f32(3072, true));
    return !choice.allows_f32(3073, true);
  };
  CHECK(limited(method_choice(gpu, {})));
  for (unsigned ratio = 1; ratio <= 64; ratio *= 2) {
    CAPTURE(ratio);
    CHECK(limited(choice_of(gpu, ratio, 1)) == (ratio <= 2));
  }
  CHECK_FALSE(limited(method_choice(test::recorded_profile("pocl").profile, {})));
}

TEST_CASE("method choice: CPUs keep theirs, but for pretended rates") {
  const DeviceProfile cpu = test::recorded_profile("pocl").profile;
  for (const double ratio : {1, 2, 32}) {
    const MethodChoice choice = choice_of(cpu, ratio, 1);
    CHECK(choice.source() == "built-in");
    CHECK(choice.mixed_from == 1536);
    CHECK(choice.rbt_from == kNever);
    CHECK(choice.takes_cholesky(1024));
    CHECK(choice.takes_cholesky(100'000));
    CHECK_FALSE(choice.takes_cholesky(1023));
  }
  const MethodChoice pretended = method_choice(cpu, {}, ArithmeticRates{.ratio = 16});
  CHECK(pretended.source() == "pretended");
  CHECK(pretended.mixed_from == 2048);
}
