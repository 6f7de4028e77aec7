#pragma once
/// Checks views from a caller before anything is enqueued on them.

#include <clgauss/batched.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>

namespace clgauss {

/// Throws DimensionError, which calls the matrix `name`, unless `view` can hold `rows` x `cols`
/// elements of `type`: a buffer is there, ld >= cols, ld below 2^32 (kernels count with 32 bits),
/// and the last element lies in the buffer. An empty matrix needs no buffer.
void check_view(const MatrixView& view, Index rows, Index cols, RealType type, const char* name);

/// The same for `batch` matrices.
void check_batch(const BatchView& view, Index batch, Index rows, Index cols, RealType type,
                 const char* name);

/// Throws DimensionError unless `buffer` holds `count` cl_int.
void check_integers(const cl::Buffer& buffer, Index count, const char* name);

}  // namespace clgauss
