// What refinement does on a device between the residuals of residual.cl and the solves with factors
// in f32. REAL_BITS is 64.

#include "common.clh"

#define WG_SIZE 128

// C <- A, rounded from f64 to f32 (ties to even; beyond f32's range infinity).
//   a + a_offset, a_ld   rows x columns of doubles, row-major
//   c + c_offset, c_ld   the same of floats
// NDRange: at least ceil(columns / 8) x rows, any local size.
kernel void demote(global const REAL* restrict a, ulong a_offset, uint a_ld,
                   global float* restrict c, ulong c_offset, uint c_ld, uint columns) {
  const ulong first = 8 * get_global_id(0), row = get_global_id(1);
  if (first >= columns) return;
  global const REAL* from = a + a_offset + row * a_ld + first;
  global float* to = c + c_offset + row * c_ld + first;
  if (first + 8 <= columns) {
    vstore8(convert_float8(vload8(0, from)), 0, to);
    return;
  }
  for (ulong j = 0; first + j < columns; ++j) to[j] = (float)from[j];
}

// quality <- {max |r|_i / d_i, max |r|_i, max d_i, 2^e} of n numbers, and b <- 2^-e r, rounded to
// f32, with max |b| in [1, 2). Where d is not above `small`, the quotient is (|r| + slack) / (d +
// slack), or 0 for r = 0. Infinity for what is not finite.
// NDRange: one group of WG_SIZE. Local memory: 24 WG_SIZE bytes.
kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void judge(
    global const REAL* restrict r, global const REAL* restrict d, uint n, REAL small, REAL slack,
    global REAL* restrict quality, global float* restrict b) {
  local REAL ratios[WG_SIZE], errors[WG_SIZE], sizes[WG_SIZE];
  const uint id = get_local_id(0);
  REAL ratio = 0, largest_r = 0, largest_d = 0;
  for (uint i = id; i < n; i += WG_SIZE) {
    const REAL error = fabs(r[i]), size = d[i];
    const REAL safe = size > small ? error / size
                      : error == 0 ? 0
                                   : (error + slack) / (size + slack);
    ratio = isfinite(error) && isfinite(size) ? fmax(ratio, safe) : INFINITY;
    largest_r = fmax(largest_r, error);
    largest_d = fmax(largest_d, size);
  }
  ratios[id] = ratio;
  errors[id] = largest_r;
  sizes[id] = largest_d;
  for (uint width = WG_SIZE / 2; width > 0; width /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < width) {
      ratios[id] = fmax(ratios[id], ratios[id + width]);
      errors[id] = fmax(errors[id], errors[id + width]);
      sizes[id] = fmax(sizes[id], sizes[id + width]);
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  const REAL largest = errors[0];
  const int exponent = largest > 0 && isfinite(largest) ? ilogb(largest) : 0;
  for (uint i = id; i < n; i += WG_SIZE) b[i] = (float)ldexp(r[i], -exponent);
  if (id == 0) {
    quality[0] = ratios[0];
    quality[1] = largest;
    quality[2] = sizes[0];
    quality[3] = ldexp((REAL)1, exponent);
  }
}

// next <- x + 2^e b with the 2^e of judge(). NDRange: at least n, any local size.
kernel void correct(global const REAL* restrict x, global const float* restrict b,
                    global const REAL* restrict quality, global REAL* restrict next, uint n) {
  const uint i = (uint)get_global_id(0);
  if (i < n) next[i] = x[i] + b[i] * quality[3];
}
