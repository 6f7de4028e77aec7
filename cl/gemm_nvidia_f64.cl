// C <- alpha A B + beta C in f64 on the matrix units of an NVIDIA device: inline PTX, compute
// capability 9.0 or more (mma.sync.m16n8k8 for f64).
//
// A is m x k, B is k x n, C is m x n, all row-major views (buffer, offset, leading dimension); any
// m, n, k >= 1. Each work-group keeps one TILE_M x TILE_N tile of C in registers, each sub-group
// (32 work-items) an SG_M x SG_N part of it. Tiles of A and B pass through STAGES slots of local
// memory, filled by cp.async ahead of their use.
//
// NDRange: one dimension, local size = 32 (TILE_M / SG_M) (TILE_N / SG_N), exactly ceil(m / TILE_M)
//   ceil(n / TILE_N) groups.
// Parameters (all required):
//   TILE_M, TILE_N, TILE_K  tile of a work-group; TILE_K a multiple of 16
//   SG_M, SG_N              tile of a sub-group: multiples of 16
//   STAGES                  slots of local memory, >= 2
//   MMA_K                   k of the matrix instruction: 4 or 8
//   VEC_WIDTH               2 = 16-byte copies: offsets and leading dimensions of A, B and C must
//                           be even; 1 = any
//   RASTER                  tile rows in a band: neighbours in time are neighbours in C, so A and B
//                           stay in L2
//   UPDATE                  0 = alpha, beta as given; 1 = C <- C - A B (alpha, beta ignored)
//   C_BATCH                 vectors of C that a work-item has under way at once at the end
// Local memory: 8 STAGES TILE_K (TILE_M + TILE_N) bytes, static (the driver accepts more than the
//   48 KiB it reports), at least 8 TILE_M (TILE_N + 8).
// Measured on an H200 (cuBLAS in brackets), Tflop/s: n = 4096 58.2 (59.7), n = 8192 58.6 (60.3); C
//   <- C - A B with C 8192 x 8192 and k = 128, 256, 512: 40.2, 49.7, 55.1 (34.8, 50.1, 52.4).
// Two groups must fit a compute unit (227 KiB, 65536 registers), so that one multiplies while the
//   other waits: with four stages and padded rows (29 KiB each) only one did, and the rate fell
//   from 51 to 41 Tflop/s.
#define CHUNK 2
#include "gemm_nvidia.clh"

#if !defined(MMA_K) || !defined(C_BATCH)
#error "MMA_K, C_BATCH must be defined"
#endif
#if TILE_K % 16 || SG_M % 16 || SG_N % 16
#error "TILE_K, SG_M, SG_N must be multiples of 16"
#endif

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define MMA_COLS (SG_N / 8)  // matrix instructions across a sub-group's tile
#define UNITS (TILE_K / 8)   // steps of 8 along k in a slot
// Within a row of a slot, 16-byte chunk x lies at x ^ SWAP(row): the 16 work-items of half a
// sub-group read 8 bytes each from 4 rows by 4 columns and so touch all 32 banks once. Padded rows
// do that too, but then the copies' 128-byte writes straddle lines: 7 passes through local memory
// instead of 4.
#define SWAP(row) (((row)&3) << 1)
#if COPY_ROWS_A % 4 || COPY_ROWS_B % 4
#error "the work-group must copy a multiple of 4 rows of A, and of B, at once"
#endif
#if TILE_M % (C_BATCH * COPY_ROWS_B)
#error "TILE_M must be a multiple of C_BATCH times the rows of C that the work-group moves at once"
#endif

// The tile of C in local memory: rows padded to 8 mod 16 doubles, so that two rows of a 16-byte
// store share no bank.
#define LD_C (TILE_N + 8)
#if TILE_M * LD_C > STAGES * (SLOT_A + SLOT_B)
#error "the tile of C does not fit the slots"
#endif

// Two doubles from global to local memory.
inline void copy_chunk(uint to, global const double *from) {
#if VEC_WIDTH == 2
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
#else
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from) : "memory");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to + 8), "l"(from + 1) : "memory");
#endif
}

// The first `count` of them (0, 1, 2; less counts as 0, more as 2), the rest filled with zeros.
// Nothing is read beyond `count`.
inline void copy_part(uint to, global const double *from, int count) {
#if VEC_WIDTH == 2
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from),
               "r"(clamp(count, 0, 2) * 8)
               : "memory");
