#pragma once
/// Transposes a matrix on the device.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>

namespace clgauss {

/// Enqueues `to` <- `from`^T. `from` has `rows` rows and `columns` columns; the matrices may not
/// overlap. Reads and writes each number once. Throws as ProgramStore::kernel() does.
void enqueue_transpose(Context& context, RealType type, const MatrixView& from,
                       const MatrixView& to, Index rows, Index columns);

}  // namespace clgauss
