// to(j, i) <- from(i, j) for a matrix of rows x columns: a work-group transposes a square in local
// memory, so that both matrices are accessed along their rows.
//
//   from + from_offset, to + to_offset   row-major, from_ld and to_ld
//   EDGE                                 of the square
//
// NDRange: columns x rows, each rounded up to a multiple of EDGE; work-groups of EDGE x EDGE. Local
// memory: EDGE (EDGE + 1) numbers.

#include "common.clh"

#ifndef EDGE
#error "EDGE must be defined"
#endif

kernel __attribute__((reqd_work_group_size(EDGE, EDGE, 1))) void transpose(
    const global REAL* restrict from, ulong from_offset, uint from_ld, global REAL* restrict to,
    ulong to_offset, uint to_ld, uint rows, uint columns) {
  local REAL square[EDGE][EDGE + 1];
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint top = get_group_id(1) * EDGE, left = get_group_id(0) * EDGE;
  if (top + y < rows && left + x < columns)
    square[y][x] = from[from_offset + (ulong)(top + y) * from_ld + left + x];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (left + y < columns && top + x < rows)
    to[to_offset + (ulong)(left + y) * to_ld + top + x] = square[x][y];
}
