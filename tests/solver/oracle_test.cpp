/// Every way to an answer, on matrices with traps, against the host's LAPACK refined in long
/// double.

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <boost/multiprecision/cpp_bin_float.hpp>
#include <clgauss/condition.hpp>
#include <clgauss/error.hpp>
#include <clgauss/io.hpp>
#include <clgauss/solve.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>

#ifdef CLGAUSS_TESTS_WITH_LAPACK
#include <lapacke.h>
#endif

#include "linalg/solve/host_lapack.hpp"
#include "support/devices.hpp"
#include "support/gallery.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

/// LONG=1: larger matrices and more of them. CLGAUSS_ORACLES=FILE: the table is appended there.
/// CLGAUSS_TEST_MATRICES=FOLDER: its .mtx files are solved as well. CLGAUSS_ORACLE_KINDS=TEXT: only
/// kinds in whose names it stands.
bool is_long() { return std::getenv("LONG") != nullptr; }

struct Kind {
  std::string name;
  std::function<Matrix(Index n)> make;
  Index largest;          // above it nothing of x is left in f64
  bool singular = false;  // exactly, or all but
};

constexpr Index kAny = 1 << 20;

void add_randsvd(std::vector<Kind>& all) {
  using enum Spread;
  const auto add = [&](Spread spread, double condition) {
    all.push_back({fmt::format("randsvd mode {} {:.0e}", static_cast<int>(spread), condition),
                   [=](Index n) { return randsvd(n, condition, spread, n); }, kAny});
  };
  if (!is_long()) {
    for (const auto& [spread, condition] : {std::pair(one_large, 1e4),
                                            {one_small, 1e10},
                                            {geometric, 1e2},
                                            {geometric, 1e6},
                                            {geometric, 1e13},
                                            {arithmetic, 1e12},
                                            {random, 1e16}})
      add(spread, condition);
    return;
  }
  for (const Spread spread : {one_large, one_small, geometric, arithmetic, random})
    for (const double condition : {1e1, 1e4, 1e7, 1e10, 1e13, 1e16}) add(spread, condition);
}

void add_files(std::vector<Kind>& all) {
  const char* folder = std::getenv("CLGAUSS_TEST_MATRICES");
  if (folder == nullptr) return;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".mtx") continue;
    Matrix a;
    try {
      a = read_matrix(entry.path().string());
    } catch (const Error& error) {
      MESSAGE("left out: ", std::string(error.what()));
      continue;
    }
    // Only of its own size.
    all.push_back(
        {entry.path().stem().string(), [a](Index n) { return n == 0 ? a : Matrix(); }, 0});
  }
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = [] {
    std::vector<Kind> made{
        {"random", [](Index n) { return random_matrix(n, n, n); }, kAny},
        {"hilbert", hilbert, 9},
        {"vandermonde", vandermonde, 11},
        {"kahan", [](Index n) { return kahan(n); }, 33},
        {"frank", frank, 12},
        {"grcar", grcar, kAny},
        {"lotkin", lotkin, 9},
        {"minij", minij, kAny},
        {"wilkinson growth", wilkinson_growth, 64},
        {"graded", [](Index n) { return graded(n, 1e-300, 1e300, n); }, kAny},
        {"rows by powers of ten",
         [](Index n) { return rows_by_powers_of_ten(random_matrix(n, n, n)); }, kAny},
        {"permuted identity",
         [](Index n) {
           Matrix a(n, n);
           for (Index i = 0; i < n; ++i) a(i, n - 1 - i) = 1;
           return a;
         },
         kAny},
        {"rank deficient exact",
         [](Index n) { return rank_deficient(n, n > 2 ? n - 2 : n - 1, true, n); }, 129, true},
        {"rank deficient rounded", [](Index n) { return rank_deficient(n, n - 1, false, n); }, 129,
         true},
    };
    add_randsvd(made);
    add_files(made);
    if (const char* wanted = std::getenv("CLGAUSS_ORACLE_KINDS"))
      std::erase_if(made,
                    [&](const Kind& kind) { return kind.name.find(wanted) == std::string::npos; });
    return made;
  }();
  return all;
}

