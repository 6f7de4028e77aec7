// Triangular solve with one right-hand side by kernel boundaries, portable OpenCL C 1.2: x = T^-1 b
// in ceil(n / WG_SIZE) launches.
//
// trsv_step, block k of WG_SIZE rows: every work-group solves with the diagonal block itself, x_k =
// T_kk^-1 b_k (redundant, but it saves a launch a block), then subtracts T_ik x_k from its own
// WG_SIZE rows i of b. All groups read b_k, so the solution goes to x instead. UPPER 0: unit lower,
// blocks 0, 1, ...; UPPER 1: upper, from the last block to the first; b is destroyed.
//
// NDRange: local WG_SIZE, groups = number of blocks still to be updated, at least one. t + offset:
// T, row-major, ld. Local memory: WG_SIZE NUMBERs.

#include "common.clh"
#include "numbers.clh"

#if !defined(WG_SIZE) || !defined(UPPER)
#error "WG_SIZE and UPPER must be defined"
#endif

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void trsv_step(
    const global NUMBER* restrict t, ulong offset, uint ld, uint n, uint block,
    global NUMBER* restrict b, ulong b_offset, global NUMBER* restrict x) {
  local NUMBER solved[WG_SIZE];
  const uint id = get_local_id(0), base = block * WG_SIZE, size = min((uint)WG_SIZE, n - base);
  const global NUMBER* rows = t + offset;
  NUMBER value = id < size ? b[b_offset + base + id] : (NUMBER)(0);
  const global NUMBER* row = rows + (ulong)(base + min(id, size - 1)) * ld + base;
  for (uint k = 0; k < size; ++k) {
    const uint j = UPPER ? size - 1 - k : k;
    if (id == j) solved[j] = UPPER ? quotient(value, row[j]) : value;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (UPPER ? id < j : id > j && id < size) value = minus_product(row[j], solved[j], value);
  }
  if (get_group_id(0) == 0 && id < size) x[base + id] = solved[id];
  // This group's rows: below the block (lower) or above it (upper).
  const uint target =
      UPPER ? get_group_id(0) * WG_SIZE + id : base + WG_SIZE + get_group_id(0) * WG_SIZE + id;
  if (UPPER ? target < base : target < n) {
    const global NUMBER* left = rows + (ulong)target * ld + base;
    NUMBER s = b[b_offset + target];
    for (uint k = 0; k < size; ++k) s = minus_product(left[k], solved[k], s);
    b[b_offset + target] = s;
  }
}
