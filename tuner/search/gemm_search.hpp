#pragma once
/// Search for the fastest parameters of a GEMM kernel on a device.

#include <functional>
#include <memory>

#include "tuner/measure/outcome.hpp"
#include "tuner/search/gemm_space.hpp"
#include "tuner/search/searcher.hpp"
#include "tuner/search/stop.hpp"

namespace clgauss::tune {

/// Operands of a task on the device, by which any spec is built, checked and timed.
class GemmBench {
 public:
  /// Computes the result that others are compared with by the built-in kernel, which Gemm checks by itself. Throws as Gemm,
  /// OutOfMemory.
  GemmBench(Context& context, const GemmTask& task);

  struct Limits {
    int repetitions = 5;
    std::optional<double> best_ns =
        {};  // a candidate whose first run takes over twice as long is timed no more
    double timeout_ns = 10e9;  // a first run that takes longer is a timeout
  };

  /// What comes of `spec`: its rules and the device's limits are looked at, it is built, checked over cut tiles against the
  /// host and on the task itself element by element, and timed by the wall clock; the first timed run follows one that warms
  /// up. Never throws for what one configuration can fail by.
  [[nodiscard]] Outcome measure(const GemmSpec& spec, const Limits& limits);

  /// Median times of two specs that work, in ns, taken in turns A B A B over `pairs` pairs.
  [[nodiscard]] std::pair<double, double> compare(const GemmSpec& a, const GemmSpec& b, int pairs);

 private:
  [[nodiscard]] Outcome run(const GemmSpec& spec, const Limits& limits);
  /// Wall time of one product in ns.
  double timed(Gemm& gemm);
  void restore_c();
  [[nodiscard]] std::string first_wrong_element() const;

  Context& context_;
  GemmTask task_;
  MatrixView a_, b_, c_, c_start_;
  Values reference_;  // C as the built-in kernel computes it
  std::vector<double> bounds_of_rows_,
      bounds_of_cols_;  // norms of the rows of A, of the columns of B
};

/// One configuration that was tried.
struct GemmTrial {
  std::size_t configuration = 0;  // of the space
  GemmSpec spec;
  Outcome outcome;
  std::optional<double> time_ns;  // median; empty unless ok
};

struct GemmSearchOptions {
  std::string kernel = {};             // a family, or empty: the device's
  std::vector<std::string> vary = {};  // parameters, or empty: all
  std::string strategy = "model";
  std::uint64_t random_seed = 1;
  std::vector<Configuration> seeds =
      {};  // tried after the built-in ones; those not in the space are passed over
  StopCondition stop = never();
  int repetitions = 5;
  std::function<void(const GemmTrial& trial, std::size_t tried, std::size_t size)> progress = {};
};

struct GemmSearchResult {
  GemmSpec built_in;             // what Gemm takes without tuning
  std::optional<GemmSpec> best;  // the fastest that works; empty if none does
  double best_ns = 0;            // medians of the last comparison, A B A B
  double built_in_ns = 0;
  std::vector<GemmTrial> trials;      // all, in order
  std::vector<Parameter> parameters;  // of the space
  std::size_t space_size = 0;

  /// Whether the best beats the built-in spec in the last comparison.
  [[nodiscard]] bool is_better() const { return best && best_ns < built_in_ns; }
};

/// Searches until the stop condition is met or all was tried, then times the best against the built-in spec in at least 7
/// pairs. Throws UsageError (unknown kernel or strategy) and as GemmBench.
[[nodiscard]] GemmSearchResult search_gemm(Context& context, const GemmTask& task,
                                           const GemmSearchOptions& options);

}  // namespace clgauss::tune
