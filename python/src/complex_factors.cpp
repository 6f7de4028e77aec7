#include "complex_factors.hpp"

#include <algorithm>
#include <clgauss/condition.hpp>
#include <clgauss/error.hpp>
#include <cmath>

#include "linalg/complex/complex_residual.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "opencl_error.hpp"

namespace clgauss::python {

namespace {

/// Right-hand sides that are taken at once, on GPUs.
constexpr Index kColumns = 16;

}  // namespace

ComplexFactors::State::State(Context& context, const ComplexSystem& system, RealType type,
                             const LuOptions& options)
    : factors(context, system, type, options, true) {
  factors.upload(system, Equilibration::off);
  factors.factor({});
  const ComplexNorms norms = norms_of(system.a);
  norm1 = std::ldexp(norms.one, norms.exponent);
  pivots = factors.pivots();
}

ComplexFactors::ComplexFactors(std::shared_ptr<Session> session, const Array& a, bool single,
                               bool positive_definite)
    : session_(std::move(session)) {
  const auto result = std::make_shared<std::shared_ptr<State>>();
  session_->run([=, session = session_](const ProgressCallback&) {
    ComplexSystem system{ComplexMatrix(to_matrix(a)), {}};
    system.b = ComplexMatrix(system.a.rows(), kColumns);
    Context& context = session->context();
    const RealType type = choose_type(context.profile(), single ? RealType::f32 : RealType::f64);
    *result = translate_opencl_errors([&] {
      LuOptions asked;
      asked.positive_definite = positive_definite;
      return repeat_until_co_resident(asked, [&](const LuOptions& options) {
        return std::make_shared<State>(context, system, type, options);
      });
    });
  });
  state_ = std::move(*result);
}

void ComplexFactors::solve(const Array& b, const WritableArray& x, bool transposed) {
  if (const auto column = failed_column()) throw SingularFactors(*column);
  session_->run([=, state = state_](const ProgressCallback&) {
    Matrix pairs = in_pairs(ComplexMatrix(to_matrix(b)));
    translate_opencl_errors([&] {
      if (transposed)
        state->factors.solve_transposed(pairs);
      else
        state->factors.solve(pairs);
    });
    copy_out(from_pairs(pairs).parts().values(), x);
  });
}

ComplexDeterminant ComplexFactors::determinant() const {
  if (failed_column()) return {0, 0};
  ComplexDeterminant det;
  const Matrix& diagonal = state_->pivots.diagonal;
  for (Index j = 0; j < diagonal.rows(); ++j) {
    det.mantissa *= std::complex<double>(diagonal(j, 0), diagonal(j, 1));
    if (pivots()[j] != j) det.mantissa = -det.mantissa;
    int exponent = 0;
    (void)std::frexp(std::max(std::abs(det.mantissa.real()), std::abs(det.mantissa.imag())),
                     &exponent);
    det.mantissa = {std::ldexp(det.mantissa.real(), -exponent),
                    std::ldexp(det.mantissa.imag(), -exponent)};
    det.exponent += exponent;
  }
  det.exponent += state_->factors.exponent_of_determinant();
  return det;
}

void ComplexFactors::packed(const WritableArray& out) {
  session_->run([=, state = state_](const ProgressCallback&) {
    copy_out(translate_opencl_errors([&] { return state->factors.packed(); }).values(), out);
  });
}

double ComplexFactors::rcond() {
  if (failed_column()) return 0;
  const auto rcond = std::make_shared<double>(1.0);
  session_->run([=, state = state_](const ProgressCallback&) {
    InverseProducts inverse = inverse_of(state->factors, 2 * state->pivots.rows.size());
    inverse.pairs = true;
    *rcond = translate_opencl_errors([&] { return reciprocal_condition(inverse, state->norm1); });
  });
  return *rcond;
}

}  // namespace clgauss::python
