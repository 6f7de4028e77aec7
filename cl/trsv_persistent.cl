// Triangular solve with one right-hand side in ONE launch (NVIDIA: inline PTX): b = T^-1 b, T n x n
// row-major, unit lower (UPPER 0) or upper (UPPER 1).
//
// Block rows of BLOCK rows, in the order of the substitution, go round the work-groups. A group
// first inverts its diagonal block (all groups at the same time), then subtracts T_ik x_k as the
// x_k appear, and publishes x_i = T_ii^-1 (b_i - sum). x travels in 16-byte packets {value, tag},
// each one relaxed 128-bit access, so a reader waits for the value itself: no fence, no barrier
// between groups. The tile T_ik is requested before the wait for x_k; one block row costs the chain
// about two L2 round trips and two products of 64 x 64 by a vector.
//
// NDRange: local 4 * BLOCK, all groups CO-RESIDENT: at most one per compute unit, only where the
// panel's probe, which asks for more, succeeded. A wait gives up after SPIN_LIMIT polls: info[1].
//   t + offset, ld; b + b_offset: right-hand side, becomes the solution; packets: n, zero at first;
//   epoch: > 0, new for every launch.
// A zero on U's diagonal gives Inf or NaN. Local memory: BLOCK * (BLOCK + 1) + 6 * BLOCK scalars
// (36 KiB for f64, BLOCK 64).

#include "common.clh"
#include "ptx.clh"

#if !defined(BLOCK) || !defined(UPPER) || !defined(SPIN_LIMIT)
#error "BLOCK, UPPER and SPIN_LIMIT must be defined"
#endif
#define WG_SIZE (4 * BLOCK)
#define TILE_LD (BLOCK + 1)

#if REAL_BITS == 64
#define BITS_OF(v) as_ulong(v)
#define REAL_OF(b) as_double(b)
#else
#define BITS_OF(v) ((ulong)as_uint(v))
#define REAL_OF(b) as_float((uint)(b))
#endif

// inverse = D^-1 for the size x size block at d (identity beyond size), by row operations on the
// identity: one row a step, all work-items.
static inline void invert_block(const global REAL* d, uint ld, uint size, local REAL* inverse) {
    const uint id = get_local_id(0), row = id / 4u, part = id % 4u;
    for (uint c = part; c < BLOCK; c += 4u) inverse[row * TILE_LD + c] = row == c ? 1 : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 0; step < size; ++step) {
        const uint k = UPPER ? size - 1u - step : step;
        if (UPPER) {
            if (row == k) {
                const REAL pivot = d[(ulong)k * ld + k];
                for (uint c = part; c < BLOCK; c += 4u)
                    if (c >= k) inverse[k * TILE_LD + c] /= pivot;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (UPPER ? row < k : row > k && row < size) {
            const REAL f = d[(ulong)row * ld + k];
            for (uint c = part; c < BLOCK; c += 4u)
                if (UPPER ? c >= k : c <= k)
                    inverse[row * TILE_LD + c] =
                        fma(-f, inverse[k * TILE_LD + c], inverse[row * TILE_LD + c]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void trsv_persistent(
    const global REAL* t, ulong offset, uint ld, uint n, global REAL* b, ulong b_offset,
    global ulong2* packets, uint epoch, volatile global int* info) {
    local REAL inverse[BLOCK * TILE_LD];
    local REAL known[2][BLOCK], sums[4 * BLOCK];
    const uint id = get_local_id(0), row = id / 4u, part = id % 4u, groups = get_num_groups(0),
               blocks = (n + BLOCK - 1u) / BLOCK;
    uint spins = 0;
    for (uint step = get_group_id(0); step < blocks; step += groups) {
        const uint base = (UPPER ? blocks - 1u - step : step) * BLOCK,
                   size = min((uint)BLOCK, n - base);
        const global REAL* rows = t + offset + (ulong)base * ld;
        const global REAL* my_row = rows + (ulong)min(row, size - 1u) * ld;
        barrier(CLK_LOCAL_MEM_FENCE);
        invert_block(rows + base, ld, size, inverse);
        REAL sum = 0;
        for (uint s = 0; s < step; ++s) {
            const uint other = (UPPER ? blocks - 1u - s : s) * BLOCK;
            REAL tile[BLOCK / 4];
#pragma unroll
            for (uint k = 0; k < BLOCK / 4; ++k) {
                const uint c = other + part + 4u * k;
                tile[k] = c < n ? my_row[c] : (REAL)0;
            }
            if (id < BLOCK) {
                REAL value = 0;
                if (other + id < n) {
                    ulong2 v = load_packet(packets + other + id);
                    while ((uint)v.y != epoch && ++spins < SPIN_LIMIT)
                        v = load_packet(packets + other + id);
                    value = REAL_OF(v.x);
                }
                known[s & 1u][id] = value;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
            for (uint k = 0; k < BLOCK / 4; ++k)
                sum = fma(tile[k], known[s & 1u][part + 4u * k], sum);
        }
        sums[id] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < BLOCK)
            known[0][id] = id < size
                               ? b[b_offset + base + id] - (sums[4 * id] + sums[4 * id + 1] +
                                                            sums[4 * id + 2] + sums[4 * id + 3])
                               : (REAL)0;
        barrier(CLK_LOCAL_MEM_FENCE);
        REAL x = 0;
#pragma unroll
        for (uint k = 0; k < BLOCK / 4; ++k) {
            const uint c = part + 4u * k;
            // Zeros of the inverse are skipped: they must not meet an Inf or NaN.
            if (UPPER ? c >= row : c <= row) x = fma(inverse[row * TILE_LD + c], known[0][c], x);
        }
        sums[id] = x;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < size) {
            const REAL value =
                sums[4 * id] + sums[4 * id + 1] + sums[4 * id + 2] + sums[4 * id + 3];
            store_packet(packets + base + id, BITS_OF(value), epoch);
            b[b_offset + base + id] = value;
        }
    }
    if (spins >= SPIN_LIMIT) info[1] = 1;
}