/// The rcond of LAPACK's dgecon, if it is there.
std::optional<double> rcond_by_lapack(const Matrix& a) {
#ifdef CLGAUSS_TESTS_WITH_LAPACK
  const auto n = static_cast<lapack_int>(a.rows());
  std::vector<double> lu(a.values().begin(), a.values().end());
  std::vector<lapack_int> pivots(a.rows());
  if (LAPACKE_dgetrf(LAPACK_ROW_MAJOR, n, n, lu.data(), n, pivots.data()) != 0) return {};
  double rcond = 0;
  LAPACKE_dgecon(LAPACK_ROW_MAJOR, '1', n, lu.data(), n, size_of(a).norm1, &rcond);
  return rcond;
#else
  return {};
#endif
}

/// x by LAPACK and corrections whose residuals, and x, are held in `Wide`.
template <typename Wide>
Matrix refined_in(HostLapack& lapack, const System& system) {
  const Index n = system.a.rows();
  std::vector<Wide> x(n, Wide(0));
  for (int step = 0; step < 20; ++step) {
    Matrix r(n, 1);
    for (Index i = 0; i < n; ++i) {
      Wide sum = system.b(i, 0);
      for (Index j = 0; j < n; ++j)
        if (system.a(i, j) != 0) sum -= system.a(i, j) * x[j];
      r(i, 0) = static_cast<double>(sum);
    }
    lapack.solve(r);
    for (Index i = 0; i < n; ++i) x[i] += r(i, 0);
  }
  Matrix rounded(n, 1);
  for (Index i = 0; i < n; ++i) rounded(i, 0) = static_cast<double>(x[i]);
  return rounded;
}

/// x to all digits of f64, where the condition leaves that; of large systems to those that a
/// residual in long double gives.
Matrix reference(HostLapack& lapack, const System& system) {
  using Quad = boost::multiprecision::cpp_bin_float_quad;
  return system.a.rows() <= 33 ? refined_in<Quad>(lapack, system)
                               : refined_in<long double>(lapack, system);
}

double relative_difference(const Matrix& x, const Matrix& y) {
  double largest = 0, size = 0;
  for (Index i = 0; i < x.rows(); ++i) {
    largest = std::max(largest, std::abs(x(i, 0) - y(i, 0)));
    size = std::max(size, std::abs(x(i, 0)));
  }
  return size > 0 ? largest / size : largest;
}

/// The worst of one kind and method.
struct Worst {
  double scaled = 0, forward_ratio = 0, rcond_ratio = 1;
  int solved = 0, otherwise = 0;
};

struct Oracle {
  System system;
  Matrix x;
  std::optional<double> rcond;
  bool singular = false;
};

SolveOptions options_of(Method method) {
  SolveOptions options;
  options.method = method;
  options.trust = true;
  return options;
}

void judge(Context& context, const Oracle& oracle, Method method, Worst& worst) {
  const Solution solution = solve(context, oracle.system, options_of(method));
  CAPTURE(method_name(method));
  CAPTURE(solution.passed_over);
  (solution.method == method ? worst.solved : worst.otherwise) += 1;
  if (oracle.singular && solution.status == SolveStatus::singular) return;
  REQUIRE(solution.status == SolveStatus::ok);
  CHECK(solution.residual.scaled <= 1);
  worst.scaled = std::max(worst.scaled, solution.residual.scaled);
  if (!solution.trust) return;
  const double rcond = solution.trust->rcond;
  if (oracle.singular) {
    CHECK(rcond <= 1e-14);
    return;
  }
  if (oracle.rcond && *oracle.rcond > 1e-14) {
    const double ratio = std::max(rcond / *oracle.rcond, *oracle.rcond / rcond);
    CHECK(ratio <= 3);
    worst.rcond_ratio = std::max(worst.rcond_ratio, ratio);
  }
  if (!(rcond > 1e-14)) return;
  const double error = relative_difference(oracle.x, solution.x),
               bound = solution.trust->forward_error[0];
  // The reference is rounded as well.
  CHECK(error <= bound + 0x1p-52);
  worst.forward_ratio = std::max(worst.forward_ratio, error / bound);
}

/// With all digits of x.
void judge_maximum(Context& context, const Oracle& oracle) {
  SolveOptions options = options_of(Method::automatic);
  options.accuracy = Accuracy::maximum;
  const Solution solution = solve(context, oracle.system, options);
  const bool regular = solution.trust && solution.trust->rcond > 1e-13;
  if (!regular || oracle.singular || !has_answer(solution.status)) return;
  CHECK(solution.status == SolveStatus::ok);
  CHECK(relative_difference(oracle.x, solution.x) <= 0x1p-51);
}

