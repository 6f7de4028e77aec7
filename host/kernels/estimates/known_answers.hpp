#pragma once
/// Self-tests of kernels for error estimates: see kernels/common/known_answers.hpp.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>

#include "kernels/common/known_answers.hpp"
#include "kernels/common/number_type.hpp"

namespace clgauss {

/// Tests that the largest magnitude of a part of a number on or above the diagonal is found
/// exactly: once with larger numbers below the diagonal, and once with a NaN.
void require_upper_maximum(Context& context, NumberType number,
                           const std::function<double(const MatrixView& t, Index n)>& maximum);

}  // namespace clgauss
