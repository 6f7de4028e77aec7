#include "tuner/experiments/device_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <clgauss/batched.hpp>
#include <clgauss/lab/generate.hpp>
#include <cstring>
#include <span>

#include "launch/staging.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "matrix/transfer.hpp"
#include "tuner/measure/array_bench.hpp"
#include "tuner/measure/flops.hpp"
#include "tuner/measure/gemm_bench.hpp"
#include "tuner/measure/latency.hpp"
#include "tuner/measure/lu_bench.hpp"
#include "tuner/measure/outcome.hpp"

namespace clgauss::tune {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kLongestRunNs = 10e9;
constexpr Index kOrders[] = {512, 1024, 2048, 4096, 8192};
constexpr std::size_t kLargestArray = 8192;

std::vector<RealType> types_of(const Context& context) {
  if (context.profile().fp64) return {RealType::f64, RealType::f32};
  return {RealType::f32};
}

class Figures {
 public:
  Figures(Context& context, double budget_s, const ExperimentProgress& progress)
      : context_(context), budget_s_(budget_s), progress_(progress) {}

  std::vector<DeviceFigure> measured() {
    constants();
    transfers();
    for (const RealType type : types_of(context_)) products(type);
    for (const RealType type : types_of(context_)) factorizations(type);
    for (const RealType type : types_of(context_)) batches(type);
    return std::move(all_);
  }

 private:
  [[nodiscard]] double spent_s() const {
    return std::chrono::duration<double>(Clock::now() - start_).count();
  }

  /// `figure` with the median of what `measure` times, of which one run does `amount` flops or
  /// bytes. Returns that median in seconds, 0 where there is none.
  double add(DeviceFigure figure, double amount, const std::function<Outcome()>& measure) {
    if (spent_s() > budget_s_) return 0;
    progress_(std::min(spent_s() / budget_s_, 1.0), figure.what);
    Outcome outcome = guarded(measure);
    figure.problem = outcome.status == Status::ok ? "" : outcome.detail;
    figure.times_ns = std::move(outcome.times_ns);
    double median = 0;
    if (!figure.times_ns.empty()) {
      median = estimate(figure.times_ns).median;
      figure.value = figure.unit == "ns"   ? median
                     : figure.unit == "us" ? median / 1e3
                                           : amount / median;
    }
    all_.push_back(std::move(figure));
    return median / 1e9;
  }

  static Outcome times_of(Prepared prepared) { return time_at_once({}, std::move(prepared)); }

  void constants() {
    const DeviceProfile& device = context_.profile();
    const TimingOptions options;
    const std::size_t side = std::min(largest_array_size(device), kLargestArray);
    const std::size_t local = std::min<std::size_t>(256, device.max_work_group_size);
    const GroupedRange many{local, std::size_t{16} * device.compute_units};
    const double bytes = 4.0 * static_cast<double>(side) * static_cast<double>(side);
    const auto array = [&](auto use) {
      return [&, use] {
        ArrayBench bench(context_, side, options);
        return times_of(use(bench));
      };
    };
    add({.what = "launch of one group", .unit = "us"}, 0, array([&](ArrayBench& bench) {
          return bench.empty({local, 1});
        }));
    add({.what = "copy", .n = side, .unit = "GB/s"}, bytes,
        array([](ArrayBench& bench) { return bench.copy(); }));
    add({.what = "read by rows", .n = side, .unit = "GB/s"}, bytes,
        array([&](ArrayBench& bench) { return bench.walk({.width = 4}, many); }));
    const std::uint64_t far = uncached_bytes(context_);
    add({.what = fmt::format("latency of global memory, {} MiB", far >> 20U), .unit = "ns"}, 0,
        [&] { return times_of(global_latency(context_, far, options)); });
    add({.what = "latency of local memory", .unit = "ns"}, 0,
        [&] { return times_of(local_latency(context_, options)); });
  }

