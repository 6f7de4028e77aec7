#pragma once
/// Ctrl-C as an error that unwinds, so that no temporary file stays behind.

#include <clgauss/error.hpp>

namespace clgauss::cli {

/// What throw_if_interrupted() throws.
class Interrupted : public Error {
 public:
  Interrupted() : Error(ExitCode::interrupted, "interrupted") {}
};

/// From now on the first SIGINT or SIGTERM is only remembered; a second one ends the program at once.
void remember_interrupts();

/// To be called on the way through long work. Throws Interrupted after the first signal.
void throw_if_interrupted();

}  // namespace clgauss::cli
