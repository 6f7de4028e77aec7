#pragma once
/// The one place where CLHPP's cl::Error becomes a clgauss::Error.

#include <CL/opencl.hpp>
#include <clgauss/error.hpp>
#include <string>
#include <utility>

namespace clgauss {

/// "CL_OUT_OF_RESOURCES" for -5; "OpenCL error -9999" for a code that has no name.
[[nodiscard]] std::string opencl_error_name(int code);

/// Throws OutOfMemory for the codes that say so, OpenClError for all others.
[[noreturn]] void throw_opencl_error(const cl::Error& error);

/// Runs `body`; what CLHPP throws in it leaves as clgauss's own error. Wraps the body of every
/// public function that talks to OpenCL, so that a caller has one hierarchy to catch.
template <typename Body>
decltype(auto) translate_opencl_errors(Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const cl::Error& error) {
    throw_opencl_error(error);
  }
}

}  // namespace clgauss
