// A panel of columns of a QR factorisation by Householder's reflections, A = (I - V T V^T) R: V is
// unit lower trapezoidal, T and R are upper triangular. Portable OpenCL C 1.2. The numbers are to
// be scaled so that the squares of a column's largest do not leave the range of the type.
//
// qr_load copies the panel, rows x columns at a + offset, to p0, whose rows lie NB apart, beyond
// `columns` zeros.
// qr_reflect takes the steps first .. last - 1. Step j reads the panel from p0 (odd steps: from p1)
// and writes it to the other one, the last step to v: so no row is written that another work-item
// still reads, and one pass both applies reflection j and sums up the products of column j + 1 with
// all columns, of which the next reflection, its inner products with the rest and with the V so far
// are made. Each work-group leaves its sums in `parts`, 2 x groups x NB, and the next step adds
// those of all groups; with one group all steps may be one launch, else each is one.
// Row j is done in step j: of R, at a + offset, with zeros left of the diagonal, and of V, at v +
// v_offset. The rows of A from `columns` to `square` - 1 become zeros. gram[i NB + j] = v_i^T v_j,
// i < j; taus[tau_first + j] is 2 / v_j^T v_j. A column of zeros is reflected by 2 e e^T: no tau is
// 0.
//
// NDRange: NB / VEC_WIDTH x LANES groups, in work-groups of NB / VEC_WIDTH x LANES. Local memory:
// (LANES + 1) NB scalars.
// Macros besides REAL_BITS: NB, columns of a panel at most; VEC_WIDTH, of a work-item; LANES, rows
// side by side, a power of two.
//
// qr_triangle: T = (D + U)^-1, columns x columns, for D = diag(1 / tau) and U, what of the Gram
// matrix of V is above its diagonal; a work-group a column, by substitution. NDRange: `columns`
// groups, at most MOST_COLUMNS; any work-group size. Local memory: MOST_COLUMNS scalars.

#include "vectors.clh"

#if !defined(NB) || !defined(LANES)
#error "NB and LANES must be defined"
#endif
#if NB % VEC_WIDTH != 0
#error "NB must be a multiple of VEC_WIDTH"
#endif
#define ITEMS (NB / VEC_WIDTH)
#define MOST_COLUMNS 512

// sums[0 .. NB - 1] <- the sum over the lanes, for all work-items of the group.
void add_lanes(local REAL* sums, VEC sum) {
  local REAL* const own = sums + get_local_id(1) * NB + get_local_id(0) * VEC_WIDTH;
  VSTORE(sum, own);
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint reach = LANES / 2; reach > 0; reach /= 2) {
    if (get_local_id(1) < reach) VSTORE(VLOAD(own) + VLOAD(own + reach * NB), own);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
}

kernel __attribute__((reqd_work_group_size(ITEMS, LANES, 1))) void qr_load(
    const global REAL* restrict a, ulong offset, uint ld, uint rows, uint columns,
    global REAL* restrict p0, global REAL* restrict parts) {
  local REAL sums[LANES * NB];
  const uint column = get_local_id(0) * VEC_WIDTH, group = get_group_id(1);
  VEC sum = 0;
  for (uint r = get_global_id(1); r < rows; r += get_global_size(1)) {
    const global REAL* const from = a + offset + (ulong)r * ld;
    global REAL* const to = p0 + (ulong)r * NB + column;
    VEC row = 0;
    if (column + VEC_WIDTH <= columns) {
      row = VLOAD(from + column);
      VSTORE(row, to);
    } else {
      VSTORE(row, to);
      for (uint c = column; c < columns; ++c) to[c - column] = from[c];
      row = VLOAD(to);
    }
    sum += (r > 0 ? from[0] : (REAL)0) * row;
  }
  add_lanes(sums, sum);
  if (get_local_id(1) == 0) VSTORE(VLOAD(sums + column), parts + (ulong)group * NB + column);
}

