#pragma once
/// <CL/opencl.hpp> as the caller sets it up: with exceptions or without, for the versions of OpenCL
/// that he names. clgauss itself is built with its own settings and throws its own errors; it takes
/// and gives handles alone, which are the same in all of them.

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
