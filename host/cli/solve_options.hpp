#pragma once
/// The options of `clgauss solve`: their definitions, the modes they apply to, and their parsing.

#include <clgauss/context.hpp>
#include <clgauss/io.hpp>
#include <clgauss/solve.hpp>
#include <optional>
#include <string>

#include "command_line/command.hpp"

namespace clgauss::cli {

/// The modes of a solve. Each method for one real system on one device has a bit of its own; the
/// other modes are these.
enum Solves : unsigned {
  kCompare = 1U << 16U,
  kBatched = 1U << 17U,
  kComplex = 1U << 18U,
  kDistributed = 1U << 19U,
  kCheckpoints = 1U << 20U,  // --distributed with checkpoints
  kBeyond = kDistributed | kCheckpoints,
  kAnyMethod = kCompare - 1
};

/// The options as given. Those that need more than their raw value have a member of their own type.
struct SolveCommand {
  const po::variables_map& values;  // which must outlive it
  std::string system_path, rhs, output_path;
  std::optional<std::string> json_path, launches_path;
  FileFormat x_format = FileFormat::text;
  ReadOptions read = {};
  SolveOptions solve = {};
  ContextOptions context = {};
  WriteOptions write = {};
  int repetitions = 3, warmups = 1;  // for --compare
  bool verbose = false;

  /// Whether a switch was given.
  [[nodiscard]] bool is(const char* name) const { return values[name].as<bool>(); }
};

/// Throws UsageError for invalid values and for options that contradict each other.
[[nodiscard]] SolveCommand read_command(const po::variables_map& values);

/// The option for solving on several devices that was given, if any. It selects such a solve.
[[nodiscard]] std::optional<std::string> distributed_option(const po::variables_map& values);

}  // namespace clgauss::cli
