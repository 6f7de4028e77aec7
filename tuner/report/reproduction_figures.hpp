#pragma once
/// Figures and verdicts of the reproductions.

#include <string>
#include <vector>

#include "tuner/report/figure.hpp"
#include "tuner/rows/measured.hpp"

namespace clgauss::tune::report {

/// Of one reproduction: its figures, and plain sentences on what holds here. Both are empty where
/// the rows do not suffice.
struct ReproductionFigures {
  std::vector<Figure> (*figures)(const Measured& measured);
  std::vector<std::string> (*verdict)(const Measured& measured);
};

[[nodiscard]] ReproductionFigures ladder_figures();
[[nodiscard]] ReproductionFigures kernels_figures();
[[nodiscard]] ReproductionFigures cpu_gpu_figures();
[[nodiscard]] ReproductionFigures bandwidth_figures();

}  // namespace clgauss::tune::report
