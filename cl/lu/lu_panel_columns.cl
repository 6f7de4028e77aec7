// LU panel with true partial pivoting by ONE work-group, for NVIDIA (inline PTX): P A = L U, A m x
// width, width <= PANEL_WIDTH, m <= 32 LANE_ROWS. The elimination is that of lu_columns.clh; four
// columns a sub-group.
//
// NDRange: one work-group of 32 SUB_GROUPS.
//   a + offset  the panel's first element, row-major, leading dimension ld (in: A, out: L\U)
//   pivots      pivots[pivot_offset + j] = row_base + position exchanged with position j, j <
//               min(m, width)
//   info        [0] atomic minimum of row_base + j over the columns with a zero or NaN pivot
// A zero pivot: its column is zero, nothing is scaled (getf2). A NaN counts as the largest
// magnitude, so that it is reported at once.
// Local memory: the larger of 128 LANE_ROWS and 2112, and 1056 scalars, and 48 LANE_ROWS words: 33
// KiB for f64 and 640 rows.

#if !defined(PANEL_WIDTH) || !defined(SUB_GROUPS) || PANEL_WIDTH != 32 || \
    PANEL_WIDTH % SUB_GROUPS != 0
#error "PANEL_WIDTH must be 32, and SUB_GROUPS divide it"
#endif
#define COLUMNS (PANEL_WIDTH / SUB_GROUPS)
#define U_ROWS PANEL_WIDTH
#define U_LD (PANEL_WIDTH + 1)
#define STAGE_LD (PANEL_WIDTH + 1)
#define STAGE (32 * STAGE_LD)  // 32 rows
#define LEAST_SCRATCH (2 * STAGE)
#include "common.clh"
#include "ptx.clh"
#include "lu_columns.clh"

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void lu_panel_columns(
    global REAL* restrict a, ulong offset, uint ld, uint m, uint width, uint row_base,
    global int* restrict pivots, ulong pivot_offset, volatile global int* restrict info) {
  local Shared shared;
  global REAL* panel = a + offset;
  const uint id = get_local_id(0), steps = min(m, width);
  Columns my;
  my.sub = id / 32;
  my.lane = id % 32;
  my.used = 0;
  my.full = true;
  start(&my, &shared);

  // Neighbours read neighbouring columns, and pass them on by local memory; all loads are under way
  // at once.
  const global REAL* next = panel + (ulong)my.sub * ld + my.lane;
  const uint rows = my.lane < width && my.sub < m ? m - my.sub : 0;
  UNROLLED
  for (uint i = 0; i < LANE_ROWS; ++i) {
    if (32 * i + my.lane >= m) my.used |= 1u << i;
    UNROLLED
    for (uint c = 0; c < COLUMNS; ++c) {
      my.r[c][i] = 32 * i + SUB_GROUPS * c < rows ? *next : (REAL)0;
      next += (ulong)SUB_GROUPS * ld;
    }
  }
  UNROLLED
  for (uint i = 0; i < LANE_ROWS; ++i) {
    local REAL* stage = shared.l + i % 2 * STAGE;
    UNROLLED
    for (uint c = 0; c < COLUMNS; ++c)
      stage[(SUB_GROUPS * c + my.sub) * STAGE_LD + my.lane] = my.r[c][i];
    GROUP_SYNC();
    UNROLLED
    for (uint c = 0; c < COLUMNS; ++c)
      my.r[c][i] = stage[my.lane * STAGE_LD + SUB_GROUPS * c + my.sub];
  }
  GROUP_SYNC();

  eliminate(&my, steps, steps < width ? steps : steps - 1, &shared);
  GROUP_SYNC();

  if (id < steps) {
    pivots[pivot_offset + id] = (int)(row_base + shared.exchanged[id]);
    if (!(fabs(shared.u[id * U_LD + id]) > 0)) atomic_min(info, (int)(row_base + id));
  }
  UNROLLED
  for (uint i = 0; i < LANE_ROWS; ++i) {
    local REAL* stage = shared.l + i % 2 * STAGE;
    UNROLLED
    for (uint c = 0; c < COLUMNS; ++c)
      stage[my.lane * STAGE_LD + SUB_GROUPS * c + my.sub] = my.r[c][i];
    const uint positions = 32 * i + my.lane < m ? shared.position_of[32 * i + my.lane] : 0u;
    GROUP_SYNC();
    UNROLLED
    for (uint c = 0; c < COLUMNS; ++c) {
      const uint row = SUB_GROUPS * c + my.sub, position = sub_group_from(positions, row);
      const REAL v = stage[row * STAGE_LD + my.lane];
      if (position > my.lane && my.lane < width) panel[(ulong)position * ld + my.lane] = v;
    }
  }
  for (uint q = my.sub; q < steps; q += SUB_GROUPS)
    if (q <= my.lane && my.lane < width)
      panel[(ulong)q * ld + my.lane] = shared.u[q * U_LD + my.lane];
}
