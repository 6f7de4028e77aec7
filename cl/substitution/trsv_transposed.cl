// Transposed triangular solves with RHS right-hand sides by kernel boundaries, portable OpenCL C
// 1.2: X <- U^-T X, X <- L^-T X with the factors of an LU in one matrix t (n x n, row-major, ld;
// L's unit diagonal is not stored), which is read by rows. Of complex numbers, COMPLEX 1, the
// transposes are conjugated.
//
// transposed_inverses first inverts the diagonal blocks of BLOCK rows of both factors, all at the
// same time. transposed_step then takes block k, `upper` 1: of U, blocks 0, 1, ...; 0: of L, from
// the last to the first: every work-group computes Y_k = T_kk^-T B_k itself (redundant, but it
// saves a launch a block) and subtracts T_kj^T Y_k from its own BLOCK columns j. All groups read
// B_k in `from`, so Y_k goes to `to`; `from` is destroyed. What is subtracted is requested before
// anything is waited for.
//
// Vectors: RHS columns of n contiguous numbers each. Block k of `inverses`: BLOCK x BLOCK, first
// those of U, then those of L, identity beyond n.
// NDRange: transposed_inverses 2 ceil(n / BLOCK) groups of BLOCK; transposed_step local BLOCK *
// PARTS, as many groups as there are blocks still to be updated, at least one.
// BLOCK, PARTS, RHS: powers of two, PARTS <= BLOCK. Local memory: (PARTS + 1) * BLOCK * RHS
// NUMBERs.

#include "common.clh"
#include "numbers.clh"

#if !defined(BLOCK) || !defined(PARTS) || !defined(RHS)
#error "BLOCK, PARTS and RHS must be defined"
#endif
#define WG_SIZE (BLOCK * PARTS)
#define STEPS (BLOCK / PARTS)

// Work-item c finds column c of the inverse by substitution, and reads nothing but what it wrote
// itself.
kernel __attribute__((reqd_work_group_size(BLOCK, 1, 1))) void transposed_inverses(
    const global NUMBER* restrict t, ulong offset, uint ld, uint n, global NUMBER* inverses) {
  const uint blocks = (n + BLOCK - 1u) / BLOCK, c = get_local_id(0);
  const bool upper = get_group_id(0) < blocks;
  const uint base = (uint)(get_group_id(0) % blocks) * BLOCK, size = min((uint)BLOCK, n - base);
  const global NUMBER* rows = t + offset + (ulong)base * ld + base;
  global NUMBER* column = inverses + (ulong)get_group_id(0) * BLOCK * BLOCK + c;
  for (uint step = 0; step < BLOCK; ++step) {
    const uint i = upper ? BLOCK - 1u - step : step;
    const global NUMBER* row = rows + (ulong)min(i, size - 1u) * ld;
    NUMBER value = i == c ? ONE : (NUMBER)(0);
    if (i < size && c < size && (upper ? i <= c : i >= c)) {
      for (uint k = upper ? i + 1u : c; k < (upper ? c + 1u : i); ++k)
        value = minus_product(row[k], column[k * BLOCK], value);
      if (upper) value = quotient(value, row[i]);
    }
    column[i * BLOCK] = value;
  }
}

// The sum over all parts for column c of right-hand side r.
static inline NUMBER total(const local NUMBER* sums, uint r, uint c) {
  NUMBER sum = sums[r * WG_SIZE + c];
  for (uint p = 1; p < PARTS; ++p) sum += sums[r * WG_SIZE + p * BLOCK + c];
  return sum;
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void transposed_step(
    const global NUMBER* restrict t, ulong offset, uint ld, uint n, uint block, uint upper,
    const global NUMBER* restrict inverses, global NUMBER* restrict from,
    global NUMBER* restrict to) {
  local NUMBER known[RHS * BLOCK], sums[RHS * WG_SIZE];
  const uint id = get_local_id(0), column = id % BLOCK, part = id / BLOCK,
             blocks = (n + BLOCK - 1u) / BLOCK, base = block * BLOCK,
             size = min((uint)BLOCK, n - base),
             first = get_group_id(0) * BLOCK + (upper ? base + BLOCK : 0u), end = upper ? n : base;
  const global NUMBER* rows = t + offset + (ulong)base * ld;
  const global NUMBER* inverse = inverses + (ulong)(upper ? block : blocks + block) * BLOCK * BLOCK;
  NUMBER tile[STEPS], sum[RHS];
  UNROLLED
  for (uint k = 0; k < STEPS; ++k) {
    const uint row = part + PARTS * k;
    const bool inside = row < size && first + column < end;
    tile[k] = inside ? conjugate(rows[(ulong)row * ld + first + column]) : (NUMBER)(0);
  }
  for (uint i = id; i < RHS * BLOCK; i += WG_SIZE)
    known[i] = i % BLOCK < size ? from[(ulong)(i / BLOCK) * n + base + i % BLOCK] : (NUMBER)(0);
  barrier(CLK_LOCAL_MEM_FENCE);

  UNROLLED
  for (uint r = 0; r < RHS; ++r) sum[r] = (NUMBER)(0);
  UNROLLED
  for (uint k = 0; k < STEPS; ++k) {
    const uint row = part + PARTS * k;
    const NUMBER of_inverse = conjugate(inverse[row * BLOCK + column]);
    // Zeros of the inverse are skipped: they must not meet an Inf or NaN.
    if (upper ? row <= column : row >= column) UNROLLED
    for (uint r = 0; r < RHS; ++r)
      sum[r] = plus_product(of_inverse, known[r * BLOCK + row], sum[r]);
  }
  UNROLLED
  for (uint r = 0; r < RHS; ++r) sums[r * WG_SIZE + id] = sum[r];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = id; i < RHS * BLOCK; i += WG_SIZE) {
    known[i] = total(sums, i / BLOCK, i % BLOCK);
    if (get_group_id(0) == 0 && i % BLOCK < size)
      to[(ulong)(i / BLOCK) * n + base + i % BLOCK] = known[i];
  }
  barrier(CLK_LOCAL_MEM_FENCE);

  UNROLLED
  for (uint r = 0; r < RHS; ++r) {
    NUMBER subtracted = (NUMBER)(0);
    UNROLLED
    for (uint k = 0; k < STEPS; ++k)
      subtracted = plus_product(tile[k], known[r * BLOCK + part + PARTS * k], subtracted);
    sums[r * WG_SIZE + id] = subtracted;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint i = id; i < RHS * BLOCK; i += WG_SIZE)
    if (first + i % BLOCK < end)
      from[(ulong)(i / BLOCK) * n + first + i % BLOCK] -= total(sums, i / BLOCK, i % BLOCK);
}
