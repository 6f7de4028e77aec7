// The GPU steps of Zhao, "Matrix multiplication optimised on CUDA": C = A B in f32. The article
// describes them without code. There are two readings: text_* follow its words, whose naive kernel
// is coalesced already and whose step of coalescing aligns; steps_* begin with strided accesses and
// a 32-way bank conflict, so that each step has something to improve.
//
//   a, b, c   n-by-n, row-major, leading dimension n; any n >= 1 (tiles are filled with zeros,
//             stores guarded)
//
// NDRange: ceil(n / TILE)^2 groups of TILE x TILE. Parameters: TILE. Local memory: 8 TILE (TILE +
// 1) bytes at most.

#ifndef TILE
#error "TILE must be defined"
#endif

// Compilers unroll loops of a constant number of rounds by themselves; only the last step shall
// have that.
#define NO_UNROLL _Pragma("unroll 1")
#define UNROLL _Pragma("unroll")

static inline float element_or_zero(global const float* matrix, ulong n, ulong row, ulong col) {
  return row < n && col < n ? matrix[row * n + col] : 0.0f;
}

// 1. One work-item an element, neighbours in neighbouring rows.
kernel void steps_naive(global const float* a, global const float* b, global float* c, ulong n) {
  const ulong i = get_global_id(0), j = get_global_id(1);
  if (i >= n || j >= n) return;
  float sum = 0.0f;
  NO_UNROLL
  for (ulong k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
}

// 2. Tiles of A and B in local memory; neighbours still belong to neighbouring rows, so that they
// read and write n elements apart.
kernel void steps_tiles(global const float* a, global const float* b, global float* c, ulong n) {
  local float ta[TILE][TILE], tb[TILE][TILE];
  const ulong x = get_local_id(0), y = get_local_id(1);
  const ulong i = get_group_id(0) * TILE + x, j = get_group_id(1) * TILE + y;
  float sum = 0.0f;
  for (ulong z = 0; z < n; z += TILE) {
    ta[x][y] = element_or_zero(a, n, i, z + y);
    tb[x][y] = element_or_zero(b, n, z + x, j);
    barrier(CLK_LOCAL_MEM_FENCE);
    NO_UNROLL
    for (uint k = 0; k < TILE; ++k) sum += ta[x][k] * tb[k][y];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n && j < n) c[i * n + j] = sum;
}

// Neighbours belong to neighbouring columns, so that all of global memory is read and written in
// whole lines. Both tiles have k along their rows, which lie LD apart: work-items x and x + 1 read
// tb LD elements apart.
#define COALESCED_KERNEL(NAME, LD, HINT)                                                     \
  kernel void NAME(global const float* a, global const float* b, global float* c, ulong n) { \
    local float ta[TILE][LD], tb[TILE][LD];                                                  \
    const ulong x = get_local_id(0), y = get_local_id(1);                                    \
    const ulong i = get_group_id(1) * TILE + y, j = get_group_id(0) * TILE + x;              \
    float sum = 0.0f;                                                                        \
    for (ulong z = 0; z < n; z += TILE) {                                                    \
      ta[y][x] = element_or_zero(a, n, i, z + x);                                            \
      tb[x][y] = element_or_zero(b, n, z + y, j);                                            \
      barrier(CLK_LOCAL_MEM_FENCE);                                                          \
      HINT for (uint k = 0; k < TILE; ++k) sum += ta[y][k] * tb[x][k];                       \
      barrier(CLK_LOCAL_MEM_FENCE);                                                          \
    }                                                                                        \
    if (i < n && j < n) c[i * n + j] = sum;                                                  \
  }

// 3. Aligned, coalesced access; all neighbours meet in one bank of local memory.
COALESCED_KERNEL(steps_coalesced, TILE, NO_UNROLL)
// 4. Rows padded by one element: no bank conflicts.
COALESCED_KERNEL(steps_padded, TILE + 1, NO_UNROLL)
// 5. The loop over the tile unrolled.
COALESCED_KERNEL(steps_unrolled, TILE + 1, UNROLL)

// As the text has it: neighbours belong to neighbouring columns from the first.
kernel void text_naive(global const float* a, global const float* b, global float* c, ulong n) {
  const ulong j = get_global_id(0), i = get_global_id(1);
  if (i >= n || j >= n) return;
  float sum = 0.0f;
  NO_UNROLL
  for (ulong k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
}

// Tiles whose first column lies SHIFT elements before a line of memory: with 8 their rows begin at
// byte 96 of one, the article's figure
// 3. Work-items of a row read ta as one word (its multicast) and tb from neighbouring banks: by the
// article's own two rules there is no conflict to mend. Columns before the first wrap to numbers
// above n and are zeros. NDRange: SHIFT > 0 needs one group more in x.
#define TEXT_KERNEL(NAME, SHIFT, HINT)                                                       \
  kernel void NAME(global const float* a, global const float* b, global float* c, ulong n) { \
    local float ta[TILE][TILE], tb[TILE][TILE];                                              \
    const ulong x = get_local_id(0), y = get_local_id(1);                                    \
    const ulong i = get_group_id(1) * TILE + y, j = get_group_id(0) * TILE + x - SHIFT;      \
    float sum = 0.0f;                                                                        \
    for (ulong z = 0; z < n + SHIFT; z += TILE) {                                            \
      ta[y][x] = element_or_zero(a, n, i, z + x - SHIFT);                                    \
      tb[y][x] = element_or_zero(b, n, z + y - SHIFT, j);                                    \
      barrier(CLK_LOCAL_MEM_FENCE);                                                          \
      HINT for (uint k = 0; k < TILE; ++k) sum += ta[y][k] * tb[k][x];                       \
      barrier(CLK_LOCAL_MEM_FENCE);                                                          \
    }                                                                                        \
    if (i < n && j < n) c[i * n + j] = sum;                                                  \
  }

TEXT_KERNEL(text_tiles, 8, NO_UNROLL)
TEXT_KERNEL(text_aligned, 0, NO_UNROLL)
TEXT_KERNEL(text_unrolled, 0, UNROLL)
