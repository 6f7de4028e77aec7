// clgauss_ssolve and clgauss_dsolve, and for complex numbers clgauss_csolve and clgauss_zsolve.
#include <clgauss.h>
#include <fmt/format.h>

#include <algorithm>
#include <clgauss/complex.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstring>
#include <limits>

#include "c/call.hpp"
#include "c/in_double.hpp"
#include "c/struct_size.hpp"
#include "linalg/solve/methods.hpp"
#include "matrix/fit.hpp"

namespace clgauss::c {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kFirstReport = offsetof(clgauss_report, doubt);  // size in the first version

/// The members of the caller's structure that this library knows. Throws UsageError if struct_size
/// was not set, or if a member of a later version, unknown here, is not 0.
clgauss_solve_options checked(const clgauss_solve_options* options) {
  clgauss_solve_options known{};
  if (options == nullptr) return known;
  const std::size_t size = checked_size(*options, "options", "clgauss_solve_options");
  const auto* bytes = reinterpret_cast<const unsigned char*>(options);
  if (std::any_of(bytes + sizeof known, bytes + size, [](unsigned char byte) { return byte != 0; }))
    throw UsageError(
        "options: a member that this version of clgauss does not have is not 0; use a newer "
        "clgauss");
  std::memcpy(&known, options, sizeof known);
  if (known.reserved != 0) throw UsageError("options: reserved is not 0");
  return known;
}

/// The value that `number` selects. The constants begin with `first` and are in the order of
/// `values`.
template <typename Value>
Value choice(const char* name, int number, int first, std::initializer_list<Value> values) {
  const auto last = first + static_cast<int>(values.size()) - 1;
  if (number < first || number > last)
    throw UsageError(
        fmt::format("options: {} is {}; it must be {} to {}", name, number, first, last));
  return values.begin()[number - first];
}

RealType checked_type(int type) {
  if (type != CLGAUSS_F32 && type != CLGAUSS_F64)
    throw UsageError(fmt::format(
        "options: factor_type is {}, none of 0, CLGAUSS_F32 (32) and CLGAUSS_F64 (64)", type));
  return type == CLGAUSS_F32 ? RealType::f32 : RealType::f64;
}

/// `type` is the type of the numbers in the call.
SolveOptions solve_options(const clgauss_solve_options& asked, RealType type) {
  SolveOptions options;
  const int methods = static_cast<int>(all_methods().size());  // numbered like the constants
  if (asked.method < 0 || asked.method >= methods)
    throw UsageError(
        fmt::format("options: method is {}; it must be 0 to {}", asked.method, methods - 1));
  options.method = static_cast<Method>(asked.method);
  if (asked.factor_type != CLGAUSS_TYPE_DEFAULT) options.type = checked_type(asked.factor_type);
  if (asked.accuracy != CLGAUSS_ACCURACY_DEFAULT)
    options.accuracy =
        choice("accuracy", asked.accuracy, CLGAUSS_ACCURACY_SINGLE,
               {Accuracy::single_precision, Accuracy::double_precision, Accuracy::maximum});
  else if (type == RealType::f32 && !options.type)
    options.type = type;
  if (!(asked.max_scaled_residual >= 0))
    throw UsageError(fmt::format("options: max_scaled_residual is {}", asked.max_scaled_residual));
  if (asked.max_scaled_residual > 0) options.max_scaled_residual = asked.max_scaled_residual;
  options.determinant = asked.determinant != 0;
  options.trust = asked.trust != 0;
  return options;
}

ProgressCallback progress_of(const clgauss_solve_options& asked) {
  if (asked.progress == nullptr) return {};
  return [asked](std::string_view what, double fraction) {
    if (asked.progress(std::string(what).c_str(), fraction, asked.user) != 0)
      throw Error(ErrorCode::stopped, "the progress function stopped the work");
  };
}

/// The report, except the determinant.
clgauss_report report_of(const SolveOutcome& solution) {
  clgauss_report report{};
  report.method = static_cast<int>(solution.method);
  report.factor_type = solution.type == RealType::f32 ? CLGAUSS_F32 : CLGAUSS_F64;
  report.failed_column = solution.failed_column ? *solution.failed_column + 1 : 0;
  report.corrections = solution.refinement.corrections();
  const bool answered = has_answer(solution.status);
  report.backward_error = answered ? solution.residual.backward_error : kNaN;
  report.scaled_residual = answered ? solution.residual.scaled : kNaN;
  report.rcond = report.forward_error = report.reciprocal_growth = kNaN;
  if (const auto& trust = solution.trust) {
    report.rcond = trust->rcond;
    report.forward_error =
        trust->forward_error.empty() ? kNaN : *std::ranges::max_element(trust->forward_error);
    report.reciprocal_growth = trust->reciprocal_growth;
    report.correct_digits = trust->correct_digits();
  }
  if (answered) report.doubt = static_cast<int>(doubt_of(solution));
  if (const auto& inertia = solution.inertia) {
    report.positive = inertia->positive;
    report.negative = inertia->negative;
    report.zero = inertia->zero;
  }
  report.determinant_log10 = report.determinant_argument = kNaN;
  report.seconds = solution.times.sum();
  return report;
}

void add(clgauss_report& report, const Determinant& determinant) {
  report.determinant_sign = determinant.sign;
  report.determinant_log10 = determinant.log10_abs;
}
void add(clgauss_report& report, const ComplexDeterminant& determinant) {
  report.determinant_sign = determinant.phase == 0.0 ? 0 : 1;
  report.determinant_log10 = determinant.log10_abs;
  report.determinant_argument = std::arg(determinant.phase);
}
static_assert(static_cast<int>(Doubt::unknown) == CLGAUSS_DOUBT_UNKNOWN &&
              static_cast<int>(Doubt::none) == CLGAUSS_DOUBT_NONE &&
              static_cast<int>(Doubt::few_digits) == CLGAUSS_DOUBT_FEW_DIGITS &&
              static_cast<int>(Doubt::nearly_singular) == CLGAUSS_DOUBT_NEARLY_SINGULAR);

clgauss_status status_of(const SolveOutcome& solution) {
  switch (solution.status) {
    case SolveStatus::ok:
      return CLGAUSS_OK;
    case SolveStatus::singular:
      return failed(CLGAUSS_SINGULAR,
                    solution.failed_column
                        ? fmt::format("A is singular: the pivot of column {} is {}",
                                      *solution.failed_column + 1, solution.failed_pivot)
                              .c_str()
                        : "A is singular");
    case SolveStatus::not_positive_definite:
      return failed(CLGAUSS_SINGULAR,
                    fmt::format("A is not positive definite: Cholesky's pivot of column {} is {}",
                                *solution.failed_column + 1, solution.failed_pivot)
                        .c_str());
    case SolveStatus::overflow:
      return failed(CLGAUSS_OVERFLOW, "numbers left the range of the type; try factors in double");
    case SolveStatus::inaccurate:
      break;
  }
  return failed(
      CLGAUSS_INACCURATE,
      fmt::format("the scaled residual of x is {:.3g}, above options.max_scaled_residual, or x "
                  "does not have the digits that options.accuracy requests",
                  solution.residual.scaled)
          .c_str());
}

/// The numbers of x, or their parts.
const Matrix& numbers_of(const Matrix& x) { return x; }
const Matrix& numbers_of(const ComplexMatrix& x) { return x.parts(); }

template <typename Real>
Solution solve_by(ContextObject& object, Context& context, const HostMatrix<const Real>& a,
                  const HostMatrix<const Real>& b, const SolveOptions& options,
                  const ProgressCallback& progress) {
  if (a.column_step != 1)  // A^T is row-major
    return solve_transposed(context, {in_double(transposed(a), "A", &object), in_double(b, "B")},
                            options, progress);
  return clgauss::solve(context, {in_double(a, "A", &object), in_double(b, "B")}, options,
                        progress);
}
template <typename Real>
ComplexSolution solve_by(ContextObject& /*object*/, Context& context,
                         const HostMatrix<const std::complex<Real>>& a,
                         const HostMatrix<const std::complex<Real>>& b, const SolveOptions& options,
                         const ProgressCallback& progress) {
  return solve_complex(context, {in_double(a, "A"), in_double(b, "B")}, options, progress);
}

void copy_answer(const Matrix& x, const auto& to) {
  copy(row_major(x.values().data(), to.rows, to.columns, to.columns), to);
}
void copy_answer(const ComplexMatrix& x, const auto& to) {
  const auto* const numbers =
      reinterpret_cast<const std::complex<double>*>(x.parts().values().data());
  copy(row_major(numbers, to.rows, to.columns, to.columns), to);
}

template <typename Number>
clgauss_status solve_host(clgauss_context handle, int layout, Index n, Index nrhs, const Number* a,
                          Index lda, const Number* b, Index ldb, Number* x, Index ldx,
                          const clgauss_solve_options* asked, clgauss_report* report) {
  const Use use(object_of(handle));
  if (n == 0) nrhs = 0;  // with n = 0, right-hand sides are empty and none is kept
  const auto a_view = host_matrix(layout, n, n, a, lda, "A");
  const auto b_view = host_matrix(layout, n, nrhs, b, ldb, "B");
  const auto x_view = host_matrix(layout, n, nrhs, x, ldx, "X");
  const std::size_t report_size =
      report == nullptr ? 0 : checked_size(*report, "report", "clgauss_report", kFirstReport);
  const clgauss_solve_options known = checked(asked);
  using Real = typename RealOf<Number>::Type;
  const SolveOptions options = solve_options(known, kRealType<Real>);
  auto solution =
      solve_by(use.object(), use.context(), a_view, b_view, options, progress_of(known));
  const bool fits = fit_in<Real>(numbers_of(solution.x).values());
  if (has_answer(solution.status) && !fits) solution.status = SolveStatus::overflow;
  if (has_answer(solution.status)) copy_answer(solution.x, x_view);
  clgauss_report told = report_of(solution);
  if (options.determinant) add(told, solution.determinant);
  if (report != nullptr) write(report, report_size, told);
  if (!fits) return failed(CLGAUSS_OVERFLOW, "numbers of x are too large for float");
  return status_of(solution);
}

}  // namespace

}  // namespace clgauss::c

