// batched_panel of batched_blocks.cl for NVIDIA (inline PTX): the same arguments and answer.
//
// Every sub-group finds the best row of its own, by instructions that compare its work-items'
// candidates, and leaves it in local memory with its magnitude; after the column's only barrier all
// of them find the best of those in the same way.
//
// NDRange as there. GROUP is a multiple of 32, at most 1024. Local memory: 2 GROUP / 32 rows of
// PANEL scalars, and as many keys and words.

#include "batched.clh"
#include "ptx.clh"

#if !defined(PANEL) || !defined(BLOCK) || !defined(GROUP) || GROUP % 32 != 0 || GROUP > 1024
#error "PANEL, BLOCK and GROUP, a multiple of 32 up to 1024, must be defined"
#endif
#ifndef DEFINITE
#define DEFINITE 0
#endif
#define SUB_GROUPS (GROUP / 32)
#define NOWHERE 0xffffffffu

// What sorts as magnitudes do, NaN above all, and 0 for none.
#if REAL_BITS == 64
#define KEY ulong
#define KEY_OF(v) ((as_ulong(v) & 0x7fffffffffffffffUL) + 1)
#define INVERSE(v) inverse_of(v)
// Where reciprocal_f64 is not exact enough, rarely, and for the whole work-group.
INLINE double inverse_of(const double v) {
  const double size = fabs(v);
  return size > 0x1p-1000 && size < 0x1p1000 ? reciprocal_f64(v) : 1 / v;
}
#else
#define KEY uint
#define KEY_OF(v) ((as_uint(v) & 0x7fffffffu) + 1)
#define INVERSE(v) (1 / (v))
#endif

typedef struct {
  REAL row[2][SUB_GROUPS][PANEL];
  KEY key[2][SUB_GROUPS];
  uint position[2][SUB_GROUPS];
} Shared;

// The largest key of a sub-group, and the least position that has it, NOWHERE if there is none.
INLINE KEY best_of_sub_group(const KEY key, uint* position) {
#if REAL_BITS == 64
  const uint high = (uint)(key >> 32), top = sub_group_largest(high);
  const uint low = sub_group_largest(high == top ? (uint)key : 0u);
  const KEY best = (ulong)top << 32 | low;
#else
  const KEY best = sub_group_largest(key);
#endif
  *position = sub_group_smallest(key == best && key != 0 ? *position : NOWHERE);
  return best;
}

INLINE const local REAL* choose_pivot(REAL r[LANE_ROWS][PANEL], const uint* position, const uint c,
                                      const uint m, local Shared* s, uint* chosen) {
  const uint sub = get_local_id(0) / 32, lane = get_local_id(0) % 32;
#if DEFINITE
  const uint winner = c / 32 % SUB_GROUPS;
  *chosen = c;
#else
  KEY key = 0;
  uint at = NOWHERE;
  UNROLLED
  for (uint x = 0; x < LANE_ROWS; ++x) {
    const KEY its = position[x] >= c && position[x] < m ? KEY_OF(r[x][0]) : (KEY)0;
    if (its > key || (its == key && position[x] < at)) {
      key = its;
      at = position[x];
    }
  }
  *chosen = at;
  key = best_of_sub_group(key, chosen);
#endif
  UNROLLED
  for (uint x = 0; x < LANE_ROWS; ++x)
    if (position[x] == *chosen) {
      UNROLLED
      for (uint k = 0; k < PANEL; ++k) s->row[c % 2][sub][k] = r[x][k];
    }
#if !DEFINITE
  if (lane == 0) {
    s->key[c % 2][sub] = key;
    s->position[c % 2][sub] = *chosen;
  }
#endif
  barrier(CLK_LOCAL_MEM_FENCE);
#if !DEFINITE
  const bool has = lane < SUB_GROUPS;
  const uint of_its = has ? s->position[c % 2][lane] : NOWHERE;
  *chosen = of_its;
  (void)best_of_sub_group(has ? s->key[c % 2][lane] : (KEY)0, chosen);
  const uint winner = 31 - clz(sub_group_votes(has && of_its == *chosen));
#endif
  return s->row[c % 2][winner];
}

#include "batched_panel.clh"
