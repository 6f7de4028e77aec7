#pragma once
/// Ctrl-C as an error that unwinds, so that no temporary file stays behind.

#include <clgauss/error.hpp>

namespace clgauss::cli {

/// What throw_if_interrupted() throws.
class Interrupted : public Error {
 public:
  Interrupted() : Error(ExitCode::interrupted, "interrupted") {}
};

/// From now on the first SIGINT or SIGTERM is remembered, for throw_if_interrupted(). Where the program has not come there and
/// unwound within a second, because it waits for a driver, a thread of its own removes the temporary files, says so and ends
/// the program with the same exit code. A second signal ends it at once.
void remember_interrupts();

/// To be called on the way through long work. Throws Interrupted after the first signal.
void throw_if_interrupted();

}  // namespace clgauss::cli
