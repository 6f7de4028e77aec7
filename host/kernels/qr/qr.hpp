#pragma once
/// What of a QR factorisation is no product: panels of columns, and the triangles T of their
/// reflections; cl/qr/qr.cl.

#include "kernels/lu/lu_common.hpp"

namespace clgauss {

/// NB, the columns of a panel, and BLOCK, those of the panels whose reflections are applied
/// together, are this variant's.
[[nodiscard]] const KernelVariant& qr_variant();

/// Its parameters.
[[nodiscard]] Parameters usual_qr_parameters(const Setting& setting);

/// Whether its kernels, built with these parameters or the usual ones, passed their self-test.
[[nodiscard]] bool qr_works(Context& context, RealType type);
[[nodiscard]] bool qr_works(Context& context, RealType type, const Parameters& parameters);

class QrKernels {
 public:
  /// Of panels with at most `rows` rows.
  QrKernels(KernelMemo& kernels, Index rows, const Parameters& parameters);

  /// Columns of a panel at most, and rows and columns of gram().
  [[nodiscard]] cl_uint panel_columns() const { return nb_; }
  /// Columns of the panels whose reflections are applied together: a multiple.
  [[nodiscard]] cl_uint block() const { return block_; }
  /// Of the last panel: the products of its v, above the diagonal.
  [[nodiscard]] MatrixView gram() const { return {gram_, 0, nb_}; }

  /// Where a panel lies, and its reflections belong.
  struct Panel {
    MatrixView a, v;
    cl_uint rows, columns;
    cl_uint square;  // so many rows of A are to be R with zeros below
    cl::Buffer taus;
    cl_uint first;  // its first column's number, and tau's
  };
  /// A <- R and V of `panel`, whose V has room for whole panels.
  void factor(const cl::CommandQueue& queue, const Panel& panel);

  /// T, columns x columns, of reflections whose v have the products `gram`.
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
