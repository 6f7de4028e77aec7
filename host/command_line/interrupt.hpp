#pragma once
/// Turns Ctrl-C into an exception, so that unwinding removes temporary files.

#include <clgauss/error.hpp>
#include <string_view>

namespace clgauss::cli {

/// The exception that throw_if_interrupted() throws.
class Interrupted : public Error {
 public:
  Interrupted() : Error(ErrorCode::stopped, "interrupted") {}
};

/// From now on, the first SIGINT or SIGTERM is remembered for throw_if_interrupted(). A second
/// signal ends the program from the signal handler. So does a timeout of 0.6 s after the first, for
/// example while a driver compiles or a pipe is read. The handler removes the temporary files,
/// prints a message of `program` and exits with code 130. In every case the program ends within a
/// second.
void handle_interrupts(std::string_view program);

/// The message of Interrupted has been printed: the signal handler need not print it again if the
/// program takes long to end.
void interrupt_is_told();

/// Whether a signal has arrived.
[[nodiscard]] bool is_interrupted();

/// Long work calls this regularly. Throws Interrupted after the first signal.
void throw_if_interrupted();

}  // namespace clgauss::cli
