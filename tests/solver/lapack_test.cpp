// Our factors and answers beside LAPACK's own (tests only; CLGAUSS_TESTS_WITH_LAPACK where it was
// found).
#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <doctest/doctest.h>
#include <lapacke.h>

#include <clgauss/lab/generate.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/residual.hpp>
#include <cmath>

#include "support/devices.hpp"
#include "support/factorisation.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::factorisation_error;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;
using clgauss::test::types_of;

namespace {

struct LuAndX {
  Matrix lu, x;
  std::vector<Index> pivots;
};

template <typename Real>
LuAndX lapack_as(const Matrix& a, const Matrix& b) {
  const auto n = static_cast<lapack_int>(a.rows()), nrhs = static_cast<lapack_int>(b.cols());
  std::vector<Real> lu(a.values().begin(), a.values().end()),
      x(b.values().begin(), b.values().end());
  std::vector<lapack_int> pivots(a.rows());
  if constexpr (sizeof(Real) == sizeof(float)) {
    LAPACKE_sgetrf(LAPACK_ROW_MAJOR, n, n, lu.data(), n, pivots.data());
    if (nrhs > 0)
      LAPACKE_sgetrs(LAPACK_ROW_MAJOR, 'N', n, nrhs, lu.data(), n, pivots.data(), x.data(), nrhs);
  } else {
    LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, lu.data(), n, pivots.data());
    if (nrhs > 0)
      LAPACKE_dgetrs(LAPACK_ROW_MAJOR, 'N', n, nrhs, lu.data(), n, pivots.data(), x.data(), nrhs);
  }
  LuAndX result{{a.rows(), a.cols(), Values(lu.begin(), lu.end())},
                {b.rows(), b.cols(), Values(x.begin(), x.end())},
                {}};
  for (const lapack_int pivot : pivots) result.pivots.push_back(static_cast<Index>(pivot - 1));
  return result;
}

LuAndX lapack(const Matrix& a, const Matrix& b, RealType type) {
  return type == RealType::f32 ? lapack_as<float>(a, b) : lapack_as<double>(a, b);
}

LuAndX ours(Context& context, RealType type, const Matrix& a, const Matrix& b,
            const LuOptions& options = {}) {
  const PaddedMatrix da(context, type, a, 0, 1), db(context, type, b, 0, 0);
  Lu factors = lu_factor(context, type, da.view, a.rows(), options);
  factors.solve(db.view, b.cols());
  return {da.read(context, type), db.read(context, type), factors.pivots()};
}

/// The pivots that every right algorithm chooses: elimination in long double, up to the first
/// column in which the two largest candidates are nearer to each other than rounding may move them.
std::vector<Index> unambiguous_pivots(const Matrix& a, double eps) {
  const Index n = a.rows();
  std::vector<long double> w(a.values().begin(), a.values().end());
  std::vector<Index> pivots;
  for (Index k = 0; k < n; ++k) {
    Index best = k;
    for (Index i = k; i < n; ++i)
      if (std::abs(w[i * n + k]) > std::abs(w[best * n + k])) best = i;
    for (Index i = k; i < n; ++i) {
      const long double rival = std::abs(w[i * n + k]), largest = std::abs(w[best * n + k]);
      if (i != best && rival >= largest * (1 - 1e4L * static_cast<long double>(eps))) return pivots;
    }
    pivots.push_back(best);
    std::swap_ranges(w.begin() + static_cast<std::ptrdiff_t>(k * n),
                     w.begin() + static_cast<std::ptrdiff_t>(k * n + n),
                     w.begin() + static_cast<std::ptrdiff_t>(best * n));
    for (Index i = k + 1; i < n; ++i) {
      const long double l = w[i * n + k] / w[k * n + k];
      for (Index j = k; j < n; ++j) w[i * n + j] -= l * w[k * n + j];
    }
  }
  return pivots;
}

void check_same_pivots(const std::vector<Index>& expected, const std::vector<Index>& pivots) {
  REQUIRE(pivots.size() >= expected.size());
  for (Index k = 0; k < expected.size(); ++k) REQUIRE(pivots[k] == expected[k]);
}

}  // namespace

