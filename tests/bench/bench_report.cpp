#include "bench_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <string_view>

#include "clock.hpp"
#include "statistics.hpp"
#include "tuner/rows/csv.hpp"

namespace clgauss::bench {

namespace {

constexpr const char* kRowHeader =
    "run,device,what,type,m,n,k,contestant,detail,reps,median_ms,min_ms,max_ms,mad_ms,gflops,"
    "error_measure,error,error_bound,ratio_to_clgauss,status";
constexpr const char* kSampleHeader = "run,device,what,type,m,n,k,contestant,round,time_ms";

constexpr const char* kLegend =
    "# wall-clock ms, each run ended with finished work, in turns over all contestants; spread = "
    "median absolute deviation\n"
    "# gemm: C <- C - A B; lu: factor only; solve: factor + solve of 1 right-hand side; data where "
    "the library works, inputs restored untimed\n"
    "# file: whole programs from an .npy file [A | b] to one with x; what a program says of its "
    "own seconds stands behind\n"
    "# error, gemm: norm1(C - Cref) / (eps (sqrt(k + 2) norm1(A) norm1(B) + 2 norm1(C0))) <= 3, "
    "norm1(C - Cref) from below by sign vectors and columns\n"
    "# error, lstsq, gelsy: normInf(A^T r) / (eps m normInf(A^T) (normInf(A) normInf(x) + "
    "normInf(b))) <= "
    "16, r = b - A x\n"
    "# error, invert: norm1(A X - I), from below by sign vectors, / (eps n normInf(A) normInf(X)) "
    "<= 16\n"
    "# complex: k right-hand sides; complex, hermitian: type: of real and imaginary parts; error: "
    "as "
    "below, of moduli\n"
    "# error, else: normInf(b - A x) / (eps n (normInf(A) normInf(x) + normInf(b))) <= 16\n"
    "# host: from host memory to host memory, k right-hand sides; clgauss and openblas: gesv by "
    "columns, L, U and ipiv included\n"
    "# gecon: from L and U in host memory; error: how far rcond is from the true one, as a factor\n"
    "# gelsy: from host memory to host memory; k: the rank\n"
    "# batched: m = systems, each with k right-hand sides; the worst error of all; c32, c64: of "
    "complex numbers\n"
    "# vbatched: m = systems, each with 1 right-hand side, n random between k and n, from host "
    "memory to host memory; clgauss: one call\n"
    "# ratio: median / clgauss's median, above 1 where clgauss is faster\n";

std::string type_name(const ProblemSize& size) {
  return std::string(size.batched.complex ? complex_type_name(size.type)
                                          : real_type_name(size.type));
}

/// What tells one problem from another, in every row of both files.
std::vector<std::string> key_fields(const std::string& run, const std::string& device,
                                    const ProblemSize& size) {
  const bool gemm = size.what == What::gemm, gelsy = size.what == What::gelsy;
  return {run,
          device,
          std::string(what_name(size.what)),
          type_name(size),
          std::to_string(gemm || size.what == What::lstsq || gelsy                   ? size.m
                         : size.what == What::batched || size.what == What::vbatched ? size.batch
                                                                                     : size.n),
          std::to_string(size.n),
          gemm || gelsy || has_right_hand_sides(size.what) || size.what == What::vbatched
              ? std::to_string(size.k)
              : std::string()};
}

/// The first line of a file that exists; empty for one that is new.
std::string first_line(std::FILE* file) {
  std::string line;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF && c != '\n'; c = std::fgetc(file))
    line += static_cast<char>(c);
  return line;
}

void print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) throw FileError("standard output", "cannot be written");
}

/// What a measurement comes to.
struct Row {
  Statistics time;
  double gflops = 0, ratio = 0;
  double systems = 0;  // a second; 0 where there is one
};

const char* status_name(const Measurement& measurement) {
  return measurement.accuracy.acceptable() ? "ok" : "wrong_result";
}

void print_row(const std::vector<std::string>& key, const Measurement& measurement,
               const Row& row) {
  print(fmt::format(
      "{:<7} {:<4} {:>6} {:>6} {:>6} {:<9} {:>10.3f} {:>10.3f} {:>10.3f} {:>8.3f} "
      "{:>9.1f} {:>9.2g} {:>6.2f}  {:<12}  {}{}\n",
      key[2], key[3], key[4], key[5], key[6].empty() ? "-" : key[6], measurement.contestant,
      row.time.median, row.time.min, row.time.max, row.time.mad, row.gflops,
      measurement.accuracy.error, row.ratio, status_name(measurement),
      row.systems > 0 ? fmt::format("{:.3g} million systems/s, ", row.systems / 1e6) : "",
      measurement.detail));
}

