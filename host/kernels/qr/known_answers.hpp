#pragma once
/// Self-tests of Householder reflections: see kernels/common/known_answers.hpp.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>

#include "kernels/common/known_answers.hpp"

namespace clgauss {

/// A test problem for a panel of cl/qr/qr.cl. A is m-by-width with one more column on its right;
/// `square` = width + 3 of its rows become R and zeros. The rows of V have space for `room`
/// columns. T is the triangle; tau starts at number 1.
struct ReflectionsQuestion {
  MatrixView a, v, t;
  cl::Buffer taus;
};

/// Tests A = (I - V T V^T) R: V unit lower trapezoidal, I - V T V^T orthogonal, T and R upper
/// triangular. One column of A is zero.
void require_reflections(Context& context, RealType type, Index m, Index width, Index room,
                         const std::function<void(const ReflectionsQuestion&)>& factor);

}  // namespace clgauss
