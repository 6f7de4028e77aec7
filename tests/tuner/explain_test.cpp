#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <cmath>
#include <random>

#include "tuner/explain/explanation.hpp"
#include "tuner/explain/probes.hpp"

namespace clgauss::tune {

namespace {

/// A device as no vendor makes it.
DeviceConstants made_up() {
  return {.launch_ns = 5000,
          .start_ns = 1500,
          .groups_per_ns = 0.5,
          .latency_ns = 700,
          .item_ns = 0.4,
          .bytes_per_ns = 300,
          .flops_per_ns = 2000,
          .cache_bytes_per_ns = 300,
          .cache_bytes = 1e6,
          .sector_bytes = 32,
          .units = 20,
          .lanes = 16,
          .unit_items = 1536,
          .unit_groups = 8};
}

Prediction of_launch(const DeviceConstants& device, double count, std::size_t x,
                     const ItemWork& work, std::size_t y = 1) {
  return predict(device, std::vector<Step>{{{{count, x, y, work, 1}}}});
}

/// Probes on the made-up device, with so much noise.
std::vector<Observation> planted_launches(const DeviceConstants& device, double spread) {
  std::mt19937 random(3);
  std::lognormal_distribution<double> noise(0, spread);
  std::vector<Observation> all{{{{{{1, 1, 1, {}, 0}}}}, 0}};
  for (const std::size_t n : {500U, 1000U, 2003U})
    for (const Probe& probe : probes())
      for (const Shape& group : probe_groups(probe.dims, 1024))
        all.push_back({{probe_step(probe, n, group[0], group[1])}, 0});
  for (Observation& one : all) one.ns = predict(device, one.steps).ns * noise(random);
  return all;
}

}  // namespace

TEST_CASE("explain: the largest of launch, dispatch and what groups need is the time, and named") {
  const DeviceConstants device = made_up();
  const ItemWork nothing{0, 0, 4, 0, 1}, copy{8, 0, 4, 0, 1}, much{8, 0, 4, 100000, 1};

  const Prediction one = of_launch(device, 1, 1, nothing);
  CHECK(one.ns == doctest::Approx(5000));  // 1500 + 700.4 on the device
  CHECK(one.dominant() == Term::launch);

  const Prediction small_groups = of_launch(device, 1e6, 1, copy);
  CHECK(small_groups.ns ==
        doctest::Approx(1500 + 1e6 / (20 * 8 / (700 + 0.4 * 16 + 160 * 64 / 300.))));
  CHECK(small_groups.dominant() == Term::occupancy);  // 8 groups a unit, 0.22 groups/ns
  DeviceConstants slow = device;
  slow.groups_per_ns = 0.1;
  CHECK(of_launch(slow, 1e6, 1, copy).ns == doctest::Approx(1500 + 1e7));
  CHECK(of_launch(slow, 1e6, 1, copy).dominant() == Term::dispatch);

  DeviceConstants quick = device;
  quick.latency_ns = quick.item_ns = 1e-3;
  quick.groups_per_ns = 100;
  const Prediction wide = of_launch(quick, 1e5, 256, copy);
  CHECK(wide.dominant() == Term::bandwidth);
  CHECK(wide.ns == doctest::Approx(1500 + 1e5 * 256 * 8 / 300).epsilon(0.01));
  CHECK(of_launch(device, 1e4, 256, much).dominant() == Term::arithmetic);
}

TEST_CASE("explain: 192 is the smallest group that fills a unit of 1536 work-items and 8 groups") {
  const DeviceConstants device = made_up();
  CHECK(device.resident(192) * 192 == 1536);
  CHECK(device.resident(176) * 176 < 1536);
  CHECK(device.resident(1024) == 1);
  CHECK(device.resident(4096) == 1);
  const ItemWork copy{8, 0, 4, 0, 1};
  const auto time_of = [&](std::size_t x) {
    return of_launch(device, std::ceil(3e7 / static_cast<double>(x)), x, copy).ns;
  };
  CHECK(time_of(192) < time_of(96));
  CHECK(time_of(768) < 0.8 * time_of(784));  // two groups a unit, then one
}

TEST_CASE("explain: groups of one column move whole sectors") {
  DeviceConstants device = made_up();
  device.latency_ns = device.item_ns = 1e-3;
  device.groups_per_ns = 100;
  const ItemWork rows{8, 0, 4, 0, 1}, columns{0, 8, 4, 0, 1};
  const double along = of_launch(device, 1e5, 256, rows).ns - 1500;
  CHECK(of_launch(device, 1e5, 1, rows, 256).ns - 1500 == doctest::Approx(8 * along).epsilon(0.01));
  CHECK(of_launch(device, 1e5, 1, columns, 256).ns - 1500 == doctest::Approx(along).epsilon(0.01));
}

TEST_CASE("explain: a fit finds what a made-up device would take, and how much a unit holds") {
  const DeviceConstants device = made_up();
  for (const double spread : {0.0, 0.05}) {
    const auto launches = planted_launches(device, spread);
    const DeviceConstants found =
        fit(launches, first_guess(launches, device.units, device.lanes), 1024);
    CAPTURE(spread);
    CHECK(found.unit_items == device.unit_items);
    CHECK(found.launch_ns == doctest::Approx(device.launch_ns).epsilon(0.1));
    std::vector<double> errors;
    for (const Observation& one : planted_launches(device, 0))
      errors.push_back(std::abs(predict(found, one.steps).ns / one.ns - 1));
    std::ranges::sort(errors);
    CHECK(errors[errors.size() / 2] < 0.05);
    CHECK(errors[errors.size() * 9 / 10] < 0.15);
  }
  CHECK_THROWS_AS(static_cast<void>(fit({}, device, 1024)), UsageError);
}

TEST_CASE("explain: an elimination's step is launched as it was split") {
  Row row;
  row.kernel = "gauss_fwd";
  row.type = "f64";
  row.n = 1030;
  row.local = 256;
  const auto groups_of_first = [&] {
    std::vector<double> counts;
    const std::vector<Step> steps = elimination_steps(row, 1024).value();
    for (const Launch& launch : steps.front()) {
      double count = 0;
      for (const Groups& groups : launch) count += groups.count;
      counts.push_back(count);
    }
    return counts;
  };
  CHECK(groups_of_first() == std::vector<double>{4 * 1030, 1030});
  row.parameters = "SPLIT=round_up";
  CHECK(groups_of_first() == std::vector<double>{5 * 1030});
  row.parameters = "SPLIT=tall";  // 206 rows: the largest divisor of 1030
  CHECK(groups_of_first() == std::vector<double>{1031 * 5});
  row.local = 0;
  row.parameters.clear();
  CHECK_FALSE(elimination_steps(row, 1024));
  row.chosen = "1x1";
  CHECK(groups_of_first() == std::vector<double>{1031 * 1030});
}

TEST_CASE("explain: what the constants leave over of a kernel counts for its other n alone") {
  const DeviceConstants device = made_up();
  ExperimentInfo info;
  info.experiment = "explain";
  info.device.max_work_group_size = 1024;
  info.device.compute_units = static_cast<unsigned>(device.units);
  info.device.preferred_multiple = device.lanes;
  std::vector<Observed> observed;
  for (const std::size_t n : {500U, 1000U})
    for (Observed& one : unmeasured(probe_rows(info, n), info)) {
      const double factor = one.row.kernel == "probe_copy" ? (one.y > 1 ? 3 : 2) : 1;
      one.observation.ns = factor * predict(device, one.observation.steps).ns;
      observed.push_back(std::move(one));
    }
  const auto largest_error = [](const std::vector<Explained>& explained, const std::string& kernel,
                                std::size_t n) {
    double most = 0;
    for (const Explained& one : explained)
      if (one.observed.row.kernel == kernel && one.observed.row.n == n)
        most = std::max(most, std::abs(std::log2(one.prediction.ns / one.observed.observation.ns)));
    return most;
  };
  const auto at_500 = explain(observed, device, [](const Row& row) { return row.n == 500; });
  CHECK(largest_error(at_500, "probe_copy", 1000) < 0.6);  // between 1 and 1.6 without
  CHECK(largest_error(at_500, "probe_scale", 1000) < 1e-9);
  CHECK(largest_error(at_500, "probe_copy", 500) > 0.9);  // the constants' own error
  const auto by_others =
      explain(observed, device, [](const Row& row) { return row.kernel != "probe_copy"; });
  CHECK(largest_error(by_others, "probe_copy", 1000) > 0.9);
}

TEST_CASE("explain: what is held out is judged, what is fitted is not") {
  const auto explained_row = [](double predicted, double measured, std::size_t local, bool fitted) {
    Explained one;
    one.observed.row.kernel = "probe_copy";
    one.observed.row.local = one.observed.x = local;
    one.observed.observation.ns = measured;
    one.prediction.ns = predicted;
    one.fitted = fitted;
    return one;
  };
  const std::vector<Explained> all{explained_row(90, 100, 64, false),
                                   explained_row(70, 105, 128, false),
                                   explained_row(1, 500, 256, true)};
  const ModelError error = error_of(all);
  CHECK(error.times == 2);
  CHECK(error.median_error == doctest::Approx((0.1 + 35. / 105) / 2));
  CHECK(error.picks == 1);
  CHECK(error.good_picks == 1);  // 128 is picked, 5 % slower than 64
}

}  // namespace clgauss::tune
