/// Tutubalin, "NVidia 8800GTX: memory bandwidth" (2007), and the same for writes, which its readers
/// asked for.

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <functional>
#include <set>

#include "tuner/experiments/lazy.hpp"
#include "tuner/measure/array_bench.hpp"
#include "tuner/reproduce/bandwidth_rates.hpp"
#include "tuner/reproduce/reproduction.hpp"

namespace clgauss::tune {

namespace {

std::vector<std::size_t> steps(std::size_t first, std::size_t last, std::size_t step) {
  std::vector<std::size_t> values;
  for (std::size_t value = first; value <= last; value += step) values.push_back(value);
  return values;
}

/// Multiples of 2^`highest` first, then those of half of that alone, ..: a budget that ends the
/// sweep leaves an even picture.
std::vector<std::size_t> coarse_first(std::vector<std::size_t> all, int highest) {
  std::ranges::stable_sort(all, std::ranges::greater{}, [=](std::size_t value) {
    return std::min(std::countr_zero(value), highest);
  });
  return all;
}

/// The document's sweep, every size: first multiples of 32, then some of 8 only, of 4 only and odd
/// ones, so that whatever a budget leaves has sizes of each kind to compare. (On PoCL a size costs
/// a second or two, most of it for building the kernels.)
std::vector<std::size_t> sweep_locals(const Laboratory& laboratory) {
  if (!laboratory.options.locals.empty()) return laboratory.options.locals;
  std::vector<std::size_t> locals = coarse_first(steps(kFirstLocal, kLastLocal, 1), 5);
  std::ranges::stable_partition(locals, [](std::size_t local) {
    const std::size_t place = local % 64;
    return local == kFirstLocal || local % 32 == 0 || place == 40 || place == 36 || place == 37;
  });
  return locals;
}

/// The document's peaks, 32 groups, powers of two, and what has a meaning for this device's compute
/// units: whole rounds of them, one group more, and on in steps of 1.4 to 64 groups a unit, where
/// the rate must be flat; on a GPU also every 16th number up to 1024.
std::vector<std::size_t> sweep_groups(const Laboratory& laboratory) {
  if (!laboratory.options.groups.empty()) return laboratory.options.groups;
  const DeviceProfile& device = laboratory.context.profile();
  const std::size_t units = std::max(1U, device.compute_units);
  std::set<std::size_t> groups{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 640, 768, 1024};
  for (const std::size_t rounds : kUnitRounds) groups.insert({rounds * units, rounds * units + 1});
  for (std::size_t count = kSweepGroups; count < kMostRounds * units; count = count * 7 / 5)
    groups.insert(count);
  if (device.type == DeviceType::gpu)
    for (const std::size_t count : steps(16, kSweepGroups, 16)) groups.insert(count);
  return coarse_first({groups.begin(), groups.end()}, 5);
}

std::string groups_parameter(std::size_t groups) { return fmt::format("GROUPS={}", groups); }

/// Makes the cases, each configuration once.
class BandwidthCases {
 public:
  BandwidthCases(const Laboratory& laboratory, std::size_t size)
      : laboratory_(laboratory),
        size_(size),
        bench_([&context = laboratory.context, size, timing = laboratory.options.timing] {
          return std::make_unique<ArrayBench>(context, size, timing);
        }) {}

  [[nodiscard]] std::vector<Case> all() {
    const std::size_t units = std::max(1U, laboratory_.context.profile().compute_units);
    Row copied = row("copy", "", "walk");
    copied.parameters = fmt::format("UNITS={}", units);
    add(copied, [bench = bench_] { return bench->copy(); });
    for (const bool write : {false, true})
      for (const bool by_columns : {false, true})
        for (const unsigned width : {1U, 4U})
          for (const std::size_t local : kTableLocals) {
            add_walk({write, by_columns, width}, {local, kSweepGroups});
            if (!write && !by_columns && width == 1 && local == kSweepLocal)
              cases_.push_back(control_of(cases_.back()));
          }
    {
      Row counting = row("arithmetic", variant_of(1), "walk");
      counting.local = kSweepLocal;
      counting.parameters = groups_parameter(kSweepGroups);
      counting.work = static_cast<double>(size_ * size_);
      add(counting, [bench = bench_] { return bench->arithmetic({kSweepLocal, kSweepGroups}); });
    }
    add_walk({false, false, 1}, {kFewLocal, kFewRounds * units});
    const auto locals = sweep_locals(laboratory_), groups = sweep_groups(laboratory_);
    for (std::size_t i = 0; i < std::max(locals.size(), groups.size());
         ++i)  // both, within any budget
      for (const bool write : {false, true}) {
        if (i < locals.size()) add_walk({write, false, 1}, {locals[i], kSweepGroups});
        if (i < groups.size()) add_walk({write, false, 1}, {kSweepLocal, groups[i]});
      }
    return std::move(cases_);
  }

  /// The one row of an array that does not fit.
  [[nodiscard]] std::vector<Case> refused(const Outcome& outcome) {
    add(row("sum_rows", variant_of(1), "walk"), [outcome] { return Prepared{outcome}; });
    return std::move(cases_);
  }

 private:
  [[nodiscard]] Row row(const char* kernel, const char* variant, const char* part) const {
    Row one = row_for(laboratory_.info);
    one.kernel = kernel;
    one.variant = variant;
    one.part = part;
    one.n = size_;
    one.work = static_cast<double>(size_ * size_ * sizeof(float));
    return one;
  }

  void add(const Row& row, std::function<Prepared()> prepare) {
    if (keys_.insert(row.key()).second) cases_.push_back(single_case(row, std::move(prepare)));
  }

  void add_walk(const ArrayAccess& access, const GroupedRange& range) {
    Row walk = row(access.kernel(), variant_of(access.width), "walk");
    walk.local = range.local;
    walk.parameters = groups_parameter(range.groups);
    Row empty = walk;
    empty.kernel = "empty";
    empty.variant = "";
    empty.part = "launch";
    empty.work = 0;
    add(empty, [bench = bench_, range] { return bench->empty(range); });
    add(walk, [bench = bench_, access, range] { return bench->walk(access, range); });
  }

  const Laboratory& laboratory_;
  std::size_t size_;
  Lazy<ArrayBench> bench_;
  std::vector<Case> cases_;
  std::set<std::string> keys_;
};

std::vector<Case> bandwidth_cases(const Laboratory& laboratory) {
  std::vector<std::size_t> sizes = laboratory.options.sizes;
  if (sizes.empty()) sizes = {largest_array_size(laboratory.context.profile())};
  std::vector<Case> cases;
  for (const std::size_t size : sizes) {
    const Outcome room = guarded([&]() -> Outcome {
      laboratory.context.require_memory(size * size * sizeof(float),
                                        fmt::format("an array of {0} x {0}", size));
      return {};
    });
    BandwidthCases maker(laboratory, size);
    std::ranges::move(room.status == Status::ok ? maker.all() : maker.refused(room),
                      std::back_inserter(cases));
  }
  return cases;
}

}  // namespace

Reproduction bandwidth() {
  return {"bandwidth", "Tutubalin 2007: NVidia 8800GTX, memory bandwidth", 3, bandwidth_cases,
          bandwidth_findings};
}

}  // namespace clgauss::tune
