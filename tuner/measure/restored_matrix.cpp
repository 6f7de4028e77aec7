#include "tuner/measure/restored_matrix.hpp"

#include "matrix/transfer.hpp"

namespace clgauss::tune {

RestoredMatrix::RestoredMatrix(const Context& context, RealType type, const Matrix& matrix,
                               Index ld, const std::string& what)
    : bytes_(matrix.rows() * ld * bytes_of(type)),
      original_(to_device(context, type, matrix, ld, what)),
      view_{context.allocate(bytes_, what), 0, ld} {}

void RestoredMatrix::restore(const cl::CommandQueue& queue) const {
  queue.enqueueCopyBuffer(original_.buffer, view_.buffer, 0, 0, bytes_);
}

}  // namespace clgauss::tune
