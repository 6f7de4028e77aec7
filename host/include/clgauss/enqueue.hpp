#pragma once
/// Where and when an operation is enqueued.

#include <clgauss/export.hpp>
#include <clgauss/opencl.hpp>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// Operations that take it wait for nothing themselves. Work-spaces are shared between the
/// operations of one object, so those that are enqueued on another queue than the one before them
/// start when that one's are done.
struct EnqueueOptions {
  const cl::CommandQueue* queue = nullptr;  // in order, of the context; null: the context's own
  std::vector<cl::Event> wait_for = {};     // the operation starts after these
  cl::Event* done = nullptr;                // is set to an event of the operation's end
};

}  // namespace clgauss
