#include <doctest/doctest.h>

#include "tuner/reproduce/claims.hpp"
#include "tuner/reproduce/reproduction.hpp"
#include "tuner/rows/measured.hpp"

namespace clgauss::tune {

namespace {

Row row_of(const std::string& kernel, std::size_t n, const std::string& parameters = "",
           const std::string& part = "multiply") {
  Row row;
  row.kernel = kernel;
  row.n = n;
  row.parameters = parameters;
  row.part = part;
  return row;
}

void add(std::vector<Row>& rows, const Row& row, double ms) {
  Outcome outcome;
  if (ms > 0)
    outcome.times_ns = {ms * 0.99e6, ms * 1e6, ms * 1.01e6};
  else
    outcome = {Status::timeout, "would take long", {}};
  for (const Row& one : rows_of(row, outcome)) rows.push_back(one);
}

/// The line of the claims' table that begins so; the last table of the findings.
std::vector<std::string> claim_of(const Findings& findings, const std::string& begin) {
  for (const auto& row : findings.tables.back().rows)
    if (row.front().starts_with(begin)) return row;
  return {};
}

}  // namespace

TEST_CASE("a claim is judged by its whole interval, from below and from above") {
  const Estimate two{2, 1.9, 2.1, 5}, single{2, 2, 2, 1};
  CHECK(Judge().over("c", "p", two, 1.5, "").verdict == kHolds);
  CHECK(Judge().over("c", "p", two, 2.5, "").verdict == kDoesNotHold);
  CHECK(Judge().over("c", "p", two, 2, "").verdict == "cannot be distinguished from noise");
  CHECK(Judge().over("c", "p", single, 1, "").verdict == "cannot be judged here: a single run");
  CHECK(Judge().under("c", "p", two, 3, "").verdict == kHolds);
  CHECK(Judge().under("c", "p", two, 3, "").here == "2 [1.9, 2.1]");
  CHECK(Judge().under("c", "p", two, 1.5, "").verdict == kDoesNotHold);
  CHECK(Judge().under("c", "p", two, 2, "").verdict == "cannot be distinguished from noise");
  CHECK(Judge(0.2).over("c", "p", two, 1.7, "").verdict == "cannot be distinguished from noise");
  CHECK(Judge(0.2).under("c", "p", two, 2.4, "").verdict == "cannot be distinguished from noise");
  CHECK(Judge(0.2).over("c", "p", two, 1.5, "").verdict == kHolds);
  CHECK(Judge().between("c", "p", two, 1.5, 3, "").verdict == kHolds);
  CHECK(Judge().between("c", "p", two, 1, 1.5, "").verdict == kDoesNotHold);
  CHECK(Judge().between("c", "p", two, 3, 4, "").verdict == kDoesNotHold);
  CHECK(Judge().between("c", "p", two, 2, 3, "").verdict == "cannot be distinguished from noise");
  CHECK(Judge().between("c", "p", two, 1, 2, "").verdict == "cannot be distinguished from noise");
  CHECK(Judge().between("c", "p", {}, 1, 2, "not run").verdict == "cannot be judged here: not run");
  CHECK(Judge().under("c", "p", {}, 2, "not run").verdict == "cannot be judged here: not run");
}

TEST_CASE("what was timed twice is a floor of its n, and no configuration of its own") {
  std::vector<Row> rows;
  Row naive = row_of("naive", 64);
  add(rows, naive, 10);
  naive.rule = kControlRule;
  add(rows, naive, 11);
  const Measured measured(rows);
  CHECK(measured.points().size() == 1);
  CHECK(measured.floor(64) == doctest::Approx(0.1));
  CHECK(measured.floor(128) == 0);
  REQUIRE(control_remarks(measured).size() == 1);
  CHECK(control_remarks(measured)[0].find("10.0 % apart") != std::string::npos);
}

TEST_CASE("the ladder's claims are judged by whole times, at the largest n that was timed") {
  std::vector<Row> rows;
  for (const std::size_t n : {1024U, 2048U}) {
    add(rows, row_of("transfer", n, "", "copy_in"), 6);
    add(rows, row_of("transfer", n, "", "copy_out"), 4);
    add(rows, row_of("naive", n, "GROUP=32x32"), n == 1024 ? 90 : 0);  // 100 with the transfers
    add(rows, row_of("buffered_row", n), n == 1024 ? 30 : 0);          // 40: 2.5 times
    add(rows, row_of("blocked", n, "BLOCK=32"), 10);                   // 20: 5 times, not 9
    add(rows, row_of("blocked_4", n, "BLOCK=32"), 5);
  }
  const Findings findings = matmul_ladder().findings(rows);
  CHECK(findings.tables.back().caption == "What the document claims, judged at n = 1024");
  CHECK(claim_of(findings, "table 4: a buffered row")[3] == kHolds);
  CHECK(claim_of(findings, "theory: a buffered row")[3] == kDoesNotHold);
  const auto tiles = claim_of(findings, "table 5");
  CHECK(tiles[2].starts_with("5 ["));
  CHECK(tiles[3] == kHolds);
}

TEST_CASE("theory stands on a latency that no cache gave, or is not judged") {
  std::vector<Row> rows;
  add(rows, row_of("transfer", 512, "", "copy_in"), 1);
  add(rows, row_of("transfer", 512, "", "copy_out"), 1);
  add(rows, row_of("naive", 512, "GROUP=32x32"), 100);
  add(rows, row_of("blocked", 512, "BLOCK=32"), 15);
  add(rows, row_of("blocked_slow", 512, "BLOCK=32"), 30);
  add(rows, row_of("blocked_4", 512, "BLOCK=32"), 5);
  const auto latency = [&](const char* kernel, const char* bytes, double ns) {
    add(rows, row_of(kernel, 0, std::string("BYTES=") + bytes, "access"), ns / 1e6);
  };
  latency("latency_global", "536870912", 400);
  latency("latency_cached", "1048576", 150);
  latency("latency_local", "4096", 20);
  Findings findings = matmul_ladder().findings(rows);
  CHECK(claim_of(findings, "theory: tiles")[3].starts_with("cannot be judged here"));
  CHECK(claim_of(findings, "Zhao")[3].starts_with("cannot be judged here"));
  CHECK(claim_of(findings, "text: the slow order")[3] == kHolds);
  CHECK(findings.remarks[0].find("cannot be judged") != std::string::npos);
  latency("latency_walk", "268435456", 395);
  findings = matmul_ladder().findings(rows);
  CHECK(claim_of(findings, "theory: tiles")[3] ==
        kDoesNotHold);  // 400 / (12.5 + 20) is 12.3, not 6.67
  CHECK(claim_of(findings, "theory: tiles")[2].starts_with("6.67 ["));
  CHECK(claim_of(findings, "Zhao")[3] == "cannot be distinguished from noise");  // 20 on the dot
  CHECK(findings.remarks[1].find("no cache counts") != std::string::npos);
  latency("latency_walk", "33554432", 200);
  for (Row& row : rows)
    if (row.parameters == "BYTES=268435456") row.time_ns = 300;
  CHECK(matmul_ladder().findings(rows).remarks[1].find("still rises") != std::string::npos);
}

TEST_CASE("claims on the bandwidth carry intervals, and one number of groups is no sweep") {
  std::vector<Row> rows;
  const auto walk = [&](std::size_t local, std::size_t groups, double ms) {
    Row row = row_of("sum_rows", 1024, "GROUPS=" + std::to_string(groups), "walk");
    row.variant = "float";
    row.local = local;
    row.work = 1e9;
    add(rows, row, ms);
  };
  for (const std::size_t local : {192U, 256U, 384U}) walk(local, 1024, 10);
  walk(16, 1024, 50);
  Findings findings = bandwidth().findings(rows);
  const auto sixteen = claim_of(findings, "groups of 16");
  CHECK(sixteen[2] == "5 [4.9, 5.1] times (means 100 [99, 101] and 20 [19.8, 20.2] GB/s)");
  CHECK(sixteen[3] == kHolds);
  CHECK(claim_of(findings, "256, 512")[3].starts_with("cannot be judged here"));
  CHECK(claim_of(findings, "32 groups")[3].starts_with("cannot be judged here"));
  for (const std::size_t groups : {256U, 512U, 300U, 600U, 32U})
    walk(256, groups, groups == 32 ? 20 : groups % 256 == 0 ? 8 : 12);
  findings = bandwidth().findings(rows);
  CHECK(claim_of(findings, "256, 512")[3] == kHolds);
  CHECK(claim_of(findings, "32 groups")[3] == kDoesNotHold);
}

TEST_CASE("numbers of groups are judged by the device's units, words by what they are taken for") {
  std::vector<Row> rows;
  Row copy = row_of("copy", 1024, "UNITS=100", "walk");
  copy.work = 1e9;
  add(rows, copy, 10);
  for (const auto& [groups, ms] : std::vector<std::pair<std::size_t, double>>{{100, 10},
                                                                              {101, 14},
                                                                              {200, 11},
                                                                              {201, 14},
                                                                              {400, 8},
                                                                              {401, 9},
                                                                              {1600, 8},
                                                                              {2000, 8.4},
                                                                              {3200, 8},
                                                                              {6400, 8}}) {
    Row row = row_of("sum_rows", 1024, "GROUPS=" + std::to_string(groups), "walk");
    row.variant = "float";
    row.local = 256;
    row.work = 1e9;
    add(rows, row, ms);
  }
  Findings walks = bandwidth().findings(rows);
  CHECK(claim_of(walks, "2 groups a unit")[3] == kDoesNotHold);  // 11 against 8
  CHECK(claim_of(walks, "a saw-tooth")[3] == kHolds);
  CHECK(claim_of(walks, "4 groups of 128 a unit")[3].starts_with("cannot be judged here"));
  CHECK(walks.remarks[1].find("0 of 497 group sizes") != std::string::npos);
  CHECK(walks.remarks[1].find("from 3200 on the rate is flat") != std::string::npos);
  for (const char* reader : {"batches of inverses", "writes are 19 of 20", "a download"})
    CHECK(claim_of(walks, reader)[3].starts_with("cannot be judged here: "));
  Row few = row_of("sum_rows", 1024, "GROUPS=400", "walk");
  few.variant = "float";
  few.local = 128;
  few.work = 1e9;
  add(rows, few, 8.5);
  walks = bandwidth().findings(rows);
  CHECK(claim_of(walks, "4 groups of 128 a unit")[3] == kHolds);  // 8 / 8.5 is 0.94
  CHECK(claim_of(walks, "2 groups a unit")[3] == kDoesNotHold);   // of 256 still

  std::vector<Row> loops;
  add(loops, row_of("cpu_naive", 512), 118);
  add(loops, row_of("openmp_ijk", 512), 10);
  for (const char* rung : {"openmp_blocked", "openmp_ikj"}) add(loops, row_of(rung, 512), 9);
  for (const auto& [rung, ms] : std::vector<std::pair<const char*, double>>{
           {"text_naive", 5}, {"text_tiles", 4.5}, {"text_coalesced", 3}, {"text_unrolled", 2}})
    add(loops, row_of(rung, 512, "TILE=32"), ms);
  const Findings steps = matmul_cpu_gpu().findings(loops);
  CHECK(claim_of(steps, "OpenMP is a little")[3] == kDoesNotHold);     // 11.8 times is not a little
  CHECK(claim_of(steps, "tiles in local memory")[3] == kDoesNotHold);  // 1.11 is not clearly
  CHECK(claim_of(steps, "aligned")[3] == kDoesNotHold);                // 1.5 is not much
}

}  // namespace clgauss::tune
