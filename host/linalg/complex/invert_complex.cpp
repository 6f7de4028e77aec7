#include <fmt/format.h>

#include <clgauss/complex.hpp>
#include <clgauss/error.hpp>
#include <clgauss/gemm.hpp>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

#include "lap_timer.hpp"
#include "linalg/complex/complex_factors.hpp"
#include "linalg/complex/complex_residual.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "matrix/scaling.hpp"
#include "opencl_error.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

ComplexMatrix identity(Index n) {
  ComplexMatrix one(n, n);
  for (Index i = 0; i < n; ++i) one.set(i, i, 1);
  return one;
}

class ComplexInversion {
 public:
  ComplexInversion(Context& context, const ComplexMatrix& a, const ComplexInverseOptions& options,
                   const ProgressCallback& progress)
      : context_(context), a_(a), options_(options), progress_(progress) {
    inverse_.complex = true;
    inverse_.type = choose_type(context.profile(), options.type);
  }

  ComplexInverse run(const LuOptions& lu) {
    Matrix x = solved(lu);  // in pairs; the device's memory is free again
    if (!has_answer(inverse_.status)) return std::move(inverse_);
    LapTimer timer;
    report("check");
    // A' A'^-1 is R A X R^-1, and stays in the type's range.
    Matrix off =
        gemm(context_, inverse_.type, 1, scaled(a_.parts(), of_numbers_.rows, scaling_.columns),
             false, beside_parts(x), false);
    for (Index i = 0; i < off.rows(); ++i) off(i, 2 * i) -= 1;
    inverse_.x = from_pairs(scaled(x, scaling_.columns, of_numbers_.rows));
    std::vector<int> back = of_numbers_.rows;
    for (int& exponent : back) exponent = -exponent;
    judge(ComplexMatrix(scaled(off, back, scaling_.rows)));
    inverse_.times.check = timer.lap();
    return std::move(inverse_);
  }

 private:
  void report(const char* what) const {
    if (progress_) progress_(what, 0);
  }

  /// A'^-1; empty if there is none.
  Matrix solved(const LuOptions& lu) {
    LapTimer timer;
    const ComplexSystem system{a_, identity(a_.rows())};
    report("building the kernels");
    ComplexFactors factors(context_, system, inverse_.type, lu, false);
    inverse_.times.build = timer.lap();
    report("upload");
    factors.upload(system, options_.equilibration);
    scaling_ = factors.scaling();
    of_numbers_ = factors.scaling_of_numbers();
    inverse_.scaled_rows = !scaling_.rows.empty();
    inverse_.scaled_columns = !scaling_.columns.empty();
    inverse_.times.upload = timer.lap();
    report("factorisation");
    factors.factor(progress_);
    const ComplexFactors::Pivots pivots = factors.pivots();
    inverse_.times.forward = timer.lap();
    inverse_.failed_column = pivots.failed_column;
    if (inverse_.failed_column) {
      inverse_.failed_pivot = pivots.failed_pivot();
      inverse_.status = factors.failure(pivots);
      return {};
    }
    report("inverse");
    const Matrix x = factors.first_answer();  // A'^-1 R S
    std::vector<int> back(a_.rows());
    for (Index j = 0; j < back.size(); ++j)
      back[j] = -exponent_at(of_numbers_.rows, j) - exponent_at(of_numbers_.right_hand_sides, j);
    inverse_.times.backward = timer.lap();
    return scaled(x, {}, back);
  }

  void judge(const ComplexMatrix& off) {
    const std::span<const double> parts = std::as_const(inverse_.x).parts().values();
    if (find_nonfinite(parts) != parts.size()) {
      inverse_.status = SolveStatus::overflow;
      inverse_.x = {};
      return;
    }
    const ComplexNorms of_a = norms_of(a_), of_x = norms_of(inverse_.x), of_off = norms_of(off);
    const double eps = unit_roundoff(inverse_.type), n = static_cast<double>(a_.rows());
    const int exponent = of_a.exponent + of_x.exponent;
    inverse_.residual = std::ldexp(of_off.infinity, of_off.exponent);
    inverse_.scaled_residual =
        std::ldexp(inverse_.residual / of_a.infinity / of_x.infinity / (n * eps), -exponent);
    inverse_.rcond = std::ldexp(1 / of_a.one / of_x.one, -exponent);
    inverse_.status = inverse_.scaled_residual <= options_.max_scaled_residual
                          ? SolveStatus::ok
                          : SolveStatus::inaccurate;
  }

  Context& context_;
  const ComplexMatrix& a_;
  const ComplexInverseOptions& options_;
  const ProgressCallback& progress_;
  Scaling scaling_, of_numbers_;  // with an exponent for each part, and for each number
  ComplexInverse inverse_;
};

}  // namespace

ComplexInverse invert_complex(Context& context, const ComplexMatrix& a,
                              const ComplexInverseOptions& options,
                              const ProgressCallback& progress) {
  if (a.rows() != a.cols())
    throw DimensionError(
        fmt::format("A is {} x {}, not square: it has no inverse", a.rows(), a.cols()));
  if (a.rows() == 0) {
    ComplexInverse empty;
    empty.complex = true;
    empty.type = choose_type(context.profile(), options.type);
    empty.rcond = 1;
    return empty;
  }
  return translate_opencl_errors([&] {
    return repeat_until_co_resident({}, [&](const LuOptions& lu) {
      return ComplexInversion(context, a, options, progress).run(lu);
    });
  });
}

}  // namespace clgauss
