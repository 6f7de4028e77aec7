#pragma once
/// Includes <CL/opencl.hpp> with the caller's settings: with or without exceptions, for the
/// caller's versions of OpenCL. clgauss itself is built with its own settings and throws its own
/// errors. Its interface uses only handles, which are the same under all settings.

#if !defined(CL_HPP_TARGET_OPENCL_VERSION)
#define CL_HPP_TARGET_OPENCL_VERSION 300
#endif
#if !defined(CL_HPP_MINIMUM_OPENCL_VERSION)
#if CL_HPP_TARGET_OPENCL_VERSION < 200
#define CL_HPP_MINIMUM_OPENCL_VERSION CL_HPP_TARGET_OPENCL_VERSION
#else
#define CL_HPP_MINIMUM_OPENCL_VERSION 200
#endif
#endif
#include <CL/opencl.hpp>
