#pragma once
/// The exit codes of the programs.

#include <clgauss/error.hpp>
#include <string_view>

namespace clgauss::cli {

enum class ExitCode : int {
  ok = 0,
  internal = 1,
  usage = 2,
  bad_file = 3,
  no_device = 4,
  opencl = 5,
  out_of_memory = 6,
  singular = 7,
  inaccurate = 8,
  doubtful = 9,
  interrupted = 130
};

/// The meaning of an exit code, for help and man pages.
[[nodiscard]] inline std::string_view meaning_of(ExitCode code) {
  switch (code) {
    case ExitCode::ok:
      return "done, and the residual is as small as asked for";
    case ExitCode::internal:
      return "an error of the program itself";
    case ExitCode::usage:
      return "usage: an unknown option, a value that makes no sense";
    case ExitCode::bad_file:
      return "a file that cannot be read, understood or written; shapes or values that do not fit";
    case ExitCode::no_device:
      return "no OpenCL device, none that matches, or several";
    case ExitCode::opencl:
      return "a kernel does not build, a launch is not legal, an OpenCL call failed";
    case ExitCode::out_of_memory:
      return "out of memory, on the host or the device";
    case ExitCode::singular:
      return "singular: an exactly zero pivot, or NaN or Inf in A; cholesky: not positive "
             "definite; lstsq --require-full-rank: rank-deficient";
    case ExitCode::inaccurate:
      return "not as accurate as asked for, a wrong result, or no answer in the range of the type";
    case ExitCode::doubtful:
      return "--strict: the residual is small, but hardly a digit of x can be relied on";
    case ExitCode::interrupted:
      return "interrupted by Ctrl-C or SIGTERM";
  }
  return {};
}

/// The exit code of a program that ends with `error`.
[[nodiscard]] inline ExitCode exit_code_of(const Error& error) {
  switch (error.error_code()) {
    case ErrorCode::usage:
      return ExitCode::usage;
    case ErrorCode::input:
      return ExitCode::bad_file;
    case ErrorCode::no_device:
      return ExitCode::no_device;
    case ErrorCode::opencl:
      return ExitCode::opencl;
    case ErrorCode::out_of_memory:
      return ExitCode::out_of_memory;
    case ErrorCode::singular:
      return ExitCode::singular;
    case ErrorCode::stopped:
      return ExitCode::interrupted;
  }
  return ExitCode::internal;
}

}  // namespace clgauss::cli
