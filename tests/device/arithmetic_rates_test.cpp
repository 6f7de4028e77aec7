#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/context.hpp>
#include <filesystem>
#include <fstream>

#include "support/devices.hpp"
#include "support/paths.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;

namespace {

constexpr const char *kQuestion = "arithmetic rates", *kFile = "arithmetic_rate.cl";

/// Whether the context has built the kernels, as it does where it measures.
bool measured(Context& context) {
  const auto& built = context.programs().built_alone();
  return std::ranges::find(built, kFile, &ProgramRequest::file) != built.end();
}

struct Asked {
  std::optional<ArithmeticRates> rates;
  bool measured;
};

Asked ask(const Device& device, const ContextOptions& options) {
  Context context(device, options);
  const auto rates = context.arithmetic_rates();
  const auto again = context.arithmetic_rates();
  CHECK(rates.has_value() == again.has_value());
  if (rates && again) CHECK(rates->f32 == again->f32);
  return {rates, measured(context)};
}

/// Other programs may hold up one of the two kernels: then it is measured anew, a few times.
double least_ratio(const Device& device, ContextOptions options, const Asked& first) {
  double least = first.rates->ratio;
  for (int i = 0; i < 4 && least > 4; ++i) {
    const test::TemporaryFolder cache;
    options.cache_folder = cache.path();
    least = std::min<double>(least, ask(device, options).rates->ratio);
  }
  return least;
}

}  // namespace

TEST_CASE("rates: measured once, kept for the next context, and anew where that is damaged") {
  on_every_device([](const Device& device) {
    const test::TemporaryFolder cache;
    ContextOptions options = ContextOptions::from_environment();
    options.cache_folder = cache.path();
    options.driver_caches = false;
    const Asked first = ask(device, options);
    CHECK(first.rates.has_value() == device.profile.fp64);
    CHECK(first.measured == device.profile.fp64);
    if (!device.profile.fp64) return;
    CHECK_FALSE(first.rates->pretended());
    CHECK(first.rates->f32 > 1e8);
    CHECK(first.rates->f64 > 1e8);
    if (device.profile.type == DeviceType::cpu) CHECK(least_ratio(device, options, first) <= 4);
    MESSAGE(device.profile.name, ": ", first.rates->f32, " and ", first.rates->f64,
            " multiply-adds a second");

    const Asked second = ask(device, options);
    CHECK_FALSE(second.measured);
    CHECK(second.rates->f32 == first.rates->f32);
    CHECK(second.rates->f64 == first.rates->f64);
    CHECK(second.rates->ratio == first.rates->ratio);

    const auto keep = [&](const std::string& text) {
      Context(device, options).programs().remember(kQuestion, kFile, {}, text);
    };
    keep("3.2e+12 1e+11");
    CHECK(ask(device, options).rates->ratio == 32);
    for (const char* senseless : {"", "3e+12", "3e+12 0", "3e+12 -1", "3e+12 nan", "3e+12 1e+11 x",
                                  "0x1p40 1e+11", "inf 1e+11"}) {
      CAPTURE(senseless);
      keep(senseless);
      const Asked anew = ask(device, options);
      CHECK(anew.rates.has_value());
      CHECK(anew.rates->ratio <= 64);
      CHECK(ask(device, options).rates->f32 == anew.rates->f32);  // and kept
    }
    for (const auto& entry : std::filesystem::directory_iterator(cache.path()))
      std::ofstream(entry.path()) << "damaged";
    CHECK(ask(device, options).measured);
    CHECK_FALSE(ask(device, options).measured);
  });
}

TEST_CASE("rates: they decide for a GPU that nobody tuned, and are not asked for of a CPU") {
  on_every_device([](Device device) {
    if (!device.profile.fp64) return;
    const test::TemporaryFolder cache;
    ContextOptions options = ContextOptions::from_environment();
    options.cache_folder = cache.path();
    options.tuned = false;
    device.profile.type = DeviceType::gpu;  // whatever it is
    Context first(device, options);
    CHECK(method_choice(first).source() == "measured");
    CHECK(measured(first));
    first.programs().remember(kQuestion, kFile, {}, "3.2e+12 1e+11");
    Context second(device, options);
    CHECK(method_choice(second).source() == "measured");
    CHECK(method_choice(second).mixed_from == 1536);
    CHECK_FALSE(measured(second));
    options.kernel_faults = parse_kernel_faults("arithmetic_rate=wrong");
    Context broken(device, options);
    CHECK(method_choice(broken).source() == "built-in");
    CHECK(method_choice(broken).mixed_from == 12288);
    options.kernel_faults.clear();
    device.profile.type = DeviceType::cpu;
    Context cpu(device, options);
    CHECK(method_choice(cpu).source() == "built-in");
    CHECK(method_choice(cpu).mixed_from == 1536);
    CHECK_FALSE(measured(cpu));
  });
}

TEST_CASE("rates: kernels that fail leave none, and nothing is kept of that") {
  on_every_device([](const Device& device) {
    const test::TemporaryFolder cache;
    for (const char* fault : {"arithmetic_rate=build", "arithmetic_rate=wrong", ""}) {
      ContextOptions options = ContextOptions::from_environment();
      options.cache_folder = cache.path();
      options.kernel_faults = parse_kernel_faults(fault);
      const bool works = device.profile.fp64 && *fault == '\0';
      CAPTURE(fault);
      CHECK(ask(device, options).rates.has_value() == works);
      Context context(device, options);
      CHECK(method_choice(context).mixed_from > 0);
    }
  });
}

TEST_CASE("rates: a pretended ratio is a power of two, and nothing is measured") {
  on_every_device([](const Device& device) {
    for (const auto& [pretended, taken] :
         {std::pair(0U, 1U), {1, 1}, {2, 2}, {32, 32}, {33, 32}, {1000, 64}}) {
      ContextOptions options = ContextOptions::from_environment();
      options.pretended_ratio = pretended;
      const Asked asked = ask(device, options);
      CHECK(asked.rates->ratio == taken);
      CHECK(asked.rates->pretended());
      CHECK_FALSE(asked.measured);
      options.tuned = false;
      Context context(device, options);
      CHECK((method_choice(context).source() == "pretended") == device.profile.fp64);
    }
  });
}
