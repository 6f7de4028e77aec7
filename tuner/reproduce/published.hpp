#pragma once
/// Figures of the source documents: the files of data/published, which the program carries with it.

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clgauss::tune::published {

/// One line of a file: fields by the names of the columns.
class Record {
 public:
  Record(std::vector<std::string> names, std::vector<std::string> fields)
      : names_(std::move(names)), fields_(std::move(fields)) {}

  /// Throws FormatError if there is no such column.
  [[nodiscard]] const std::string& text(std::string_view column) const;
  /// Empty where the field is; throws FormatError where it holds no number.
  [[nodiscard]] std::optional<double> number(std::string_view column) const;

 private:
  std::vector<std::string> names_, fields_;
};

/// The lines of data/published/`name`. Throws FormatError.
[[nodiscard]] std::vector<Record> records(const std::string& name);

/// Vatutin, Martynov, Titov 2013: whole times t1 + t2 + t3 in s. `machine` as the file has it,
/// `block` 0 where there is none; rungs by the names that they have here: cpu_naive, naive,
/// buffered_column, buffered_row, blocked, blocked_4. Empty where the document has no number.
inline constexpr std::string_view kGtx770 = "i7 4770 + GTX 770",
                                  kGts450 = "Core 2 Duo E6300 + GTS 450";
[[nodiscard]] std::optional<double> ladder_seconds(std::string_view rung, std::size_t n,
                                                   std::size_t block,
                                                   std::string_view machine = kGtx770);

/// Lopatin 2023, table 1, n = 1000: mean and standard error; `configuration` is DIM, or "8x1" and
/// the like for kernel_1.
struct KernelTime {
  std::string kernel, configuration;
  double mean_ms = 0, standard_error_ms = 0;
  double speedup = 0, speedup_error = 0;  // over the CPU, as printed
};
[[nodiscard]] std::optional<KernelTime> kernel_time(std::string_view kernel,
                                                    std::string_view configuration);

/// Tutubalin 2007, GeForce 8800 GTX: best rates found, and the theoretical peak; `width` 1 or 4
/// floats.
[[nodiscard]] double bandwidth_peak();
[[nodiscard]] double bandwidth_gb_per_s(bool by_columns, unsigned width);

/// Zhao, n = 2048: what the text says of a version, as its tables did not survive; empty where it
/// says nothing.
[[nodiscard]] std::string steps_claim(std::string_view version);
/// The one time that the text states: of the best CPU version.
[[nodiscard]] double steps_best_cpu_seconds();

/// Baranov and Vlatskaya 2013: the device of the paper.
struct Elimination {
  std::string device;
  std::size_t cores = 0, compute_units = 0, multiple = 0, rule = 0, best = 0;
};
[[nodiscard]] Elimination elimination();

/// The times behind its figures 3 to 6: of the whole solve in f32, by n and work-group size, in ms.
[[nodiscard]] std::map<std::size_t, std::map<std::size_t, double>> elimination_times();

}  // namespace clgauss::tune::published
