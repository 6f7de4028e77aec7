#pragma once
/// The exceptions of clgauss. Misuse and problems of the environment throw; a numerical outcome (a
/// zero pivot, a large residual) is a return value.

#include <clgauss/export.hpp>
#include <stdexcept>
#include <string>

namespace CLGAUSS_EXPORT clgauss {

/// The kind of an error, for callers that do not catch by type, such as a C interface.
enum class ErrorCode : int {
  usage = 1,      // an invalid argument
  input,          // an invalid file, shape or number
  no_device,      // no OpenCL device, none that matches, or more than one
  opencl,         // a kernel does not build or fails its self-test, or a call of OpenCL failed
  out_of_memory,  // on the host or on the device
  singular,       // an exactly zero pivot, or NaN or Inf in A
  stopped         // a caller's callback ended the work
};

/// The base class of everything that clgauss throws: a message and a code.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  [[nodiscard]] ErrorCode error_code() const noexcept { return code_; }

 private:
  ErrorCode code_;
};

/// An invalid option or argument.
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

/// A file whose content violates its format. `line` and `column` count from 1; 0 = unknown.
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

/// Shapes that do not fit each other: A is not square, or b has another length.
class DimensionError : public Error {
 public:
  explicit DimensionError(const std::string& message) : Error(ErrorCode::input, message) {}
};

/// A number of the system that cannot be represented in the type of the solve.
class ValueError : public Error {
 public:
  explicit ValueError(const std::string& message) : Error(ErrorCode::input, message) {}
};

/// No OpenCL device, no match for a device spec, or several matches.
class DeviceNotFound : public Error {
 public:
  explicit DeviceNotFound(const std::string& message) : Error(ErrorCode::no_device, message) {}
};

/// The device, or a kernel on it, does not allow a launch or a type; the message names the limit.
class DeviceLimit : public Error {
 public:
  explicit DeviceLimit(const std::string& message) : Error(ErrorCode::opencl, message) {}
};

/// Work-groups that must all run at once did not, although a probe had succeeded; another program
/// may be using the device. Their results are invalid. A repetition, or a run without such kernels,
/// may succeed.
class CoResidencyLost : public DeviceLimit {
 public:
  explicit CoResidencyLost(const std::string& message, bool looked_ahead = false)
      : DeviceLimit(message), looked_ahead_(looked_ahead) {}

  /// Whether an update ran at the same time (LuOptions::look_ahead). Without it, all work-groups
  /// may run at once.
  [[nodiscard]] bool looked_ahead() const { return looked_ahead_; }

 private:
  bool looked_ahead_;
};

/// Kernels that built and ran but failed their self-test.
class WrongAnswer : public Error {
 public:
  explicit WrongAnswer(const std::string& message) : Error(ErrorCode::opencl, message) {}
};

/// None of the kernels for an operation works on the device; the message gives the reason for each.
class NoUsableKernel : public DeviceLimit {
 public:
  explicit NoUsableKernel(const std::string& message) : DeviceLimit(message) {}
};

/// Factors that cannot be used for a solve: the pivot of `column`, 0-based, is exactly zero or NaN.
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

/// A kernel does not build; the message has the build options and the compiler's log.
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

/// The device returned an impossible result, such as a pivot row outside the matrix or a column
/// that does not exist.
class DeviceFault : public Error {
 public:
  explicit DeviceFault(const std::string& what)
      : Error(ErrorCode::opencl, what + ": the device's memory or its driver is faulty") {}
};

/// Not enough memory on the host or on the device; the message gives the needed and the available
/// memory.
class OutOfMemory : public Error {
 public:
  explicit OutOfMemory(const std::string& message) : Error(ErrorCode::out_of_memory, message) {}
};

/// Reports that an OpenCL `call` failed with `code`: throws OutOfMemory for the codes that mean it,
/// OpenClError for all others.
[[noreturn]] void throw_opencl_error(const std::string& call, int code);

}  // namespace clgauss
