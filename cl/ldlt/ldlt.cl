// P A P^T = L D L^T of a symmetric A with 1 x 1 and 2 x 2 pivots, or P A P^T = L D L^H of a
// Hermitian one, with COMPLEX 1 (numbers.clh): the part that is not a product. That is the panels
// (ldlt_panel.clh), and the copies of columns to them and of factors to their places. The factors
// are stored as those of an LU with rows and columns exchanged, so that any solve by LU works with
// them: where D has the 2 x 2 block (d11 conj(d21), d21 d22), its two rows are exchanged, and with
// D = L' U' the unit lower triangle is L L' and the upper one U' L^H. Portable OpenCL C 1.2, or of
// 3.0 by OPENCL_C.
//
// A is n x n, row-major, of which the lower triangle is read, and of its diagonal the real parts;
// W, kinds, exchanges and ends are those of ldlt_panel.clh. But for the panel a work-item takes
// CHUNK rows or columns, without local memory or a barrier; its work-groups may have any size, and
// more work-items than there are chunks.
//
//   VEC_WIDTH  REALs of a vector of the panel, one number on GPUs
//   LOCAL      work-items of the panel, 1 on CPUs
//   PIECE      rows of a piece of a job, where LOCAL is 1
//   WIDTH      columns of a panel at most
//   USE_FMA    1 where fma() is an instruction
//   OPENCL_C   300: work-groups help with a panel, LOCAL is 1 and the device has fences

#include "vectors.clh"
#include "numbers.clh"
#if COMPLEX
#include "times_i.clh"
#endif

#if !defined(CHUNK) || !defined(LOCAL) || !defined(PIECE) || !defined(WIDTH) || !defined(USE_FMA)
#error "CHUNK, LOCAL, PIECE, WIDTH and USE_FMA must be defined"
#endif

#define LANES (COMPLEX ? VEC_WIDTH / 2 : VEC_WIDTH)  // numbers of a vector
#define LOAD_NUMBERS(p) VLOAD((const global REAL*)(p))
#define STORE_NUMBERS(v, p) VSTORE(v, (global REAL*)(p))

// VEC_LESS: c - a b for a number and the vectors b and c of numbers. SIZES: in each place of a
// vector the size of its number.
#if COMPLEX
#define VEC_LESS(c, a, b) MULADD((VEC)(-(a).x), b, MULADD((VEC)(-(a).y), TIMES_I(b), c))
#define SIZES(v) (fabs(v) + fabs(TIMES_I(v)))
#else
#define VEC_LESS(c, a, b) MULADD((VEC)(-(a)), b, c)
#define SIZES(v) fabs(v)
#endif

#include "ldlt_pivot.clh"

#include "ldlt_panel.clh"

// Those of `width` columns from `first` on that the second dimension's index has a share of.
INLINE void share_columns(const uint first, const uint width, uint* from, uint* behind) {
  const uint shares = (uint)get_global_size(1), share = (width + shares - 1) / shares;
  *from = first + (uint)get_global_id(1) * share;
  *behind = min(first + width, *from + share);
}

// Columns first .. first + width - 1, from the diagonal downwards, into rows of W. NDRange:
// chunks of the n - first rows; shares of the columns.
kernel void ldlt_bring(const global NUMBER* a, const ulong offset, const ulong ld, const uint n,
                       const uint first, const uint width, global NUMBER* w, const ulong w_ld) {
  const global NUMBER* const corner = a + offset;
  const uint begin = first + (uint)get_global_id(0) * CHUNK, end = min(n, begin + CHUNK);
  uint from, behind;
  share_columns(first, width, &from, &behind);
  for (uint t = from; t < min(behind, end); ++t)
    for (uint i = max(begin, t); i < end; ++i) w[(t - first) * w_ld + i] = corner[i * ld + t];
}

