#pragma once
/// What the programs return to the shell.

#include <clgauss/error.hpp>

namespace clgauss::cli {

enum class ExitCode : int {
  ok = 0,
  internal = 1,
  usage = 2,
  bad_file = 3,   // an input that cannot be read or understood, an output that cannot be written
  no_device = 4,  // no OpenCL device, none that matches, or more than one
  opencl = 5,     // a kernel does not build, a launch is not legal, or a call failed
  out_of_memory = 6,  // on the host or on the device
  singular = 7,       // an exactly zero pivot, or NaN or Inf in A
  inaccurate = 8,     // solved, but above the bound asked for, or no answer in the type's range
  interrupted = 130
};

/// What a program that ends with `error` returns.
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
