// C <- alpha A B + beta C in f64 on the matrix units of an NVIDIA device: inline PTX, compute
// capability 9.0 or more (mma.sync.m16n8k8 for f64).
//
// A is m x k, B is k x n, C is m x n, all row-major views (buffer, offset, leading dimension); any
// m, n, k >= 1. Each work-group keeps one TILE_M x TILE_N tile of C in registers, each sub-group
// (32 work-items) an SG_M x SG_N part of it. Tiles of A and B pass through STAGES slots of local
// memory, filled by cp.async ahead of their use.
//
// NDRange: one dimension, local size = 32 (TILE_M / SG_M) (TILE_N / SG_N), exactly ceil(m / TILE_M)
//   ceil(n / TILE_N) groups, any number if SHARED (gemm_mma.clh); BATCHED: gemm_batch.clh.
// If `lower` is not 0, only C's lower triangle is needed: tiles above it are left.
// Parameters (required):
//   TILE_M, TILE_N, TILE_K  tile of a work-group; TILE_K a multiple of 16
//   SG_M, SG_N              tile of a sub-group: multiples of 16
//   STAGES                  slots of local memory, >= 2
//   MMA_K                   k of the matrix instruction: 4 or 8
//   VEC_WIDTH               2 = 16-byte copies: offsets and leading dimensions of A, B and C must
//                           be even; 1 = any
//   RASTER                  tile rows in a band (gemm_mma.clh)
//   UPDATE                  0 = alpha, beta as given; 1 = C <- C - A B (alpha, beta ignored)
//   C_BATCH                 vectors of C that a work-item has under way at once at the end
// Local memory: 8 STAGES TILE_K (TILE_M + TILE_N) bytes, static (the driver accepts more than the
//   48 KiB it reports), at least 8 TILE_M (TILE_N + 8).
// Measured on an H200 (cuBLAS in brackets), Tflop/s: n = 4096 58.2 (59.7), n = 8192 58.6 (60.3); C
//   <- C - A B with C 8192 x 8192 and k = 128, 256, 512: 40.2, 49.7, 55.1 (34.8, 50.1, 52.4).
// Two groups must fit a compute unit (227 KiB, 65536 registers), so that one multiplies while the
//   other waits: with four stages and padded rows (29 KiB each) only one did, and the rate fell
//   from 51 to 41 Tflop/s.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define ELEMENT double
#define ELEMENTS double2
#define CHUNK 2
// The 16 work-items of half a sub-group read 8 bytes each from 4 rows by 4 columns and so touch all
// 32 banks once. Padded rows do that too, but then the copies' 128-byte writes straddle lines: 7
// passes through local memory instead of 4.
#define SWAP(row) (((row)&3) << 1)
#define SWAP_A(row) SWAP(row)
#define SWAP_B(row) SWAP(row)
#include "ptx.clh"

#include "gemm_batch.clh"
#include "gemm_mma.clh"

#if !defined(MMA_K) || !defined(C_BATCH)
#error "MMA_K, C_BATCH must be defined"
#endif
#if TILE_K % 16 || SG_M % 16 || SG_N % 16
#error "TILE_K, SG_M, SG_N must be multiples of 16"
#endif

#define MMA_COLS (SG_N / 8)  // matrix instructions across a sub-group's tile
#define UNITS (TILE_K / 8)   // steps of 8 along k in a slot
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

// Fragments of a unit of 8 along k, in the instruction's own order, so that each is loaded straight
// into its (contiguous) registers. 16-byte reads need half the loads, but then moves put their
// halves in place: 44 Tflop/s instead of 54 (n = 4096).
#define LOAD_A(to, slot, unit, i)                                                       \
  UNROLL_FOR (e, 2) {                                                                   \
    local const double* const from =                                                    \
        a_lane[(unit) % 2 * 2 + e] + (slot)*SLOT_A + (i)*16 * TILE_K + (unit) / 2 * 16; \
    to[2 * e] = from[0];                                                                \
    to[2 * e + 1] = from[8 * TILE_K];                                                   \
  }
#define LOAD_B(to, slot, unit)                                          \
  UNROLL_FOR (j, MMA_COLS) {                                            \
    local const double* const from =                                    \
        b_lane[j % 2] + (slot)*SLOT_B + (unit)*8 * TILE_N + j / 2 * 16; \
    to[j][0] = from[0];                                                 \
    to[j][1] = from[4 * TILE_N];                                        \
  }

#if MMA_K == 4
#define MULTIPLY_ROW(i, a_part, b_part) \
  UNROLL_FOR (h, 2)                     \
    UNROLL_FOR (j, MMA_COLS) MMA_F64_K4(acc[i][j], a_part[2 * h], a_part[2 * h + 1], b_part[j][h])
#elif MMA_K == 8
#define MULTIPLY_ROW(i, a_part, b_part) \
  UNROLL_FOR (j, MMA_COLS) MMA_F64_K8(acc[i][j], a_part, b_part[j])
