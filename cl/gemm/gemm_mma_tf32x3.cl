// C <- alpha A B + beta C in f32 on the tf32 matrix units of an NVIDIA device (compute capability
// 8.0 or more), with the accuracy of an f32 product.
//
// Each element x is split into big = tf32(x) and small = x - big (tf32 keeps 11 bits, so two parts
// keep 22 to 24), and A B ~ small big + big small + big big: three matrix instructions for one. The
// matrix units add with truncation, which would drift with k, so every ACC_K steps of k the sum
// leaves them and is added to the accumulators in ordinary, rounded f32. An infinity in A or B
// gives NaN (Inf - Inf in the split); magnitudes below 2^-103 lose their small part.
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
//   TILE_M, TILE_N, TILE_K  tile of a work-group; TILE_K is 16 or a multiple of 32
//   SG_M, SG_N              tile of a sub-group: multiples of 16 and 32
//   STAGES                  slots of local memory, >= 2
//   ACC_K                   8 or 16: k steps that stay in the matrix unit's accumulator
//   VEC_WIDTH               4 = 16-byte copies: offsets and leading dimensions of A, B and C are
//                           multiples of 4; 1 = any
//   RASTER                  tile rows in a band (gemm_mma.clh)
//   UPDATE                  0 = alpha, beta as given; 1 = C <- C - A B (alpha, beta ignored)
//   PREFETCH_C              1 = ask for C's lines in L2 at the start where C will be read; 0 = do
//                           not
// Measured on an H200 (cuBLAS SGEMM without TF32 in brackets), Tflop/s: n = 4096 71.8 (50.5), n =
//   8192 73.9 (50.7); C <- C - A B with C 8192 x 8192 and k = 128, 256, 512: 52.5, 62.4, 67.9
//   (35.8, 39.6, 44.0). Largest element-wise error over |A||B| at n = 8192: 0.7 eps (ACC_K = 16),
//   1.1 eps (8), gemm_simt.cl 3.1 eps. (Tried: three f16 instructions for one, half as many, of
//   operands split before, as in H. Ootomo and R. Yokota, "Recovering single precision accuracy
//   from Tensor Cores while surpassing the FP32 theoretical peak performance", IJHPCA 36, 2022: n =
//   8192 82, k = 256 59. Loads, products and the rounded sums outside the matrix units take turns.)
// Local memory: 4 STAGES TILE_K (TILE_M + TILE_N) bytes, static (the driver accepts more than the
//   48 KiB it reports).

#define ELEMENT float
#define ELEMENTS float4
#define CHUNK 4
// Chunks are exchanged so that 8 neighbouring work-items touch all 32 banks: A by the row's parity
// (rows of 16 floats need none), B by bits 2..3 of its row.
#if TILE_K == 16
#define SWAP_A(row) 0
#else
#define SWAP_A(row) (((row)&1) << 2)
#endif
#define SWAP_B(row) (((row) >> 1) & 6)
#include "ptx.clh"

#include "gemm_batch.clh"
#include "gemm_mma.clh"

#if !defined(ACC_K) || !defined(PREFETCH_C)
#error "ACC_K, PREFETCH_C must be defined"
#endif
#if (TILE_K != 16 && TILE_K % 32) || SG_M % 16 || SG_N % 32 || (ACC_K != 8 && ACC_K != 16)
#error "TILE_K = 16 or 32 x, SG_M = 16 x, SG_N = 32 x; ACC_K is 8 or 16"
#endif

#define MMA_QUADS (SG_N / 32)  // groups of four matrix instructions across a sub-group's tile
#define UNITS (TILE_K / 16)    // steps of 16 along k in a slot
#if COPY_ROWS_A % 2 || (COPY_ROWS_B & (COPY_ROWS_B - 1))
#error \
    "the work-group must copy an even number of rows of A and a power of two of rows of B at once"
#endif

// Local memory is read 16 bytes a work-item, four k of A or four columns of B at a time: within a
// unit of 16 the k indices q, q + 4 of the first and second matrix instruction stand for k = 4q, 4q
// + 1 and 4q + 2, 4q + 3 (in A and B alike, so the sum is the same), and column c of the four
// instructions of a quad for column 4c, ..., 4c + 3. So twice four neighbouring floats of C belong
// to one work-item.

