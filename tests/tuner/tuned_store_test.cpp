#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <clgauss/error.hpp>
#include <clgauss/lab/tuned.hpp>
#include <filesystem>
#include <fstream>
#include <limits>

#include "support/paths.hpp"
#include "support/process.hpp"

namespace clgauss {

namespace {

DeviceProfile device_of(const std::string& driver = "1.0") {
  DeviceProfile device;
  device.name = "Test GPU (x)";
  device.vendor = "Vendor, Inc.";
  device.platform_name = "Platform";
  device.driver_version = driver;
  device.compute_units = 12;
  return device;
}

TunedEntry entry_of(Index n, int local, const std::string& driver = "1.0") {
  return {"elimination",
          RealType::f64,
          n,
          "gauss.cl",
          {{"LOCAL", local}},
          driver,
          tuned_kernel_hash("gauss.cl", {}),
          1e6,
          2e6,
          "now",
          "0"};
}

int local_of(const Tuning& tuning, Index n) {
  const TunedEntry* entry = tuning.find("elimination", RealType::f64, n);
  return entry == nullptr ? -1 : value_of(entry->parameters, "LOCAL");
}

}  // namespace

TEST_CASE("what is stored is found again, by the nearest size and not beyond a factor of 1.5") {
  const test::TemporaryFolder folder;
  const TunedStore store(folder.path());
  const std::vector<TunedEntry> entries{entry_of(1012, 192), entry_of(2002, 256)};
  store.put(device_of(), entries);
  const Tuning tuning(device_of(), store, {});
  CHECK(local_of(tuning, 1012) == 192);
  CHECK(local_of(tuning, 1400) == 192);
  CHECK(local_of(tuning, 1500) == 256);
  CHECK(local_of(tuning, 3100) == -1);
  CHECK(local_of(tuning, 0) == -1);
  CHECK(tuning.find("elimination", RealType::f32, 1012) == nullptr);
  CHECK(tuning.find("gemm", RealType::f64, 1012) == nullptr);
  CHECK(store.files() ==
        std::vector{folder.path() / "vendor-inc" / "platform-test-gpu-x-12cu.json"});

  const std::vector<TunedEntry> better{entry_of(1012, 128)};
  store.put(device_of(), better);
  CHECK(store.read(device_of()).entries.size() == 2);
  CHECK(local_of(Tuning(device_of(), store, {}), 1012) == 128);
}

TEST_CASE("an entry of another driver or kernel is a seed, never an answer") {
  const test::TemporaryFolder folder;
  const TunedStore store(folder.path());
  TunedEntry other_kernel = entry_of(2002, 64);
  other_kernel.kernel_hash = "something else";
  const std::vector<TunedEntry> entries{entry_of(1012, 192, "0.9"), other_kernel};
  store.put(device_of(), entries);
  const Tuning tuning(device_of(), store, {});
  CHECK(local_of(tuning, 1012) == -1);
  CHECK(local_of(tuning, 2002) == -1);
  CHECK(tuning.seeds("elimination", RealType::f64).size() >= 2);
  CHECK(local_of(Tuning(device_of("0.9"), store, {}), 1012) == 192);
}

TEST_CASE("another layout is the same kernel, another word is not") {
  const test::TemporaryFolder folder;
  const auto hash_of = [&](const std::string& text) {
    std::ofstream(folder.path() / "k.cl") << text;
    return tuned_kernel_hash("k.cl", folder.path());
  };
  const std::string hash =
      hash_of("#define TWO \\\n  2  // even\nint f(int a) { return a / TWO; }\n");
  CHECK(hash ==
        hash_of("#define TWO 2\n/* by half;\n */\nint f(int a)\n{\n  return a / TWO;\n}\n"));
  CHECK(hash != hash_of("#define TWO 3\nint f(int a) { return a / TWO; }\n"));
}

TEST_CASE("a store that cannot be understood is reported and not used, nor overwritten") {
  const test::TemporaryFolder folder;
  const TunedStore store(folder.path());
  const auto file = *store.file_of(device_of());
  std::filesystem::create_directories(file.parent_path());
  const std::vector<TunedEntry> entries{entry_of(1012, 192)};
  for (const char* text :
       {"", "{", "[]", R"({"schema": 1})", R"({"schema": 2, "device": {}, "entries": []})"}) {
    CAPTURE(text);
    test::write_file(file, text);
    const Tuning tuning(device_of(), store, {});
    CHECK(local_of(tuning, 1012) == -1);
    CHECK(tuning.problem().find(file.string()) != std::string::npos);
    CHECK_THROWS_AS(store.put(device_of(), entries), FormatError);
    CHECK(test::content_of(file) == text);
  }
  CHECK_THROWS_AS(TunedStore(std::nullopt).put(device_of(), entries), FileError);
  CHECK_THROWS_AS(TunedStore("/dev/null/store").put(device_of(), entries), FileError);
  CHECK(TunedStore(std::nullopt).read(device_of()).entries.empty());
}

TEST_CASE("a number beyond an int stays one that fits nowhere") {
  TunedDevice device{"Device", "Vendor", "Platform", 12, {entry_of(1012, 4711)}};
  const auto read_with = [&](const std::string& number) {
    std::string text = tuned_text(device);
    text.replace(text.find("4711"), 4, number);
    return value_of(parse_tuned(text, "file").entries.front().parameters, "LOCAL");
  };
  CHECK(read_with("-1") == -1);
  CHECK(read_with("1099511627776") == std::numeric_limits<int>::max());
  CHECK(read_with("-1099511627776") == std::numeric_limits<int>::min());
  CHECK_THROWS_AS((void)read_with("1.5"), FormatError);
}

TEST_CASE(
    "the choice of a method: one entry for all n, of this driver only, else what is built in") {
  const test::TemporaryFolder folder;
  const TunedStore store(folder.path());
  const auto put = [&](const MethodChoice& choice, const std::string& driver) {
    TunedEntry entry = entry_of(0, 0, driver);
    entry.what = kTunedMethod;
    entry.parameters = method_parameters(choice);
    store.put(device_of(), {&entry, 1});
  };
  DeviceProfile device = device_of();
  device.type = DeviceType::cpu;
  const MethodChoice built_in = method_choice(device, Tuning(device, store, {}));
  CHECK(built_in.source() == "built-in");
  CHECK(built_in.rbt_from == MethodChoice::kNever);
  put({700, MethodChoice::kNever}, "1.0");
  put({900, 2000}, "1.0");  // replaces it
  CHECK(store.read(device).entries.size() == 1);
  const Tuning tuning(device, store, {});
  const MethodChoice tuned = method_choice(device, tuning);
  CHECK(tuned.source() == "tuned");
  CHECK(tuned.mixed_from == 900);
  CHECK(tuned.rbt_from == 2000);
  put({MethodChoice::kNever, MethodChoice::kNever}, "1.0");
  CHECK(method_choice(device, Tuning(device, store, {})).mixed_from == MethodChoice::kNever);
  DeviceProfile gpu = device_of();
  gpu.type = DeviceType::gpu;
  gpu.fp64 = true;
  for (const Index mixed_from : {Index{900}, Index{12288}, MethodChoice::kNever}) {
    put({mixed_from, 2000}, "1.0");
    const MethodChoice choice = method_choice(gpu, Tuning(gpu, store, {}));
    CHECK(choice.mixed_from == mixed_from);
    CHECK(choice.allows_f32(16384, true) == (mixed_from == 900));  // it tells of slow f64
  }
  put({900, 2000}, "0.9");
  CHECK(method_choice(device, Tuning(device, store, {})).mixed_from == built_in.mixed_from);
}

TEST_CASE("two processes that store at the same time lose nothing") {
  constexpr Index kEach = 25;
  const test::TemporaryFolder folder;
  const TunedStore store(folder.path());
  const auto store_all = [&](Index first) {
    for (Index n = first; n < first + kEach; ++n) {
      const std::vector<TunedEntry> entries{entry_of(n, 64)};
      store.put(device_of(), entries);
    }
  };
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    store_all(1000);
    _exit(0);
  }
  store_all(2000);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(store.read(device_of()).entries.size() == 2 * kEach);
}

}  // namespace clgauss
