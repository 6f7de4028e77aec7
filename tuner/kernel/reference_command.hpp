#pragma once
/// Results to compare with that a command of the shell computes.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "tuner/kernel/element_type.hpp"

namespace clgauss::tune {

/// Numbers, those of a vector one after the other.
struct CommandArray {
  ElementType type;
  std::vector<double> values;
};

/// What stands for a name in a command: a text, or an array, which becomes the path of a file.
using CommandInput = std::variant<std::string, CommandArray>;

/// The numbers that `command` prints, divided by blanks, commas or lines, or as an .npy file. Each
/// {NAME} that `input` knows is replaced before; other braces stay. Throws UsageError, naming the
/// command, if it fails or prints something else.
[[nodiscard]] std::vector<double> numbers_printed_by(
    std::string_view command,
    const std::function<std::optional<CommandInput>(std::string_view name)>& input);

}  // namespace clgauss::tune