// The rest is exact in f32; the matrix unit ignores the low 13 bits of its operands. Nearest: ties
// away from zero.
#define SPLIT(x, big, small)                    \
  {                                             \
    big = (as_uint(x) + 0x1000u) & 0xffffe000u; \
    small = as_uint((x)-as_float(big));         \
  }

// Element e of v goes to [e * step]: step 2 puts k, ..., k + 3 of row g (from 0) and of row g + 8
// (from 1) into the order of the registers of two instructions.
#define SPLIT4(v, big, small, step)                          \
  {                                                          \
    uint *const to_big = big, *const to_small = small;       \
    SPLIT((v).s0, to_big[0], to_small[0]);                   \
    SPLIT((v).s1, to_big[step], to_small[step]);             \
    SPLIT((v).s2, to_big[2 * (step)], to_small[2 * (step)]); \
    SPLIT((v).s3, to_big[3 * (step)], to_small[3 * (step)]); \
  }

#define LOAD_A(slot, unit, i)                                                              \
  {                                                                                        \
    const uint at =                                                                        \
        a_lane + (slot) * (SLOT_A * 4) + (((unit)*4) ^ a_swap) * 16 + (i)*16 * TILE_K * 4; \
    a_raw[0] = load_local4(at);                                                            \
    a_raw[1] = load_local4(at + 8 * TILE_K * 4);                                           \
  }
#define LOAD_B(slot, unit)  \
  UNROLL_FOR (p, MMA_QUADS) \
    UNROLL_FOR (r, 4)       \
  b_raw[p][r] = load_local4(b_lane + (slot) * (SLOT_B * 4) + ((unit)*16 + r) * TILE_N * 4 + p * 128)

#define ACC4(i, p, e) (float4)(acc[i][p][0][e], acc[i][p][1][e], acc[i][p][2][e], acc[i][p][3][e])

