#include <doctest/doctest.h>

#include <clgauss/error.hpp>

#include "support/paths.hpp"
#include "support/process.hpp"
#include "tuner/rows/result_folder.hpp"
#include "tuner/rows/t4.hpp"

namespace clgauss::tune {

namespace {

ExperimentInfo info_of(const std::string& experiment = "sweep") {
  DeviceProfile device;
  device.name = "Device, \"quoted\"";
  device.platform_name = "Platform";
  device.driver_version = "1.0";
  device.compute_units = 4;
  return {experiment, "gauss_fwd", "f32", "fixed", "clgauss-tune " + experiment, device};
}

/// The rows of one configuration with three repetitions.
std::vector<Row> some_rows(std::size_t n, std::size_t local) {
  Row row = row_for(info_of());
  row.rule = "fixed";
  row.n = n;
  row.local = local;
  row.build_options = "-D A=1, -D B=2";
  row.work = 0.1;
  row.bytes = 0.3;
  return rows_of(row, {Status::ok, "", {1e6, 1.25e6, 3e6}});
}

}  // namespace

TEST_CASE("a row survives its line, whatever is in its fields") {
  Row row = some_rows(1012, 192).at(2);
  row.detail = "a, \"b\"\nc";
  const std::vector<Row> back = parse_rows(row_header() + "\n" + row_line(row), "f");
  REQUIRE(back.size() == 1);
  CHECK(back[0].key() == row.key());
  CHECK(back[0].device == row.device);
  CHECK(back[0].build_options == row.build_options);
  CHECK(back[0].time_ns == 3e6);
  CHECK(back[0].repetition == 2);
  CHECK(back[0].repetitions == 3);
  CHECK(back[0].work == 0.1);
  CHECK(back[0].bytes == 0.3);
  CHECK(back[0].detail == "a, \"b\" c");  // a line break would end the row
}

TEST_CASE("rows that are damaged are refused with their line") {
  const std::string header = row_header() + "\n", line = row_line(some_rows(5, 1)[0]);
  CHECK_THROWS_AS((void)parse_rows("time,n\n", "f"), FormatError);
  const auto line_of = [&](const std::string& text) {
    try {
      (void)parse_rows(text, "f.csv");
    } catch (const FormatError& error) {
      CHECK(std::string(error.what()).find("f.csv:") != std::string::npos);
      return error.line();
    }
    return std::size_t{0};
  };
  CHECK(line_of(header + line + "1,2,3\n") == 3);
  std::string other_schema = line, bad_status = line;
  other_schema[0] = '9';
  CHECK(line_of(header + other_schema) == 2);
  bad_status.replace(bad_status.find(",ok,"), 4, ",okay,");
  CHECK(line_of(header + bad_status) == 2);
}

TEST_CASE("a folder goes on where it was interrupted") {
  const test::TemporaryFolder folder;
  const auto path = folder / "results";
  {
    ResultFolder results(path, info_of(), false);
    results.append(some_rows(100, 32));
    results.append(some_rows(100, 64));
    CHECK(results.has(some_rows(100, 64)[0]));
  }
  const std::string whole = test::content_of(path / "rows.csv");

  SUBCASE("nothing was lost") {
    ResultFolder results(path, info_of(), false);
    CHECK(results.rows().size() == 6);
    CHECK(test::content_of(path / "rows.csv") == whole);
  }
  SUBCASE("the last line was cut off: its configuration is gone, the others stay") {
    test::write_file(path / "rows.csv", whole.substr(0, whole.size() - 20));
    ResultFolder results(path, info_of(), false);
    CHECK(results.has(some_rows(100, 32)[0]));
    CHECK_FALSE(results.has(some_rows(100, 64)[0]));
    results.append(some_rows(100, 64));
    CHECK(read_results(path).at(0).rows.size() == 6);
  }
  SUBCASE("even the header was cut off") {
    test::write_file(path / "rows.csv", whole.substr(0, 10));
    ResultFolder results(path, info_of(), false);
    CHECK(results.rows().empty());
  }
  SUBCASE("damage before the end is not repaired in silence") {
    std::string damaged = whole;
    damaged.replace(damaged.find("fixed"), 5, "a,b,c");
    test::write_file(path / "rows.csv", damaged);
    CHECK_THROWS_AS(ResultFolder(path, info_of(), false), FormatError);
  }
  SUBCASE("another experiment is refused, unless it is to be added") {
    CHECK_THROWS_AS(ResultFolder(path, info_of("rules"), false), UsageError);
    CHECK_NOTHROW(ResultFolder(path, info_of("rules"), true));
  }
}

TEST_CASE("the rows are written for other tuners, and read back") {
  const test::TemporaryFolder folder;
  Row failed = some_rows(100, 4096)[0];
  failed.parameters = "A=1";
  ResultFolder results(folder.path(), info_of(), false);
  results.append(some_rows(100, 32));
  results.append(rows_of(failed, {Status::device_limit, "too many", {}}));
  results.write_t4();
  const T4File file = read_t4((folder / "rows.json").string());
  CHECK(file.metadata.device == info_of().device.name);
  REQUIRE(file.results.size() == 2);
  const T4Result& ok = file.results[0];
  CHECK(text_of(ok.configuration) ==
        "kernel = gauss_fwd, type = f32, variant = fixed, rule = fixed, n = 100, local = 32");
  CHECK(ok.outcome.times_ns == std::vector<double>{1e6, 1.25e6, 3e6});
  CHECK(ok.time_ns == doctest::Approx(1.25e6));
  CHECK(ok.measurements.at(0).value == doctest::Approx(0.1 / 1.25e6));
  CHECK(file.results[1].outcome.status == Status::launch_error);
  CHECK(file.results[1].outcome.detail == "too many");
  CHECK(text_of(file.results[1].configuration).find("parameters = A=1") != std::string::npos);
}

TEST_CASE("results are found in folders below, and a folder without any is refused") {
  const test::TemporaryFolder folder;
  CHECK_THROWS_AS((void)read_results(folder.path()), FileError);
  for (const char* name : {"b", "a"})
    ResultFolder(folder / name, info_of(name), false).append(some_rows(10, 1));
  const std::vector<Results> results = read_results(folder.path());
  REQUIRE(results.size() == 2);
  CHECK(results[0].info.experiment == "a");
  CHECK(results[1].info.device.name == info_of().device.name);
  const std::vector<Point> points = group_rows(results[0].rows);
  REQUIRE(points.size() == 1);
  CHECK(points[0].times_ns == std::vector<double>{1e6, 1.25e6, 3e6});
}

}  // namespace clgauss::tune
