// `clgauss-tune watch` and the layer as a user meets them, on every platform there is.

#include <CL/cl_layer.h>
#include <dlfcn.h>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "support/process.hpp"
#include "support/thorough.hpp"

using namespace clgauss::test;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Of any of the platforms, with a cache of its own.
ProcessResult watch(const TemporaryFolder& folder, const std::string& options,
                    const std::string& what, const std::string& environment = {}) {
  return run_tune(folder, fmt::format("watch {} -- '{}' {}", options, CLGAUSS_LAYER_CALLER, what),
                  fmt::format("XDG_CACHE_HOME='{}' {}", (folder / "cache").string(), environment));
}

ProcessResult alone(const TemporaryFolder& folder, const std::string& what) {
  return run(CLGAUSS_LAYER_CALLER, folder, what);
}

fs::path layer_path() { return tune_program().parent_path() / "layer" / "libclgauss_layer.so"; }

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// The file with the text of the caller's kernels, among what the layer keeps.
fs::path text_file(const TemporaryFolder& folder) {
  for (const auto& entry : fs::directory_iterator(folder / "cache" / "clgauss" / "layer"))
    if (has(content_of(entry.path()), "kernel void axpy")) return entry.path();
  return {};
}

/// How often each file of a folder is opened, by whichever process, as long as this lives.
class Openings {
 public:
  explicit Openings(const fs::path& folder) {
    REQUIRE(inotify_add_watch(queue_, folder.c_str(), IN_OPEN) >= 0);
  }
  Openings(const Openings&) = delete;
  Openings& operator=(const Openings&) = delete;
  ~Openings() { close(queue_); }

  /// Since the last call, by the files' names.
  [[nodiscard]] std::map<std::string, std::size_t> take() const {
    std::map<std::string, std::size_t> times;
    alignas(inotify_event) char bytes[1 << 16];
    for (ssize_t size = 0; (size = read(queue_, bytes, sizeof bytes)) > 0;)
      for (const char* at = bytes; at < bytes + size;) {
        const auto* const event = reinterpret_cast<const inotify_event*>(at);
        if (event->len > 0) ++times[event->name];
        at += sizeof *event + event->len;
      }
    return times;
  }

 private:
  int queue_ = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
};

}  // namespace

TEST_CASE("layer: a program sees the same with the layer and without, watched and repaired") {
  for (const char* what :
       {"kernels", "profiled", "events", "unordered", "user-events", "errors", "threads", "objects",
        "included", "linked", "newer", "unreleased", "fork", "crash"}) {
    CAPTURE(what);
    const TemporaryFolder folder;
    const ProcessResult without = alone(folder, what);
    REQUIRE_FALSE(without.out.empty());
    // The second repair takes what the first one found.
    std::vector<const char*> ways{"--repair"};
    if (what == std::string("kernels") || what == std::string("events"))
      ways = {"", "--repair", "--repair"};
    for (const char* options : ways) {
      CAPTURE(options);
      const ProcessResult with = watch(folder, options, what);
      CHECK(with.out == without.out);
      CHECK(with.exit_code == without.exit_code);
    }
  }
}

TEST_CASE("layer: launches are told at the end, by the parent alone") {
  const TemporaryFolder folder;
  const ProcessResult forked = watch(folder, "", "fork");
  const std::string heading = "clgauss: OpenCL launches";
  CHECK(has(forked.err, heading));
  CHECK(forked.err.find(heading) == forked.err.rfind(heading));
  CHECK(has(forked.err, "axpy"));
  CHECK(has(forked.err, "100003"));
  CHECK(has(forked.err, "Baranov and Vlatskaya (2013)"));
  CHECK(has(forked.err, "or run it with --repair"));
  CHECK_FALSE(has(watch(folder, "", "crash").err, heading));
}

TEST_CASE("layer: each process has a file of its own where the name has %p") {
  const TemporaryFolder folder;
  for (int run = 0; run < 2; ++run) watch(folder, "--json launches.%p.json", "kernels");
  std::size_t files = 0;
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    const std::string name = entry.path().filename();
    if (!name.starts_with("launches.")) continue;
    ++files;
    CHECK(std::stoi(name.substr(std::string("launches.").size())) > 0);
    CHECK_FALSE(json::parse(content_of(entry.path())).at("launches").empty());
  }
  CHECK(files == 2);
}