// For every four neighbours of C that this work-item owns.
#define FOR_EACH_C(body)                                                                  \
  UNROLL_FOR (i, MMA_ROWS)                                                                \
    UNROLL_FOR (h, 2) {                                                                   \
      const int row = tile.x + sg_row + i * 16 + h * 8 + lane_row;                        \
      global float* const c_row = c + (ulong)row * ldc;                                   \
      UNROLL_FOR (p, MMA_QUADS)                                                           \
        UNROLL_FOR (f, 2) {                                                               \
          const int col = tile.y + sg_col + p * 32 + 8 * lane_col + 4 * f, e = 2 * h + f; \
          const int count = row < m ? n - col : 0;                                        \
          body                                                                            \
        }                                                                                 \
    }

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void gemm(
    int m, int n, int k, float alpha, global const float* restrict a, ulong a_offset, uint lda,
    global const float* restrict b, ulong b_offset, uint ldb, float beta, global float* restrict c,
    ulong c_offset, uint ldc, int lower ARGUMENTS_OF_SHARED ARGUMENTS_OF_BATCH) {
  local float slots[STAGES * (SLOT_A + SLOT_B)] __attribute__((aligned(128)));
  local float *const a_slots = slots, *const b_slots = slots + STAGES * SLOT_A;
  const int item = get_local_id(0), lane = item & 31, sub_group = item >> 5;
  const int lane_row = lane >> 2, lane_col = lane & 3;
  const int sg_row = (sub_group % SG_ROWS) * SG_M, sg_col = (sub_group / SG_ROWS) * SG_N;
  TAKE_OWN_OF_BATCH();
#if UPDATE
  alpha = -1.0f;
  beta = 1.0f;
#endif

  c += c_offset;
  FOR_EACH_TILE(tile) {
    if (lower && is_above(tile)) NEXT_TILE;
    Copies copies =
        first_copies(item, m, n, k, tile, a + a_offset, lda, b + b_offset, ldb, a_slots, b_slots);
    const int inside = tile.x + TILE_M <= m && tile.y + TILE_N <= n;
    NO_UNROLL
    for (int s = 0; s < STAGES - 1; ++s) copy_slot(&copies, inside);

#if PREFETCH_C
    // A line is 32 floats; one work-item a line.
    const int lines = beta == 0.0f ? 0 : TILE_M * (TILE_N / 32);
    for (int x = item; x < lines; x += WG_SIZE) {
      const int row = tile.x + x / (TILE_N / 32), col = tile.y + x % (TILE_N / 32) * 32;
      if (row < m && col < n) prefetch_l2(c + (ulong)row * ldc + col);
    }
#endif

    // Where this work-item's fragments lie.
    const uint a_lane = local_address(a_slots) + (sg_row + lane_row) * TILE_K * 4 + lane_col * 16;
    const uint b_lane = local_address(b_slots) + 4 * lane_col * TILE_N * 4 + sg_col * 4 +
                        (lane_row ^ (lane_col << 1)) * 16;
    const uint a_swap = SWAP_A(lane_row);
    float acc[MMA_ROWS][MMA_QUADS][4][4];
    UNROLL_FOR (i, MMA_ROWS)
      UNROLL_FOR (p, MMA_QUADS)
        UNROLL_FOR (e, 16) acc[i][p][e >> 2][e & 3] = 0.0f;
    // Fragments not yet split, one row of instructions (A) and one unit (B) ahead.
    float4 a_raw[2], b_raw[MMA_QUADS][4];
    WAIT_COPIES(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    LOAD_B(0, 0);
    LOAD_A(0, 0, 0);
    int slot = 0;
    // One text for all slots, with a branch around the copies. With a loop of its own for whole
    // slots an LU of 1000 to 4096 unknowns was no faster, and NVIDIA's compiler took 1.0 to 1.2 s
    // instead of 0.7 to 0.85.
    NO_UNROLL
    for (int left = k; left > 0; left -= TILE_K) {
      const int next_slot = slot + 1 == STAGES ? 0 : slot + 1;
      UNROLL_FOR (u, UNITS) {
        // [quad][row of the unit that this work-item holds][column]
        uint b_big[MMA_QUADS][4][4], b_small[MMA_QUADS][4][4];
        UNROLL_FOR (p, MMA_QUADS)
          UNROLL_FOR (r, 4) SPLIT4(b_raw[p][r], b_big[p][r], b_small[p][r], 1);
        if (u + 1 < UNITS) LOAD_B(slot, u + 1);
        UNROLL_FOR (i, MMA_ROWS) {
          uint a_big[8], a_small[8];  // 4 registers an instruction
          SPLIT4(a_raw[0], a_big, a_small, 2);
          SPLIT4(a_raw[1], a_big + 1, a_small + 1, 2);
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
            copy_slot(&copies, inside);  // into the slot read to its end before the last barrier
          // Product by product: neighbouring instructions do not wait for each other.
          UNROLL
          for (int from = 0; from < 2; from += ACC_K / 8) {
            float sum[MMA_QUADS][4][4];
            UNROLL_FOR (p, MMA_QUADS)
              UNROLL_FOR (e, 16) sum[p][e >> 2][e & 3] = 0.0f;
            UNROLL
            for (int h = from; h < from + ACC_K / 8; ++h) {
              UNROLL_FOR (p, MMA_QUADS)
                UNROLL_FOR (j, 4)
                  MMA_TF32_K8(sum[p][j], a_small + 4 * h, b_big[p][2 * h][j],
                              b_big[p][2 * h + 1][j]);
              UNROLL_FOR (p, MMA_QUADS)
                UNROLL_FOR (j, 4)
                  MMA_TF32_K8(sum[p][j], a_big + 4 * h, b_small[p][2 * h][j],
                              b_small[p][2 * h + 1][j]);
            }
            UNROLL
            for (int h = from; h < from + ACC_K / 8; ++h)
              UNROLL_FOR (p, MMA_QUADS)
                UNROLL_FOR (j, 4)
                  MMA_TF32_K8(sum[p][j], a_big + 4 * h, b_big[p][2 * h][j], b_big[p][2 * h + 1][j]);
            UNROLL_FOR (p, MMA_QUADS)
              UNROLL_FOR (e, 16) acc[i][p][e >> 2][e & 3] += sum[p][e >> 2][e & 3];
          }
        }
      }
      slot = next_slot;
    }

    FOR_EACH_C({
      const float4 old = beta == 0.0f ? (float4)(0.0f)  // must not read C: it may hold NaN
                                      : load_c(c_row + col, count);
      store_c(c_row + col, alpha * ACC4(i, p, e) + beta * old, count);
    })
  }
}
