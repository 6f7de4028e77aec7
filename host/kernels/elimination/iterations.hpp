#pragma once
/// The sweeps of the Jacobi and Seidel methods, cl/elimination/iterations.cl.

#include <clgauss/context.hpp>
#include <clgauss/lab/variant.hpp>
#include <clgauss/view.hpp>

namespace clgauss {

[[nodiscard]] const KernelVariant& iterations_variant();

class IterationKernels {
 public:
  /// Throws NoUsableKernel.
  IterationKernels(Context& context, RealType type);

  /// A x = b on the device. Each right-hand side is a row of b and of x; the rows are n apart.
  struct Operands {
    MatrixView a;  // begins at the buffer's first element
    cl::Buffer b, x;
    cl_uint n, nrhs;
  };
  /// `next` <- one Jacobi sweep from x.
  void jacobi(const Operands& operands, const cl::Buffer& next);
  /// x <- one Seidel sweep from x.
  void seidel(const Operands& operands);

 private:
  friend bool iterations_work(Context& context, RealType type);
  struct Unchecked {};
  IterationKernels(Context& context, RealType type, Unchecked unchecked);

  Context context_;
  Kernel jacobi_, seidel_;
  std::size_t group_;
};

/// Whether both kernels passed their self-test.
[[nodiscard]] bool iterations_work(Context& context, RealType type);

}  // namespace clgauss
