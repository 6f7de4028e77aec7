#include <doctest/doctest.h>

#include "emulated/work_group.hpp"

#define REAL_BITS 32
#define SIZE 70
#define SUB_GROUPS 12
#define KERNEL 2
#include "emulated/cases.hpp"
namespace {
#include "lu_small_columns.hpp"
}

using namespace clgauss::test::emulated;

TEST_CASE("lu_small_columns: a system of a batch, its matrix as it was, its first bad pivot") {
  for (const bool singular : {false, true}) {
    Block<float> a = made_up<float>(SIZE, SIZE, false);
    for (uint i = 0; i < (singular ? SIZE : 0); ++i) a(i, 40) = 0;
    const Block<float> before = a;
    std::vector<float> b(SIZE, 1), x = b;
    int info = -1;
    WorkGroup::run(1, WG_SIZE, [&] {
      batched_factor_and_solve(a.a.data(), 0, a.ld, 0, x.data(), 0, 1, 0, 1, &info);
    });
    CHECK(a.a == before.a);
    CHECK(info == (singular ? 41 : 0));
    if (singular)
      CHECK(std::ranges::all_of(x, [](float v) { return std::isnan(v); }));
    else
      CHECK(residual(a, b, x) <= 100);
  }
}