// L and U of the columns first .. first + done[0] - 1 from the W that the panel left; nothing where
// it was given up. NDRange: chunks of the n - first columns of W; shares of its rows.
kernel void ldlt_spread(global NUMBER* a, const ulong offset, const ulong ld, const uint n,
                        const uint first, const global NUMBER* w, const ulong w_ld,
                        const global uint* kinds, const global uint* done) {
  if (done[2] != 0) return;
  global NUMBER* const corner = a + offset;
  const uint begin = first + (uint)get_global_id(0) * CHUNK, end = min(n, begin + CHUNK),
             behind = first + done[0];
  uint from, until;
  share_columns(first, done[0], &from, &until);
  uint rows[CHUNK];  // of L, that column i of W is for: a 2 x 2 pivot exchanges its two
  for (uint i = begin; i < end; ++i) {
    const uint kind = i < behind ? kinds[i] : SINGLE;
    rows[i - begin] = kind == FIRST ? i + 1 : kind == SECOND ? i - 1 : i;
  }
  for (uint t = from; t < min(until, end); ++t) {
    const uint kind = kinds[t];  // FIRST does what is to be done for SECOND
    const global NUMBER* const top = w + (t - first) * w_ld;
    global NUMBER* const row = corner + t * ld;
    if (kind == SINGLE) {
      const REAL pivot = real_part(top[t]);
      if (begin <= t) row[t] = of_real(pivot);
      for (uint i = max(begin, t + 1); i < end; ++i) {
        corner[rows[i - begin] * ld + t] = multiplier(top[i], pivot);
        row[i] = conjugate(top[i]);
      }
    } else if (kind == FIRST) {
      const global NUMBER* const bottom = top + w_ld;
      const NUMBER u11 = top[t], u12 = top[t + 1], l21 = bottom[t], u22 = bottom[t + 1];
      if (begin <= t) {
        row[t] = u11;
        row[t + 1] = u12;
        row[ld + t] = l21;
        row[ld + t + 1] = u22;
      }
      for (uint i = max(begin, t + 2); i < end; ++i) {
        const NUMBER w0 = top[i], w1 = bottom[i], l0 = quotient(w0, u11);
        corner[rows[i - begin] * ld + t] = l0;
        corner[rows[i - begin] * ld + t + 1] = quotient(LESS(w1, u12, l0), u22);
        row[i] = conjugate(w1);
        row[ld + i] = LESS(conjugate(w0), l21, conjugate(w1));
      }
    }
  }
}

#if LOCAL == 1

// Exchanges the numbers begin .. end - 1 of two rows.
INLINE void exchange_rows(global NUMBER* x, global NUMBER* y, const uint begin, const uint end) {
  if (x == y) return;
  uint t = begin;
  for (; t + LANES <= end; t += LANES) {
    const VEC before = LOAD_NUMBERS(x + t);
    STORE_NUMBERS(LOAD_NUMBERS(y + t), x + t);
    STORE_NUMBERS(before, y + t);
  }
  for (; t < end; ++t) {
    const NUMBER before = x[t];
    x[t] = y[t];
    y[t] = before;
  }
}

// The exchanges of later panels, of columns in the rows of U and of rows in the columns of L: those
// of a 2 x 2 pivot too. NDRange: chunks of the n columns of L and rows of U.
kernel void ldlt_exchange(global NUMBER* a, const ulong offset, const ulong ld, const uint n,
                          const global uint* kinds, const global uint* exchanges,
                          const global uint* ends) {
  global NUMBER* const corner = a + offset;
  const uint begin = (uint)get_global_id(0) * CHUNK, behind = min(n, begin + CHUNK);
  for (uint t = begin; t < behind; ++t) {
    global NUMBER* const row = corner + t * ld;
    for (uint k = ends[t]; k < n; ++k) {
      const uint to = exchanges[k];
      if (to == k) continue;
      const NUMBER before = row[k];
      row[k] = row[to];
      row[to] = before;
    }
  }
  uint reach = begin;  // columns of panels that end before row k
  for (uint k = begin < n ? ends[begin] : n; k < n; ++k) {
    while (reach < behind && ends[reach] <= k) ++reach;
    global NUMBER* const row = corner + k * ld;
    exchange_rows(row, corner + exchanges[k] * ld, begin, reach);
    // With the exchange of SECOND this exchanges the two rows of the pivot, too.
    if (kinds[k] == FIRST) exchange_rows(row, corner + exchanges[k + 1] * ld, begin, reach);
  }
}

