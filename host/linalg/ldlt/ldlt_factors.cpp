#include "linalg/ldlt/ldlt_factors.hpp"

#include <algorithm>
#include <clgauss/error.hpp>

#include "linalg/lu/lu_backend.hpp"
#include "linalg/lu/pivots.hpp"
#include "linalg/lu/plain_solves.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

LdltFactors::LdltFactors(KernelMemo& kernels, LuFamily family, Index n, const LdltPanels& panels)
    : context_(kernels.context()),
      number_(kernels.number()),
      columns_(static_cast<cl_uint>(n)),
      flags_(context_),
      kernels_(kernels, family, n, panels),
      buffers_(context_, number_, kernels_.cut()),
      identity_(no_exchanges(context_, n)) {}

void LdltFactors::prepare() { kernels_.prepare(); }

void LdltFactors::factor(const cl::CommandQueue& queue, const MatrixView& a,
                         const ProgressCallback& callback,
                         const std::function<void(cl_uint k, cl_uint count)>& update) {
  LuProgress progress(queue, callback, columns_, width(), number_.complex ? 4.0 / 3 : 1.0 / 3);
  flags_.reset(queue);
  start(queue);
  for (cl_uint k = 0; k < columns_;) {
    const cl_uint most = std::min(width(), columns_ - k);
    const cl_uint count = kernels_.panel(queue, a, columns_, k, most, buffers_, flags_),
                  next = k + count;
    if (next < columns_) update(k, count);  // A22 -= L21 U12
    progress.block_enqueued(k / width(), columns_ - next);
    k = next;
  }
  if (columns_ > 0) kernels_.exchange(queue, a, columns_, buffers_);
  if (callback) progress.finish();
}

void LdltFactors::to_pivots(const cl::CommandQueue& queue, const MatrixView& b, Index nrhs,
                            const cl::Buffer& x) {
  kernels_.permute(queue, b, columns_, nrhs, buffers_.rows, x, false);
}

void LdltFactors::from_pivots(const cl::CommandQueue& queue, const cl::Buffer& x, Index nrhs,
                              const MatrixView& b) {
  kernels_.permute(queue, b, columns_, nrhs, buffers_.order, x, true);
}

std::optional<Index> LdltFactors::failed_column(const cl::CommandQueue& queue) const {
  return failed_column_of(context_, flags_.read(queue), columns_);
}

SymmetricPivots LdltFactors::symmetric_pivots(const cl::CommandQueue& queue) const {
  const Index n = columns_, parts = number_.parts();
  SymmetricPivots found;
  const Values d = download(queue, buffers_.d, number_.real, 2 * n * parts);
  for (Index k = 0; k < n; ++k) found.diagonal.push_back(d[k * parts]);
  found.below.assign(d.begin() + static_cast<std::ptrdiff_t>(n * parts), d.end());
  found.exchanges = read_pivots<cl_uint>(queue, buffers_.exchanges, n, n);
  std::vector<cl_uint> kinds(n);
  if (n > 0) queue.enqueueReadBuffer(buffers_.kinds, CL_TRUE, 0, n * sizeof(cl_uint), kinds.data());
  for (Index k = 0; k < n; ++k) {
    const bool second = k > 0 && kinds[k - 1] == LdltKernels::kFirst;
    if ((kinds[k] == LdltKernels::kSecond) != second || kinds[k] > LdltKernels::kSecond)
      throw DeviceFault("the blocks of D read from the device overlap");
    found.pairs.push_back(kinds[k] == LdltKernels::kFirst);
  }
  return found;
}

std::vector<Index> LdltFactors::pivots(const cl::CommandQueue& queue) const {
  const SymmetricPivots found = symmetric_pivots(queue);
  return row_exchanges_of(found.exchanges, found.pairs);
}

/// Sets the initial contents of the panels' buffers.
void LdltFactors::start(const cl::CommandQueue& queue) {
  if (columns_ == 0) return;
  const std::size_t bytes = columns_ * sizeof(cl_uint);
  for (const cl::Buffer* indices : {&buffers_.exchanges, &buffers_.order, &buffers_.rows})
    queue.enqueueCopyBuffer(identity_, *indices, 0, 0, bytes);
  queue.enqueueFillBuffer(buffers_.kinds, LdltKernels::kSingle, 0, bytes);
  queue.enqueueFillBuffer(buffers_.ends, columns_, 0, bytes);
  for (const cl::Buffer* zeros : {&buffers_.done, &buffers_.team})
    queue.enqueueFillBuffer(*zeros, cl_uint{0}, 0, zeros->getInfo<CL_MEM_SIZE>());
}

}  // namespace clgauss
