#pragma once
/// Tuning problems in the T1 format of the auto-tuning community, as other tuners' input files have
/// them.

#include <optional>
#include <string>

#include "tuner/kernel/kernel_task.hpp"

namespace clgauss::tune {

/// A T1 file: the task, and how long it asks to search.
struct T1File {
  KernelTask task;
  std::optional<std::size_t> evaluations;
  std::optional<double> budget_s;
};

/// Reads JSON of the T1 schema 1.0.0: TuningParameters (Values as Python has lists: literals,
/// range(), comprehensions), Conditions, KernelSpecification with scalars, vectors and local
/// memory, filled with constants, random numbers or raw files, and ReferenceArguments of raw files.
/// Files that it names are looked for beside it. Throws FileError, FormatError for what is no T1,
/// is of another language than OpenCL, or asks for what is not supported: it says for what.
[[nodiscard]] T1File read_t1(const std::string& path);

}  // namespace clgauss::tune
