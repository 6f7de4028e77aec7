// C <- alpha A B + beta C in f32 on the f16 matrix units of an NVIDIA device (compute capability 8.0 or more), with the accuracy of
// an f32 product, where the operands' rows do not reach too far in size (halves.cl).
//
// A number is 2^e (high + low / 4096), high and low in f16, and A B ~ high high + (high low + low high) / 4096: three matrix
// instructions for one, each of which does twice the work of one for tf32 (H. Ootomo and R. Yokota, "Recovering single precision
// accuracy from Tensor Cores while surpassing the FP32 theoretical peak performance", IJHPCA 36, 2022). halves.cl splits the operands
// before, once for all tiles. The matrix units add with truncation, which would drift with k, so every 16 steps of k the sum of
// high high leaves them and is added to the accumulators in ordinary, rounded f32; the rest weighs 2^-12 of it and stays.
//
// C is m x n, a row-major view (buffer, offset, leading dimension); any m, n, k >= 1. Each work-group keeps one TILE_M x TILE_N tile
// of C in registers, each sub-group (32 work-items) an SG_M x SG_N part of it. Tiles of A and B pass through STAGES slots of local
// memory, filled by cp.async ahead of their use.
//
// NDRange: one dimension, local size = 32 (TILE_M / SG_M) (TILE_N / SG_N), exactly ceil(m / TILE_M) ceil(n / TILE_N) groups, any
//   number if SHARED (gemm_tile.clh).
// Arguments: a, b             rows of A and columns of B, as many as whole tiles have, split, of ceil(k / TILE_K) TILE_K numbers
//            a_exponents, b_exponents  e of each
//            unfit, epoch     the last: nothing is done if unfit[0] is epoch. gemm_mma_tf32x3.cl built with ONLY_UNFIT does it then
// Parameters (required but for LOWER):
//   TILE_M, TILE_N, TILE_K  tile of a work-group; TILE_K is a multiple of 32
//   SG_M, SG_N              tile of a sub-group: multiples of 16 and 32
//   STAGES                  slots of local memory, >= 2
//   VEC_WIDTH               4 = offset and leading dimension of C are multiples of 4; 1 = any
//   RASTER                  tile rows in a band (gemm_tile.clh)
//   LOWER                   if defined, only C's lower triangle is needed (gemm_tile.clh)
//   UPDATE                  0 = alpha, beta as given; 1 = C <- C - A B (alpha, beta ignored)
//   PREFETCH_C              1 = ask for C's lines in L2 at the start (where C will be read); 0 = do not
// Local memory: 4 STAGES TILE_K (TILE_M + TILE_N) bytes, static (the driver accepts more than the 48 KiB it reports).

#define ELEMENT float
#define ELEMENTS float4
#define CHUNK 4  // as many numbers of A or B lie in 16 bytes, too
#include "ptx.clh"

#include "gemm_tile.clh"

#ifndef PREFETCH_C
#error "PREFETCH_C must be defined"
#endif
#if TILE_K % 32 || SG_M % 16 || SG_N % 32
#error "TILE_K = 32 x, SG_M = 16 x, SG_N = 32 x"
#endif

#define MMA_QUADS (SG_N / 32)  // groups of four matrix instructions across a sub-group's tile
#define UNITS (TILE_K / 16)    // steps of 16 along k in a slot
#define BLOCK (UNITS * 64)     // chunks of 16 bytes of 16 rows of A, or 16 columns of B, in a slot
#define BLOCKS_A (TILE_M / 16)
#define BLOCKS (BLOCKS_A + TILE_N / 16)
#define COPY_BLOCKS (WG_SIZE / BLOCK)  // that the work-group copies at once
#if WG_SIZE % BLOCK || BLOCKS_A % COPY_BLOCKS || BLOCKS % COPY_BLOCKS
#error "the work-group must copy whole blocks, and a whole number of times"
#endif

typedef struct {
  uint4 slots[STAGES][BLOCKS][UNITS][2][32];
} Shared;

