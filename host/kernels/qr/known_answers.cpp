#include "kernels/qr/known_answers.hpp"

#include <clgauss/residual.hpp>
#include <cmath>

#include "matrix/max_or_nan.hpp"

namespace clgauss {

void require_reflections(Context& context, RealType type, Index m, Index width, Index room,
                         const std::function<void(const ReflectionsQuestion&)>& factor) {
  Matrix a = random_of(type, m, width + 1, 15);
  for (Index i = 0; i < m; ++i) a(i, width / 2) = 0;
  const ReflectionsQuestion question{question_of(context, type, a),
                                     question_of(context, type, Matrix(m, room), 0),
                                     question_of(context, type, Matrix(width, width), 1),
                                     question_of(context, type, Matrix(1, width + 1), 0).buffer};
  factor(question);
  const Matrix r = answer_in(context, type, question.a, m, width + 1),
               v = answer_in(context, type, question.v, m, room),
               t = answer_in(context, type, question.t, width, width);
  // Checks Q (R; 0), and Q^T Q with the column right of A, which did not change.
  const auto reflected = [&](const Matrix& x, bool transpose) {
    Matrix products(width, x.cols()), result = x;
    for (Index i = 0; i < m; ++i)
      for (Index k = 0; k < width; ++k)
        for (Index c = 0; c < x.cols(); ++c) products(k, c) += v(i, k) * x(i, c);
    for (Index i = 0; i < m; ++i)
      for (Index k = 0; k < width; ++k)
        for (Index l = 0; l < width; ++l)
          for (Index c = 0; c < x.cols(); ++c)
            result(i, c) -= v(i, k) * (transpose ? t(l, k) : t(k, l)) * products(l, c);
    return result;
  };
  Matrix upper(m, width), before(m, width), last(m, 1);
  double error = 0;
  for (Index i = 0; i < m; ++i) {
    for (Index c = 0; c < width; ++c) {
      before(i, c) = a(i, c);
      if (i <= c) upper(i, c) = r(i, c);
      const double expected = i == c ? 1 : 0;
      if (i <= c) error = max_or_nan(error, std::abs(v(i, c) - expected));
      if (i > c && i < width + 3) error = max_or_nan(error, std::abs(r(i, c)));
    }
    last(i, 0) = a(i, width);
    error = max_or_nan(error, std::abs(r(i, width) - a(i, width)));
  }
  require_error(error, 0, "what is not to be computed of a panel's V and R");
  const double bound = 8 * static_cast<double>(m) * unit_roundoff(type);
  require_error(max_difference(reflected(upper, false), before), bound, "Q R");
  require_error(max_difference(reflected(reflected(last, false), true), last), bound, "Q^T Q");
}

}  // namespace clgauss
