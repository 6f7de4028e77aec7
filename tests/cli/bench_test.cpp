#include <doctest/doctest.h>

#include <array>

#include "support/process.hpp"

using namespace clgauss::test;

TEST_CASE("clgauss-bench: a row a contestant, on the device that is named and on the default") {
  const TemporaryFolder folder;
  for (const char* device : {"--device pocl", ""}) {
    CAPTURE(device);
    const auto result = run(
        bench_program(), folder,
        std::string("solve --sizes 20 --types f32 --reps 1 --peers none --csv rows.csv ") + device);
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    const std::string rows = content_of(folder / "rows.csv");
    CHECK(rows.find(",solve,f32,20,20,") != std::string::npos);
    CHECK(rows.find(",ok") != std::string::npos);
    std::filesystem::remove(folder / "rows.csv");
  }
  CHECK(run(bench_program(), folder, "solve --device no-such-device").exit_code == 4);
}

TEST_CASE("clgauss-bench: whole programs from a file to the answer, which is checked") {
  const TemporaryFolder folder;
  const auto result =
      run(bench_program(), folder, "file --sizes 40 --reps 1 --device pocl --csv rows.csv");
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const std::string rows = content_of(folder / "rows.csv");
  for (const char* row : {",file,f64,40,40,,clgauss,", ",file,f64,40,40,,no-rcond,"})
    CHECK(rows.find(row) != std::string::npos);
  CHECK(rows.find("total ") != std::string::npos);  // parts below 0.5 ms are left out
  CHECK(rows.find("wrong_result") == std::string::npos);
}

TEST_CASE("clgauss-bench: first solves have caches that are gone with the last one") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "temporary");
  const auto result = run(bench_program(), folder,
                          "cold --sizes 40 --reps 1 --peers none --device pocl --csv rows.csv",
                          "TMPDIR='" + (folder / "temporary").string() + "'");
  CHECK_MESSAGE(result.exit_code == 0, result.err);
  const std::string rows = content_of(folder / "rows.csv");
  for (const char* row : {",cold,f64,40,40,,clgauss,", ",cold,f64,40,40,,warm,"})
    CHECK_MESSAGE(rows.find(row) != std::string::npos, rows);
  const std::string behind = rows.substr(rows.find(",clgauss,")),
                    first = behind.substr(0, behind.find('\n'));
  CHECK(first.find("build ") != std::string::npos);
  const std::size_t at = first.find("total ");
  REQUIRE(at != std::string::npos);
  double total = 0, median = 0;  // of one run
  REQUIRE(std::sscanf(first.c_str() + at, "total %lf s\",1,%lf,", &total, &median) == 2);
  CHECK(1e3 * total <= median + 0.5);
  CHECK(rows.find("wrong_result") == std::string::npos);
  CHECK(rows.find(",python") == std::string::npos);
  CHECK(std::filesystem::is_empty(folder / "temporary"));
}

TEST_CASE("clgauss-bench: where the time of a factorisation goes") {
  const TemporaryFolder folder;
  const auto result = run(bench_program(), folder,
                          "lu --sizes 300 --types f32 --breakdown --device pocl --csv parts.csv");
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  CHECK(result.out.find(" gaps ") != std::string::npos);
  const std::string rows = content_of(folder / "parts.csv");
  CHECK(rows.find(",lu,f32,300,lu_phases,") != std::string::npos);
  const auto file = run(bench_program(), folder, "file --breakdown --device pocl");
  CHECK(file.exit_code == 2);
  CHECK(file.err.find("--breakdown belongs to gemm, lu, ") != std::string::npos);
}

TEST_CASE("clgauss-bench: host memory to host memory in both layouts, with several sides") {
  const TemporaryFolder folder;
  for (const char* nrhs : {"1", "3"}) {
    CAPTURE(nrhs);
    const auto result =
        run(bench_program(), folder,
            std::string("host --sizes 70 --reps 1 --device pocl --csv rows.csv --nrhs ") + nrhs);
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    const std::string rows = content_of(folder / "rows.csv");
    for (const char* type : {"f32", "f64"})
      for (const char* who : {"clgauss", "gesv", "solve by columns", "solve", "openblas"})
        CHECK(rows.find(std::string(",host,") + type + ",70,70," + nrhs + ',' + who + ',') !=
              std::string::npos);
    CHECK(rows.find("wrong_result") == std::string::npos);
  }
}

TEST_CASE("clgauss-bench: conditions from factors beside OpenBLAS's, in both layouts") {
  const TemporaryFolder folder;
  const auto result =
      run(bench_program(), folder, "gecon --sizes 70 --reps 1 --device pocl --csv rows.csv");
  CHECK_MESSAGE(result.exit_code == 0, result.err);
  const std::string rows = content_of(folder / "rows.csv");
  for (const char* row : {",gecon,f32,70,70,,clgauss,", ",gecon,f64,70,70,,clgauss,",
                          ",gecon,f32,70,70,,gecon,", ",gecon,f64,70,70,,gecon,"})
    CHECK_MESSAGE(rows.find(row) != std::string::npos, rows);
  CHECK(rows.find("wrong_result") == std::string::npos);
}