TEST_CASE("layer: launches as JSON") {
  const TemporaryFolder folder;
  const ProcessResult result = watch(folder, "--json launches.json", "kernels");
  CHECK_FALSE(has(result.err, "OpenCL launches"));
  const json all = json::parse(content_of(folder / "launches.json"));
  CHECK_FALSE(all.at("repair"));
  std::size_t own = 0, left = 0;
  for (const json& one : all.at("launches")) {
    CAPTURE(one.dump());
    CHECK(one.at("launches") == 70);
    CHECK(one.at("way").is_null());
    if (one.at("kernel") == "required") {
      ++own;
      CHECK(one.at("group") == json{7});
      CHECK_FALSE(one.at("degenerate"));
    }
    if (one.at("range") == json{100003}) {
      ++left;
      CHECK(one.at("group").is_null());
      CHECK(one.at("degenerate"));
    }
  }
  CHECK(own > 0);
  CHECK(left > 0);
}

TEST_CASE("layer: why a kernel was left alone, and what was tried") {
  const TemporaryFolder folder;
  const auto explained = [&](const char* kernel) {
    return watch(folder, fmt::format("--repair --explain {}", kernel), "kernels").err;
  };
  CHECK(has(explained("pasted"), "not changed: "));
  CHECK(has(explained("pasted"), "get_num_groups"));
  CHECK(has(explained("scratch"), "not changed: "));
  CHECK(has(explained("axpy"), "no work-item can tell another size"));
  CHECK(has(explained("axpy"), "decided in an earlier run"));
  CHECK(has(explained("nobody"), "nobody: no such kernel was launched"));
}

TEST_CASE("layer: only what may be changed is, and a decision is kept") {
  const TemporaryFolder folder;
  watch(folder, "--repair", "kernels");
  watch(folder, "--repair --json launches.json", "kernels");
  const json all = json::parse(content_of(folder / "launches.json"));
  std::size_t recalled = 0;
  for (const json& one : all.at("launches")) {
    CAPTURE(one.dump());
    recalled += one.at("recalled").get<bool>();
    const std::string kernel = one.at("kernel");
    const bool may_change =
        one.at("group").is_null() && (kernel == "axpy" || kernel == "blur" || kernel == "deep" ||
                                      kernel == "commented" || kernel == "nested");
    if (!may_change) CHECK(one.at("way").is_null());
    if (!may_change) CHECK_FALSE(one.at("recalled"));
  }
  CHECK(recalled > 0);
}

TEST_CASE("layer: sizes can be forced, the program's own, too, and answers stay") {
  const TemporaryFolder folder;
  std::size_t changed = 0, split = 0;
  for (const char* what : {"kernels", "profiled", "events", "unordered", "threads", "objects",
                           "newer", "unreleased", "fork"}) {
    CAPTURE(what);
    const ProcessResult forced =
        watch(folder, "--json launches.json", what, "CLGAUSS_LAYER_REPAIR=force");
    CHECK(forced.out == alone(folder, what).out);
    const json all = json::parse(content_of(folder / "launches.json"));
    for (const json& one : all.at("launches")) {
      CHECK(one.at("gain").is_null());
      if (one.at("way").is_null()) continue;
      ++changed;
      CHECK(one.at("reason") == "");
      split += has(one.at("way"), "split");
    }
  }
  CHECK(changed > split);
  CHECK(split > 0);
  watch(folder, "--repair --json launches.json", "kernels");
  const json all = json::parse(content_of(folder / "launches.json"));
  for (const json& one : all.at("launches"))
    CHECK_FALSE(one.at("recalled"));  // what was forced is no decision
  CHECK(has(watch(folder, "--explain axpy", "unreleased", "CLGAUSS_LAYER_REPAIR=force").err,
            "forced: "));
}

