#pragma once
/// The sweeps of Jacobi and Seidel, cl/elimination/iterations.cl.

#include <clgauss/context.hpp>
#include <clgauss/lab/variant.hpp>
#include <clgauss/view.hpp>

namespace clgauss {

[[nodiscard]] const KernelVariant& iterations_variant();

class IterationKernels {
 public:
  /// Throws NoUsableKernel.
  IterationKernels(Context& context, RealType type);

  /// A x = b on the device; a right-hand side is a row of b and x, n apart.
  struct Operands {
    MatrixView a;  // from the buffer's first element on
    cl::Buffer b, x;
    cl_uint n, nrhs;
  };
  /// `next` <- a sweep of Jacobi from x.
  void jacobi(const Operands& operands, const cl::Buffer& next);
  /// x <- a sweep of Seidel from x.
  void seidel(const Operands& operands);

 private:
  friend bool iterations_work(Context& context, RealType type);
  struct Unchecked {};
  IterationKernels(Context& context, RealType type, Unchecked unchecked);

  Context context_;
  Kernel jacobi_, seidel_;
  std::size_t group_;
};

/// Whether both passed their self-test.
[[nodiscard]] bool iterations_work(Context& context, RealType type);

}  // namespace clgauss
