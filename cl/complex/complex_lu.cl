// LU with partial pivoting, P A = L U, and solves, of complex numbers. A number is two REALs, real
// part first, so that a complex matrix is a real one of twice as many columns; offsets, leading
// dimensions and columns are counted in REALs. Portable OpenCL C 1.2.
//
// The products of an update are products of real matrices: of L as it is stored, and of W, in which
// a number x of U becomes
//
//    re x   im x
//   -im x   re x
//
// for (re l, im l) times that is (re l x, im l x). The solves write W beside their answers.
//
// complex_load copies a panel, COLUMNS numbers wide, to p0, whose rows follow each other, and notes
// the best row of each work-group. complex_panel takes the steps first .. last - 1 of the panel.
// Step j reads the panel from p0 (odd steps: from p1) and writes the rows below j to the other one,
// the last step to A: so no row is written that another work-item still reads, and the rows'
// exchange costs nothing. Row j is done in step j and written to A. The best rows of all groups are
// in `sizes` and `best_rows`, 2 x groups each: the next step takes the best of them, by |re| +
// |im|, the first of several; a NaN is above all. With one group all steps may be one launch, else
// each is one. pivots[top + j] is the row exchanged with row top + j; info[0] becomes the first
// column whose pivot is 0 or not finite, if it was none below. Rows have COLUMNS numbers also where
// the panel has less `columns` to factor.
// NDRange: groups of WG_SIZE. Local memory: 2 COLUMNS + WG_SIZE scalars and WG_SIZE uints.
//
// complex_exchange exchanges rows first .. first + count - 1 with those in `pivots`, one after the
// other.
// complex_lower X = L^-1 B, L unit lower triangular of `count` rows; complex_upper X = U^-1 B. X
// replaces B, and W is written. NDRange: one work-item for VEC_WIDTH columns; any work-group size.
//
// Macros besides REAL_BITS: COLUMNS; VEC_WIDTH, 2, 4, 8 or 16, which divides 2 COLUMNS; WG_SIZE, a
// power of two.

#include "complex_vectors.clh"

#if !defined(COLUMNS) || !defined(WG_SIZE)
#error "COLUMNS and WG_SIZE must be defined"
#endif
#if 2 * COLUMNS % VEC_WIDTH != 0
#error "2 COLUMNS must be a multiple of VEC_WIDTH"
#endif

#define ROW (2 * COLUMNS)
#define PARTS (ROW / VEC_WIDTH)

// A NaN is above all.
REAL size_to_compare(const NUMBER z) {
  const REAL size = size_of(z);
  return isnan(size) ? (REAL)INFINITY : size;
}

// The larger of (*size, *row) and another, the lower row of two that are equal.
void take_better(REAL* size, uint* row, const REAL other_size, const uint other_row) {
  if (other_size > *size || (other_size == *size && other_row < *row)) {
    *size = other_size;
    *row = other_row;
  }
}

