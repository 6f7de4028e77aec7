#pragma once
/// A matrix turned over on the device.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>

namespace clgauss {

/// Enqueues `to` <- `from`^T, where `from` has this many rows and columns; they may not overlap.
/// Reads and writes each number once. Throws what ProgramStore::kernel() throws.
void enqueue_transpose(Context& context, RealType type, const MatrixView& from,
                       const MatrixView& to, Index rows, Index columns);

}  // namespace clgauss
