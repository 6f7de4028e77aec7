#pragma once
/// Self-tests of what estimates ask of factors: see kernels/common/known_answers.hpp.

#include <clgauss/context.hpp>
#include <clgauss/real_type.hpp>
#include <clgauss/view.hpp>
#include <functional>

#include "kernels/common/known_answers.hpp"
#include "kernels/common/number_type.hpp"

namespace clgauss {

/// The largest magnitude of a part of a number on and above the diagonal, exactly: once of numbers,
/// below which larger ones lie, and once NaN.
void require_upper_maximum(Context& context, NumberType number,
                           const std::function<double(const MatrixView& t, Index n)>& maximum);

}  // namespace clgauss