#else
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to), "l"(from),
               "r"(count > 0 ? 8 : 0)
               : "memory");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(to + 8), "l"(from + 1),
               "r"(count > 1 ? 8 : 0)
               : "memory");
#endif
}

// Fragments of a unit of 8 along k, in the instruction's own order, so that each is loaded straight
// into its (contiguous) registers. 16-byte reads need half the loads, but then moves put their
// halves in place: 44 Tflop/s instead of 54 (n = 4096).
#define LOAD_A(to, slot, unit, i)                                                       \
  UNROLL_FOR (e, 2) {                                                                   \
    local const double *const from =                                                    \
        a_lane[(unit) % 2 * 2 + e] + (slot)*SLOT_A + (i)*16 * TILE_K + (unit) / 2 * 16; \
    to[2 * e] = from[0];                                                                \
    to[2 * e + 1] = from[8 * TILE_K];                                                   \
  }
#define LOAD_B(to, slot, unit)                                          \
  UNROLL_FOR (j, MMA_COLS) {                                            \
    local const double *const from =                                    \
        b_lane[j % 2] + (slot)*SLOT_B + (unit)*8 * TILE_N + j / 2 * 16; \
    to[j][0] = from[0];                                                 \
    to[j][1] = from[4 * TILE_N];                                        \
  }

#if MMA_K == 4
#define MULTIPLY_HALF(c, a0, a1, b0)                                                    \
  asm volatile(                                                                         \
      "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, " \
      "{%0,%1,%2,%3};"                                                                  \
      : "+d"((c)[0]), "+d"((c)[1]), "+d"((c)[2]), "+d"((c)[3])                          \
      : "d"(a0), "d"(a1), "d"(b0))
#define MULTIPLY_ROW(i, a_part, b_part) \
  UNROLL_FOR (h, 2)                     \
    UNROLL_FOR (j, MMA_COLS)            \
  MULTIPLY_HALF(acc[i][j], a_part[2 * h], a_part[2 * h + 1], b_part[j][h])
#elif MMA_K == 8
#define MULTIPLY_ONE(c, a_, b_)                                                                  \
  asm volatile(                                                                                  \
      "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, " \
      "{%0,%1,%2,%3};"                                                                           \
      : "+d"((c)[0]), "+d"((c)[1]), "+d"((c)[2]), "+d"((c)[3])                                   \
      : "d"((a_)[0]), "d"((a_)[1]), "d"((a_)[2]), "d"((a_)[3]), "d"((b_)[0]), "d"((b_)[1]))
#define MULTIPLY_ROW(i, a_part, b_part) \
  UNROLL_FOR (j, MMA_COLS) MULTIPLY_ONE(acc[i][j], a_part, b_part[j])
#else
#error "MMA_K is 4 or 8"
#endif

// Two neighbours of a row of C; `count` of them exist.
inline double2 load_c(global const double *c, int count) {
#if VEC_WIDTH == 2
  if (count >= 2) return *(global const double2 *)c;
#endif
  return (double2)(count > 0 ? c[0] : 0.0, count > 1 ? c[1] : 0.0);
}