std::vector<std::string> csv_row(const ProblemSize& size, const std::vector<std::string>& key,
                                 const Measurement& measurement, const Row& row) {
  const char* const measure = size.what == What::gemm    ? "gemm_error"
                              : size.what == What::gecon ? "rcond_factor"
                                                         : "scaled_residual";
  std::vector<std::string> fields = key;
  for (auto& field :
       {measurement.contestant, tune::csv_field(measurement.detail),
        fmt::to_string(measurement.samples_ms.size()), fmt::format("{:.6f}", row.time.median),
        fmt::format("{:.6f}", row.time.min), fmt::format("{:.6f}", row.time.max),
        fmt::format("{:.6f}", row.time.mad), fmt::format("{:.3f}", row.gflops),
        std::string(measure), fmt::format("{:.4g}", measurement.accuracy.error),
        fmt::to_string(measurement.accuracy.bound), fmt::format("{:.4f}", row.ratio),
        std::string(status_name(measurement))})
    fields.push_back(field);
  return fields;
}

nlohmann::ordered_json json_row(const std::string& device, const ProblemSize& size,
                                const Measurement& measurement, const Row& row) {
  return {{"device", device},
          {"what", what_name(size.what)},
          {"type", type_name(size)},
          {"m", size.m},
          {"n", size.n},
          {"k", size.k},
          {"contestant", measurement.contestant},
          {"detail", measurement.detail},
          {"samples_ms", measurement.samples_ms},
          {"median_ms", row.time.median},
          {"gflops", row.gflops},
          {"error", measurement.accuracy.error},
          {"error_bound", measurement.accuracy.bound},
          {"ratio", row.ratio},
          {"status", status_name(measurement)}};
}

}  // namespace

CsvFile::CsvFile(const std::string& path, const std::string& header)
    : path_(path), file_(std::fopen(path.c_str(), "a+"), std::fclose) {
  if (!file_) throw FileError(path, "cannot be opened for writing");
  const std::string line = first_line(file_.get());
  if (line.empty())
    append({header});
  else if (line != header)
    throw FileError(path, "holds other columns; name a new file");
}

void CsvFile::append(const std::vector<std::string>& fields) {
  const std::string line = fmt::format("{}\n", fmt::join(fields, ","));
  if (std::fputs(line.c_str(), file_.get()) == EOF || std::fflush(file_.get()) != 0)
    throw FileError(path_, "cannot be written");
}

Report::Report(std::string device, const std::optional<std::string>& csv,
               const std::optional<std::string>& samples, bool prints)
    : device_(std::move(device)), run_(utc_now()), prints_(prints) {
  if (csv) csv_.emplace(*csv, kRowHeader);
  if (samples) samples_.emplace(*samples, kSampleHeader);
  if (!prints_) return;
  print(fmt::format("# {}, seed {}\n{}", device_, kSeed, kLegend));
  print(
      fmt::format("{:<7} {:<4} {:>6} {:>6} {:>6} {:<9} {:>10} {:>10} {:>10} {:>8} "
                  "{:>9} {:>9} {:>6}  {:<12}  {}\n",
                  "what", "type", "m", "n", "k", "who", "median_ms", "min_ms", "max_ms", "spread",
                  "GFLOP/s", "error", "ratio", "status", "detail"));
}

void Report::add_samples(const ProblemSize& size, const Measurement& measurement) {
  for (std::size_t round = 0; round < measurement.samples_ms.size(); ++round) {
    auto fields = key_fields(run_, tune::csv_field(device_), size);
    fields.push_back(measurement.contestant);
    fields.push_back(std::to_string(round + 1));
    fields.push_back(fmt::format("{:.6f}", measurement.samples_ms[round]));
    samples_->append(fields);
  }
}

void Report::add(const ProblemSize& size, const std::vector<Measurement>& measurements) {
  const double base = statistics(measurements.front().samples_ms).median;
  const auto key = key_fields(run_, tune::csv_field(device_), size);
  for (const Measurement& measurement : measurements) {
    Row row{statistics(measurement.samples_ms)};
    row.gflops = flops(size) / row.time.median / 1e6;
    if (size.what == What::batched || size.what == What::vbatched)
      row.systems = static_cast<double>(size.batch) / row.time.median * 1e3;
    row.ratio = row.time.median / base;
    if (prints_) print_row(key, measurement, row);
    rows_.push_back(json_row(device_, size, measurement, row));
    if (csv_) csv_->append(csv_row(size, key, measurement, row));
    if (samples_) add_samples(size, measurement);
    any_wrong_ = any_wrong_ || !measurement.accuracy.acceptable();
  }
}

}  // namespace clgauss::bench
