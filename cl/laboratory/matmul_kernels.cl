// Kernels 1 to 3 of Lopatin's report "Matrix multiplication": C = A B in f32.
//
//   a, b, c   n-by-n, row-major, leading dimension n; any n >= 1
//
// Parameters: DIM = side of the tile of C of one work-group and its number of work-items. Kernel 1
// does not depend on it.
// Kernels 2 and 3: each work-item owns one ROW of the tile and walks k step by step; step k needs
// one element of A a work-item and the row k of B, DIM elements, which all work-items share. The
// barriers are those of the report. Its `iter` does not guard columns beyond n; here they are
// loaded as zeros and not stored.

#ifndef DIM
#error "DIM must be defined"
#endif

// One work-item an element. NDRange: at least n x n, any work-group (8 x 1, 16 x 1, 32 x 1 there).
// Local memory: none.
kernel void lopatin_1(global const float* a, global const float* b, global float* c, ulong n) {
  const ulong column = get_global_id(0), row = get_global_id(1);
  if (column >= n || row >= n) return;
  float sum = 0.0f;
  for (ulong k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}

// The tile of C in local memory, its rows LD apart.
#define TILE_KERNEL(NAME, LD)                                                                \
  kernel void NAME(global const float* a, global const float* b, global float* c, ulong n) { \
    local float out[DIM][LD];                                                                \
    local float row_b[DIM];                                                                  \
    const uint i = get_local_id(0);                                                          \
    const ulong start_x = get_group_id(0) * DIM, row = get_group_id(1) * DIM + i;            \
    for (uint x = 0; x < DIM; ++x) out[x][i] = 0.0f;                                         \
    barrier(CLK_LOCAL_MEM_FENCE);                                                            \
    for (ulong k = 0; k < n; ++k) {                                                          \
      row_b[i] = start_x + i < n ? b[k * n + start_x + i] : 0.0f;                            \
      barrier(CLK_LOCAL_MEM_FENCE);                                                          \
      const float col_a = row < n ? a[row * n + k] : 0.0f;                                   \
      barrier(CLK_LOCAL_MEM_FENCE);                                                          \
      for (uint x = 0; x < DIM; ++x) out[i][x] += col_a * row_b[x];                          \
      barrier(CLK_LOCAL_MEM_FENCE);                                                          \
    }                                                                                        \
    for (uint x = 0; row < n && x < DIM && start_x + x < n; ++x)                             \
      c[row * n + start_x + x] = out[i][x];                                                  \
  }

// Rows DIM apart: work-items i and i + 1 meet in one bank of local memory where DIM is a multiple
// of the number of banks. NDRange: ceil(n / DIM)^2 groups of DIM. Local memory: 4 DIM (DIM + 1)
// bytes.
TILE_KERNEL(lopatin_2, DIM)

// Rows DIM + 1 apart: neighbours use different banks. The same NDRange. Local memory: 4 DIM (DIM +
// 2) bytes.
TILE_KERNEL(lopatin_3, DIM + 1)
