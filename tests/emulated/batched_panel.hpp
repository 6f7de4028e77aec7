/// The tests of a panel of batched_panel_ptx.cl in REAL_BITS, which who includes this defines.

#include <doctest/doctest.h>

#include <numeric>

#include "emulated/work_group.hpp"

#define PANEL 16
#define BLOCK 32
#define GROUP 64
#define LANE_ROWS 2
#include "emulated/cases.hpp"
namespace {
#include "batched_panel_ptx.hpp"
}

using namespace clgauss::test::emulated;

TEST_CASE("batched_panel, f" TEXT_OF(REAL_BITS) ": LAPACK's pivots and factors of every system") {
  constexpr uint kSystems = 2, kLater = 5;  // systems in front of those of the launch
  for (const uint top : {0U, 16U})
    for (const uint rows : {128U, 100U, 33U, 16U, 7U, 1U})
      for (const bool ties : {false, true}) {
        const uint n = top + rows, width = std::min(rows, uint{PANEL});
        CAPTURE(rows);
        CAPTURE(ties);
        // Both systems in one buffer; what stands around a panel stays.
        Block<REAL> both = made_up<REAL>(kSystems * n, n, ties), expected = both;
        std::vector<int> permutation(kSystems * n), moves(kSystems * 2 * BLOCK, -7),
            info(kLater + kSystems, 0);
        for (uint e = 0; e < kSystems * n; ++e) permutation[e] = static_cast<int>(1000 + e);
        const std::vector<int> before = permutation;
        WorkGroup::run(kSystems, GROUP, [&] {
          batched_panel(both.a.data(), 0, both.ld, n * both.ld, permutation.data(), moves.data(), n,
                        top, kLater, info.data());
        });
        for (uint s = 0; s < kSystems; ++s) {
          Block<REAL> panel{rows, width, width, std::vector<REAL>(rows * width)};
          for (uint i = 0; i < rows; ++i)
            for (uint j = 0; j < width; ++j) panel(i, j) = expected(s * n + top + i, top + j);
          const Pivots pivots = factor(panel, {rows, width});
          for (uint i = 0; i < rows; ++i)
            for (uint j = 0; j < width; ++j) expected(s * n + top + i, top + j) = panel(i, j);
          std::vector<int> from(rows);
          std::iota(from.begin(), from.end(), 0);
          for (uint j = 0; j < width; ++j) std::swap(from[j], from[pivots.exchanged[j]]);
          const int* of_system = moves.data() + s * 2 * BLOCK + top % BLOCK * 2;
          for (uint i = 0; i < rows; ++i)
            CHECK(permutation[s * n + top + i] == before[s * n + top + from[i]]);
          for (uint i = 0; i < width; ++i) {
            CHECK(of_system[i] == from[i]);
            CHECK(from[of_system[PANEL + i]] == static_cast<int>(i));
          }
          CHECK(
              info[kLater + s] ==
              (pivots.first_bad == kNoBadPivot ? 0 : static_cast<int>(top) + pivots.first_bad + 1));
        }
        CHECK(max_difference(both, expected) <= 2000 * std::numeric_limits<REAL>::epsilon());
      }
}