inline void store_c(global double *c, double2 v, int count) {
#if VEC_WIDTH == 2
  if (count >= 2) {
    *(global double2 *)c = v;
    return;
  }
#endif
  if (count > 0) c[0] = v.s0;
  if (count > 1) c[1] = v.s1;
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void gemm(
    int m, int n, int k, double alpha, global const double *restrict a, ulong a_offset, uint lda,
    global const double *restrict b, ulong b_offset, uint ldb, double beta,
    global double *restrict c, ulong c_offset, uint ldc) {
  local double slots[STAGES * (SLOT_A + SLOT_B)] __attribute__((aligned(128)));
  local double *const a_slots = slots, *const b_slots = slots + STAGES * SLOT_A;
  const int item = get_local_id(0), lane = item & 31, sub_group = item >> 5;
  const int lane_row = lane >> 2, lane_col = lane & 3;
  const int sg_row = (sub_group % SG_ROWS) * SG_M, sg_col = (sub_group / SG_ROWS) * SG_N;
#if UPDATE
  alpha = -1.0;
  beta = 1.0;
#endif

  // Bands of RASTER tile rows, walked down first.
  const int tiles_m = (m + TILE_M - 1) / TILE_M, tiles_n = (n + TILE_N - 1) / TILE_N;
  const int group = get_group_id(0), band = group / (RASTER * tiles_n),
            rest = group - band * RASTER * tiles_n;
  const int height = min(RASTER, tiles_m - band * RASTER);
  const int tile_row = (band * RASTER + rest % height) * TILE_M, tile_col = rest / height * TILE_N;

  // Copies run STAGES - 1 slots ahead of the products. This work-item copies rows copy_row + x
  // COPY_ROWS of a slot.
  const int a_row = item / CHUNKS_A, a_col = item % CHUNKS_A * 2, b_row = item / CHUNKS_B,
            b_col = item % CHUNKS_B * 2;
  const uint a_to = (uint)(ulong)a_slots + (a_row * TILE_K + (a_col ^ SWAP(a_row) * 2)) * 8;
  const uint b_to = (uint)(ulong)b_slots + (b_row * TILE_N + (b_col ^ SWAP(b_row) * 2)) * 8;
  const ulong a_stride = (ulong)COPY_ROWS_A * lda, b_stride = (ulong)COPY_ROWS_B * ldb;
  global const double *a_next = a + a_offset + (ulong)(tile_row + a_row) * lda + a_col;
  global const double *b_next = b + b_offset + (ulong)b_row * ldb + tile_col + b_col;
  int copy_slot = 0, copy_left = k;  // of k, not yet asked for
#define COPY_WHOLE()                                                                           \
  {                                                                                            \
    global const double *a_from = a_next, *b_from = b_next;                                    \
    const uint a_at = a_to + copy_slot * (SLOT_A * 8), b_at = b_to + copy_slot * (SLOT_B * 8); \
    UNROLL                                                                                     \
    for (int x = 0; x < TILE_M; x += COPY_ROWS_A, a_from += a_stride)                          \
      copy_chunk(a_at + x * TILE_K * 8, a_from);                                               \
    UNROLL                                                                                     \
    for (int x = 0; x < TILE_K; x += COPY_ROWS_B, b_from += b_stride)                          \
      copy_chunk(b_at + x * TILE_N * 8, b_from);                                               \
    COMMIT_COPIES();                                                                           \
    NEXT_COPY();                                                                               \
  }
#define COPY_REST()                                                                              \
  {                                                                                              \
    if (copy_left > 0) {                                                                         \
      global const double *a_from = a_next, *b_from = b_next;                                    \
      const uint a_at = a_to + copy_slot * (SLOT_A * 8), b_at = b_to + copy_slot * (SLOT_B * 8); \
      NO_UNROLL                                                                                  \
      for (int x = 0; x < TILE_M; x += COPY_ROWS_A, a_from += a_stride)                          \
        copy_part(a_at + x * TILE_K * 8, a_from,                                                 \
                  tile_row + a_row + x < m ? copy_left - a_col : 0);                             \
      NO_UNROLL                                                                                  \
      for (int x = 0; x < TILE_K; x += COPY_ROWS_B, b_from += b_stride)                          \
        copy_part(b_at + x * TILE_N * 8, b_from,                                                 \
                  b_row + x < copy_left ? n - tile_col - b_col : 0);                             \
      NEXT_COPY();                                                                               \
    }                                                                                            \
    COMMIT_COPIES();                                                                             \
  }
  const int inside = tile_row + TILE_M <= m && tile_col + TILE_N <= n;
  for (int s = 0; s < STAGES - 1; ++s) {
    if (inside && copy_left >= TILE_K) {
      COPY_WHOLE();
    } else {
      COPY_REST();
    }
  }

  // Where this work-item's fragments lie. Fragments are one row of matrix instructions (A) and one
  // unit (B) ahead of the products, across the barrier too.
  local const double *a_lane[4], *b_lane[2];
  UNROLL_FOR (x, 4)
    a_lane[x] = a_slots + (sg_row + lane_row) * TILE_K +
                ((2 * x + (lane_col >> 1)) ^ SWAP(lane_row)) * 2 + (lane_col & 1);
  UNROLL_FOR (y, 2)
    b_lane[y] = b_slots + lane_col * TILE_N + sg_col +
                ((4 * y + (lane_row >> 1)) ^ SWAP(lane_col)) * 2 + (lane_row & 1);
  double acc[MMA_ROWS][MMA_COLS][4];
  UNROLL_FOR (i, MMA_ROWS)
    UNROLL_FOR (j, MMA_COLS)
      UNROLL_FOR (e, 4) acc[i][j][e] = 0.0;
  double a_part[2][4], b_part[2][MMA_COLS][2];
  WAIT_COPIES(STAGES - 2);
  barrier(CLK_LOCAL_MEM_FENCE);
  LOAD_B(b_part[0], 0, 0);
  LOAD_A(a_part[0], 0, 0, 0);
  int slot = 0;
#define STEP(COPY)                                                                     \
  {                                                                                    \
    const int next_slot = slot + 1 == STAGES ? 0 : slot + 1;                           \
    UNROLL_FOR (u, UNITS)                                                              \
      UNROLL_FOR (i, MMA_ROWS) {                                                       \
        const int now = (u * MMA_ROWS + i) & 1;                                        \
        if (i + 1 < MMA_ROWS) {                                                        \
          LOAD_A(a_part[now ^ 1], slot, u, i + 1);                                     \
        } else if (u + 1 < UNITS) {                                                    \
          LOAD_A(a_part[now ^ 1], slot, u + 1, 0);                                     \
        } else {                                                                       \
          WAIT_COPIES(STAGES - 2);                                                     \
          barrier(CLK_LOCAL_MEM_FENCE);                                                \
          LOAD_A(a_part[now ^ 1], next_slot, 0, 0);                                    \
          LOAD_B(b_part[(u + 1) & 1], next_slot, 0);                                   \
        }                                                                              \
        if (i == 0 && u + 1 < UNITS) LOAD_B(b_part[(u + 1) & 1], slot, u + 1);         \
        if (i == 0 && u == 0)                                                          \
          COPY(); /* into the slot that was read to its end before the last barrier */ \
        MULTIPLY_ROW(i, a_part[now], b_part[u & 1]);                                   \
      }                                                                                \
    slot = next_slot;                                                                  \
  }
  // While whole slots are left to copy the loop has no branch: a branch around the copies cost 5 %
  // of the time.
  int left = k;
  if (inside) NO_UNROLL
  for (; copy_left >= TILE_K; left -= TILE_K) STEP(COPY_WHOLE);
  NO_UNROLL
  for (; left > 0; left -= TILE_K) STEP(COPY_REST);

  // The tile is turned over in local memory, so that C passes in whole rows of the tile (512 bytes
  // at TILE_N = 64) with C_BATCH loads under way: straight from the registers, in pieces of 64
  // bytes, an update with k = 256 ran at 26.7 Tflop/s, so at 45.0 (C_BATCH = 8) and 46.5 (32).
  // Reading C into the accumulators first (28.7) and red.global.add.f64 (40.1) lost. All copies
  // have arrived; all sub-groups must have read their last fragments.
  barrier(CLK_LOCAL_MEM_FENCE);
  UNROLL_FOR (i, MMA_ROWS)
    UNROLL_FOR (h, 2)
      UNROLL_FOR (j, MMA_COLS)
        *(local double2 *)(slots + (sg_row + i * 16 + h * 8 + lane_row) * LD_C + sg_col + j * 8 +
                           2 * lane_col) = (double2)(acc[i][j][2 * h], acc[i][j][2 * h + 1]);
  barrier(CLK_LOCAL_MEM_FENCE);
  // A row of C has as many chunks as one of B.
  const int cols = n - tile_col - b_col, rows = m - tile_row - b_row;
  global double *c_at = c + c_offset + (ulong)(tile_row + b_row) * ldc + tile_col + b_col;
  local const double *c_from = slots + b_row * LD_C + b_col;
  for (int x = 0; x < TILE_M; x += C_BATCH * COPY_ROWS_B) {
    double2 old[C_BATCH];
    UNROLL_FOR (y, C_BATCH)
      old[y] = beta == 0.0 ? (double2)(0.0)  // must not read C: it may hold NaN
                           : load_c(c_at + (ulong)y * COPY_ROWS_B * ldc,
                                    x + y * COPY_ROWS_B < rows ? cols : 0);
    UNROLL_FOR (y, C_BATCH)
      store_c(c_at + (ulong)y * COPY_ROWS_B * ldc,
              alpha * *(local const double2 *)(c_from + y * COPY_ROWS_B * LD_C) + beta * old[y],
              x + y * COPY_ROWS_B < rows ? cols : 0);
    c_at += (ulong)C_BATCH * COPY_ROWS_B * ldc;
    c_from += C_BATCH * COPY_ROWS_B * LD_C;
  }
}