TEST_CASE("layer: which kernels get a size where all that may get one do") {
  const TemporaryFolder folder;
  std::map<std::string, std::set<std::string>> ways;  // of the launches of a kernel
  for (const char* what : {"kernels", "newer"}) {
    watch(folder, "--json launches.json", std::string(what) + " Portable",
          "CLGAUSS_LAYER_REPAIR=force");
    const json all = json::parse(content_of(folder / "launches.json"));
    for (const json& one : all.at("launches")) {
      const std::string way = one.at("way").is_null() ? "" : one.at("way").get<std::string>();
      ways[one.at("kernel")].insert(has(way, "split") ? "split" : way.empty() ? "none" : "size");
    }
  }
  using Ways = std::set<std::string>;
  CHECK(ways["nested"] == Ways{"size", "split"});
  CHECK(ways["linear"] == Ways{"none", "size"});  // the parts of a split count by themselves
  CHECK(ways["blind"] == Ways{"size", "split"});
  for (const char* telling : {"nested_told", "local_linear", "enqueued", "printed"}) {
    CAPTURE(telling);
    CHECK(ways[telling] == Ways{"none"});
  }
}

TEST_CASE(
    "layer: a program from a binary is as one from the text that it was seen being built of") {
  const TemporaryFolder folder, foreign;
  const auto expected = alone(foreign, "saved").out;
  REQUIRE(has(expected, "axpy"));
  const auto run = [&](const char* options, const char* environment) {
    CHECK(
        watch(folder, fmt::format("{} --json launches.json", options), "saved", environment).out ==
        expected);
    std::size_t changed = 0;
    const json all = json::parse(content_of(folder / "launches.json"));
    for (const json& one : all.at("launches")) {
      CAPTURE(one.dump());
      if (one.at("kernel") == "local_size") CHECK(one.at("way").is_null());
      changed += !one.at("way").is_null();
    }
    return std::pair(changed, all.at("launches").size() / 2);
  };
  const char* const forced = "CLGAUSS_LAYER_REPAIR=force";
  CHECK(run("", "").first == 0);  // built from the text, and only watched
  for (int i = 0; i < 2; ++i) {
    const auto [changed, platforms] = run("", forced);
    CHECK(changed == platforms);
    CHECK(platforms > 0);
  }
  fs::remove_all(folder / "cache" / "clgauss" / "layer");
  CHECK(run("", forced).first == 0);
  CHECK(has(content_of(folder / "launches.json"), "the layer did not see the build"));
}

TEST_CASE("layer: a text is read for a trial or for a size, and not before") {
  const TemporaryFolder folder;
  const std::string once = "saved-short Portable";
  watch(folder, "--repair", once);
  const std::string text = text_file(folder).filename();
  REQUIRE_FALSE(text.empty());
  const Openings openings(folder / "cache" / "clgauss" / "layer");
  for (const char* options : {"", "--repair"}) {
    CAPTURE(options);
    watch(folder, options, once);
    const auto times = openings.take();
    CHECK_FALSE(times.empty());  // the name of the binary's text
    CHECK_FALSE(times.contains(text));
  }
  watch(folder, "", once, "CLGAUSS_LAYER_REPAIR=force");
  CHECK(openings.take().contains(text));
}

TEST_CASE("layer: a program too short for a trial has its texts read once") {
  const TemporaryFolder folder;
  const std::string behind = "saved-behind Portable";
  watch(folder, "--repair", behind);
  const std::string text = text_file(folder).filename();
  REQUIRE_FALSE(text.empty());
  const Openings openings(folder / "cache" / "clgauss" / "layer");
  for (int i = 0; i < 3; ++i) {
    watch(folder, "--repair", behind);
    const auto times = openings.take();
    CHECK_FALSE(times.empty());
    CHECK_FALSE(times.contains(text));
  }
}

TEST_CASE("layer: why a kernel is left alone is kept, and its text not read again") {
  const TemporaryFolder folder;
  std::map<std::string, json> launches;  // by kernel
  const auto repair = [&] {
    watch(folder, "--repair --json launches.json", "saved Portable");
    const json all = json::parse(content_of(folder / "launches.json"));
    for (const json& one : all.at("launches")) launches[one.at("kernel")] = one;
  };
  repair();
  const json first = launches.at("local_size");
  if (first.at("device_ms") < 20) {
    MESSAGE("not due: the device is too fast");
    return;
  }
  CHECK(has(first.at("reason"), "get_local_size"));
  fs::remove(text_file(folder));
  repair();
  CHECK(launches.at("local_size").at("reason") == first.at("reason"));
  CHECK(launches.at("axpy").at("way").is_null());  // what was decided of it waits for its text
  CHECK_FALSE(has(launches.at("axpy").at("reason"), "get_local_size"));
}

