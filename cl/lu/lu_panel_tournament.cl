// LU panel by tournament pivoting (CALU), portable OpenCL C 1.2: no work-group waits for another,
// only kernel boundaries.
//
//  1. tournament_candidates, once per level: a work-group takes up to WG_SIZE rows (level 0:
//     consecutive rows of the panel, above: a list of candidates), eliminates a private copy with
//     partial pivoting and hands on its first `width` pivot rows by their numbers.
//     NDRange: local WG_SIZE, groups ceil(count / WG_SIZE). The next level's count is
//     (groups - 1) * width + min(width, rows of the last group).
//  2. tournament_finish, one work-group, count <= WG_SIZE: the same for the last candidates, whose
//     factors are the top block L11\U11. Their order becomes exchanges like LAPACK's (pivots mean
//     the same, but are not getrf's), and the displaced rows move.
//  3. tournament_lower, a work-item a row, groups ceil((m - width) / WG_SIZE): L21 = A21 U11^-1 by
//     substitution (an inverse would spread one zero pivot everywhere).
//
// |L| is not bounded by 1 (1.94 on random, n = 1030); norm1(PA - LU) / (n norm1(A) eps) stayed
// below 0.05. `list` and `winners` hold row numbers relative to the panel.
// Local memory: that of lu_panel_group.cl; 3.: PANEL_WIDTH * PANEL_WIDTH scalars.

#define PANEL_TOURNAMENT  // of lu_panel_group.cl only eliminate_rows, not its kernel
#include "lu_panel_group.cl"

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void tournament_candidates(
    const global REAL* restrict a, ulong offset, uint ld, uint count, uint width, uint level,
    const global uint* restrict list, global uint* restrict winners) {
  local PanelScratch scratch;
  const uint entry = get_global_id(0);
  const bool have = entry < count;
  const uint row = have ? (level == 0 ? entry : list[entry]) : 0u;
  const global REAL* from = a + offset + (ulong)row * ld;
  REAL r[PANEL_WIDTH];
  UNROLLED
  for (uint c = 0; c < PANEL_WIDTH; ++c) r[c] = have && c < width ? from[c] : (REAL)0;
  uint tie = row, first_bad = 0;
  const uint order = eliminate_rows(r, have, width, false, &tie, &first_bad, &scratch);
  if (order != NOT_CHOSEN) winners[get_group_id(0) * width + order] = row;
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void tournament_finish(
    global REAL* restrict a, ulong offset, uint ld, uint count, uint width, uint level,
    uint row_base, const global uint* restrict list, global int* restrict pivots,
    ulong pivot_offset, volatile global int* restrict info) {
  local PanelScratch scratch;
  const uint id = get_local_id(0);
  const bool have = id < count;
  const uint row = have ? (level == 0 ? id : list[id]) : 0u;
  global REAL* panel = a + offset;
  REAL r[PANEL_WIDTH], displaced[PANEL_WIDTH];
  UNROLLED
  for (uint c = 0; c < PANEL_WIDTH; ++c)
    r[c] = have && c < width ? panel[(ulong)row * ld + c] : (REAL)0;
  uint tie = row, first_bad = NOT_CHOSEN;
  const uint order = eliminate_rows(r, have, width, false, &tie, &first_bad, &scratch);

  // The winner of step j is found at `at` after the exchanges before j: each winner follows them,
  // one exchange a barrier.
  uint at = row;
  local uint* pivot = scratch.pivot_position;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = 0; j < width; ++j) {
    if (order == j) pivot[j] = at;
    barrier(CLK_LOCAL_MEM_FENCE);
    at = at == j ? pivot[j] : (at == pivot[j] ? j : at);
  }
  // Work-item j moves the row that its exchange finally leaves outside the top block.
  const uint outside = id < width ? pivot[id] : 0u;
  const bool moves = id < width && outside >= width;
  uint source = outside;
  for (uint j = width; j-- > 0;)
    source = source == j ? pivot[j] : (source == pivot[j] ? j : source);
  UNROLLED
  for (uint c = 0; c < PANEL_WIDTH; ++c)
    displaced[c] = moves && c < width ? panel[(ulong)source * ld + c] : (REAL)0;
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  UNROLLED
  for (uint c = 0; c < PANEL_WIDTH; ++c) {
    // Several exchanges with one row: each of their work-items writes the same.
    if (moves && c < width) panel[(ulong)outside * ld + c] = displaced[c];
    if (order != NOT_CHOSEN && c < width) panel[(ulong)order * ld + c] = r[c];
  }
  if (id < width) pivots[pivot_offset + id] = (int)(row_base + pivot[id]);
  if (id == 0 && first_bad != NOT_CHOSEN) atomic_min(info, (int)(row_base + first_bad));
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void tournament_lower(
    global REAL* restrict a, ulong offset, uint ld, uint m, uint width) {
  local REAL
      u[PANEL_WIDTH][PANEL_WIDTH];  // u[j][c] = U(j, j + c), zero beyond the panel: rotated like r
  const uint id = get_local_id(0), row = width + get_global_id(0);
  global REAL* panel = a + offset;
  for (uint e = id; e < PANEL_WIDTH * PANEL_WIDTH; e += WG_SIZE) {
    const uint j = e / PANEL_WIDTH, c = e % PANEL_WIDTH;
    u[j][c] = j + c < width ? panel[(ulong)j * ld + j + c] : (REAL)0;
  }
  REAL r[PANEL_WIDTH];
  UNROLLED
  for (uint c = 0; c < PANEL_WIDTH; ++c)
    r[c] = row < m && c < width ? panel[(ulong)row * ld + c] : (REAL)0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint j = 0; j < PANEL_WIDTH; ++j) {
    const REAL pivot = u[j][0];
    const REAL l = j < width ? (pivot == 0 ? (REAL)0 : r[0] / pivot) : r[0];
    const bool eliminates = j < width;
    UNROLLED
    for (uint c = 1; c < PANEL_WIDTH; ++c)
      r[c - 1] = eliminates && c < width - j ? fma(-l, u[j][c], r[c]) : r[c];
    r[PANEL_WIDTH - 1] = l;
  }
  UNROLLED
  for (uint c = 0; c < PANEL_WIDTH; ++c)
    if (row < m && c < width) panel[(ulong)row * ld + c] = r[c];
}
