// LU panel by ONE work-group, portable OpenCL C 1.2, true partial pivoting: P A = L U for A = m x
// width, m <= WG_SIZE, width <= PANEL_WIDTH.
//
// A work-item keeps one row in private memory; rows carry their position and are written there at
// the end. The arg-max takes two steps over PARTS partial results, three barriers a column. The
// private array rotates by one a column, so that it is indexed by constants only.
//
// NDRange: one work-group of WG_SIZE. Arguments as in lu_panel_persistent.cl: a + offset
// (row-major, ld), pivots[pivot_offset + j] = row_base + position, info[0] = atomic minimum of
// row_base + j over zero or NaN pivots. A NaN counts as infinite. Local memory: (WG_SIZE + PARTS +
// PANEL_WIDTH) scalars and WG_SIZE + PARTS + PANEL_WIDTH words. All rows are read before one is
// written.

#include "common.clh"

#if !defined(PANEL_WIDTH) || !defined(WG_SIZE)
#error "PANEL_WIDTH and WG_SIZE must be defined"
#endif
#define PARTS 16
#if WG_SIZE % PARTS != 0
#error "WG_SIZE must be a multiple of 16"
#endif
#define NOT_CHOSEN 0xffffffffu

typedef struct {
  REAL magnitude[WG_SIZE], part_magnitude[PARTS], pivot_row[PANEL_WIDTH];
  uint part_owner[PARTS], position[WG_SIZE], pivot_position[PANEL_WIDTH];
} PanelScratch;

static inline bool ranks_higher(REAL magnitude, uint position, REAL than, uint than_position) {
  return magnitude > than || (magnitude == than && position < than_position);
}

// Gaussian elimination with partial pivoting on the rows r of a work-group. Returns the step at
// which this row was the pivot (NOT_CHOSEN: none). `position` decides ties; with `exchange` it
// follows LAPACK's exchanges. first_bad: the first step with a zero or NaN pivot (else unchanged).
static inline uint eliminate_rows(REAL* r, bool active, uint width, bool exchange, uint* position,
                                  uint* first_bad, local PanelScratch* s) {
  const uint id = get_local_id(0);
  uint chosen_at = NOT_CHOSEN;
  for (uint j = 0; j < width; ++j) {
    s->magnitude[id] = active ? (isnan(r[0]) ? (REAL)INFINITY : fabs(r[0])) : (REAL)-1;
    s->position[id] = *position;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < PARTS) {
      uint owner = id;
      for (uint k = id + PARTS; k < WG_SIZE; k += PARTS)
        if (ranks_higher(s->magnitude[k], s->position[k], s->magnitude[owner], s->position[owner]))
          owner = k;
      s->part_owner[id] = owner;
      s->part_magnitude[id] = s->magnitude[owner];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    uint best = 0;
    for (uint k = 1; k < PARTS; ++k)
      if (ranks_higher(s->part_magnitude[k], s->position[s->part_owner[k]], s->part_magnitude[best],
                       s->position[s->part_owner[best]]))
        best = k;
    const uint owner = s->part_owner[best], chosen = s->position[owner];
    const bool found = s->part_magnitude[best] >= 0;  // false when fewer than width rows are active
    const bool is_pivot = id == owner && found;
    if (is_pivot) {
      UNROLLED
      for (uint c = 0; c < PANEL_WIDTH; ++c) s->pivot_row[c] = r[c];
      s->pivot_position[j] = chosen;
    }
    active = active && !is_pivot;
    chosen_at = is_pivot ? j : chosen_at;
    *position = !exchange ? *position : (is_pivot ? j : (*position == j ? chosen : *position));
    barrier(CLK_LOCAL_MEM_FENCE);
    const REAL pivot = s->pivot_row[0];
    if (found && !(fabs(pivot) > 0) && *first_bad == NOT_CHOSEN) *first_bad = j;
    const bool eliminates = active && found;
    const REAL l = eliminates && pivot != 0 ? r[0] / pivot : r[0];
    UNROLLED
    for (uint c = 1; c < PANEL_WIDTH; ++c)
      r[c - 1] = eliminates && c < width - j ? fma(-l, s->pivot_row[c], r[c]) : r[c];
    r[PANEL_WIDTH - 1] = l;
  }
  for (uint j = width; j < PANEL_WIDTH; ++j) {  // a narrow panel: finish the round
    const REAL first = r[0];
    UNROLLED
    for (uint c = 1; c < PANEL_WIDTH; ++c) r[c - 1] = r[c];
    r[PANEL_WIDTH - 1] = first;
  }
  return chosen_at;
}

#ifndef PANEL_TOURNAMENT
kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void lu_panel_group(
    global REAL* restrict a, ulong offset, uint ld, uint m, uint width, uint row_base,
    global int* restrict pivots, ulong pivot_offset, volatile global int* restrict info) {
  local PanelScratch scratch;
  const uint id = get_local_id(0);
  global REAL* panel = a + offset;
  REAL r[PANEL_WIDTH];
  UNROLLED
  for (uint c = 0; c < PANEL_WIDTH; ++c)
    r[c] = id < m && c < width ? panel[(ulong)id * ld + c] : (REAL)0;
  uint position = id, first_bad = NOT_CHOSEN;
  eliminate_rows(r, id < m, width, true, &position, &first_bad, &scratch);
  // Also between all reads of the panel and the first write to it.
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint j = id; j < width; j += WG_SIZE)
    pivots[pivot_offset + j] = (int)(row_base + scratch.pivot_position[j]);
  if (id < m) {
    UNROLLED
    for (uint c = 0; c < PANEL_WIDTH; ++c)
      if (c < width) panel[(ulong)position * ld + c] = r[c];
  }
  if (id == 0 && first_bad != NOT_CHOSEN) atomic_min(info, (int)(row_base + first_bad));
}
#endif
