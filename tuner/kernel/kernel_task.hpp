#pragma once
/// What is to be tuned: any kernel of a file, with its arguments, its range and what may vary.

#include <array>
#include <clgauss/lab/program.hpp>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tuner/kernel/element_type.hpp"
#include "tuner/kernel/expression.hpp"
#include "tuner/rows/kernel_experiment.hpp"
#include "tuner/search/space.hpp"

namespace clgauss::tune {

/// An argument of the kernel. Sizes and numbers are expressions of sizes, parameters, and LOCAL_X,
/// LOCAL_Y, LOCAL_Z, the work-items of a group.
struct KernelArgument {
  enum class Kind { buffer, scalar, local };
  /// What a buffer holds before each run: random numbers (in [-1, 1) if real, else 0 .. 99), a
  /// number, or a file's.
  using Fill = std::variant<std::monostate, double, std::filesystem::path>;

  Kind kind = Kind::buffer;
  ElementType type;
  Expression count{"1"};  // elements of a buffer or of local memory; the value of a scalar
  Fill fill = {};
  std::string name = {};            // for messages; empty: that of the kernel's signature
  std::optional<bool> output = {};  // empty: as the signature has it, const or not
  bool scratch = false;             // a buffer whose results are not compared
};

/// What the results of all configurations are compared with.
struct Reference {
  std::optional<std::string> kernel = {};  // another kernel of the file, or FILE.cl:KERNEL
  std::vector<Expression> global = {};     // its range; empty: that of the kernel
  /// A command of the shell that prints the numbers. Before it runs, {x} becomes the path of an
  /// .npy file with what the argument x (or of that number) holds before a run, and {n} the size n.
  struct Command {
    std::string text;
  };
  struct Expected {
    std::string argument;  // by its name or number from 0; empty: the only output
    std::variant<std::filesystem::path, Command> from;
    std::optional<double> tolerance = {};
  };
  std::vector<Expected> expected = {};
  std::optional<double> tolerance = {};  // of the largest number; empty: by the type
};

/// What a launch does in a second, in 1e9 of its unit: for reports.
struct LaunchRate {
  RateKind kind;
  Expression amount;  // of a launch, in 1e9
};

struct KernelTask {
  std::filesystem::path file;  // of those shipped where there is no such file
  std::string name;
  std::string build_options = {};  // beside the parameters' -D
  std::vector<Expression> global;  // 1 to 3 dimensions
  bool global_in_groups = false;   // counted in work-groups, not in work-items
  /// Of each dimension, the sizes to try or expressions of parameters that give it; empty: powers
  /// of two.
  std::vector<std::vector<Expression>> local = {};
  /// In which dimensions a range that the group does not divide goes on to its end.
  std::array<bool, 3> round_up = {};
  std::vector<KernelArgument> arguments = {};
  Variables sizes = {};                    // names that expressions may use; no macros
  std::vector<Parameter> parameters = {};  // macros
  std::vector<Expression> constraints = {};
  Reference reference = {};
  std::vector<LaunchRate> rates = {};

  [[nodiscard]] std::size_t dimensions() const { return global.size(); }
};

/// The text of a kernel file, its includes put in: of the file system or of those shipped. Throws
/// FileError.
[[nodiscard]] std::string task_source(const std::filesystem::path& file);

}  // namespace clgauss::tune