using namespace clgauss::c;

extern "C" {

clgauss_status clgauss_ssolve(clgauss_context context, int layout, size_t n, size_t nrhs,
                              const float* a, size_t lda, const float* b, size_t ldb, float* x,
                              size_t ldx, const clgauss_solve_options* options,
                              clgauss_report* report) {
  return guarded([&] {
    return solve_host(context, layout, n, nrhs, a, lda, b, ldb, x, ldx, options, report);
  });
}

clgauss_status clgauss_dsolve(clgauss_context context, int layout, size_t n, size_t nrhs,
                              const double* a, size_t lda, const double* b, size_t ldb, double* x,
                              size_t ldx, const clgauss_solve_options* options,
                              clgauss_report* report) {
  return guarded([&] {
    return solve_host(context, layout, n, nrhs, a, lda, b, ldb, x, ldx, options, report);
  });
}

clgauss_status clgauss_csolve(clgauss_context context, int layout, size_t n, size_t nrhs,
                              const void* a, size_t lda, const void* b, size_t ldb, void* x,
                              size_t ldx, const clgauss_solve_options* options,
                              clgauss_report* report) {
  using Number = std::complex<float>;
  return guarded([&] {
    return solve_host(context, layout, n, nrhs, static_cast<const Number*>(a), lda,
                      static_cast<const Number*>(b), ldb, static_cast<Number*>(x), ldx, options,
                      report);
  });
}

clgauss_status clgauss_zsolve(clgauss_context context, int layout, size_t n, size_t nrhs,
                              const void* a, size_t lda, const void* b, size_t ldb, void* x,
                              size_t ldx, const clgauss_solve_options* options,
                              clgauss_report* report) {
  using Number = std::complex<double>;
  return guarded([&] {
    return solve_host(context, layout, n, nrhs, static_cast<const Number*>(a), lda,
                      static_cast<const Number*>(b), ldb, static_cast<Number*>(x), ldx, options,
                      report);
  });
}

}  // extern "C"