TEST_CASE("layer: of programs that were linked, and of their parts, nothing is known") {
  const TemporaryFolder folder;
  const auto expected = alone(folder, "linked").out;
  REQUIRE(has(expected, "linked"));
  for (int i = 0; i < 2; ++i) {
    CHECK(watch(folder, "--json launches.json", "linked", "CLGAUSS_LAYER_REPAIR=force").out ==
          expected);
    const json all = json::parse(content_of(folder / "launches.json"));
    REQUIRE_FALSE(all.at("launches").empty());
    for (const json& one : all.at("launches")) CHECK(one.at("way").is_null());
  }
}

TEST_CASE("layer: the binaries of one program for two devices have each its own text") {
  const TemporaryFolder folder;
  using Count = std::pair<const std::string, std::size_t>;
  const std::string two = "POCL_DEVICES='pthread basic' ";
  const auto expected = run(CLGAUSS_LAYER_CALLER, folder, "devices Portable", two).out;
  REQUIRE(has(expected, "told"));
  for (int i = 0; i < 2; ++i) {
    CHECK(watch(folder, "--json launches.json", "devices Portable",
                two + "CLGAUSS_LAYER_REPAIR=force")
              .out == expected);
    const json all = json::parse(content_of(folder / "launches.json"));
    std::map<std::string, std::size_t> launches, changed;  // of a device
    for (const json& one : all.at("launches")) {
      launches[one.at("device")] += one.at("launches").get<std::size_t>();
      if (!one.at("way").is_null())
        changed[one.at("device")] += one.at("launches").get<std::size_t>();
    }
    CHECK(std::ranges::count(launches, 210, &Count::second) == 2);
    // Those of the first text: on one device from the binary, too.
    CHECK(std::ranges::count(changed, 140, &Count::second) == 1);
    CHECK(std::ranges::count(changed, 70, &Count::second) == 1);
  }
}

TEST_CASE("layer: a cache that cannot be used changes nothing") {
  const TemporaryFolder folder;
  fs::create_directories(folder / "cache" / "clgauss");
  write_file(folder / "cache" / "clgauss" / "layer", "a file");
  const ProcessResult result = watch(folder, "--repair --json launches.json", "unreleased");
  CHECK(result.out == alone(folder, "unreleased").out);
  CHECK(content_of(folder / "cache" / "clgauss" / "layer") == "a file");
  CHECK(has(content_of(folder / "launches.json"), "axpy"));
}

TEST_CASE("layer: a program that ends before its trials stops trying") {
  if (!thorough()) {
    MESSAGE("not tried: it starts many programs; ./test.sh --all tries it");
    return;
  }
  const TemporaryFolder folder;
  std::vector<bool> tried;
  for (int i = 0; i < 6; ++i) {
    watch(folder, "--repair --json launches.json", "short");
    const json all = json::parse(content_of(folder / "launches.json"));
    const json& slow = all.at("launches").at(0);
    tried.push_back(!slow.at("tried").empty());
    if (i > 0 || slow.at("device_ms") > 20) continue;
    MESSAGE("not tried: the device is too fast to begin");
    return;
  }
  CHECK(tried.front());
  CHECK_FALSE(tried.back());
}

TEST_CASE("layer: the host times no more launches than tell whether a trial is due") {
  if (!thorough()) {
    MESSAGE("not tried: it starts many programs; ./test.sh --all tries it");
    return;
  }
  const TemporaryFolder folder;
  const auto launched = [&](const char* options) {
    watch(folder, fmt::format("{} --json launches.json", options), "short rusticl");
    const json all = json::parse(content_of(folder / "launches.json"));
    return all.at("launches").empty() ? json() : all.at("launches").at(0);
  };
  const json watched = launched("");
  if (watched.is_null() || watched.at("timed") > 0) {
    MESSAGE("no rusticl whose events have no times");
    return;
  }
  json last;
  for (int i = 0; i < 6; ++i) last = launched("--repair");
  CHECK(last.at("launches") == 20);
  CHECK(last.at("tried").empty());
  CHECK(last.at("timed") > 0);
  CHECK(last.at("timed") <= 6);
}

