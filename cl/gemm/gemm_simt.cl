// C <- alpha op(A) op(B) + beta C in f32 or f64: the portable counterpart of the NVIDIA variants,
// plain OpenCL C 1.2.
//
// op(A) is m x k, op(B) is k x n, C is m x n, all row-major views (buffer, offset, leading
// dimension); any m, n, k >= 1. Each work-group computes one TILE_M x TILE_N tile of C, each
// work-item (TILE_M / WG_M) x (TILE_N / WG_N) elements of it in registers. Tiles of A (transposed)
// and B alternate between two slots of local memory: while one is multiplied, the next is on its
// way from global memory into registers.
//
// NDRange: one dimension, local size = WG_M WG_N, exactly ceil(m / TILE_M) ceil(n / TILE_N) groups.
// With SLICED so many times the slices in a second dimension: each takes its part of k, of about
// k / slices and at least 1, and its product goes to a matrix of its own, m rows below the one
// before; not with BATCHED (gemm_batch.clh). If `lower` is not 0, only C's lower triangle is
// needed: tiles above it are left. Parameters (required but for SLICED):
//   REAL_BITS               of common.clh
//   TILE_M, TILE_N, TILE_K  tile of a work-group; VEC_WIDTH divides TILE_K, TILE_M / WG_M and
//                           TILE_N / WG_N
//   WG_M, WG_N              shape of the work-group
//   LANES_M, LANES_N        neighbouring work-items form blocks of this shape: 4 x 8 where 32 of
//                           them share a local memory access, 1 x WG_N otherwise; LANES_M divides
//                           WG_M, LANES_N divides WG_N
//   VEC_WIDTH               1, 2 or 4
//   PAD                     elements added to a row of a slot, a multiple of VEC_WIDTH
//   ALIGNED                 1 = offsets and leading dimensions are multiples of VEC_WIDTH; 0 = any
//   TRANS_A, TRANS_B        1 = A is stored k x m, B is stored n x k
//   RASTER                  tile rows in a band: neighbours in time are neighbours in C, so A and B
//                           stay in cache
// Measured on an H200 (cuBLAS in brackets), Tflop/s: f32 128 x 256 x 16, 16 x 16 work-items: n =
//   4096 47.5 (50.5), n = 8192 47.9 (50.7); f64 128 x 64 x 8, 16 x 8 work-items: 23.4 of the 33
//   that f64 without matrix units allows.
// Local memory: 2 TILE_K (TILE_M + TILE_N + 2 PAD) REAL_BITS / 8 bytes, static.

#include "common.clh"
#include "gemm_batch.clh"

#if !defined(TILE_M) || !defined(TILE_N) || !defined(TILE_K) || !defined(WG_M) || !defined(WG_N)
#error "TILE_M, TILE_N, TILE_K, WG_M, WG_N must be defined"
#endif
#if !defined(LANES_M) || !defined(LANES_N) || !defined(VEC_WIDTH) || !defined(PAD) || \
    !defined(ALIGNED)
#error "LANES_M, LANES_N, VEC_WIDTH, PAD, ALIGNED must be defined"
#endif
#if !defined(TRANS_A) || !defined(TRANS_B) || !defined(RASTER)
#error "TRANS_A, TRANS_B, RASTER must be defined"
#endif

#define WG_SIZE (WG_M * WG_N)
#define MICRO_M (TILE_M / WG_M)
#define MICRO_N (TILE_N / WG_N)
#define LD_A (TILE_M + PAD)  // row of a slot of A (one k), of B
#define LD_B (TILE_N + PAD)
#if TILE_M % (WG_M * VEC_WIDTH) || TILE_N % (WG_N * VEC_WIDTH) || TILE_K % VEC_WIDTH || \
    PAD % VEC_WIDTH
#error "VEC_WIDTH must divide TILE_M / WG_M, TILE_N / WG_N, TILE_K and PAD"
#endif
#if WG_M % LANES_M || WG_N % LANES_N
#error "LANES_M must divide WG_M, LANES_N must divide WG_N"
#endif

#define JOIN_(x, y) x##y
#define JOIN(x, y) JOIN_(x, y)
#if VEC_WIDTH == 1
typedef REAL Vector;
#define SPREAD(v, to) ((to)[0] = (v))
#define GATHER(from) ((from)[0])
#elif VEC_WIDTH == 2
typedef JOIN(REAL, 2) Vector;
#define SPREAD(v, to) ((to)[0] = (v).s0, (to)[1] = (v).s1)
#define GATHER(from) ((Vector)((from)[0], (from)[1]))
#elif VEC_WIDTH == 4
typedef JOIN(REAL, 4) Vector;
#define SPREAD(v, to) ((to)[0] = (v).s0, (to)[1] = (v).s1, (to)[2] = (v).s2, (to)[3] = (v).s3)
#define GATHER(from) ((Vector)((from)[0], (from)[1], (from)[2], (from)[3]))
#else
#error "VEC_WIDTH is 1, 2 or 4"
#endif

#define UNROLL _Pragma("unroll")
#define UNROLL_FOR(x, count) \
  UNROLL                     \
  for (int x = 0; x < (count); ++x)

