// Copies right-hand sides to and from a solve that takes them as columns of contiguous numbers: b
// is row-major, n x count at b + offset; column c of x begins at c * n. A program beside those of
// the solves, which are built for numbers of columns and directions.
#include "common.clh"
#include "numbers.clh"

// x <- b, the columns from `count` up to `columns` zeros; with `permuted`, row i of x is row
// rows[first + i] of b, else row i. NDRange: at least n work-items.
kernel void gather_columns(const global NUMBER* restrict b, ulong offset, uint ld, uint n,
                           uint count, const global uint* restrict rows, ulong first, uint permuted,
                           uint columns, global NUMBER* restrict x) {
  const uint i = (uint)get_global_id(0);
  if (i >= n) return;
  const global NUMBER* row = b + offset + (ulong)(permuted ? rows[first + i] : i) * ld;
  for (uint c = 0; c < columns; ++c) x[(ulong)c * n + i] = c < count ? row[c] : (NUMBER)(0);
}

// b <- x; with `permuted`, row rows[first + i] of b is row i of x, else row i. NDRange: at least n
// work-items.
kernel void scatter_columns(global NUMBER* restrict b, ulong offset, uint ld, uint n, uint count,
                            const global uint* restrict rows, ulong first, uint permuted,
                            const global NUMBER* restrict x) {
  const uint i = (uint)get_global_id(0);
  if (i >= n) return;
  global NUMBER* row = b + offset + (ulong)(permuted ? rows[first + i] : i) * ld;
  for (uint c = 0; c < count; ++c) row[c] = x[(ulong)c * n + i];
}

// rows[i] <- the row that the exchanges k = 0 .. n-1 of row k with row pivots[k] >= k moved to row
// i. Every work-item follows one row back: the exchanges above i did not touch it, exchange i moved
// it from pivots[i], and before that only an exchange with it as the partner moved it. NDRange: at
// least n work-items.
kernel void exchanged_rows(const global int* restrict pivots, uint n, global uint* restrict rows) {
  const uint i = (uint)get_global_id(0);
  if (i >= n) return;
  int at = pivots[i];
  for (int k = (int)i - 1; k >= 0; --k)
    if (pivots[k] == at) at = k;
  rows[i] = (uint)at;
}
