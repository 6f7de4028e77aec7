// cgesv and zgesv of clgauss.h.
#include <clgauss.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/solve.hpp>
#include <complex>
#include <optional>
#include <vector>

#include "c/call.hpp"
#include "c/handles.hpp"
#include "c/host_matrix.hpp"
#include "c/host_transfer.hpp"
#include "c/weighted_sums.hpp"
#include "io/memory.hpp"
#include "launch/staging.hpp"
#include "linalg/complex/complex_lu.hpp"
#include "linalg/lu/lu_backend.hpp"

namespace clgauss::c {

namespace {

template <typename Number>
HostMatrix<Number> rows_of(const HostMatrix<Number>& matrix, Index first, Index last) {
  return {matrix.data + first * matrix.row_step, last - first, matrix.columns, matrix.row_step,
          matrix.column_step};
}

/// A and B side by side on the device, as ComplexLu has them.
template <typename Number>
class DeviceSystem {
 public:
  DeviceSystem(Context& context, const ComplexLayout& layout)
      : context_(context),
        layout_(layout),
        view_{context.allocate(layout.n * layout.ld * sizeof(Number) / 2, "a complex system"), 0,
              layout.ld} {}

  [[nodiscard]] const MatrixView& view() const { return view_; }

  void write(const HostMatrix<const Number>& a, const HostMatrix<const Number>& b) const {
    context_.staging().write(
        context_.queue(), view_.buffer, layout_.n, row_bytes(),
        [&](Index first, Index last, std::byte* out) {
          auto* const rows = reinterpret_cast<Number*>(out);
          std::fill_n(rows, (last - first) * row_bytes() / sizeof(Number), Number{});
          copy(rows_of(a, first, last), own(rows, last - first, 0, a.columns));
          copy(rows_of(b, first, last), own(rows, last - first, layout_.b / 2, b.columns));
        });
  }

  void read(const HostMatrix<Number>& a, const HostMatrix<Number>& b) const {
    context_.staging().read(context_.queue(), view_.buffer, layout_.n, row_bytes(),
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

template <typename Real>
clgauss_status gesv(clgauss_context handle, int layout, Index n, Index nrhs, void* a_data,
                    Index lda, int32_t* ipiv, void* b_data, Index ldb, const LuOptions& options) {
  using Number = std::complex<Real>;
  const Use use(object_of(handle));
  Context& context = use.context();
  constexpr Index kMost = Index{1} << 30U;
  if (n > kMost || nrhs > kMost) throw DimensionError("n and nrhs: none may be above 2^30");
  const auto a = host_matrix(layout, n, n, static_cast<Number*>(a_data), lda, "A");
  const auto b = host_matrix(layout, n, nrhs, static_cast<Number*>(b_data), ldb, "B");
  if (n == 0) return CLGAUSS_OK;
  not_null(ipiv, "ipiv");
  io::require_memory("A copy of A and B", n, 2 * (n + nrhs));
  Values own, space_of_x(doubles_for(b));
  const auto factors = like(a, use.object().space(doubles_for(a), own).data());
  const auto x = like(b, space_of_x.data());

  std::optional<ComplexLu> lu;
  context.programs().prepare([&] {
    lu.emplace(context, choose_type(context.profile(), kRealType<Real>), n,
               std::max<Index>(nrhs, 1), options);
  });
  const DeviceSystem<Number> system(context, lu->layout());
  system.write(constant(a), constant(b));
  lu->factor(context.queue(), system.view());
  const WeightedSums<Number> of_a = weighted_sums(constant(a));
  const auto column = lu->failed_column(context.queue());
  if (!column && nrhs > 0) {
    lu->solve(context.queue(), system.view());
    (void)lu->failed_column(context.queue());  // throws where the substitution waited in vain
  }
  const std::vector<Index> pivots = lu->pivots(context.queue());
  system.read(factors, x);
  if (!agree(of_a, constant(factors), pivots) ||
      (!column && !is_answer(of_a, constant(b), constant(x))))
    return out_of_range_or_wrong(of_a.norm1);
  copy(factors, a);
  if (!column) copy(x, b);
  write_pivots(pivots, ipiv);
  return column ? singular(*column) : CLGAUSS_OK;
}

template <typename Real>
clgauss_status guarded_gesv(clgauss_context context, int layout, size_t n, size_t nrhs, void* a,
                            size_t lda, int32_t* ipiv, void* b, size_t ldb) {
  return guarded([&] {
    return repeat_until_co_resident({}, [&](const LuOptions& options) {
      return gesv<Real>(context, layout, n, nrhs, a, lda, ipiv, b, ldb, options);
    });
  });
}

}  // namespace

}  // namespace clgauss::c

using namespace clgauss;
using namespace clgauss::c;

extern "C" {

clgauss_status clgauss_cgesv(clgauss_context context, int layout, size_t n, size_t nrhs, void* a,
                             size_t lda, int32_t* ipiv, void* b, size_t ldb) {
  return guarded_gesv<float>(context, layout, n, nrhs, a, lda, ipiv, b, ldb);
}

clgauss_status clgauss_zgesv(clgauss_context context, int layout, size_t n, size_t nrhs, void* a,
                             size_t lda, int32_t* ipiv, void* b, size_t ldb) {
  return guarded_gesv<double>(context, layout, n, nrhs, a, lda, ipiv, b, ldb);
}

}  // extern "C"