std::optional<Oracle> oracle_of(const Kind& kind, Index n) {
  Oracle oracle{{kind.make(n), {}}, {}, {}, kind.singular};
  const Index rows = oracle.system.a.rows();
  oracle.system.b =
      kind.name == "graded" ? row_sums(oracle.system.a) : random_matrix(rows, 1, 7 * rows + 1);
  HostLapack lapack(oracle.system.a);
  if (!lapack.failed_column()) {
    oracle.x = reference(lapack, oracle.system);
    oracle.rcond = rcond_by_lapack(oracle.system.a);
  } else if (!kind.singular) {
    return {};
  }
  return oracle;
}

}  // namespace

TEST_CASE(
    "oracles: every method on every kind of matrix has a small residual and a bound that holds") {
  if (!HostLapack::available()) return;
  const std::vector<Index> sizes =
      is_long() ? std::vector<Index>{1, 2, 3, 31, 32, 33, 127, 128, 129, 500, 1031}
                : std::vector<Index>{1, 3, 9, 33, 129, 300};
  on_every_device([&](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Kind& kind : kinds()) {
      std::map<Method, Worst> worst;
      for (const Index size : kind.largest == 0 ? std::vector<Index>{0} : sizes) {
        if (size > kind.largest || (kind.singular && size == 1) ||
            (!is_long() && size > 129 && !device.profile.fp64) ||
            (size > 33 && test::is_slow(context)))
          continue;
        const std::optional<Oracle> oracle = oracle_of(kind, size);
        if (!oracle) continue;
        const Index n = oracle->system.a.rows();
        CAPTURE(kind.name);
        CAPTURE(n);
        for (const Method method : {Method::lu, Method::mixed, Method::rbt})
          if (method != Method::lu || device.profile.fp64)
            judge(context, *oracle, method, worst[method]);
        if (n <= 33) judge_maximum(context, *oracle);
      }
      if (const char* file = std::getenv("CLGAUSS_ORACLES"))
        for (const auto& [method, of] : worst)
          std::ofstream(file, std::ios::app)
              << fmt::format("{},{},{},{},{},{:.3g},{:.3g},{:.3g}\n", device.profile.platform_name,
                             kind.name, method_name(method), of.solved, of.otherwise, of.scaled,
                             of.forward_ratio, of.rcond_ratio);
    }
  });
}

TEST_CASE("oracles: permuted rows and powers of two give the same bits, A ones the sums of rows") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : is_long() ? std::vector<Index>{33, 97, 500} : std::vector<Index>{33, 97}) {
      const System system{random_matrix(n, n, 3), random_matrix(n, 1, 4)};
      System permuted = system, scaled = system;
      for (Index i = 0; i < n; ++i) {
        const Index from = (i * 41 + 5) % n;
        std::ranges::copy(system.a.row(from), permuted.a.row(i).begin());
        permuted.b(i, 0) = system.b(from, 0);
      }
      for (double& value : scaled.a.values()) value *= 0x1p-400;
      for (const Method method : {Method::automatic, Method::lu, Method::mixed, Method::rbt}) {
        if (method == Method::lu && !device.profile.fp64) continue;
        CAPTURE(n);
        CAPTURE(method_name(method));
        const SolveOptions options = options_of(method);
        const Solution answer = solve(context, system, options);
        const Matrix& x = answer.x;
        const Matrix again = solve(context, permuted, options).x;
        const Matrix y = solve(context, scaled, options).x;
        if (method == Method::rbt) {  // which leaves what f32 holds only scaled to mixed
          CHECK(relative_difference(x, again) <= 1e-12);
          CHECK(relative_difference(x, [&] {
                  Matrix back = y;
                  for (double& value : back.values()) value *= 0x1p-400;
                  return back;
                }()) <= 1e-12);
        } else {
          if (answer.pivoting == Pivoting::partial)
            CHECK(std::memcmp(x.values().data(), again.values().data(), x.values().size_bytes()) ==
                  0);
          else  // in a tournament rows meet others when they come in another order
            CHECK(relative_difference(x, again) <= 1e-12);
          for (Index i = 0; i < n; ++i) CHECK(y(i, 0) == x(i, 0) * 0x1p400);
        }
        const Solution ones = solve(context, {system.a, row_sums(system.a)}, options);
        const Matrix one(n, 1, Values(n, 1.0));
        const double bound = ones.trust ? ones.trust->forward_error[0] : 1e-10;
        CHECK(relative_difference(one, ones.x) <= bound);
      }
    }
  });
}
