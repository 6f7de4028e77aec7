#include <doctest/doctest.h>

#include "emulated/work_group.hpp"

#define REAL_BITS 64
#define PANEL_WIDTH 32
#define SUB_GROUPS 2
#define SPIN_LIMIT 1000
#include "emulated/cases.hpp"
namespace {
#include "lu_panel_persistent.hpp"
}

using namespace clgauss::test::emulated;

TEST_CASE(
    "lu_panel_persistent: a work-group that loses another gives up, and with it who works beside "
    "the panel") {
  constexpr uint kGroups = 2, kBeside = 20, kCols = 32;
  Block<double> matrix = made_up<double>(kGroups * GROUP_ROWS, kBeside + kCols + kBeside, false);
  std::vector<ulong2> exchange(2 * kGroups * (1 + PANEL_WIDTH));
  std::vector<int> exchanged(kCols, -1);
  int info[] = {kNoBadPivot, 0};
  WorkGroup::run(kGroups, WG_SIZE, [&] {
    if (WorkGroup::number() == 1) return;  // not resident
    lu_panel_persistent(matrix.a.data(), kBeside, matrix.ld, matrix.rows, kCols, kBeside, kBeside,
                        0, exchanged.data(), 0, info, exchange.data(), 1);
  });
  CHECK(info[1] == 1);
  for (uint j = 0; j < kCols; ++j) CHECK(exchanged[j] == static_cast<int>(j));
}
