// Triangular solve with RHS right-hand sides in ONE launch (NVIDIA: inline PTX): x = T^-1 x or,
// TRANSPOSED 1, x = T^-T x, T n x n row-major, unit lower (UPPER 0) or upper (UPPER 1). The
// right-hand sides are columns of contiguous numbers.
//
// Block rows of BLOCK rows of op(T), in the order of the substitution, go round the work-groups. A
// group first inverts its diagonal block (all groups at the same time), then subtracts op(T)_ik x_k
// as the x_k appear, and publishes x_i = op(T)_ii^-1 (b_i - sum). x travels in 16-byte packets
// {value, tag}, each one relaxed 128-bit access, so a reader waits for the value itself: no fence,
// no barrier between groups. The tile op(T)_ik is requested before the wait for x_k; one block row
// costs the chain about two L2 round trips and two products of BLOCK x BLOCK by a vector.
//
// NDRange: local 4 * BLOCK, all groups CO-RESIDENT: at most one per compute unit, only where the
// panel's probe, which asks for more, succeeded. A wait gives up after SPIN_LIMIT polls: info[1],
// and x is NaN.
//   t + offset, ld; x + x_offset: right-hand sides, `stride` apart, become the solutions; packets:
//   RHS * n, of complex f64 twice as many, zero at first; epoch: > 0, new for every launch.
// A zero on U's diagonal gives Inf or NaN. RHS: 1, 2 or 4. Local memory: BLOCK * (BLOCK + 1) + 6 *
// RHS * BLOCK NUMBERs (45 KiB for f64, BLOCK 64, RHS 4).

#include "common.clh"
#include "numbers.clh"
#include "ptx.clh"

#if !defined(BLOCK) || !defined(UPPER) || !defined(TRANSPOSED) || !defined(RHS) || \
    !defined(SPIN_LIMIT)
#error "BLOCK, UPPER, TRANSPOSED, RHS and SPIN_LIMIT must be defined"
#endif
#include "packets.clh"

#define WG_SIZE (4 * BLOCK)
#define TILE_LD (BLOCK + 1)
#if RHS * BLOCK > WG_SIZE
#error "RHS must be at most 4"
#endif
#define AHEAD 4                           // steps of invert_block()
#define DESCENDING (UPPER != TRANSPOSED)  // the substitution begins with the last row

// The multiplier of a step of invert_block() for a row; 0 where it has none.
static inline NUMBER multiplier(const global NUMBER* d, uint ld, uint size, uint row, uint step) {
  const uint k = UPPER ? size - 1u - step : step;
  return step < size && (UPPER ? row < k : row > k && row < size) ? d[(ulong)row * ld + k]
                                                                  : (NUMBER)(0);
}

