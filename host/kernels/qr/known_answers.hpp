#pragma once
/// Self-tests of reflections: see kernels/common/known_answers.hpp.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>

#include "kernels/common/known_answers.hpp"

namespace clgauss {

/// A panel of cl/qr/qr.cl: A, m-by-width with another column beside it, of which `square` = width +
/// 3 rows become R and zeros; V, whose rows have room for `room` columns; T; tau from number 1 on.
struct ReflectionsQuestion {
  MatrixView a, v, t;
  cl::Buffer taus;
};

/// A = (I - V T V^T) R with V unit lower trapezoidal, I - V T V^T orthogonal, T and R upper
/// triangular; one column of A is all zeros.
void require_reflections(Context& context, RealType type, Index m, Index width, Index room,
                         const std::function<void(const ReflectionsQuestion&)>& factor);

}  // namespace clgauss
