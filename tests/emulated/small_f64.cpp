#include <doctest/doctest.h>

#include "emulated/work_group.hpp"

#define REAL_BITS 64
#define MOST_N 64
#define SUB_GROUPS 8
#define KERNEL 1
#include "emulated/cases.hpp"
namespace {
#include "lu_small_columns.hpp"
}

using namespace clgauss::test::emulated;

TEST_CASE("lu_small_columns: LAPACK's pivots and factors, and x") {
  check_panels<double>({{1, 1}, {31, 31}, {32, 32}, {50, 50}, {64, 64}},
                       [](Block<double>& a, const PanelShape&, int* exchanged, int* first_bad) {
                         const Block<double> before = a;
                         std::vector<double> b(a.rows, 1), x = b;
                         WorkGroup::run(1, WG_SIZE, [&] {
                           lu_small(a.a.data(), 0, a.ld, a.rows, x.data(), 0, 1, 1, exchanged, 0,
                                    first_bad);
                         });
                         if (*first_bad == kNoBadPivot)
                           CHECK(residual(before, b, x) <= 100);
                         else
                           CHECK(std::ranges::all_of(x, [](double v) { return std::isnan(v); }));
                       });
}