// Full vectors: one access where the host vouches for alignment, element by element where it does
// not.
#if ALIGNED || VEC_WIDTH == 1
#define LOAD_GLOBAL(p) (*(global const Vector*)(p))
#define STORE_GLOBAL(v, p) (*(global Vector*)(p) = (v))
#else
#define LOAD_GLOBAL(p) JOIN(vload, VEC_WIDTH)(0, (p))
#define STORE_GLOBAL(v, p) JOIN(vstore, VEC_WIDTH)((v), 0, (p))
#endif

// The first `count` elements at p (any count; below 1 none is read), the rest zero.
inline Vector load_some(global const REAL* p, int count) {
  if (count >= VEC_WIDTH) return LOAD_GLOBAL(p);
  REAL part[VEC_WIDTH];
  UNROLL_FOR (e, VEC_WIDTH) part[e] = e < count ? p[e] : (REAL)0;
  return GATHER(part);
}

// One tile of a matrix, stored with `width` elements a row of memory, in vectors: vector x of this
// work-item.
#define TILE_ROW(x, width) (((x)*WG_SIZE + item) / ((width) / VEC_WIDTH))
#define TILE_COL(x, width) (((x)*WG_SIZE + item) % ((width) / VEC_WIDTH) * VEC_WIDTH)
#if TRANS_A
#define ROWS_A TILE_K  // the tile of A as it lies in memory
#define COLS_A TILE_M
#else
#define ROWS_A TILE_M
#define COLS_A TILE_K
#endif
#if TRANS_B
#define ROWS_B TILE_N
#define COLS_B TILE_K
#else
#define ROWS_B TILE_K
#define COLS_B TILE_N
#endif
#define LOADS_A (ROWS_A * COLS_A / VEC_WIDTH / WG_SIZE)
#define LOADS_B (ROWS_B * COLS_B / VEC_WIDTH / WG_SIZE)
#if ROWS_A * COLS_A % (VEC_WIDTH * WG_SIZE) || ROWS_B * COLS_B % (VEC_WIDTH * WG_SIZE)
#error "every work-item must load the same number of vectors of A, and of B"
#endif

// Global memory to registers. A whole tile (decided for the group at once) takes no predicate.
#define FETCH(next, loads, cols, from, ld, row0, col0, rows_left, cols_left)                      \
  {                                                                                               \
    global const REAL* const origin = from + (ulong)(row0)*ld + (col0);                           \
    if (whole) {                                                                                  \
      UNROLL_FOR (x, loads)                                                                       \
        next[x] = LOAD_GLOBAL(origin + (ulong)TILE_ROW(x, cols) * ld + TILE_COL(x, cols));        \
    } else {                                                                                      \
      UNROLL_FOR (x, loads)                                                                       \
        next[x] = load_some(origin + (ulong)TILE_ROW(x, cols) * ld + TILE_COL(x, cols),           \
                            TILE_ROW(x, cols) < (rows_left) ? (cols_left)-TILE_COL(x, cols) : 0); \
    }                                                                                             \
  }
#if TRANS_A
#define FETCH_A(k0) FETCH(a_next, LOADS_A, COLS_A, a, lda, k0, tile_row, k - (k0), m - tile_row)
#else
#define FETCH_A(k0) FETCH(a_next, LOADS_A, COLS_A, a, lda, tile_row, k0, m - tile_row, k - (k0))
#endif
#if TRANS_B
#define FETCH_B(k0) FETCH(b_next, LOADS_B, COLS_B, b, ldb, tile_col, k0, n - tile_col, k - (k0))
#else
#define FETCH_B(k0) FETCH(b_next, LOADS_B, COLS_B, b, ldb, k0, tile_col, k - (k0), n - tile_col)
#endif

// Registers to local memory: as vectors, or turned over.
#define PUT(next, loads, cols, to, ld) \
  UNROLL_FOR (x, loads)                \
  *(local Vector*)((to) + TILE_ROW(x, cols) * (ld) + TILE_COL(x, cols)) = next[x]
#define PUT_TURNED(next, loads, cols, to, ld)                                                     \
  UNROLL_FOR (x, loads) {                                                                         \
    REAL part[VEC_WIDTH];                                                                         \
    SPREAD(next[x], part);                                                                        \
    UNROLL_FOR (e, VEC_WIDTH) (to)[(TILE_COL(x, cols) + e) * (ld) + TILE_ROW(x, cols)] = part[e]; \
  }
