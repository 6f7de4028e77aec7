#pragma once
/// What the caller can do on a device: each case tells on stdout all that it sees of its launches.

#include <CL/cl.h>

#include <string>

namespace caller {

// launches.cpp

/// Each kernel often, over ranges of one to three dimensions.
void run_kernels(cl_device_id device);
/// The same in a queue that keeps times.
void run_profiled(cl_device_id device);
/// Each launch has an event, waits for the one before, and tells what can be asked of it.
void run_events(cl_device_id device);
/// The same in a queue out of order, where the device has such.
void run_unordered(cl_device_id device);
/// Launches that wait for what the program does later.
void run_user_events(cl_device_id device);
/// What the drivers say to launches that cannot be.
void run_errors(cl_device_id device);
/// Arguments that change between launches, from several threads, each with a context of its own.
void run_threads(cl_device_id device);

// programs.cpp

/// A kernel object for each launch, made and released; then all again from the program's binary.
void run_objects(cl_device_id device);
/// A text that includes a file which lets it tell its size, and which says after the build what
/// would not.
void run_included(cl_device_id device);
/// As programs with a cache of their own: the binary of the last run, where there is one.
void run_saved(cl_device_id device);
/// The same with two launches of each kernel: too few for a trial.
void run_saved_short(cl_device_id device);
/// With six launches of each kernel, made while the device is busy: so that nobody knows how long
/// they take before they are worth a look.
void run_saved_behind(cl_device_id device);
/// Two texts that are compiled by themselves and linked, and all that was made of them anew from
/// its binaries. One text calls what lets it tell its size in the other.
void run_linked(cl_device_id device);
/// Kernels of what OpenCL C 1.2 lacks: linear ids, sizes that were enqueued, smaller groups at the
/// range's end; and lines that a kernel prints.
void run_newer(cl_device_id device);
/// Two programs for two devices; the second one can tell its size. Then one of the first one's
/// binary for one device and the second one's for the other. (PoCL 3.1 takes them in no other
/// order than that of the devices.)
void run_devices(cl_device_id device);

// ends.cpp

/// Too few launches for the layer to decide anything, but long ones, so that it begins.
void run_short(cl_device_id device);
/// Ends in a way that leaves all as it is: "crash", "fork", or any other word by exit().
[[noreturn]] void end_early(const std::string& how, cl_device_id device);

}  // namespace caller
