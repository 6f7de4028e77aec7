#include "kernels/estimates/known_answers.hpp"

#include <clgauss/error.hpp>
#include <cmath>
#include <limits>

namespace clgauss {

void require_upper_maximum(Context& context, NumberType number,
                           const std::function<double(const MatrixView& t, Index n)>& maximum) {
  constexpr Index kRows = 150;
  const RealType type = number.real;
  const Index width = number.parts() * kRows;
  Matrix t = random_of(type, kRows, width, 10);
  for (Index i = 0; i < kRows; ++i)
    for (Index j = 0; j < number.parts() * i; ++j) t(i, j) = 5;
  t(kRows - 1, width - 1) = -2;
  const auto largest = [&] {
    return maximum(number.in_numbers(question_of(context, type, t, 4)), kRows);
  };
  require_error(std::abs(largest() - 2), 0, "the largest element");
  t(kRows / 2, width - 1) = std::numeric_limits<double>::quiet_NaN();
  if (!std::isnan(largest()))
    throw WrongAnswer("wrong answer: the largest element, with a NaN among them, is not NaN");
}

}  // namespace clgauss