#if TRANS_A
#define PUT_A(slot) PUT(a_next, LOADS_A, COLS_A, a_slots[slot], LD_A)
#else
#define PUT_A(slot) PUT_TURNED(a_next, LOADS_A, COLS_A, a_slots[slot], LD_A)
#endif
#if TRANS_B
#define PUT_B(slot) PUT_TURNED(b_next, LOADS_B, COLS_B, b_slots[slot], LD_B)
#else
#define PUT_B(slot) PUT(b_next, LOADS_B, COLS_B, b_slots[slot], LD_B)
#endif

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void gemm(
    int m, int n, int k, REAL alpha, global const REAL* restrict a, ulong a_offset, uint lda,
    global const REAL* restrict b, ulong b_offset, uint ldb, REAL beta, global REAL* restrict c,
    ulong c_offset, uint ldc, int lower ARGUMENTS_OF_BATCH) {
  local REAL a_slots[2][TILE_K * LD_A] __attribute__((aligned(128)));
  local REAL b_slots[2][TILE_K * LD_B] __attribute__((aligned(128)));
  a += a_offset;
  b += b_offset;
  c += c_offset;
  TAKE_OWN_OF_BATCH();
#ifdef SLICED
  {
    const int step = TILE_K * (int)get_num_groups(1), depth = (k + step - 1) / step * TILE_K,
              first = (int)get_group_id(1) * depth;
    a += TRANS_A ? (ulong)first * lda : (ulong)first;
    b += TRANS_B ? (ulong)first : (ulong)first * ldb;
    c += (ulong)get_group_id(1) * m * ldc;
    k = min(depth, k - first);
  }
#endif
  const int item = get_local_id(0), lane = item % (LANES_M * LANES_N),
            lane_block = item / (LANES_M * LANES_N);
  // This work-item's vectors start at micro_row + v WG_M VEC_WIDTH and micro_col + v WG_N VEC_WIDTH
  // of the tile.
  const int micro_row = (lane_block / (WG_N / LANES_N) * LANES_M + lane / LANES_N) * VEC_WIDTH;
  const int micro_col = (lane_block % (WG_N / LANES_N) * LANES_N + lane % LANES_N) * VEC_WIDTH;

  // Bands of RASTER tile rows, walked down first.
  const int tiles_m = (m + TILE_M - 1) / TILE_M, tiles_n = (n + TILE_N - 1) / TILE_N;
  const int group = get_group_id(0), band = group / (RASTER * tiles_n),
            rest = group % (RASTER * tiles_n);
  const int height = min(RASTER, tiles_m - band * RASTER);
  const int tile_row = (band * RASTER + rest % height) * TILE_M, tile_col = rest / height * TILE_N;
  // Nothing is read, multiplied or written then. (A group that returned before the barriers made
  // PoCL 3.1 write beyond C.)
  if (lower && tile_col >= tile_row + TILE_M) m = k = 0;
  const int inside = tile_row + TILE_M <= m && tile_col + TILE_N <= n;

  REAL acc[MICRO_M][MICRO_N];
  UNROLL_FOR (i, MICRO_M)
    UNROLL_FOR (j, MICRO_N) acc[i][j] = 0;
  Vector a_next[LOADS_A], b_next[LOADS_B];

  int whole = inside && TILE_K <= k;
  FETCH_A(0);
  FETCH_B(0);
  PUT_A(0);
  PUT_B(0);
  barrier(CLK_LOCAL_MEM_FENCE);
  int slot = 0;
  for (int k0 = 0; k0 < k; k0 += TILE_K, slot ^= 1) {
    const int more = k0 + TILE_K < k;
    if (more) {
      whole = inside && k0 + 2 * TILE_K <= k;
      FETCH_A(k0 + TILE_K);
      FETCH_B(k0 + TILE_K);
    }
    local const REAL *const a_tile = a_slots[slot] + micro_row, *const b_tile =
                                                                    b_slots[slot] + micro_col;
    UNROLL_FOR (kk, TILE_K) {
      REAL fa[MICRO_M], fb[MICRO_N];
      UNROLL_FOR (v, MICRO_M / VEC_WIDTH)
        SPREAD(*(local const Vector*)(a_tile + kk * LD_A + v * WG_M * VEC_WIDTH),
               fa + v * VEC_WIDTH);
      UNROLL_FOR (v, MICRO_N / VEC_WIDTH)
        SPREAD(*(local const Vector*)(b_tile + kk * LD_B + v * WG_N * VEC_WIDTH),
               fb + v * VEC_WIDTH);
      UNROLL_FOR (i, MICRO_M)
        UNROLL_FOR (j, MICRO_N) acc[i][j] += fa[i] * fb[j];
    }
    if (more) {
      PUT_A(slot ^ 1);
      PUT_B(slot ^ 1);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  UNROLL_FOR (i, MICRO_M) {
    const int row = tile_row + i / VEC_WIDTH * WG_M * VEC_WIDTH + micro_row + i % VEC_WIDTH;
    UNROLL_FOR (v, MICRO_N / VEC_WIDTH) {
      const int col = tile_col + v * WG_N * VEC_WIDTH + micro_col, count = row < m ? n - col : 0;
      global REAL* const at = c + (ulong)row * ldc + col;
      Vector value = alpha * GATHER(acc[i] + v * VEC_WIDTH);
      if (beta != 0)
        value += beta * load_some(at, count);  // beta = 0 must not read C: it may hold NaN
      if (count >= VEC_WIDTH) {
        STORE_GLOBAL(value, at);
      } else {
        REAL part[VEC_WIDTH];
        SPREAD(value, part);
        UNROLL_FOR (e, VEC_WIDTH)
          if (e < count) at[e] = part[e];
      }
    }
  }
}
