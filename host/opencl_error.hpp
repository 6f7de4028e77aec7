#pragma once
/// The one place that turns CLHPP's cl::Error into a clgauss::Error.

#include <CL/opencl.hpp>
#include <clgauss/error.hpp>
#include <string>
#include <utility>

namespace clgauss {

/// "CL_OUT_OF_RESOURCES" for -5; "OpenCL error -9999" for a code that has no name.
[[nodiscard]] std::string opencl_error_name(int code);

/// Throws cl::Error, as CLHPP does, unless `code` is CL_SUCCESS. For calls that CLHPP does not make
/// safely.
inline void check_call(const char* call, cl_int code) {
  if (code != CL_SUCCESS) throw cl::Error(code, call);
}

/// Runs `body` and rethrows CLHPP's exceptions as clgauss errors. Wraps the body of every public
/// function that calls OpenCL, so that a caller has only one exception hierarchy to catch.
template <typename Body>
decltype(auto) translate_opencl_errors(Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const cl::Error& error) {
    throw_opencl_error(error.what(), error.err());
  }
}

}  // namespace clgauss