#else

// What the exchanges of a panel do together, for each of its columns k: it becomes what was column
// sources[k], and column exchanges[k], where it lies behind the panel, what was sources[n + k],
// which is n where nothing is to be done there, or another k tells. NDRange: the n columns or more.
kernel void ldlt_sources(const uint n, const global uint* exchanges, const global uint* ends,
                         global uint* sources) {
  const uint k = (uint)get_global_id(0);
  if (k >= n) return;
  const uint behind = ends[k], to = exchanges[k];
  uint own = k, other = to < behind ? n : to;  // where they were before the exchanges from `at` on
  for (uint at = behind; at-- > 0 && ends[at] == behind;) {
    const uint with = exchanges[at];
    own = own == at ? with : own == with ? at : own;
    if (with == to && at > k) other = n;
    other = other == at ? with : other == with ? at : other;
  }
  sources[k] = own;
  sources[n + k] = other;
}

// The exchanges of later panels, of columns in the rows of U, or with `of_rows` of rows in the
// columns of L: those of a 2 x 2 pivot too. A work-item of WIDTH ones that share such a line takes
// a column of each panel. NDRange: one dimension, local a multiple of WIDTH, that many lines a
// group.
kernel void ldlt_exchange(global NUMBER* a, const ulong offset, const ulong ld, const uint n,
                          const global uint* kinds, const global uint* exchanges,
                          const global uint* ends, const global uint* sources, const uint of_rows) {
  const uint id = (uint)get_local_id(0), lines = (uint)get_local_size(0) / WIDTH,
             from = (uint)get_group_id(0) * lines, t = from + (of_rows ? id % lines : id / WIDTH),
             lane = of_rows ? id / lines : id % WIDTH, end = t < n ? ends[t] : n;
  const ulong step = of_rows ? ld : 1;
  global NUMBER* const line = a + offset + t * (of_rows ? 1 : ld);
  for (uint first = ends[from]; first < n;) {
    const uint behind = ends[first], k = first + lane;
    uint own = k, other = n;
    NUMBER to_own = 0, to_other = 0;
    if (end <= first && k < behind) {
      const uint kind = of_rows ? kinds[k] : SINGLE;
      own = sources[kind == FIRST ? k + 1 : kind == SECOND ? k - 1 : k];
      other = sources[n + k];
      if (own != k) to_own = line[own * step];
      if (other < n) to_other = line[other * step];
    }
    barrier(CLK_GLOBAL_MEM_FENCE);
    if (own != k) line[k * step] = to_own;
    if (other < n) line[exchanges[k] * step] = to_other;
    barrier(CLK_GLOBAL_MEM_FENCE);
    first = behind;
  }
}

#endif

// x(i, :) <- b(order[i], :), or with `back` b(order[i], :) <- x(i, :), of n x nrhs; x has no gaps
// between its rows. NDRange: chunks of the n rows.
kernel void ldlt_permute(global NUMBER* b, const ulong offset, const ulong ld, const uint n,
                         const uint nrhs, const global uint* order, global NUMBER* x,
                         const uint back) {
  const uint begin = (uint)get_global_id(0) * CHUNK, end = min(n, begin + CHUNK);
  for (uint i = begin; i < end; ++i) {
    global NUMBER* const here = x + (ulong)i * nrhs;
    global NUMBER* const there = b + offset + order[i] * ld;
    for (uint c = 0; c < nrhs; ++c) {
      if (back)
        there[c] = here[c];
      else
        here[c] = there[c];
    }
  }
}
