#pragma once
/// What `clgauss-tune kernel` prints and leaves for programs.

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tuner/kernel/kernel_tuning.hpp"
#include "tuner/rows/row.hpp"

namespace clgauss::tune {

/// What came of a kernel at one size.
struct TunedSize {
  KernelTask task;
  KernelTuning tuning;
  std::vector<Point> points;  // of its folder
};

/// "n=1024,m=8": the names of a task's sizes and their values; empty if it has none.
[[nodiscard]] std::string size_text(const Variables& sizes);

/// Of one size the verdict, all tables and the line of C++; of several a row each.
[[nodiscard]] std::string kernel_report(const std::vector<TunedSize>& sizes);
/// Of one size an object; of several the kernel and a "table" of these. `noise` is why the machine
/// was found too noisy before; empty: it was not.
[[nodiscard]] nlohmann::ordered_json kernel_json(const std::vector<TunedSize>& sizes,
                                                 const std::string& noise);
/// A C++ header of the best launches, by size, and a function that finds the nearest one; empty if
/// there is none. `origin` says in it where they come from.
[[nodiscard]] std::string kernel_header(const std::vector<TunedSize>& sizes, std::string origin);

}  // namespace clgauss::tune
