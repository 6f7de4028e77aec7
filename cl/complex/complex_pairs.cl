// W, of twice as many rows as B, with which a product of real matrices is one of complex numbers:
// in place of a number x of B it has
//
//    re x   im x
//   -im x   re x
//
// for (re l, im l) times that is (re l x, im l x).
//
//   b + offset  row-major, ld, in complex numbers
//   w           row-major, w_ld, in REALs
// NDRange: columns x rows of B; any work-group size.

#include "common.clh"
#include "numbers.clh"

kernel void complex_pairs(const global NUMBER* restrict b, ulong offset, uint ld,
                          global REAL* restrict w, uint w_ld) {
  const uint column = get_global_id(0), row = get_global_id(1);
  const NUMBER x = b[offset + (ulong)row * ld + column];
  global REAL* const to = w + (ulong)(2 * row) * w_ld + 2 * column;
  to[0] = x.x;
  to[1] = x.y;
  to[w_ld] = -x.y;
  to[w_ld + 1] = x.x;
}
