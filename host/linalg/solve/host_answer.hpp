#pragma once
/// Small systems solved on one core of the host, and answers judged in one pass over A.

#include <clgauss/matrix.hpp>
#include <clgauss/residual.hpp>
#include <optional>
#include <span>
#include <vector>

namespace clgauss {

/// Row-major numbers of A x = b: `a` is n-by-n, `b` n-by-nrhs.
struct SystemNumbers {
  Index n, nrhs;
  std::span<const double> a, b;
};

/// P A = L U of an n-by-n matrix, as host_getrf.hpp computes it.
template <typename Real>
struct HostFactors {
  HostFactors(std::span<const double> a, Index n);
  /// x <- A^-1 x, for n contiguous numbers.
  void solve(Real* x) const;
  /// The same for the rows of B, which are `ldb` = host_ld<Real>(nrhs) numbers apart.
  void solve(Index nrhs, Real* b, Index ldb) const;

  Index n, ld;
  std::vector<Real> lu;
  std::vector<Index> pivots;
};

/// The residual of X, if X needs no second look: its scaled residual for the unit roundoff `eps` is
/// at most 1, with which solve() makes no correction. `columns` holds X column by column. If
/// A^-1 doubt_question(n) follows, is_doubtful() must not be true of A either.
[[nodiscard]] std::optional<Residual> residual_if_good(const SystemNumbers& system,
                                                       std::span<const double> columns, double eps);

struct HostAnswer {
  Values x;  // n-by-nrhs, row-major
  Residual residual;
};

/// X by HostFactors<double>, on the terms of residual_if_good(), with the question; otherwise
/// nothing.
[[nodiscard]] std::optional<HostAnswer> solve_on_host(const SystemNumbers& system);

/// X by HostFactors<float>, on those terms for f32 without the question, which leaves a doubt of
/// most in f32.
[[nodiscard]] std::optional<HostAnswer> solve_on_host_in_single(const SystemNumbers& system);

}  // namespace clgauss
