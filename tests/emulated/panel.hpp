/// The tests of a panel of LANE_ROWS rows a lane in REAL_BITS, which who includes this defines, and
/// of complex numbers where COMPLEX is 1.

#include <doctest/doctest.h>

#include "emulated/work_group.hpp"

#define PANEL_WIDTH 32
#define SUB_GROUPS 16
#include "emulated/cases.hpp"
namespace {
#include "lu_panel_columns.hpp"
}

using namespace clgauss::test::emulated;

#include "emulated/element.hpp"

TEST_CASE("lu_panel_columns, " KIND TEXT_OF(REAL_BITS) ", " TEXT_OF(
    LANE_ROWS) " rows a lane: LAPACK's pivots and factors") {
  check_panels<Element>(
      {{ROWS, 32}, {ROWS - 5, 32}, {40, 17}, {20, 32}, {9, 9}, {1, 1}},
      [](Block<Element>& panel, const PanelShape& shape, int* exchanged, int* first_bad) {
        WorkGroup::run(1, WG_SIZE, [&] {
          lu_panel_columns(reinterpret_cast<NUMBER*>(panel.a.data()), 0, panel.ld, shape.rows,
                           shape.cols, 0, exchanged, 0, first_bad);
        });
      });
}
