#pragma once
/// Where and when an operation is enqueued.

#include <clgauss/export.hpp>
#include <clgauss/opencl.hpp>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// Operations with these options do not wait. The operations of one object share its workspace: one
/// that is enqueued on another queue than its predecessor starts after the predecessor has ended.
struct EnqueueOptions {
  const cl::CommandQueue* queue = nullptr;  // in-order, of the context; null: the context's own
  std::vector<cl::Event> wait_for = {};     // the operation starts after these
  cl::Event* done = nullptr;                // receives an event of the operation's end
};

}  // namespace clgauss
