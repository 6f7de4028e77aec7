/// The tests of a panel of several work-groups in REAL_BITS, which who includes this defines, and
/// of complex numbers where COMPLEX is 1.

#include <doctest/doctest.h>

#include "emulated/work_group.hpp"

#define PANEL_WIDTH 32
#define SUB_GROUPS 2
#define SPIN_LIMIT 100000000
#include "emulated/cases.hpp"
namespace {
#include "lu_panel_persistent.hpp"
}

using namespace clgauss::test::emulated;

#include "emulated/element.hpp"

TEST_CASE("lu_panel_persistent, " KIND TEXT_OF(REAL_BITS) ": LAPACK's pivots and factors") {
  constexpr uint kMostGroups = 3;
  std::vector<ulong2> exchange(2 * kMostGroups * (1 + ROW_PACKETS));
  uint epoch = 1;
  check_panels<Element>(
      {{2 * GROUP_ROWS + 20, 32, 32, 40}, {GROUP_ROWS + 1, 17, 50}, {GROUP_ROWS - 5, 32, 32, 40}},
      [&](Block<Element>& matrix, const PanelShape& shape, int* exchanged, int* first_bad) {
        int info[] = {*first_bad, 0};
        const uint groups = std::max((shape.rows + GROUP_ROWS - 1) / GROUP_ROWS,
                                     STRIPS_BESIDE(shape.left, shape.right));
        WorkGroup::run(groups, WG_SIZE, [&] {
          lu_panel_persistent(reinterpret_cast<NUMBER*>(matrix.a.data()), shape.left, matrix.ld,
                              shape.rows, shape.cols, shape.left, shape.right, 0, exchanged, 0,
                              info, exchange.data(), epoch);
        });
        epoch += shape.cols;
        *first_bad = info[0];
        CHECK(info[1] == 0);
      });
}