// A work-item's registers of an instruction, or of two, lie in one chunk (halves.cl says in which order), and those of the sub-group's
// 32 next to each other. Of A the second half is the low parts, of B it is another instruction's columns: those of four stand for
// columns 4c, ..., 4c + 3, so that twice four neighbouring floats of C belong to one work-item, as two neighbouring rows do.
#define LOAD_A(slot, unit, i) \
  UNROLL_FOR(part, 2)         \
  a_next[part] = load_local4u(&shared.slots[slot][sg_row / 16 + (i)][unit][part][lane])
#define LOAD_B(slot, unit) \
  UNROLL_FOR(p, MMA_QUADS) \
  UNROLL_FOR(j, 4)         \
  b_next[p][j] =           \
      load_local4u(&shared.slots[slot][BLOCKS_A + sg_col / 16 + 2 * p + j / 2][unit][j % 2][lane])

// For every four neighbours of C that this work-item owns.
#define FOR_EACH_C(body)                                                              \
  UNROLL_FOR(i, MMA_ROWS)                                                             \
  UNROLL_FOR(h, 2) {                                                                  \
    const int row = tile.x + sg_row + i * 16 + 2 * lane_row + h;                      \
    const int a_exponent = a_exponents[row];                                          \
    global float* const c_row = c + (ulong)row * ldc;                                 \
    UNROLL_FOR(p, MMA_QUADS)                                                          \
    UNROLL_FOR(f, 2) {                                                                \
      const int col = tile.y + sg_col + p * 32 + 8 * lane_col + 4 * f, e = 2 * h + f; \
      const int count = row < m ? n - col : 0;                                        \
      float4 sum;                                                                     \
      sum.s0 = SUM(i, p, 0, e, a_exponent + b_exponents[col]);                        \
      sum.s1 = SUM(i, p, 1, e, a_exponent + b_exponents[col + 1]);                    \
      sum.s2 = SUM(i, p, 2, e, a_exponent + b_exponents[col + 2]);                    \
      sum.s3 = SUM(i, p, 3, e, a_exponent + b_exponents[col + 3]);                    \
      body                                                                            \
    }                                                                                 \
  }
#define SUM(i, p, j, e, exponent) \
  times_power_of_2(fma(low[i][p][j][e], 1.0f / 4096, high[i][p][j][e]), exponent)

