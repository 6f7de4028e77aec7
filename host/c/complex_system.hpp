#pragma once
/// A caller's complex A and B, side by side on the device.

#include <algorithm>
#include <clgauss/context.hpp>
#include <clgauss/error.hpp>
#include <clgauss/view.hpp>

#include "c/host_matrix.hpp"
#include "launch/staging.hpp"
#include "linalg/complex/complex_lu.hpp"
#include "matrix/transfer.hpp"

namespace clgauss::c {

inline void check_complex_counts(Index rows, Index columns) {
  constexpr Index kMost = Index{1} << 30U;
  if (rows > kMost || columns > kMost)
    throw DimensionError("rows, columns and right-hand sides: none may be above 2^30");
}

template <typename Number>
HostMatrix<Number> rows_of(const HostMatrix<Number>& matrix, Index first, Index last) {
  return {matrix.data + first * matrix.row_step, last - first, matrix.columns, matrix.row_step,
          matrix.column_step};
}

/// A and B side by side on the device, in the layout of ComplexLu.
template <typename Number>
class DeviceSystem {
 public:
  DeviceSystem(Context& context, const ComplexLayout& layout)
      : context_(context),
        layout_(layout),
        view_{context.allocate(layout.m * layout.ld * sizeof(Number) / 2, "a complex system"), 0,
              layout.ld} {}

  [[nodiscard]] const MatrixView& view() const { return view_; }

  void write(const HostMatrix<const Number>& a, const HostMatrix<const Number>& b) const {
    context_.staging().write(
        context_.queue(), view_.buffer, layout_.m, row_bytes(),
        [&](Index first, Index last, std::byte* out) {
          auto* const rows = reinterpret_cast<Number*>(out);
          std::fill_n(rows, (last - first) * row_bytes() / sizeof(Number), Number{});
          copy(rows_of(a, first, last), own(rows, last - first, 0, a.columns));
          copy(rows_of(b, first, last), own(rows, last - first, layout_.b / 2, b.columns));
        });
  }

  /// Reads only B.
  void read(const HostMatrix<Number>& b) const {
    const std::size_t bytes = b.columns * sizeof(Number);
    const cl::Buffer buffer = context_.allocate(b.rows * bytes, "a complex X");
    const Index column = layout_.b * sizeof(Number) / 2;
    enqueue_copy_rows(context_.queue(), {view_.buffer, column, row_bytes()}, {buffer, 0, bytes},
                      bytes, b.rows);
    context_.staging().read(
        context_.queue(), buffer, b.rows, bytes, [&](Index first, Index last, const std::byte* in) {
          const auto* const rows = reinterpret_cast<const Number*>(in);
          copy(row_major(rows, last - first, b.columns, b.columns), rows_of(b, first, last));
        });
  }

  void read(const HostMatrix<Number>& a, const HostMatrix<Number>& b) const {
    context_.staging().read(context_.queue(), view_.buffer, layout_.m, row_bytes(),
                            [&](Index first, Index last, const std::byte* in) {
                              const auto* const rows = reinterpret_cast<const Number*>(in);
                              copy(own(rows, last - first, 0, a.columns), rows_of(a, first, last));
                              copy(own(rows, last - first, layout_.b / 2, b.columns),
                                   rows_of(b, first, last));
                            });
  }

 private:
  [[nodiscard]] std::size_t row_bytes() const { return layout_.ld * sizeof(Number) / 2; }

  template <typename Element>
  HostMatrix<Element> own(Element* rows, Index count, Index column, Index columns) const {
    return row_major(rows + column, count, columns, layout_.ld / 2);
  }

  Context& context_;
  ComplexLayout layout_;
  MatrixView view_;
};

}  // namespace clgauss::c
