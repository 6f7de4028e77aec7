#pragma once
/// Typed errors of clgauss. Misuse and the environment throw; a numerical outcome (a zero pivot, a
/// large residual) is a value.

#include <clgauss/export.hpp>
#include <stdexcept>
#include <string>

namespace CLGAUSS_EXPORT clgauss {

/// What kind of error it is, for callers that do not catch by type; a C interface hands it out.
enum class ErrorCode : int {
  usage = 1,      // an argument that makes no sense
  input,          // a file, a shape or a number that cannot be taken
  no_device,      // no OpenCL device, none that matches, or more than one
  opencl,         // a kernel does not build or fails its self-test, or a call of OpenCL failed
  out_of_memory,  // on the host or on the device
  singular,       // an exactly zero pivot, or NaN or Inf in A
  stopped         // a caller's callback ended the work
};

/// Base of everything that clgauss throws: a message and a code.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode error_code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// An option or argument that makes no sense.
class UsageError : public Error {
 public:
  explicit UsageError(const std::string& message) : Error(ErrorCode::usage, message) {}
};

/// A file that cannot be opened, read or written.
class FileError : public Error {
 public:
  FileError(const std::string& file, const std::string& reason)
      : Error(ErrorCode::input, file + ": " + reason) {}
};

/// A file whose content is not what its format asks for. `line` and `column` count from 1; 0 = not
/// known.
class FormatError : public Error {
 public:
  FormatError(const std::string& file, std::size_t line, std::size_t column,
              const std::string& reason);
  [[nodiscard]] std::size_t line() const noexcept { return line_; }
  [[nodiscard]] std::size_t column() const noexcept { return column_; }

 private:
  std::size_t line_;
  std::size_t column_;
};

/// Shapes that do not belong together: A not square, b of another length.
class DimensionError : public Error {
 public:
  explicit DimensionError(const std::string& message) : Error(ErrorCode::input, message) {}
};

/// A number of the system that the type it is to be solved in cannot hold.
class ValueError : public Error {
 public:
  explicit ValueError(const std::string& message) : Error(ErrorCode::input, message) {}
};

/// No OpenCL device, no match for a device spec, or several matches.
class DeviceNotFound : public Error {
 public:
  explicit DeviceNotFound(const std::string& message) : Error(ErrorCode::no_device, message) {}
};

/// A launch or a type that the device, or one kernel on it, does not allow; the message names the
/// limit.
class DeviceLimit : public Error {
 public:
  explicit DeviceLimit(const std::string& message) : Error(ErrorCode::opencl, message) {}
};

/// Work-groups that were to run all at once did not, though a probe had shown it: another program
/// may be on the device. What they worked on is worthless; again, or without such kernels, it may
/// well succeed.
class CoResidencyLost : public DeviceLimit {
 public:
  explicit CoResidencyLost(const std::string& message, bool looked_ahead = false)
      : DeviceLimit(message), looked_ahead_(looked_ahead) {}

  /// Whether an update ran beside them (LuOptions::look_ahead), so that they may all run at once
  /// without it.
  [[nodiscard]] bool looked_ahead() const { return looked_ahead_; }

 private:
  bool looked_ahead_;
};

/// Kernels that built and ran, and failed their self-test.
class WrongAnswer : public Error {
 public:
  explicit WrongAnswer(const std::string& message) : Error(ErrorCode::opencl, message) {}
};

/// None of the kernels that could do an operation works on the device; the message says of each why
/// not.
class NoUsableKernel : public DeviceLimit {
 public:
  explicit NoUsableKernel(const std::string& message) : DeviceLimit(message) {}
};

/// Factors that cannot be solved with: the pivot of `column`, 0-based, is exactly zero or NaN.
class SingularFactors : public Error {
 public:
  explicit SingularFactors(std::size_t column)
      : Error(ErrorCode::singular, "the factors are singular: the pivot of column " +
                                       std::to_string(column + 1) + " is zero or not a number"),
        column_(column) {}
  [[nodiscard]] std::size_t column() const noexcept { return column_; }

 private:
  std::size_t column_;
};

/// A kernel that does not build: the options it was built with and the compiler's log.
class BuildError : public Error {
 public:
  BuildError(const std::string& program, const std::string& options, const std::string& log);
};

/// An OpenCL call that failed; the message names the call and the error code.
class OpenClError : public Error {
 public:
  OpenClError(const std::string& call, int code);
  [[nodiscard]] int code() const noexcept { return code_; }

 private:
  int code_;
};

/// The device returned what its kernels cannot have computed: a pivot row outside the matrix, a
/// column that it does not have.
class DeviceFault : public Error {
 public:
  explicit DeviceFault(const std::string& what)
      : Error(ErrorCode::opencl, what + ": the device's memory or its driver is faulty") {}
};

/// Memory on the host or on the device does not suffice; the message says what is needed and what
/// there is.
class OutOfMemory : public Error {
 public:
  explicit OutOfMemory(const std::string& message) : Error(ErrorCode::out_of_memory, message) {}
};

/// An OpenCL `call` failed with `code`: throws OutOfMemory for the codes that say so, OpenClError
/// for all others.
[[noreturn]] void throw_opencl_error(const std::string& call, int code);

}  // namespace clgauss
