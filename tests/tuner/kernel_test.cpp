#include <doctest/doctest.h>

#include <clgauss/error.hpp>

#include "support/devices.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "tuner/kernel/kernel_space.hpp"
#include "tuner/kernel/t1.hpp"
#include "tuner/measure/turns.hpp"
#include "tuner/report/kernel_section.hpp"
#include "tuner/rows/kernel_experiment.hpp"

namespace clgauss::tune {

namespace {

std::string example(const char* name) {
  return (test::data_folder().parent_path() / "examples" / "tuning" / name).string();
}

KernelTask scale_task(const test::TemporaryFolder& folder) {
  test::write_file(
      folder / "scale.cl",
      "kernel void scale(global float* y, global const float* x, int n) {\n"
      "  const int i = get_global_id(0);\n"
      "  if (i < n) y[i] = FACTOR * x[i];\n}\n"
      "kernel void twice(global float* y, global const float* x, int n) {\n"
      "  if (get_global_id(0) < n) y[get_global_id(0)] = 2 * x[get_global_id(0)];\n}\n");
  KernelTask task;
  task.file = folder / "scale.cl";
  task.name = "scale";
  task.global.emplace_back("100");
  task.round_up = {true, false, false};
  KernelArgument y, x, n;
  y.count = x.count = n.count = Expression("100");
  y.fill = 0.0;
  n.kind = KernelArgument::Kind::scalar;
  n.type = parse_element_type("int");
  task.arguments = {y, x, n};
  task.parameters = {{"FACTOR", {std::int64_t{2}, std::int64_t{3}, std::string("2+oops")}}};
  return task;
}

KernelLaunch launch(Value factor, std::vector<std::size_t> local) {
  return {{{"FACTOR", std::move(factor)}}, std::move(local)};
}

}  // namespace

TEST_CASE("kernel: every launch is checked, and what fails has its status") {
  test::on_every_device([](const Device& device) {
    const test::TemporaryFolder folder;
    Context context(device, ContextOptions::from_environment());
    KernelTask task = scale_task(folder);
    task.reference.kernel = "twice";
    KernelBench bench(context, task, launch(std::int64_t{2}, {8}));
    CHECK(bench.has_reference());
    const Outcome good = bench.measure(launch(std::int64_t{2}, {16}), {3});
    CHECK(good.status == Status::ok);
    CHECK(good.times_ns.size() == 3);
    CHECK(bench.measure(launch(std::int64_t{2}, {}), {1}).status == Status::ok);  // the driver's
    const Outcome wrong = bench.measure(launch(std::int64_t{3}, {16}));
    CHECK(wrong.status == Status::wrong_result);
    CHECK(wrong.detail.find("argument 0") != std::string::npos);
    const Outcome broken = bench.measure(launch(std::string("2+oops"), {16}));
    CHECK(broken.status == Status::build_error);
    CHECK(broken.detail.find("oops") != std::string::npos);
    CHECK(bench.measure(launch(std::int64_t{2}, {1U << 20U})).status == Status::device_limit);
    CHECK(bench.measure(launch(std::int64_t{2}, {16}), {1, {}, 1}).status == Status::timeout);
    CHECK(bench.timed(launch(std::int64_t{2}, {16}))() > 0);
  });
}

TEST_CASE("kernel: writing beyond a buffer is a wrong result") {
  test::on_every_device([](const Device& device) {
    const test::TemporaryFolder folder;
    Context context(device, ContextOptions::from_environment());
    KernelTask task = scale_task(folder);
    task.arguments[2].count = Expression("104");  // the kernel believes in more than there is
    KernelBench bench(context, task, launch(std::int64_t{2}, {1}));
    const Outcome within = bench.measure(launch(std::int64_t{2}, {1}), {1});
    CHECK(within.status == Status::ok);  // 100 work-items
    const Outcome beyond = bench.measure(launch(std::int64_t{2}, {8}), {1});
    CHECK(beyond.status == Status::wrong_result);
    CHECK(beyond.detail.find("beyond its end") != std::string::npos);
  });
}

TEST_CASE("kernel: ranges and arguments follow the work-group, and scratch is not compared") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    KernelTask task;
    task.file = example("sum.cl");
    task.name = "sum";
    task.global = {Expression("ceil_div(n, LOCAL_X)*LOCAL_X")};
    task.sizes = {{"n", 5000}};
    KernelArgument x, result, partial, done, sums, n;
    x.count = Expression("n");
    x.fill = 0.5;
    result.fill = 0.0;
    partial.count = Expression("ceil_div(n, LOCAL_X)");
    done.type = parse_element_type("uint");
    done.fill = 0.0;
    partial.scratch = done.scratch = true;
    sums.kind = KernelArgument::Kind::local;
    sums.count = Expression("LOCAL_X");
    n.kind = KernelArgument::Kind::scalar;
    n.type = parse_element_type("ulong");
    n.count = Expression("n");
    task.arguments = {x, result, partial, done, sums, n};
    CHECK(needs_local(task));
    task.reference.expected = {{"result", Reference::Command{"echo 2500"}, 1e-6}};
    KernelBench bench(context, task, {{}, {16}});
    for (const std::size_t local : {1U, 3U, 16U, 32U}) {
      CAPTURE(local);
      const Outcome outcome = bench.measure({{}, {local}}, {2});
      CAPTURE(outcome.detail);
      CHECK(outcome.status == Status::ok);
      CHECK(global_of(task, {{}, {local}}).front() == (5000 + local - 1) / local * local);
    }
    // Launches with buffers of different sizes, in turns.
    const auto small = bench.timed({{}, {3}}), large = bench.timed({{}, {32}});
    for (int round = 0; round < 3; ++round) CHECK((small() > 0 && large() > 0));
    CHECK(bench.measure({{}, {}}).status == Status::constraint);  // nothing says what LOCAL_X is
    task.sizes["n"] = 4999;
    KernelBench wrong(context, task, {{}, {16}});
    CHECK(wrong.measure({{}, {16}}, {1}).status == Status::wrong_result);
  });
}

