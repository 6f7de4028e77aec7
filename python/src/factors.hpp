#pragma once
/// P A = L U on a device, for Python.

#include <clgauss/lu.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "determinant.hpp"
#include "session.hpp"

namespace clgauss::python {

/// Where a matrix of an application lies: numbers of `type` in a cl_mem, from number `offset` on,
/// `ld` from row to row.
struct Place {
  std::uintptr_t memory = 0;
  Index offset = 0, ld = 0;
  RealType type = RealType::f64;
};

/// Throws UsageError for a NULL handle, or a buffer of another OpenCL context than the session's.
[[nodiscard]] MatrixView view_of(Session& session, const Place& place);

/// Operations run as Session::run() says; those of a context that is busy wait.
class Factors {
 public:
  /// Copies A to the device and factors it there, in its own type; a `positive_definite` A by
  /// Cholesky. Throws DimensionError, SingularFactors, ValueError, as Lu().
  Factors(std::shared_ptr<Session> session, const Array& a, bool positive_definite);
  /// Factors an application's n-by-n matrix in place.
  Factors(std::shared_ptr<Session> session, const Place& a, Index n);

  [[nodiscard]] Index n() const { return state_->n; }
  [[nodiscard]] RealType type() const { return state_->lu.type(); }

  /// x = A^-1 b or A^-T b; b n-by-k, x row-major of the same shape. Throws SingularFactors.
  void solve(const Array& b, const WritableArray& x, bool transposed);
  /// The same in place, in an application's n-by-k matrix; waits.
  void solve_in_place(const Place& b, Index columns, bool transposed);

  [[nodiscard]] Determinant determinant();
  /// In the 1-norm, 0 if A is singular. Empty for a matrix that was factored in place, whose norm
  /// is not known.
  [[nodiscard]] std::optional<double> rcond();
  /// Whether one product with A^-1 lets A be so near to a singular matrix that rcond() is worth its
  /// time; not of one that was factored in place.
  [[nodiscard]] bool is_doubtful();
  /// L and U as they lie on the device, row by row, in f64.
  void packed(const WritableArray& out);
  /// Row exchanged with row j, from 0, as scipy.linalg.lu_factor has it.
  [[nodiscard]] std::vector<Index> pivots();
  /// From 0; empty if A is not singular.
  [[nodiscard]] std::optional<Index> failed_column() const { return state_->failed_column; }

 private:
  /// What work in another thread needs, too.
  struct State {
    Lu lu;
    Index n;
    MatrixView a = {};
    std::optional<double> norm1 = {};
    std::optional<Index> failed_column = {};
  };

  std::shared_ptr<Session> session_;
  std::shared_ptr<State> state_;
};

}  // namespace clgauss::python
