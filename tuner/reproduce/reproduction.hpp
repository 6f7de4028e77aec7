#pragma once
/// The experiments of the source documents that clgauss-tune runs again.

#include <clgauss/context.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/experiments/case.hpp"
#include "tuner/measure/timing.hpp"
#include "tuner/reproduce/findings.hpp"

namespace clgauss::tune {

/// What the user chose; what is empty or 0 is the document's own.
struct ReproduceOptions {
  std::vector<std::size_t> sizes;           // n of the matrices, or the side of the array
  std::vector<std::size_t> locals, groups;  // of the sweeps of bandwidth
  std::size_t repetitions = 5;
  TimingOptions timing;
  bool full_cpu = false;  // CPU loops over all rows, however long that takes
};

/// Where a reproduction runs.
struct Laboratory {
  Context& context;
  const ExperimentInfo& info;
  const ReproduceOptions& options;
};

/// One document's experiment.
struct Reproduction {
  std::string_view name;    // for the command line and the rows
  std::string_view source;  // the document
  std::size_t repetitions = 5;
  std::vector<Case> (*cases)(const Laboratory& laboratory);
  /// Published and measured figures side by side, from the rows alone: a report needs no device.
  Findings (*findings)(const std::vector<Row>& rows);
};

[[nodiscard]] Reproduction matmul_ladder();   // Vatutin, Martynov, Titov
[[nodiscard]] Reproduction matmul_kernels();  // Lopatin
[[nodiscard]] Reproduction matmul_cpu_gpu();  // Zhao
[[nodiscard]] Reproduction bandwidth();       // Tutubalin

/// All of them, in this order.
[[nodiscard]] const std::vector<Reproduction>& reproductions();

}  // namespace clgauss::tune
