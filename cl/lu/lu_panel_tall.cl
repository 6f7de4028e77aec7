// LU panel of any height with true partial pivoting: P A = L U for A = m x width, width <=
// PANEL_WIDTH, in plain OpenCL C 1.2. Work-groups wait for each other at kernel boundaries only,
// two launches a column:
//
//   tall_step(0)                      candidates of column 0
//   for j = 0 .. width - 1:
//     tall_exchange(j)                the best of them; rows j and pivot are exchanged
//     tall_step(j + 1)                columns right of j <- those - l u, l = a_ij / a_jj;
//                                     candidates of column j + 1
//   tall_scale                        L, which the steps compute and leave unscaled
//
// Arguments: a + offset (row-major, ld); pivots[pivot_offset + j] = row_base + position; info[0] =
// atomic minimum of row_base + j over zero or NaN pivots; magnitudes, rows: a candidate a
// work-group of tall_step. A NaN counts as infinite; of equal candidates the first row wins.
// NDRange: tall_step, tall_scale (PANEL_WIDTH, LINES) a group, GROUP_ROWS rows a group;
// tall_exchange one group of PANEL_WIDTH * LINES. Local memory: PANEL_WIDTH * LINES scalars and
// words. Traffic: the panel is read and written once a column.

#include "common.clh"

#if !defined(PANEL_WIDTH) || !defined(LINES) || !defined(GROUP_ROWS)
#error "PANEL_WIDTH, LINES and GROUP_ROWS must be defined"
#endif
#define ITEMS (PANEL_WIDTH * LINES)

static inline bool ranks_higher(REAL magnitude, uint row, REAL than, uint than_row) {
  return magnitude > than || (magnitude == than && row < than_row);
}

// The best of `count` candidates, from the first on; a magnitude below 0 is none.
static inline void best_of(local REAL* magnitudes, local uint* rows, uint count, REAL* magnitude,
                           uint* row) {
  *magnitude = -1;
  *row = 0;
  for (uint k = 0; k < count; ++k)
    if (ranks_higher(magnitudes[k], rows[k], *magnitude, *row)) {
      *magnitude = magnitudes[k];
      *row = rows[k];
    }
}

kernel __attribute__((reqd_work_group_size(PANEL_WIDTH, LINES, 1))) void tall_step(
    global REAL* restrict a, ulong offset, uint ld, uint m, uint width, uint j,
    global REAL* restrict magnitudes, global uint* restrict rows) {
  local REAL line_magnitudes[LINES];
  local uint line_rows[LINES];
  const uint c = get_local_id(0), line = get_local_id(1), group = get_group_id(1);
  global REAL* panel = a + offset;
  const uint first = group * GROUP_ROWS, end = min(m, first + GROUP_ROWS);
  const REAL pivot = j > 0 && j <= m ? panel[(ulong)(j - 1) * ld + j - 1] : (REAL)0;
  const REAL u = j > 0 && j <= m && c < width ? panel[(ulong)(j - 1) * ld + c] : (REAL)0;
  REAL magnitude = -1;
  uint row = 0;
  for (uint i = max(first, j) + line; i < end; i += LINES) {
    if (c < j || c >= width) continue;
    REAL value = panel[(ulong)i * ld + c];
    if (j > 0) {
      const REAL above = panel[(ulong)i * ld + j - 1];  // nobody writes it
      const REAL l = pivot != 0 ? above / pivot : above;
      value = fma(-l, u, value);
      panel[(ulong)i * ld + c] = value;
    }
    const REAL size = isnan(value) ? (REAL)INFINITY : fabs(value);
    if (c == j && size > magnitude) {
      magnitude = size;
      row = i;
    }
  }
  if (c == j) {
    line_magnitudes[line] = magnitude;
    line_rows[line] = row;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (c == j && line == 0) {
    best_of(line_magnitudes, line_rows, LINES, &magnitude, &row);
    magnitudes[group] = magnitude;
    rows[group] = row;
  }
}

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void tall_exchange(
    global REAL* restrict a, ulong offset, uint ld, uint width, uint j, uint row_base,
    global const REAL* restrict magnitudes, global const uint* restrict rows, uint groups,
    global int* restrict pivots, ulong pivot_offset, volatile global int* restrict info) {
  local REAL item_magnitudes[ITEMS];
  local uint item_rows[ITEMS];
  const uint id = get_local_id(0);
  global REAL* panel = a + offset;
  REAL magnitude = -1;
  uint row = 0;
  for (uint g = id; g < groups; g += ITEMS)
    if (ranks_higher(magnitudes[g], rows[g], magnitude, row)) {
      magnitude = magnitudes[g];
      row = rows[g];
    }
  item_magnitudes[id] = magnitude;
  item_rows[id] = row;
  barrier(CLK_LOCAL_MEM_FENCE);
  best_of(item_magnitudes, item_rows, ITEMS, &magnitude, &row);
  if (magnitude < 0) return;  // no row is left; all items agree
  for (uint c = id; c < width; c += ITEMS) {
    const REAL chosen = panel[(ulong)row * ld + c];
    panel[(ulong)row * ld + c] = panel[(ulong)j * ld + c];
    panel[(ulong)j * ld + c] = chosen;
    if (c == j) {
      pivots[pivot_offset + j] = (int)(row_base + row);
      if (!(fabs(chosen) > 0)) atomic_min(info, (int)(row_base + j));
    }
  }
}

kernel __attribute__((reqd_work_group_size(PANEL_WIDTH, LINES, 1))) void tall_scale(
    global REAL* restrict a, ulong offset, uint ld, uint m, uint width) {
  const uint c = get_local_id(0), line = get_local_id(1);
  global REAL* panel = a + offset;
  const uint first = get_group_id(1) * GROUP_ROWS, end = min(m, first + GROUP_ROWS);
  if (c >= min(width, m)) return;
  const REAL pivot = panel[(ulong)c * ld + c];
  for (uint i = max(first, c + 1) + line; i < end; i += LINES)
    if (pivot != 0) panel[(ulong)i * ld + c] /= pivot;
}
