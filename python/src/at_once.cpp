#include "at_once.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "matrix/fit.hpp"
#include "small_solver.hpp"

namespace clgauss::python {

namespace {

/// numpy.empty(shape, of float32 or float64), and where its numbers lie.
nb::object empty_array(const nb::object& shape, bool single) {
  static const auto* const numpy = new nb::module_(nb::module_::import_("numpy"));
  static const auto* const empty = new nb::object(numpy->attr("empty"));
  static const auto* const types = new std::pair<nb::object, nb::object>(
      numpy->attr("dtype")("float64"), numpy->attr("dtype")("float32"));
  return (*empty)(shape, single ? types->second : types->first);
}

void fill(const nb::object& array, const Values& values, bool single) {
  const Lent place(array, true);
  if (single)
    std::ranges::transform(values, static_cast<float*>(place.data()),
                           [](double value) { return static_cast<float>(value); });
  else
    std::ranges::copy(values, static_cast<double*>(place.data()));
}

/// Whether the host answers for this matrix before the device is awake.
bool is_for_host(Session& session, const std::optional<Numbers>& a, Index largest) {
  return a && a->rows == a->columns && a->rows >= 1 && a->rows <= largest && session.solves_on_host;
}

}  // namespace

nb::object solve_at_once(Session& session, const nb::object& a, const nb::object& b) {
  const Lent of_a(a), of_b(b);
  const auto matrix = of_a.numbers(), right = of_b.numbers();
  if (of_a.dimensions() != 2 || !is_for_host(session, matrix, kLargestOnHost) || !right ||
      right->rows != matrix->rows || right->columns < 1 || right->columns > matrix->rows)
    return nb::none();
  std::optional<Values> x;
  {
    const nb::gil_scoped_release no_gil;
    x = solve_on_host(*matrix, *right);
  }
  const bool single = matrix->type == RealType::f32 && right->type == RealType::f32;
  if (!x || (single && !fit_in<float>(*x))) return nb::none();
  const nb::object shape = of_b.dimensions() == 1
                               ? nb::object(nb::make_tuple(right->rows))
                               : nb::object(nb::make_tuple(right->rows, right->columns));
  nb::object answer = empty_array(shape, single);
  fill(answer, *x, single);
  return answer;
}

nb::object invert_at_once(Session& session, const nb::object& a) {
  const Lent of_a(a);
  const auto matrix = of_a.numbers();
  if (of_a.dimensions() != 2 || !is_for_host(session, matrix, kLargestInvertedOnHost))
    return nb::none();
  std::optional<Values> x;
  {
    const nb::gil_scoped_release no_gil;
    x = invert_on_host(*matrix);
  }
  const bool single = matrix->type == RealType::f32;
  if (!x || (single && !fit_in<float>(*x))) return nb::none();
  nb::object answer = empty_array(nb::make_tuple(matrix->rows, matrix->rows), single);
  fill(answer, *x, single);
  return answer;
}

}  // namespace clgauss::python
