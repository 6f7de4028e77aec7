#pragma once
/// The sub-commands of clgauss-tune.

#include "command_line/command.hpp"

namespace clgauss::tune {

using cli::Arguments;

}  // namespace clgauss::tune