// inverse = D^-1 for the size x size block at d (identity beyond size), by row operations on the
// identity: one row a step, all work-items. A work-item keeps its part of a row in registers until
// the row is done; what it reads of D is requested some steps ahead.
static inline void invert_block(const global NUMBER* d, uint ld, uint size, local NUMBER* inverse) {
  const uint id = get_local_id(0), row = id / 4u, part = id % 4u;
  NUMBER mine[BLOCK / 4], next[AHEAD];
#pragma unroll
  for (uint i = 0; i < BLOCK / 4; ++i) mine[i] = row == part + 4u * i ? ONE : (NUMBER)(0);
#pragma unroll
  for (uint i = 0; i < AHEAD; ++i) next[i] = multiplier(d, ld, size, row, i);
  const NUMBER pivot = UPPER && row < size ? d[(ulong)row * ld + row] : ONE;
#pragma unroll 1
  for (uint step = 0; step < BLOCK; ++step) {
    const uint k = step >= size ? step : UPPER ? size - 1u - step : step;
    if (row == k) {
#pragma unroll
      for (uint i = 0; i < BLOCK / 4; ++i) {
        const uint c = part + 4u * i;
        if (UPPER && c >= k && step < size) mine[i] = quotient(mine[i], pivot);
        inverse[k * TILE_LD + c] = mine[i];
      }
    }
    const NUMBER f = next[0];
#pragma unroll
    for (uint i = 1; i < AHEAD; ++i) next[i - 1] = next[i];
    next[AHEAD - 1] = multiplier(d, ld, size, row, step + AHEAD);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (step < size && (UPPER ? row < k : row > k && row < size)) {
#pragma unroll
      for (uint i = 0; i < BLOCK / 4; ++i) {
        const uint c = part + 4u * i;
        if (UPPER ? c >= k : c <= k) mine[i] = minus_product(f, inverse[k * TILE_LD + c], mine[i]);
      }
    }
  }
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void trsv_persistent(
    const global NUMBER* t, ulong offset, uint ld, uint n, global NUMBER* x, ulong x_offset,
    ulong stride, global ulong2* packets, uint epoch, volatile global int* info) {
  local NUMBER inverse[BLOCK * TILE_LD];
  local NUMBER known[2][RHS][BLOCK], sums[RHS][4 * BLOCK];
  // Four work-items share a row of op(T); neighbours read neighbouring numbers of T.
  const uint id = get_local_id(0), row = TRANSPOSED ? id % BLOCK : id / 4u,
             part = TRANSPOSED ? id / BLOCK : id % 4u, groups = get_num_groups(0),
             blocks = (n + BLOCK - 1u) / BLOCK;
  // And one has a number of x.
  const uint column = id / BLOCK, element = id % BLOCK;
  global NUMBER* const my_column = x + x_offset + column * stride;
  global ulong2* const my_packets = packets + NUMBER_PACKETS * (ulong)column * n;
  uint spins = 0;
  for (uint step = get_group_id(0); step < blocks; step += groups) {
    const uint base = (DESCENDING ? blocks - 1u - step : step) * BLOCK,
               size = min((uint)BLOCK, n - base), my_row = base + min(row, size - 1u);
    const global NUMBER* from = t + offset + (TRANSPOSED ? my_row : (ulong)my_row * ld);
    barrier(CLK_LOCAL_MEM_FENCE);
    invert_block(t + offset + (ulong)base * ld + base, ld, size, inverse);
    NUMBER sum[RHS];
#pragma unroll
    for (uint r = 0; r < RHS; ++r) sum[r] = 0;
    for (uint s = 0; s < step; ++s) {
      const uint other = (DESCENDING ? blocks - 1u - s : s) * BLOCK;
      NUMBER tile[BLOCK / 4];
#pragma unroll
      for (uint k = 0; k < BLOCK / 4; ++k) {
        const uint c = other + part + 4u * k;
        tile[k] = c < n ? from[TRANSPOSED ? (ulong)c * ld : c] : (NUMBER)(0);
      }
      if (column < RHS) {
        NUMBER value = 0;
        if (other + element < n) {
          value = await_number(my_packets + other + element, n, epoch, &spins);
        }
        known[s & 1u][column][element] = value;
      }
      barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
      for (uint r = 0; r < RHS; ++r) {
#pragma unroll
        for (uint k = 0; k < BLOCK / 4; ++k)
          sum[r] = plus_product(tile[k], known[s & 1u][r][part + 4u * k], sum[r]);
      }
    }
#pragma unroll
    for (uint r = 0; r < RHS; ++r) sums[r][4u * row + part] = sum[r];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (column < RHS) {
      const local NUMBER* four = sums[column] + 4u * element;
      known[0][column][element] =
          element < size ? my_column[base + element] - (four[0] + four[1] + four[2] + four[3])
                         : (NUMBER)(0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll
    for (uint r = 0; r < RHS; ++r) {
      NUMBER solved = 0;
#pragma unroll
      for (uint k = 0; k < BLOCK / 4; ++k) {
        const uint c = part + 4u * k;
        // Zeros of the inverse are skipped: they must not meet an Inf or NaN.
        if (DESCENDING ? c >= row : c <= row)
          solved = plus_product(inverse[TRANSPOSED ? c * TILE_LD + row : row * TILE_LD + c],
                                known[0][r][c], solved);
      }
      sums[r][4u * row + part] = solved;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (column < RHS && element < size) {
      const local NUMBER* four = sums[column] + 4u * element;
      const NUMBER value =
          spins < SPIN_LIMIT ? four[0] + four[1] + four[2] + four[3] : (NUMBER)((REAL)NAN);
      store_number(my_packets + base + element, n, value, epoch);
      my_column[base + element] = value;
    }
  }
  if (spins >= SPIN_LIMIT) info[1] = 1;
}
