#pragma once
/// The options of `clgauss solve`: what they are, where they mean something, and how they are read.

#include <clgauss/context.hpp>
#include <clgauss/io.hpp>
#include <clgauss/solve.hpp>
#include <optional>
#include <string>

#include "command_line/command.hpp"

namespace clgauss::cli {

/// What a solve can be: of one real system on one device by a method, each of which has a bit, or
/// one of these.
enum Solves : unsigned {
  kCompare = 1U << 16U,
  kBatched = 1U << 17U,
  kComplex = 1U << 18U,
  kDistributed = 1U << 19U,
  kCheckpoints = 1U << 20U,  // of a distributed one
  kBeyond = kDistributed | kCheckpoints,
  kAnyMethod = kCompare - 1
};

/// The options as given: those that more is asked of than their value, each in its own type.
struct SolveCommand {
  const po::variables_map& values;  // which must outlive it
  std::string system_path, rhs, output_path;
  std::optional<std::string> json_path, launches_path;
  FileFormat x_format = FileFormat::text;
  ReadOptions read = {};
  SolveOptions solve = {};
  ContextOptions context = {};
  WriteOptions write = {};
  int repetitions = 3, warmups = 1;  // of --compare

  /// Whether a switch was given.
  [[nodiscard]] bool is(const char* name) const { return values[name].as<bool>(); }
};

/// Throws UsageError for values that an option does not take, and for options that contradict each
/// other.
[[nodiscard]] SolveCommand read_command(const po::variables_map& values);

/// The option of a solve beyond one device that was given, if any: it means such a solve.
[[nodiscard]] std::optional<std::string> distributed_option(const po::variables_map& values);

}  // namespace clgauss::cli