// The best of the work-group goes to place `at`.
void leave_best(local REAL* best_size, local uint* best_row, REAL size, uint row,
                global REAL* restrict sizes, global uint* restrict best_rows, const uint at) {
  const uint item = get_local_id(0);
  best_size[item] = size;
  best_row[item] = row;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint reach = WG_SIZE / 2; reach > 0; reach /= 2) {
    if (item < reach) {
      take_better(&size, &row, best_size[item + reach], best_row[item + reach]);
      best_size[item] = size;
      best_row[item] = row;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (item == 0) {
    sizes[at] = size;
    best_rows[at] = row;
  }
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void complex_load(
    const global REAL* restrict a, ulong offset, uint ld, uint rows, global REAL* restrict p0,
    global REAL* restrict sizes, global uint* restrict best_rows) {
  local REAL best_size[WG_SIZE];
  local uint best_row[WG_SIZE];
  REAL size = -1;
  uint row = UINT_MAX;
  for (uint r = get_global_id(0); r < rows; r += get_global_size(0)) {
    const global REAL* const from = a + offset + (ulong)r * ld;
    global REAL* const to = p0 + (ulong)r * ROW;
    UNROLLED
    for (uint part = 0; part < PARTS; ++part)
      VSTORE(VLOAD(from + part * VEC_WIDTH), to + part * VEC_WIDTH);
    take_better(&size, &row, size_to_compare(NUMBER_OF(from[0], from[1])), r);
  }
  leave_best(best_size, best_row, size, row, sizes, best_rows, get_group_id(0));
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void complex_panel(
    global REAL* restrict a, ulong offset, uint ld, uint rows, uint columns, uint first, uint last,
    global REAL* p0, global REAL* p1, global REAL* sizes, global uint* best_rows,
    global uint* restrict pivots, uint top, global int* restrict info) {
  local REAL best_size[WG_SIZE];
  local uint best_row[WG_SIZE];
  local REAL right[ROW];  // of the pivot, with zeros up to it
  const uint groups = get_num_groups(0), group = get_group_id(0), item = get_local_id(0);
  for (uint step = first; step < last; ++step) {
    const bool ends = step + 1 == columns, odd = step % 2 == 1;
    const global REAL* const from = odd ? p1 : p0;
    global REAL* const to = odd ? p0 : p1;
    const uint old_best = odd ? groups : 0, new_best = odd ? 0 : groups;

    REAL size = sizes[old_best];
    uint pivot = best_rows[old_best];
    for (uint g = 1; g < groups; ++g)
      take_better(&size, &pivot, sizes[old_best + g], best_rows[old_best + g]);
    pivot = min(pivot, rows - 1);  // a row, even if a driver takes isnan() for never true
    const global REAL* const pivot_row = from + (ulong)pivot * ROW;
    for (uint c = item; c < ROW; c += WG_SIZE) {
      right[c] = c > 2 * step + 1 ? pivot_row[c] : (REAL)0;
      if (group == 0) a[offset + (ulong)step * ld + c] = pivot_row[c];
    }
    const bool usable = size > 0 && size < (REAL)INFINITY;
    if (group == 0 && item == 0) {
      pivots[top + step] = top + pivot;
      if (!usable && info[0] > (int)(top + step)) info[0] = (int)(top + step);
    }
    // The reciprocal of a number near the end of the range would leave it.
    const REAL up = size < 64 * REAL_MIN_NORMAL ? (REAL)0x1p60 : (REAL)1;
    const NUMBER inverse =
        usable ? reciprocal(up * NUMBER_OF(pivot_row[2 * step], pivot_row[2 * step + 1]))
               : (NUMBER)(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    VEC u[PARTS], w[PARTS];
    UNROLLED
    for (uint part = 0; part < PARTS; ++part) {
      u[part] = VLOAD(right + part * VEC_WIDTH);
      w[part] = TIMES_I(u[part]);
    }

    size = -1;
    uint best = UINT_MAX;
    for (uint r = step + 1 + get_global_id(0); r < rows; r += get_global_size(0)) {
      const global REAL* const row = from + (ulong)(r == pivot ? step : r) * ROW;
      global REAL* const result = ends ? a + offset + (ulong)r * ld : to + (ulong)r * ROW;
      const NUMBER l = product(up * NUMBER_OF(row[2 * step], row[2 * step + 1]), inverse);
      UNROLLED
      for (uint part = 0; part < PARTS; ++part)
        VSTORE(VLOAD(row + part * VEC_WIDTH) - l.x * u[part] - l.y * w[part],
               result + part * VEC_WIDTH);
      result[2 * step] = l.x;
      result[2 * step + 1] = l.y;
      if (!ends)
        take_better(&size, &best,
                    size_to_compare(NUMBER_OF(result[2 * step + 2], result[2 * step + 3])), r);
    }
    leave_best(best_size, best_row, size, best, sizes, best_rows, new_best + group);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }
}

kernel void complex_exchange(global REAL* restrict a, ulong offset, uint ld, uint columns,
                             const global uint* restrict pivots, uint first, uint count) {
  const uint column = get_global_id(0) * VEC_WIDTH;
  if (column >= columns) return;
  global REAL* const strip = a + offset + column;
  for (uint row = first; row < first + count; ++row) {
    const uint other = pivots[row];
    if (other == row) continue;
    const VEC here = VLOAD(strip + (ulong)row * ld);
    VSTORE(VLOAD(strip + (ulong)other * ld), strip + (ulong)row * ld);
    VSTORE(here, strip + (ulong)other * ld);
  }
}

kernel void complex_lower(global REAL* a, ulong l_offset, ulong b_offset, uint ld, uint columns,
                          uint count, global REAL* w, uint w_ld) {
  const uint column = get_global_id(0) * VEC_WIDTH;
  if (column >= columns) return;
  const global REAL* const l = a + l_offset;
  global REAL* const b = a + b_offset + column;
  for (uint i = 0; i < count; ++i) {
    VEC x = VLOAD(b + (ulong)i * ld);
    const global REAL* by = l + (ulong)i * ld;
    const global REAL* known = w + column;
    for (uint k = 0; k < i; ++k, by += 2, known += 2 * (ulong)w_ld)
      x -= by[0] * VLOAD(known) + by[1] * VLOAD(known + w_ld);
    VSTORE(x, b + (ulong)i * ld);
    global REAL* const to = w + (ulong)i * 2 * w_ld + column;
    VSTORE(x, to);
    VSTORE(TIMES_I(x), to + w_ld);
  }
}

kernel void complex_upper(global REAL* a, ulong u_offset, ulong b_offset, uint ld, uint columns,
                          uint count, global REAL* w, uint w_ld) {
  const uint column = get_global_id(0) * VEC_WIDTH;
  if (column >= columns) return;
  const global REAL* const u = a + u_offset;
  global REAL* const b = a + b_offset + column;
  for (uint i = count; i-- > 0;) {
    VEC x = VLOAD(b + (ulong)i * ld);
    const global REAL* by = u + (ulong)i * ld + 2 * i;
    const NUMBER inverse = reciprocal(NUMBER_OF(by[0], by[1]));
    const global REAL* known = w + (ulong)(i + 1) * 2 * w_ld + column;
    by += 2;
    for (uint k = i + 1; k < count; ++k, by += 2, known += 2 * (ulong)w_ld)
      x -= by[0] * VLOAD(known) + by[1] * VLOAD(known + w_ld);
    x = inverse.x * x + inverse.y * TIMES_I(x);
    VSTORE(x, b + (ulong)i * ld);
    global REAL* const to = w + (ulong)i * 2 * w_ld + column;
    VSTORE(x, to);
    VSTORE(TIMES_I(x), to + w_ld);
  }
}