// x 2^e, -252 <= e <= 254: two factors, for 2^e may not be a float where the product is.
static inline float times_power_of_2(float x, int e) {
  const int half_of_it = e >> 1;
  return x * as_float((uint)(127 + half_of_it) << 23) *
         as_float((uint)(127 + e - half_of_it) << 23);
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void gemm(
    int m, int n, int k, float alpha, global const uint4* restrict a,
    global const int* restrict a_exponents, global const uint4* restrict b,
    global const int* restrict b_exponents, float beta, global float* restrict c, ulong c_offset,
    uint ldc ARGUMENTS_OF_SHARED, global const uint* restrict unfit, uint epoch) {
  local Shared shared;
  const int item = get_local_id(0), lane = item & 31, sub_group = item >> 5;
  const int lane_row = lane >> 2, lane_col = lane & 3;
  const int sg_row = (sub_group % SG_ROWS) * SG_M, sg_col = (sub_group / SG_ROWS) * SG_N;
  const int slots_of_k = (k + TILE_K - 1) / TILE_K;
  const ulong block_chunks = (ulong)slots_of_k * BLOCK;
  if (unfit[0] == epoch) return;
#if UPDATE
  alpha = -1.0f;
  beta = 1.0f;
#endif

  c += c_offset;
  FOR_EACH_TILE(tile) {
    if (is_above(tile)) NEXT_TILE;
    // Its chunk of every COPY_BLOCKS-th block, STAGES - 1 slots ahead of the products.
    global const uint4 *a_from = a + (tile.x / 16 + item / BLOCK) * block_chunks + item % BLOCK,
                       *b_from = b + (tile.y / 16 + item / BLOCK) * block_chunks + item % BLOCK;
    int to_copy = slots_of_k, copy_slot = 0;
#define COPY_SLOT()                                                                                \
  {                                                                                                \
    if (to_copy > 0) {                                                                             \
      local uint4* const to = (local uint4*)shared.slots[copy_slot] + item;                        \
      UNROLL                                                                                       \
      for (int x = 0; x < BLOCKS_A; x += COPY_BLOCKS)                                              \
        COPY_ASYNC(cg, 16, local_address(to + x * BLOCK), a_from + x * block_chunks);              \
      UNROLL                                                                                       \
      for (int x = BLOCKS_A; x < BLOCKS; x += COPY_BLOCKS)                                         \
        COPY_ASYNC(cg, 16, local_address(to + x * BLOCK), b_from + (x - BLOCKS_A) * block_chunks); \
      a_from += BLOCK;                                                                             \
      b_from += BLOCK;                                                                             \
      copy_slot = copy_slot + 1 == STAGES ? 0 : copy_slot + 1;                                     \
      --to_copy;                                                                                   \
    }                                                                                              \
    COMMIT_COPIES();                                                                               \
  }
    for (int s = 0; s < STAGES - 1; ++s) COPY_SLOT();

#if PREFETCH_C
    prefetch_tile(c, ldc, m, n, tile, item);
#endif

    float high[MMA_ROWS][MMA_QUADS][4][4], low[MMA_ROWS][MMA_QUADS][4][4];
    UNROLL_FOR(i, MMA_ROWS)
    UNROLL_FOR(p, MMA_QUADS)
    UNROLL_FOR(e, 16) high[i][p][e >> 2][e & 3] = low[i][p][e >> 2][e & 3] = 0.0f;
    // One row of instructions (A) and one unit (B) ahead.
    uint4 a_next[2], b_next[MMA_QUADS][4];
    WAIT_COPIES(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    LOAD_B(0, 0);
    LOAD_A(0, 0, 0);
    int slot = 0;
    NO_UNROLL
    for (int left = slots_of_k; left > 0; --left) {
      const int next_slot = slot + 1 == STAGES ? 0 : slot + 1;
      UNROLL_FOR(u, UNITS) {
        uint4 b_now[MMA_QUADS][4];
        UNROLL_FOR(p, MMA_QUADS)
        UNROLL_FOR(j, 4) b_now[p][j] = b_next[p][j];
        if (u + 1 < UNITS) LOAD_B(slot, u + 1);
        UNROLL_FOR(i, MMA_ROWS) {
          const uint4 a_high = a_next[0], a_low = a_next[1];
          if (i + 1 < MMA_ROWS) {
            LOAD_A(slot, u, i + 1);
          } else if (u + 1 < UNITS) {
            LOAD_A(slot, u + 1, 0);
          } else {
            WAIT_COPIES(STAGES - 2);
            barrier(CLK_LOCAL_MEM_FENCE);
            LOAD_B(next_slot, 0);
            LOAD_A(next_slot, 0, 0);
          }
          if (i == 0 && u == 0)
            COPY_SLOT();  // into the slot that was read to its end before the last barrier
          // Product by product: neighbouring instructions do not wait for each other.
          float sum[MMA_QUADS][4][4];
          UNROLL_FOR(p, MMA_QUADS)
          UNROLL_FOR(e, 16) sum[p][e >> 2][e & 3] = 0.0f;
          UNROLL_FOR(p, MMA_QUADS)
          UNROLL_FOR(j, 4) MMA_F16_K16(sum[p][j], a_high, b_now[p][j].x, b_now[p][j].y);
          UNROLL_FOR(p, MMA_QUADS)
          UNROLL_FOR(j, 4) MMA_F16_K16(low[i][p][j], a_low, b_now[p][j].x, b_now[p][j].y);
          UNROLL_FOR(p, MMA_QUADS)
          UNROLL_FOR(j, 4) MMA_F16_K16(low[i][p][j], a_high, b_now[p][j].z, b_now[p][j].w);
          UNROLL_FOR(p, MMA_QUADS)
          UNROLL_FOR(e, 16) high[i][p][e >> 2][e & 3] += sum[p][e >> 2][e & 3];
        }
      }
      slot = next_slot;
    }

    if (beta == 0.0f) {  // must not read C: it may hold NaN
      FOR_EACH_C({ store_c(c_row + col, alpha * sum, count); })
    } else {
      FOR_EACH_C({ store_c(c_row + col, alpha * sum + beta * load_c(c_row + col, count), count); })
    }
  }
}