kernel __attribute__((reqd_work_group_size(ITEMS, LANES, 1))) void qr_reflect(
    global REAL* restrict a, ulong offset, uint ld, uint rows, uint columns, uint square,
    uint first, uint last, global REAL* p0, global REAL* p1, global REAL* v, ulong v_offset,
    uint v_ld, global REAL* parts, global REAL* restrict gram, global REAL* restrict taus,
    uint tau_first) {
  local REAL sums[LANES * NB];
  local REAL w[NB];
  const uint column = get_local_id(0) * VEC_WIDTH, lane = get_local_id(1);
  const uint group = get_group_id(1), groups = get_num_groups(1), stride = groups * LANES;
  for (uint step = first; step < last; ++step) {
    const bool ends = step + 1 == columns, odd = step % 2 == 1;
    const global REAL* const restrict from = odd ? p1 : p0;
    global REAL* const restrict to = ends ? v + v_offset : (odd ? p0 : p1);
    const ulong to_ld = ends ? v_ld : NB;
    const global REAL* const old_parts = parts + (ulong)(odd ? groups : 0) * NB;
    global REAL* const new_parts = parts + (ulong)(odd ? 0 : groups) * NB;

    VEC total = 0;
    for (uint g = lane; g < groups; g += LANES) total += VLOAD(old_parts + (ulong)g * NB + column);
    add_lanes(sums, total);

    // H = I - tau v v^T takes the column, alpha above what has the square sums[step], to beta e.
    const global REAL* const top = from + (ulong)step * NB;
    const REAL alpha = top[step], norm = sqrt(alpha * alpha + sums[step]);
    const bool zero = norm == 0;
    const REAL beta = zero ? -alpha : (alpha < 0 ? norm : -norm);
    const REAL scale = zero ? (REAL)0 : 1 / (alpha - beta), tau = zero ? (REAL)2 : 1 - alpha / beta;
    if (lane == 0)
      for (uint c = column; c < column + VEC_WIDTH; ++c) {
        const REAL product = top[c] + scale * sums[c];  // of v and column c
        w[c] = c > step ? tau * product : (REAL)0;
        if (group != 0 || c >= columns) continue;
        a[offset + (ulong)step * ld + c] = c > step ? top[c] - w[c] : (c == step ? beta : (REAL)0);
        v[v_offset + (ulong)step * v_ld + c] = c < step ? top[c] : (REAL)(c == step);
        if (c < step) gram[c * NB + step] = product;
        if (c == step) taus[tau_first + step] = tau;
      }
    barrier(CLK_LOCAL_MEM_FENCE);

    const VEC by = VLOAD(w + column);
    const uint next = min(step + 1, (uint)NB - 1);
    const REAL by_next = w[next];
    VEC sum = 0;
    uint r = group * LANES + lane;
    if (r <= step) r += ((step - r) / stride + 1) * stride;
    for (; r < rows; r += stride) {
      const global REAL* const row = from + (ulong)r * NB;
      global REAL* const result = to + r * to_ld;
      const REAL of_v = row[step] * scale;
      const VEC updated = VLOAD(row + column) - of_v * by;
      VSTORE(updated, result + column);
      if (step - column < VEC_WIDTH) result[step] = of_v;
      sum += (r > step + 1 ? row[next] - of_v * by_next : (REAL)0) * updated;
      if (ends && r < square)
        for (uint c = column; c < min(column + VEC_WIDTH, columns); ++c)
          a[offset + (ulong)r * ld + c] = 0;
    }
    add_lanes(sums, sum);
    if (lane == 0) {
      VSTORE(VLOAD(sums + column), new_parts + (ulong)group * NB + column);
      // The sum was of the column, not of v.
      if (step - column < VEC_WIDTH) new_parts[(ulong)group * NB + step] = sums[step] * scale;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}

kernel void qr_triangle(const global REAL* restrict gram, uint gram_ld,
                        const global REAL* restrict taus, uint tau_first, uint columns,
                        global REAL* t, ulong t_offset, uint t_ld) {
  local REAL x[MOST_COLUMNS];
  const uint c = get_group_id(0), id = get_local_id(0), size = get_local_size(0);
  for (uint i = id; i < columns; i += size) x[i] = i == c ? 1 : 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint k = c + 1; k-- > 0;) {
    const REAL known = x[k] * taus[tau_first + k];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = id; i < k; i += size) x[i] -= gram[(ulong)i * gram_ld + k] * known;
    if (k % size == id) x[k] = known;
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (uint i = id; i < columns; i += size) t[t_offset + (ulong)i * t_ld + c] = x[i];
}
