// LU panel with true partial pivoting by ONE work-group, for NVIDIA (inline PTX): P A = L U, A m x
// width, of real numbers or complex f32, width <= PANEL_WIDTH, m <= 32 LANE_ROWS. The elimination
// is that of lu_columns.clh; two columns a sub-group.
//
// NDRange: one work-group of 32 SUB_GROUPS.
//   a + offset  the panel's first element, row-major, leading dimension ld (in: A, out: L\U)
//   pivots      pivots[pivot_offset + j] = row_base + position exchanged with position j, j <
//               min(m, width)
//   info        [0] atomic minimum of row_base + j over the columns with a zero or NaN pivot, or
//               with an infinite complex one
// A zero pivot: its column is zero, nothing is scaled (getf2). A NaN counts as the largest
// magnitude, so that it is reported at once.
// Local memory: the larger of 128 LANE_ROWS and 4224, and 1088 NUMBERs, and 48 LANE_ROWS words: 45
// KiB for f64 or complex f32 and 640 rows.

#if !defined(PANEL_WIDTH) || !defined(SUB_GROUPS) || PANEL_WIDTH != 32 || \
    PANEL_WIDTH % SUB_GROUPS != 0
#error "PANEL_WIDTH must be 32, and SUB_GROUPS divide it"
#endif
#if !defined(LANE_ROWS) || LANE_ROWS % 2 != 0
#error "LANE_ROWS must be defined, and even"
#endif
#define COLUMNS (PANEL_WIDTH / SUB_GROUPS)
#define U_ROWS PANEL_WIDTH
#define U_LD (PANEL_WIDTH + 1)
#define STAGE_LD (PANEL_WIDTH + 1)
#define STAGE (32 * STAGE_LD)  // 32 rows
#define LEAST_SCRATCH (4 * STAGE)
#include "common.clh"
#include "numbers.clh"
#include "pivot.clh"
#include "ptx.clh"
#include "numbers_ptx.clh"
#include "load_if.clh"
#include "lu_columns.clh"

// Elements 4 p .. 4 p + 3 of the columns go to local memory: see STORE_ROW.
// clang-format off
#define STAGE_FOUR(p)                                                                   \
  case p:                                                                               \
    UNROLLED                                                                            \
    for (uint i = 0; i < 4; ++i) {                                                      \
      UNROLLED                                                                          \
      for (uint c = 0; c < COLUMNS; ++c)                                                \
        if (4 * p < LANE_ROWS)                                                          \
          shared.l[(32 * i + my.lane) * STAGE_LD + SUB_GROUPS * c + my.sub] =           \
              my.r[c][(4 * p + i) % LANE_ROWS];                                         \
    }                                                                                   \
    break;
// clang-format on

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void lu_panel_columns(
    global NUMBER* restrict a, ulong offset, uint ld, uint m, uint width, uint row_base,
    global int* restrict pivots, ulong pivot_offset, volatile global int* restrict info) {
  local Shared shared;
  global NUMBER* panel = a + offset;
  const uint id = get_local_id(0), steps = min(m, width);
  Columns my;
  my.sub = id / 32;
  my.lane = id % 32;
  my.used = 0;
  my.full = true;
  start(&my, &shared);

  // Neighbours read neighbouring columns, and pass them on by local memory; all loads are under way
  // at once.
  const global NUMBER* next = panel + (ulong)my.sub * ld + my.lane;
  const uint rows = my.lane < width && my.sub < m ? m - my.sub : 0;
  UNROLLED
  for (uint i = 0; i < LANE_ROWS; ++i) {
    if (32 * i + my.lane >= m) my.used |= 1u << i;
    UNROLLED
    for (uint c = 0; c < COLUMNS; ++c) {
      my.r[c][i] = load_if(32 * i + SUB_GROUPS * c < rows, next);
      next += (ulong)SUB_GROUPS * ld;
    }
  }
  UNROLLED
  for (uint i0 = 0; i0 < LANE_ROWS; i0 += 2) {
    local NUMBER* stage = shared.l + i0 / 2 % 2 * (2 * STAGE);
    UNROLLED
    for (uint i = 0; i < 2; ++i) {
      UNROLLED
      for (uint c = 0; c < COLUMNS; ++c)
        stage[(32 * i + SUB_GROUPS * c + my.sub) * STAGE_LD + my.lane] = my.r[c][i0 + i];
    }
    GROUP_SYNC();
    UNROLLED
    for (uint i = 0; i < 2; ++i) {
      UNROLLED
      for (uint c = 0; c < COLUMNS; ++c)
        my.r[c][i0 + i] = stage[(32 * i + my.lane) * STAGE_LD + SUB_GROUPS * c + my.sub];
    }
  }
  GROUP_SYNC();

  eliminate(&my, steps, steps < width ? steps : steps - 1, &shared);
  GROUP_SYNC();

  if (id < steps) {
    pivots[pivot_offset + id] = (int)(row_base + shared.exchanged[id]);
    if (is_bad(shared.u[id * U_LD + id])) atomic_min(info, (int)(row_base + id));
  }
#pragma unroll 1
  for (uint i0 = 0; i0 < LANE_ROWS; i0 += 4) {
    switch (i0 / 4) { ROWS_TO_8(STAGE_FOUR) }
    GROUP_SYNC();
    UNROLLED
    for (uint t = 0; t < 4 * COLUMNS; ++t) {
      const uint row = SUB_GROUPS * t + my.sub;
      const uint position = 32 * i0 + row < m ? shared.position_of[32 * i0 + row] : 0u;
      const NUMBER v = shared.l[row * STAGE_LD + my.lane];
      if (position > my.lane && my.lane < width) panel[(ulong)position * ld + my.lane] = v;
    }
    GROUP_SYNC();
  }
  for (uint q = my.sub; q < steps; q += SUB_GROUPS)
    if (q <= my.lane && my.lane < width)
      panel[(ulong)q * ld + my.lane] = shared.u[q * U_LD + my.lane];
}