TEST_CASE("LAPACK: the same pivots where they are unambiguous, factors and answers as good") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      const double eps = unit_roundoff(type);
      Index compared = 0;
      for (const std::string kind : {"random", "zero-pivot", "graded", "spd", "permuted-identity"})
        for (const Index n : {2, 33, 97, 210}) {
          CAPTURE(kind);
          CAPTURE(n);
          const std::string type_name = real_type_name(type);
          CAPTURE(type_name);
          const Matrix a = rounded(generate_matrix(kind, n, n), type),
                       b = rounded(random_matrix(n, 1, 3), type);
          const LuAndX mine = ours(context, type, a, b), theirs = lapack(a, b, type);
          CHECK(factorisation_error(a, mine.lu, mine.pivots, eps) <= 30);
          CHECK(factorisation_error(a, theirs.lu, theirs.pivots, eps) <= 30);
          for (const LuAndX* factored : {&mine, &theirs})
            CHECK(compute_residual({a, b}, factored->x, eps).scaled <= kScaledResidualBound);
          // A panel of up to 256 rows is one work-group's, with partial pivoting, whatever the
          // device.
          const std::vector<Index> expected = unambiguous_pivots(a, eps);
          check_same_pivots(expected, theirs.pivots);
          check_same_pivots(expected, mine.pivots);
          compared += expected.size();
        }
      CHECK(compared > 200);
    }
  });
}

TEST_CASE("LAPACK: answers for no, one and many right-hand sides agree as backward errors do") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const Index nrhs : {0, 1, 17, 1000}) {
        CAPTURE(nrhs);
        const Index n = 130;
        const Matrix a = rounded(generate_matrix("random", n, 4), type),
                     b = rounded(random_matrix(n, nrhs, 5), type);
        const double eps = unit_roundoff(type);
        const LuAndX mine = ours(context, type, a, b), theirs = lapack(a, b, type);
        REQUIRE(mine.x.cols() == nrhs);
        const double error = compute_residual({a, b}, mine.x, eps).backward_error,
                     lapacks = compute_residual({a, b}, theirs.x, eps).backward_error;
        CHECK(error <= 4 * lapacks + 4 * eps);
      }
  });
}

TEST_CASE("LAPACK: tournament pivoting is within twice partial pivoting's backward error") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (test::is_slow(context)) return;
    const RealType type = types_of(device.profile).back();
    // A panel in one work-group has partial pivoting, by the same arithmetic as the tournament's.
    LuSpec one_group = default_lu_spec(context.profile(), type, 300, LuFamily::gpu);
    set_value(one_group.parameters, "GROUP_ROWS", 320);
    const bool slow = !context.runs_long_loops() && device.profile.type == DeviceType::cpu;
    for (const MatrixKind& kind : matrix_kinds()) {
      if (kind.name == "singular" || kind.name == "rank-deficient") continue;  // no answer
      CAPTURE(kind.name);
      // The sum over some matrices: a single one's error is half luck. 300 rows are above the 256
      // of one group.
      const Index n = kind.name == "wilkinson" ? 40 : 300;  // 2^(n-1) must leave digits
      const std::vector<std::uint64_t> seeds =
          slow ? std::vector<std::uint64_t>{1, 2} : std::vector<std::uint64_t>{1, 2, 3, 4, 5, 6};
      double tournament = 0, partial = 0, lapacks = 0;
      for (const std::uint64_t seed : seeds) {
        const Matrix a = rounded(generate_matrix(kind.name, n, seed), type);
        const Matrix b = rounded(random_matrix(n, 3, 100 + seed), type);
        const auto error = [&](const Matrix& x) {
          return compute_residual({a, b}, x, unit_roundoff(type)).backward_error;
        };
        LuOptions options;
        options.pivoting = Pivoting::tournament;
        tournament += error(ours(context, type, a, b, options).x);
        options.spec = one_group;
        partial += error(ours(context, type, a, b, options).x);
        lapacks += error(lapack(a, b, type).x);
      }
      CHECK(partial <= 8 * lapacks);  // f32 sums of other order: 4 times in spd
      CHECK(tournament <= 2 * partial);
    }
  });
}
#endif
