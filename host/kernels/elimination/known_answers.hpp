#pragma once
/// Self-tests of iterations: see kernels/common/known_answers.hpp.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>

#include "kernels/common/known_answers.hpp"

namespace clgauss {

/// A test problem for a sweep of cl/elimination/iterations.cl. Each right-hand side is a row of b,
/// x and next.
struct SweepQuestion {
  MatrixView a;
  cl::Buffer b, x, next;
  cl_uint n, nrhs;
};

/// Tests a Jacobi sweep into `next`, or a Seidel sweep in x. The tolerance is 64 n eps of the
/// largest element.
void require_sweep(Context& context, RealType type, bool seidel,
                   const std::function<void(const SweepQuestion&)>& sweep);

}  // namespace clgauss
