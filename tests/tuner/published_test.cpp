#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/error.hpp>

#include "support/paths.hpp"
#include "support/process.hpp"
#include "tuner/reproduce/published.hpp"

namespace clgauss::tune {

namespace {

std::string file_of(const std::string& name) {
  return test::content_of(test::data_folder() / "published" / name);
}

}  // namespace

TEST_CASE("the published figures are those of data/published, all of them") {
  std::size_t lines = 0;
  for (const char* name :
       {"vatutin_tables_1_2.csv", "vatutin_tables_3_4.csv", "vatutin_tables_5_6.csv",
        "lopatin_table_1.csv", "tutubalin_table_1.csv", "zhao_claims.csv", "baranov_claims.csv"}) {
    const std::string text = file_of(name);
    lines = published::records(name).size();
    CHECK(lines == static_cast<std::size_t>(std::ranges::count(text, '\n')) - 1);
  }
  for (const published::Record& record : published::records("vatutin_tables_1_2.csv")) {
    const bool cpu = record.text("variant") == "cpu";
    const auto n = static_cast<std::size_t>(*record.number("n"));
    CHECK(published::ladder_seconds(cpu ? "cpu_naive" : "naive", n, 0, record.text("machine")) ==
          record.number("time_s"));
  }
  CHECK(published::ladder_seconds("blocked_4", 2048, 32) == 0.058);
  CHECK(published::ladder_seconds("naive", 2048, 0, published::kGts450) == 3.7);
  CHECK_FALSE(published::ladder_seconds("blocked", 2048, 1).has_value());
  CHECK(published::kernel_time("kernel_5", "32")->speedup == 413.15);
  CHECK(published::kernel_time("kernel_2", "32")->speedup_error == 2.22);
  CHECK(published::kernel_time("kernel_1", "8x1")->mean_ms == 48.27);
  CHECK(published::kernel_time("cpu_naive", "")->mean_ms == 4356.31);
  CHECK(published::bandwidth_gb_per_s(true, 4) == 3.73);
  CHECK(published::bandwidth_peak() == 86.4);
  CHECK(published::steps_best_cpu_seconds() == 18.4);
  CHECK(published::steps_claim("gpu_coalesced") == "much faster");
  CHECK(published::elimination().rule == 192);
  CHECK_THROWS_AS(published::records("none.csv"), FormatError);
  CHECK_THROWS_AS((void)published::records("zhao_claims.csv").front().text("none"), FormatError);
}

}  // namespace clgauss::tune