#else
#error "MMA_K is 4 or 8"
#endif

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void gemm(
    int m, int n, int k, double alpha, global const double* restrict a, ulong a_offset, uint lda,
    global const double* restrict b, ulong b_offset, uint ldb, double beta,
    global double* restrict c, ulong c_offset, uint ldc,
    int lower ARGUMENTS_OF_SHARED ARGUMENTS_OF_BATCH) {
  local double slots[STAGES * (SLOT_A + SLOT_B)] __attribute__((aligned(128)));
  local double *const a_slots = slots, *const b_slots = slots + STAGES * SLOT_A;
  const int item = get_local_id(0), lane = item & 31, sub_group = item >> 5;
  const int lane_row = lane >> 2, lane_col = lane & 3;
  const int sg_row = (sub_group % SG_ROWS) * SG_M, sg_col = (sub_group / SG_ROWS) * SG_N;
  TAKE_OWN_OF_BATCH();
#if UPDATE
  alpha = -1.0;
  beta = 1.0;
#endif

  FOR_EACH_TILE(tile) {
    if (lower && is_above(tile)) NEXT_TILE;
    Copies copies =
        first_copies(item, m, n, k, tile, a + a_offset, lda, b + b_offset, ldb, a_slots, b_slots);
    const int inside = tile.x + TILE_M <= m && tile.y + TILE_N <= n;
    for (int s = 0; s < STAGES - 1; ++s) copy_slot(&copies, inside);

    // Where this work-item's fragments lie. Fragments are one row of matrix instructions (A) and
    // one unit (B) ahead of the products, across the barrier too.
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
#define STEP(COPY)                                                                            \
  {                                                                                           \
    const int next_slot = slot + 1 == STAGES ? 0 : slot + 1;                                  \
    UNROLL_FOR (u, UNITS)                                                                     \
      UNROLL_FOR (i, MMA_ROWS) {                                                              \
        const int now = (u * MMA_ROWS + i) & 1;                                               \
        if (i + 1 < MMA_ROWS) {                                                               \
          LOAD_A(a_part[now ^ 1], slot, u, i + 1);                                            \
        } else if (u + 1 < UNITS) {                                                           \
          LOAD_A(a_part[now ^ 1], slot, u + 1, 0);                                            \
        } else {                                                                              \
          WAIT_COPIES(STAGES - 2);                                                            \
          barrier(CLK_LOCAL_MEM_FENCE);                                                       \
          LOAD_A(a_part[now ^ 1], next_slot, 0, 0);                                           \
          LOAD_B(b_part[(u + 1) & 1], next_slot, 0);                                          \
        }                                                                                     \
        if (i == 0 && u + 1 < UNITS) LOAD_B(b_part[(u + 1) & 1], slot, u + 1);                \
        if (i == 0 && u == 0)                                                                 \
          COPY(&copies); /* into the slot that was read to its end before the last barrier */ \
        MULTIPLY_ROW(i, a_part[now], b_part[u & 1]);                                          \
      }                                                                                       \
    slot = next_slot;                                                                         \
  }
    // While whole slots are left to copy the loop has no branch: a branch around the copies cost 5
    // % of the time.
    int left = k;
    if (inside) NO_UNROLL
    for (; copies.left >= TILE_K; left -= TILE_K) STEP(copy_whole);
    NO_UNROLL
    for (; left > 0; left -= TILE_K) STEP(copy_rest);

    // The tile is turned over in local memory, so that C passes in whole rows of the tile (512
    // bytes at TILE_N = 64) with C_BATCH loads under way: straight from the registers, in pieces of
    // 64 bytes, an update with k = 256 ran at 26.7 Tflop/s, so at 45.0 (C_BATCH = 8) and 46.5 (32).
    // Reading C into the accumulators first (28.7) and red.global.add.f64 (40.1) lost. All copies
    // have arrived; all sub-groups must have read their last fragments.
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLL_FOR (i, MMA_ROWS)
      UNROLL_FOR (h, 2)
        UNROLL_FOR (j, MMA_COLS)
          *(local double2*)(slots + (sg_row + i * 16 + h * 8 + lane_row) * LD_C + sg_col + j * 8 +
                            2 * lane_col) = (double2)(acc[i][j][2 * h], acc[i][j][2 * h + 1]);
    barrier(CLK_LOCAL_MEM_FENCE);
    // A row of C has as many chunks as one of B.
    const int c_row = item / CHUNKS_B, c_col = item % CHUNKS_B * CHUNK;
    const int cols = n - tile.y - c_col, rows = m - tile.x - c_row;
    global double* c_at = c + c_offset + (ulong)(tile.x + c_row) * ldc + tile.y + c_col;
    local const double* c_from = slots + c_row * LD_C + c_col;
    for (int x = 0; x < TILE_M; x += C_BATCH * COPY_ROWS_B) {
      double2 old[C_BATCH];
      UNROLL_FOR (y, C_BATCH)
        old[y] = beta == 0.0 ? (double2)(0.0)  // must not read C: it may hold NaN
                             : load_c(c_at + (ulong)y * COPY_ROWS_B * ldc,
                                      x + y * COPY_ROWS_B < rows ? cols : 0);
      UNROLL_FOR (y, C_BATCH)
        store_c(c_at + (ulong)y * COPY_ROWS_B * ldc,
                alpha * *(local const double2*)(c_from + y * COPY_ROWS_B * LD_C) + beta * old[y],
                x + y * COPY_ROWS_B < rows ? cols : 0);
      c_at += (ulong)C_BATCH * COPY_ROWS_B * ldc;
      c_from += C_BATCH * COPY_ROWS_B * LD_C;
    }
  }
}
