#pragma once
/// Ctrl-C as an error that unwinds, so that no temporary file stays behind.

#include <clgauss/error.hpp>
#include <string_view>

namespace clgauss::cli {

/// What throw_if_interrupted() throws.
class Interrupted : public Error {
 public:
  Interrupted() : Error(ErrorCode::stopped, "interrupted") {}
};

/// From now on the first SIGINT or SIGTERM is remembered for throw_if_interrupted(). Who is not
/// back from that after 0.6 s (a driver compiles, a pipe is read), or is sent a second one, is
/// ended from the signal handler, with no temporary file left: within a second, with a message of
/// `program` and exit code 130, whatever goes on.
void handle_interrupts(std::string_view program);

/// The message of Interrupted is out: the program need not give it again if its end takes long.
void interrupt_is_told();

/// Whether there was a signal.
[[nodiscard]] bool is_interrupted();

/// To be called on the way through long work. Throws Interrupted after the first signal.
void throw_if_interrupted();

}  // namespace clgauss::cli