TEST_CASE("kernel: without a reference the first result is one") {
  test::on_every_device([](const Device& device) {
    const test::TemporaryFolder folder;
    Context context(device, ContextOptions::from_environment());
    KernelBench bench(context, scale_task(folder), launch(std::int64_t{2}, {8}));
    CHECK_FALSE(bench.has_reference());
    CHECK(bench.measure(launch(std::int64_t{3}, {8}), {1}).status == Status::ok);
    CHECK(bench.measure(launch(std::int64_t{2}, {8}), {1}).status == Status::wrong_result);
  });
}

TEST_CASE("kernel: arguments that are not those of the kernel are named") {
  test::on_every_device([](const Device& device) {
    const test::TemporaryFolder folder;
    Context context(device, ContextOptions::from_environment());
    const auto refusal = [&](const KernelTask& task) -> std::string {
      try {
        KernelBench bench(context, task, launch(std::int64_t{2}, {8}));
      } catch (const UsageError& error) {
        return error.what();
      }
      return {};
    };
    KernelTask task = scale_task(folder);
    task.arguments.pop_back();
    CHECK(refusal(task).find("takes 3 arguments") != std::string::npos);
    task = scale_task(folder);
    task.arguments[2].type = parse_element_type("ulong");
    CHECK(refusal(task).find("argument 2 of scale is int n, not one ulong") != std::string::npos);
    task = scale_task(folder);
    task.arguments[1].type = parse_element_type("double");
    CHECK(refusal(task).find("not a buffer of double") != std::string::npos);
    task = scale_task(folder);
    std::swap(task.arguments[1], task.arguments[2]);
    CHECK(refusal(task).find("argument 1") != std::string::npos);
    task = scale_task(folder);
    task.name = "scales";
    CHECK(refusal(task).find("it has: ") != std::string::npos);
  });
}

TEST_CASE("kernel: the space keeps constraints, the device's limits and the range") {
  DeviceProfile device;
  device.max_work_group_size = 64;
  device.max_work_item_sizes = {64, 64, 64};
  KernelTask task;
  task.global = {Expression("96"), Expression("10")};
  task.constraints.emplace_back("LOCAL_X >= 4");
  const KernelSpace space = kernel_space(task, device);
  for (std::size_t i = 0; i < space.space.size(); ++i) {
    const KernelLaunch one = space.launch(task, i);
    CHECK(one.group() <= 64);
    CHECK(96 % one.local[0] == 0);
    CHECK(10 % one.local[1] == 0);
    CHECK(one.local[0] >= 4);
  }
  CHECK(space.space.size() == 4 + 4);  // 4, 8, 16, 32 in x, 1 and 2 in y
  CHECK_FALSE(space.local_is_bound);

  task.local = {{Expression("TILE")}, {Expression("1"), Expression("2")}};
  task.parameters = {{"TILE", {std::int64_t{8}, std::int64_t{16}}}};
  const KernelSpace bound = kernel_space(task, device);
  CHECK(bound.local_is_bound);
  CHECK(bound.space.size() == 4);
  CHECK(bound.launch(task, 0).local == std::vector<std::size_t>{8, 1});
  CHECK(text_of(bound.launch(task, 0)) == "LOCAL=8x1 TILE=8");

  task.constraints.emplace_back("TILE < 8");
  try {
    static_cast<void>(kernel_space(task, device));
    FAIL("no configuration is left");
  } catch (const UsageError& error) {
    CHECK(std::string(error.what()).find("4 excluded by the constraint TILE < 8") !=
          std::string::npos);
  }
  task.constraints.back() = Expression("TILES < 8");
  CHECK_THROWS_AS(static_cast<void>(kernel_space(task, device)), UsageError);
}

