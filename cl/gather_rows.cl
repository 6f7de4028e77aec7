// to(i, :) <- from(rows[i], :), an n x n matrix with its rows in another order.
//
//   from + from_offset, to + to_offset   row-major, from_ld and to_ld
// NDRange: n groups of any size, a row each. No local memory.

#include "common.clh"

kernel void gather_rows(const global REAL* restrict from, ulong from_offset, uint from_ld,
                        global REAL* restrict to, ulong to_offset, uint to_ld,
                        const global int* restrict rows, uint n) {
  const uint i = get_group_id(0);
  const global REAL* row = from + from_offset + (ulong)rows[i] * from_ld;
  global REAL* out = to + to_offset + (ulong)i * to_ld;
  for (uint j = get_local_id(0); j < n; j += get_local_size(0)) out[j] = row[j];
}
