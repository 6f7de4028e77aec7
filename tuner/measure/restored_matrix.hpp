#pragma once
/// A matrix on the device that what is timed overwrites.

#include <clgauss/context.hpp>
#include <clgauss/matrix.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <string>

namespace clgauss::tune {

class RestoredMatrix {
 public:
  /// With leading dimension `ld`; `what` is for a message about memory. Throws OutOfMemory.
  RestoredMatrix(const Context& context, RealType type, const Matrix& matrix, Index ld,
                 const std::string& what);

  /// What may be overwritten; holds the matrix after restore().
  [[nodiscard]] const MatrixView& view() const { return view_; }
  /// Enqueues the copy.
  void restore(const cl::CommandQueue& queue) const;

 private:
  std::size_t bytes_;
  MatrixView original_, view_;
};

}  // namespace clgauss::tune