TEST_CASE("kernel: T1 files as other tuners have them") {
  const T1File matmul = read_t1(example("matmul_T1.json"));
  CHECK(matmul.task.name == "matmul");
  CHECK(matmul.task.dimensions() == 2);
  CHECK(matmul.task.global_in_groups);
  CHECK(matmul.task.build_options == "-cl-fast-relaxed-math");
  CHECK(matmul.task.arguments.size() == 3);
  CHECK(matmul.evaluations == 16U);
  CHECK(matmul.task.parameters[2].values.size() == 5);
  CHECK(matmul.task.parameters[2].values.back() == Value(std::int64_t{16}));
  const T1File convolution = read_t1(example("convolution_T1.json"));
  CHECK(convolution.task.arguments[1].count.size({{"ProblemSize[0]", 512},
                                                  {"ProblemSize[1]", 512},
                                                  {"filter_width", 9},
                                                  {"filter_height", 9}}) == 520 * 520);
  CHECK(convolution.task.arguments[1].output == false);

  const test::TemporaryFolder folder;
  const std::string good = test::content_of(example("vector_add_T1.json"));
  const auto refusal = [&](const std::string& from, const std::string& to) -> std::string {
    std::string changed = good;
    changed.replace(changed.find(from), from.size(), to);
    test::write_file(folder / "t1.json", changed);
    try {
      static_cast<void>(read_t1((folder / "t1.json").string()));
    } catch (const FormatError& error) {
      return error.what();
    }
    return {};
  };
  CHECK(refusal("\"OpenCL\"", "\"CUDA\"").find("only OpenCL") != std::string::npos);
  CHECK(refusal("\"Random\"", "\"Script\"").find("FillType Script") != std::string::npos);
  CHECK(refusal("\"Vector\"", "\"Symbol\"").find("MemoryType Symbol") != std::string::npos);
  CHECK(refusal("\"[1, 2, 4]\"", "\"several\"").find("not a list") != std::string::npos);
  CHECK(refusal("\"KernelName\"", "\"Name\"").find("KernelName") != std::string::npos);
  CHECK(refusal("{", "[").find("not a T1") != std::string::npos);
  CHECK(refusal("32 <= block_size_x", "32 <=").find("not an expression") != std::string::npos);
  CHECK_THROWS_AS(static_cast<void>(read_t1((folder / "none.json").string())), FileError);
}

TEST_CASE("kernel: a winner that may be chance is not told without a word") {
  const auto verdict = [](double twin_ns) {
    std::vector<Row> rows;
    const auto add = [&](const char* rule, const char* parameters, double ns) {
      Row row;
      row.time = "2026-01-02T03:04:05Z";
      row.experiment = kKernelExperiment;
      row.kernel = "scale";
      row.part = kFinalPart;
      row.rule = rule;
      row.parameters = parameters;
      for (const Row& one : rows_of(row, {Status::ok, {}, std::vector<double>(9, ns)}))
        rows.push_back(one);
    };
    add("fixed", "LOCAL=8", 1e6);
    add("fixed", "LOCAL=16", 2e6);
    add("control", "LOCAL=8", twin_ns);
    std::string text;
    for (const std::string& sentence : report::kernel_verdict(group_rows(rows))) text += sentence;
    return text;
  };
  CHECK(verdict(1.3e6).find("differs from itself by 30 %: the winner may be chance") !=
        std::string::npos);
  CHECK(verdict(1.01e6).find("chance") == std::string::npos);
}

TEST_CASE("turns: contenders take turns until those that may be the best are one") {
  std::vector<int> runs(3);
  const auto contender = [&](std::size_t which, double time) {
    return [&runs, which, time] {
      ++runs[which];
      return time + 0.001 * (runs[which] % 3);
    };
  };
  const Turns turns = in_turns(9, 18, {contender(0, 1.0), contender(1, 1.0), contender(2, 5.0)});
  CHECK(turns.may_be_best() == std::vector<bool>{true, true, false});
  CHECK(turns.times_ns[1].size() == 27);
  CHECK(turns.times_ns[2].size() == 9);  // no rival: it is left behind
  CHECK(turns.twin_ns.size() == 27);
  CHECK(turns.floor() < 0.01);
}

}  // namespace clgauss::tune
