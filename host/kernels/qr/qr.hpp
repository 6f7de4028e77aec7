#pragma once
/// The parts of a QR factorisation that are not matrix products: panels of columns, and the
/// triangles T of their reflections; cl/qr/qr.cl.

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// NB, the columns of a panel, and BLOCK, the columns whose reflections are applied together, are
/// parameters of this variant.
[[nodiscard]] const KernelVariant& qr_variant();

/// The usual parameters of the variant. A setting's n is the number of rows.
[[nodiscard]] Parameters usual_qr_parameters(const Setting& setting);
/// So many rows that the panels are those of the tallest matrices.
inline constexpr Index kManyRows = Index{1} << 31U;

/// Whether its kernels, built with these parameters, passed their self-test.
[[nodiscard]] bool qr_works(Context& context, RealType type, const Parameters& parameters);

class QrKernels {
 public:
  /// For panels with at most `rows` rows.
  QrKernels(KernelMemo& kernels, Index rows, const Parameters& parameters);

  /// The most columns of a panel; also the rows and columns of gram().
  [[nodiscard]] cl_uint panel_columns() const { return nb_; }
  /// Columns whose reflections are applied together; a multiple of panel_columns().
  [[nodiscard]] cl_uint block() const { return block_; }
  /// The inner products of the last panel's reflection vectors, above the diagonal.
  [[nodiscard]] MatrixView gram() const { return {gram_, 0, nb_}; }

  /// A panel, and where its reflections are stored.
  struct Panel {
    MatrixView a, v;
    cl_uint rows, columns;
    cl_uint square;  // this many rows of A become R with zeros below
    cl::Buffer taus;
    cl_uint first;  // number of its first column and of that column's tau
  };
  /// A <- R and V of `panel`. V must have space for whole panels.
  void factor(const cl::CommandQueue& queue, const Panel& panel);

  /// T, columns x columns, of reflections whose vectors have the inner products `gram`.
  void triangle(const cl::CommandQueue& queue, const MatrixView& gram, const cl::Buffer& taus,
                cl_uint first, cl_uint columns, const MatrixView& t);

 private:
  Kernel& kernel(const char* name);

  KernelMemo& kernels_;
  Parameters parameters_;
  cl_uint nb_, block_, lanes_;
  bool in_one_launch_;
  cl::Buffer panels_[2], parts_, gram_;
};

}  // namespace clgauss