TEST_CASE("layer: OPENCL_LAYERS alone does as much as the command") {
  const TemporaryFolder folder;
  const fs::path layer = layer_path();
  const ProcessResult result =
      run(CLGAUSS_LAYER_CALLER, folder, "unreleased",
          fmt::format("OPENCL_LAYERS='{}' CLGAUSS_LAYER_EXPLAIN=axpy", layer.string()));
  CHECK(has(result.err, "OpenCL launches"));
  CHECK(has(result.err, "axpy, 100003, NULL: no work-item can tell another size"));
}

TEST_CASE("layer: sizes are tried for a program that enqueues far ahead of its device, too") {
  const TemporaryFolder folder;
  watch(folder, "--repair --json launches.json", "unreleased");
  const json all = json::parse(content_of(folder / "launches.json"));
  const json& tried = all.at("launches").at(0).at("tried");
  REQUIRE_FALSE(tried.empty());
  for (const json& way : tried) CHECK(way.at("us").get<double>() > 0);
}

TEST_CASE("layer: loaders of any age find what they look for") {
  void* const layer = dlopen(layer_path().c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(layer != nullptr);
  for (const char* name :
       {"clGetLayerInfo", "clInitLayer", "clInitLayerWithProperties", "clDeinitLayer"})
    CHECK(dlsym(layer, name) != nullptr);
  CHECK(dlsym(layer, "clEnqueueNDRangeKernel") == nullptr);
  const auto info = reinterpret_cast<pfn_clGetLayerInfo>(dlsym(layer, "clGetLayerInfo"));
  cl_layer_api_version version = 0;
  CHECK(info(CL_LAYER_API_VERSION, sizeof version, &version, nullptr) == CL_SUCCESS);
  CHECK(version == CL_LAYER_API_VERSION_100);
  CHECK(info(CL_LAYER_API_VERSION, 1, &version, nullptr) == CL_INVALID_VALUE);
  dlclose(layer);
}

TEST_CASE("layer: above and below another one") {
  const TemporaryFolder folder;
  const std::string other = fault_layer().string();
  const fs::path layer = layer_path();
  const ProcessResult without = alone(folder, "unreleased");
  for (const std::string& layers : {layer.string() + ":" + other, other + ":" + layer.string()}) {
    const ProcessResult result = run(CLGAUSS_LAYER_CALLER, folder, "unreleased",
                                     fmt::format("OPENCL_LAYERS='{}' CLGAUSS_LAYER_REPAIR=1 "
                                                 "XDG_CACHE_HOME='{}'",
                                                 layers, (folder / "cache").string()));
    CHECK(result.out == without.out);
    CHECK(has(result.err, "OpenCL launches"));
  }
}

TEST_CASE("layer: what is wrong with the command") {
  const TemporaryFolder folder;
  CHECK(run_tune(folder, "watch").exit_code == 2);
  CHECK(has(run_tune(folder, "watch").err, "no program is given"));
  CHECK(run_tune(folder, "watch -- ./nobody").exit_code == 2);
  CHECK(has(run_tune(folder, "watch -- ./nobody").err, "./nobody"));
  CHECK(run_tune(folder, "watch --nonsense -- true").exit_code == 2);
  CHECK(run_tune(folder, "watch -- true").err.empty());
  CHECK(run_tune(folder, "watch -- sh -c 'exit 7'").exit_code == 7);
}

TEST_CASE("layer: clgauss's own answers do not change") {
  const TemporaryFolder folder;
  REQUIRE(run_program(folder, "generate --kind random --n 301 -o s.txt").exit_code == 0);
  const std::string solve = " solve s.txt --method gauss --local driver --quiet -o ";
  REQUIRE(run_program(folder, solve + "alone.txt").exit_code == 0);
  const ProcessResult watched = run_tune(
      folder, fmt::format("watch --repair -- '{}' {} watched.txt", program().string(), solve));
  CHECK(watched.exit_code == 0);
  CHECK(has(watched.err, "gauss_fwd"));
  CHECK(content_of(folder / "alone.txt") == content_of(folder / "watched.txt"));
}