  void transfers() {
    const RealType type = types_of(context_).front();
    const Index n = 4096;
    if (!fits(type, n)) return;
    const Matrix a = random_matrix(n, n, 1);
    const double bytes = static_cast<double>(n * n * bytes_of(type));
    const cl::Buffer buffer = context_.allocate(n * n * bytes_of(type), "a transfer");
    const std::string name(real_type_name(type));
    const auto up = [&] { (void)upload_and_measure(context_, buffer, n, type, a); };
    add({.what = "upload", .type = name, .n = n, .unit = "GB/s"}, bytes,
        [&] { return times_of(transfer(up, [] { return std::string(); })); });
    std::vector<std::byte> host(n * n * bytes_of(type));
    const std::size_t row = n * bytes_of(type);
    const auto down = [&] {
      context_.staging().read(context_.queue(), buffer, n, row,
                              [&](Index first, Index last, const std::byte* in) {
                                std::memcpy(host.data() + first * row, in, (last - first) * row);
                              });
    };
    add({.what = "download", .type = name, .n = n, .unit = "GB/s"}, bytes, [&] {
      up();
      return times_of(transfer(down, [&] { return is_copy(host, a, type) ? "" : "not A"; }));
    });
  }

  static bool is_copy(const std::vector<std::byte>& host, const Matrix& a, RealType type) {
    const std::span<const double> values = a.values();
    if (type == RealType::f64) return std::memcmp(host.data(), values.data(), host.size()) == 0;
    const auto* const numbers = reinterpret_cast<const float*>(host.data());
    return std::ranges::equal(values, std::span(numbers, values.size()), {},
                              [](double value) { return static_cast<float>(value); });
  }

  static Prepared transfer(std::function<void()> run, const std::function<std::string()>& fault) {
    return checked(
        kLongestRunNs, "a transfer", [run = std::move(run)] { return 1e9 * time_once(run); },
        fault);
  }

  void batches(RealType type) {
    for (const auto& [n, count] : {std::pair<Index, Index>{32, 8192}, {128, 512}}) {
      const Matrix a = random_matrix(count, n * n, 3), b = random_matrix(count, n, 4);
      const BatchedSystem system{{count, n, n, {a.values().begin(), a.values().end()}},
                                 {count, n, 1, {b.values().begin(), b.values().end()}}};
      const double flops = static_cast<double>(count) * (lu_flops(n) + solve_flops(n, 1));
      add({.what = fmt::format("batch of {}", count),
           .type = std::string(real_type_name(type)),
           .n = n,
           .unit = "GFLOP/s"},
          flops, [&] {
            BatchedOptions options;
            options.type = type;
            return times_of(checked(
                kLongestRunNs, "a batch",
                [&] { return 1e9 * solve_batched(context_, system, options).times.forward; },
                [&] {
                  return solve_batched(context_, system, options).status == SolveStatus::ok
                             ? ""
                             : "a wrong answer";
                }));
          });
    }
  }

  void products(RealType type) {
    by_order(
        "gemm", type, [](Index n) { return product_flops(n); },
        [&](Index n) {
          const GemmTask task{type, GemmUse::general, {n, n, n}};
          GemmBench bench(context_, task);
          return bench.measure(built_in_gemm_spec(context_, task), {.timeout_ns = kLongestRunNs});
        });
  }

  void factorizations(RealType type) {
    by_order(
        "lu", type, [](Index n) { return lu_flops(n) + solve_flops(n, 1); },
        [&](Index n) {
          LuBench bench(context_, type, n);
          return bench.measure(lu_spec_for(context_, type, n, {}), {.timeout_ns = kLongestRunNs});
        });
  }

  [[nodiscard]] bool fits(RealType type, Index n) const {
    return 6 * n * n * bytes_of(type) <= context_.profile().global_mem_bytes &&
           n * (n + 16) * bytes_of(type) <= context_.profile().max_alloc_bytes;
  }

  /// Ends where the next order would take longer than one run may, or than half of what is left.
  void by_order(const char* what, RealType type, double (*flops)(Index),
                const std::function<Outcome(Index)>& measure) {
    constexpr double kRuns = 7;  // with those that check and warm up
    for (const Index n : kOrders) {
      if (!fits(type, n)) return;
      const double run_s =
          add({.what = what, .type = std::string(real_type_name(type)), .n = n, .unit = "GFLOP/s"},
              flops(n), [&] { return measure(n); });
      const double next_s = 8 * run_s;
      if (run_s == 0 || next_s > kLongestRunNs / 1e9 ||
          kRuns * next_s > (budget_s_ - spent_s()) / 2)
        return;
    }
  }

  Context& context_;
  double budget_s_;
  const ExperimentProgress& progress_;
  Clock::time_point start_ = Clock::now();
  std::vector<DeviceFigure> all_;
};

}  // namespace

std::vector<DeviceFigure> device_figures(Context& context, double budget_s,
                                         const ExperimentProgress& progress) {
  return Figures(context, budget_s, progress).measured();
}

}  // namespace clgauss::tune
