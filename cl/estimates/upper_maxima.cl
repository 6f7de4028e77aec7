// maxima[i] <- the largest magnitude in row i of an upper triangle, on and right of the diagonal;
// of complex numbers (COMPLEX 1) that of their parts; NaN if the row holds one.
//
// Magnitudes are compared as integers: the order is the same, and a NaN is above all.
//
//   a + offset: n-by-n, row-major, leading dimension ld; both are counted in REALs
//
// NDRange: n groups of WG_SIZE. Local memory: WG_SIZE scalars.

#include "common.clh"
#include "numbers.clh"

#ifndef WG_SIZE
#error "WG_SIZE must be defined"
#endif
#if REAL_BITS == 64
#define BITS ulong
#define BITS_OF(v) (as_ulong(v) & 0x7fffffffffffffffUL)
#define REAL_OF(b) as_double(b)
#else
#define BITS uint
#define BITS_OF(v) (as_uint(v) & 0x7fffffffU)
#define REAL_OF(b) as_float(b)
#endif

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void upper_row_maxima(
    const global REAL* restrict a, ulong offset, uint ld, uint n, global REAL* restrict maxima) {
  local BITS parts[WG_SIZE];
  const uint i = get_group_id(0), id = get_local_id(0);
  const global REAL* row = a + offset + (ulong)i * ld;
  BITS largest = 0;
  for (uint j = (1 + COMPLEX) * i + id; j < (1 + COMPLEX) * n; j += WG_SIZE)
    largest = max(largest, BITS_OF(row[j]));
  parts[id] = largest;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id == 0) {
    for (uint p = 1; p < WG_SIZE; ++p) largest = max(largest, parts[p]);
    maxima[i] = REAL_OF(largest);
  }
}
