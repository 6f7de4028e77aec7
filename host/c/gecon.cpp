// gecon_host of clgauss.h.
#include <clgauss.h>
#include <fmt/format.h>

#include <clgauss/condition.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "c/by_factors.hpp"
#include "linalg/estimates/norm_estimator.hpp"
#include "linalg/lu/getrs.hpp"
#include "matrix/transfer.hpp"

namespace clgauss::c {

namespace {

/// X with (L U)^-1 and its transpose, each of which is looked at.
template <typename Real>
class CheckedProducts {
 public:
  CheckedProducts(const Use& use, const HostMatrix<const Real>& lu)
      : context_(use.context()),
        n_(static_cast<cl_uint>(lu.rows)),
        type_(choose_type(context_.profile(), kRealType<Real>)) {
    const Index columns =
        NormEstimator(n_, kFewColumns, NormEstimator::First::plain).question().cols();
    context_.programs().prepare([&] {
      many_.reset();
      few_.emplace(context_, type_, n_);
      few_->prepare_both(context_, columns);
      if (!few_->solves_plain(columns)) many_.emplace(context_, type_, n_, GemmOptions{});
    });
    std::vector<cl_int> rows(n_);
    std::iota(rows.begin(), rows.end(), 0);
    const cl::Buffer pivots = context_.allocate(n_ * sizeof(cl_int), "no exchanges");
    context_.queue().enqueueWriteBuffer(pivots, CL_TRUE, 0, n_ * sizeof(cl_int), rows.data());
    order_ = few_->order(context_.queue(), pivots, n_);
    lu_ = uploaded_factors(use, triangles_of_lu(lu, false));
    for (const bool transposed : {false, true})
      sums_[transposed ? 1 : 0] = weighted_sums_of_product(triangles_of_lu(lu, transposed));
  }

  [[nodiscard]] Matrix solve(const Matrix& b, bool transposed) {
    Values given((b.values().size() * sizeof(Real) + sizeof(double) - 1) / sizeof(double)),
        space(given.size());
    const auto host = row_major(reinterpret_cast<Real*>(given.data()), n_, b.cols(), b.cols());
    copy(row_major(b.values().data(), n_, b.cols(), b.cols()), host);
    const auto columns = static_cast<cl_uint>(b.cols());
    const MatrixView x = uploaded(context_, host, columns, "a few columns");
    if (!transposed && many_)
      many_->substitute(context_.queue(), lu_, n_, x, columns);
    else
      few_->solve(context_.queue(), lu_, n_, order_, x, columns, transposed);
    const Fetched<Real> answer(context_, x, host, space);
    is_right_ = is_right_ && is_answer(sums_[transposed ? 1 : 0], constant(host), answer.matrix());
    Matrix result(n_, b.cols());
    copy(answer.matrix(), row_major(result.values().data(), n_, b.cols(), b.cols()));
    return result;
  }

  [[nodiscard]] bool are_right() const { return is_right_; }
  [[nodiscard]] double norm1() const { return sums_[0].norm1; }

 private:
  Context& context_;
  cl_uint n_;
  RealType type_;
  std::optional<FewSolves> few_;
  std::optional<ManySolves> many_;  // where the other has none that are not transposed
  RowOrder order_;
  MatrixView lu_;
  WeightedSums<Real> sums_[2];  // of L U, and of its transpose
  bool is_right_ = true;
};

template <typename Real>
clgauss_status gecon(clgauss_context handle, int layout, int norm, Index n, const Real* a,
                     Index lda, double anorm, double* rcond) {
  const Use use(object_of(handle));
  check_counts(n, 0);
  if (norm != CLGAUSS_ONE_NORM && norm != CLGAUSS_INF_NORM)
    throw UsageError(
        fmt::format("norm is {}, neither CLGAUSS_ONE_NORM (171) nor CLGAUSS_INF_NORM (175)", norm));
  if (!(anorm >= 0))
    throw UsageError(fmt::format("anorm is {}; a norm is a number of at least 0", anorm));
  const auto lu = host_matrix(layout, n, n, a, lda, "A");
  not_null(rcond, "rcond");
  if (n == 0 || zero_pivot(lu)) {
    *rcond = n == 0 ? 1 : 0;
    return CLGAUSS_OK;
  }
  CheckedProducts<Real> products(use, lu);
  InverseProducts inverse{n, [&](const Matrix& b) { return products.solve(b, false); },
                          [&](const Matrix& b) { return products.solve(b, true); }};
  if (norm == CLGAUSS_INF_NORM) std::swap(inverse.solve, inverse.solve_transposed);
  const double estimate = reciprocal_condition(inverse, anorm, kFewColumns);
  if (!products.are_right()) return out_of_range_or_wrong(products.norm1());
  *rcond = estimate;
  return CLGAUSS_OK;
}

}  // namespace

}  // namespace clgauss::c

using namespace clgauss;
using namespace clgauss::c;

extern "C" {

clgauss_status clgauss_sgecon_host(clgauss_context context, int layout, int norm, size_t n,
                                   const float* a, size_t lda, double anorm, double* rcond) {
  return guarded([&] { return gecon(context, layout, norm, n, a, lda, anorm, rcond); });
}

clgauss_status clgauss_dgecon_host(clgauss_context context, int layout, int norm, size_t n,
                                   const double* a, size_t lda, double anorm, double* rcond) {
  return guarded([&] { return gecon(context, layout, norm, n, a, lda, anorm, rcond); });
}

}  // extern "C"
