#pragma once
/// Small systems of NumPy's arrays as they come, before anything in Python looks at them.

#include "session.hpp"

namespace clgauss::python {

/// x of A x = b as a new array, or None: then it is for Session::run().
[[nodiscard]] nb::object solve_at_once(Session& session, const nb::object& a, const nb::object& b);

/// The same of the inverse.
[[nodiscard]] nb::object invert_at_once(Session& session, const nb::object& a);

}  // namespace clgauss::python