TEST_CASE("clgauss-bench: complex systems beside OpenBLAS, whose answers are checked") {
  const TemporaryFolder folder;
  struct Kind {
    const char* options;
    std::array<const char*, 3> rows;
  };
  for (const auto& [options, expected] :
       {Kind{"--nrhs 1", {",1,clgauss,\"LU", ",1,gesv,", ",1,solve,"}},
        Kind{"--nrhs 3", {",3,clgauss,\"LU", ",3,gesv,", ",3,solve,"}},
        Kind{"--symmetric", {",1,clgauss,L D L^H,", ",1,hesv,", ",1,solve,"}},
        Kind{"--symmetric --nrhs 3", {",3,clgauss,L D L^H,", ",3,hesv,", ",3,solve,"}}}) {
    CAPTURE(options);
    const auto result =
        run(bench_program(), folder,
            std::string("complex --sizes 70 --reps 1 --device pocl --csv rows.csv ") + options);
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    const std::string rows = content_of(folder / "rows.csv");
    CAPTURE(rows);
    for (const char* type : {"f32", "f64"})
      for (const char* row : expected)
        CHECK(rows.find(std::string(",complex,") + type + ",70,70" + row) != std::string::npos);
    CHECK(rows.find("wrong_result") == std::string::npos);
    std::filesystem::remove(folder / "rows.csv");
  }
}

TEST_CASE("clgauss-bench: Hermitian systems by Cholesky beside OpenBLAS's posv") {
  const TemporaryFolder folder;
  const auto result =
      run(bench_program(), folder, "hermitian --sizes 70 --reps 1 --device pocl --csv rows.csv");
  CAPTURE(result.err);
  CHECK(result.exit_code == 0);
  const std::string rows = content_of(folder / "rows.csv");
  for (const char* row :
       {",hermitian,f32,70,70,,clgauss,Cholesky,", ",hermitian,f64,70,70,,clgauss,Cholesky,",
        ",hermitian,f32,70,70,,openblas,", ",hermitian,f64,70,70,,openblas,"})
    CHECK(rows.find(row) != std::string::npos);
  CHECK(rows.find("wrong_result") == std::string::npos);
}

TEST_CASE(
    "clgauss-bench: least squares of two ranks beside gelsy and gelsd, whose ranks are told") {
  const TemporaryFolder folder;
  const auto result = run(bench_program(), folder,
                          "gelsy --sizes 40 --types f64 --reps 1 --device pocl --csv rows.csv");
  CHECK(result.exit_code == 0);
  const std::string rows = content_of(folder / "rows.csv");
  for (const char* row :
       {"gelsy,f64,40,40,40,clgauss,rank 40,", "gelsy,f64,40,40,35,clgauss,rank 35,",
        "gelsy,f64,160,40,40,clgauss,rank 40,", "gelsy,f64,160,40,35,clgauss,rank 35,"})
    CHECK_MESSAGE(rows.find(row) != std::string::npos, rows);
  if (rows.find(",openblas,") == std::string::npos) return;  // it was built without
  for (const char* peer : {"\"gelsy, rank 35, ", "\"gelsd, rank 35, "})
    CHECK_MESSAGE(rows.find(peer) != std::string::npos, rows);
}

TEST_CASE("clgauss-bench: batches of all kinds are checked, with one side beside OpenBLAS") {
  const TemporaryFolder folder;
  struct Kind {
    const char *options, *row, *of_openblas;
  };
  for (const auto& [options, row, of_openblas] :
       {Kind{"--nrhs 0 --types f64", ",batched,f64,30,7,7,clgauss,", nullptr},
        Kind{"--complex --nrhs 3 --types f32", ",batched,c32,30,7,3,clgauss,", nullptr},
        Kind{"--complex", ",batched,c64,30,7,1,clgauss,", "gesv in a loop"},
        Kind{"--definite", ",batched,f64,30,7,1,clgauss,", "posv in a loop"},
        Kind{"--symmetric", ",batched,f64,30,7,1,clgauss,", "sysv in a loop"},
        Kind{"--symmetric --types f32", ",batched,f32,30,7,1,clgauss,", "sysv in a loop"},
        Kind{"--complex --definite", ",batched,c64,30,7,1,clgauss,", "posv in a loop"},
        Kind{"--complex --definite --types f32", ",batched,c32,30,7,1,clgauss,",
             "posv in a loop"}}) {
    CAPTURE(options);
    const auto result =
        run(bench_program(), folder,
            std::string("batched --sizes 7 --batch 30 --reps 1 --device pocl --csv rows.csv ") +
                options);
    CAPTURE(result.err);
    CHECK(result.exit_code == 0);
    const std::string rows = content_of(folder / "rows.csv");
    CHECK(rows.find(row) != std::string::npos);
    CHECK(rows.find("wrong_result") == std::string::npos);
    if (of_openblas == nullptr)
      CHECK(rows.find("openblas") == std::string::npos);
    else if (rows.find(",openblas,") != std::string::npos)  // it was built with it
      CHECK(rows.find(of_openblas) != std::string::npos);
    std::filesystem::remove(folder / "rows.csv");
  }
  const auto refused = run(bench_program(), folder, "solve --complex");
  CHECK(refused.exit_code == 2);
  CHECK(refused.err.find("--complex belongs to batched alone") != std::string::npos);
  const auto both = run(bench_program(), folder, "batched --symmetric --definite");
  CHECK(both.exit_code == 2);
  CHECK(both.err.find("--symmetric goes neither with --definite") != std::string::npos);
}
