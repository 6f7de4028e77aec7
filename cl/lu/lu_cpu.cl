// LU with partial pivoting, P A = L U, and the solution for one right-hand side, of real or, with
// COMPLEX 1, complex numbers, for CPU devices.
//
// A is n x n, row-major, in place. Right-looking over panels of nb columns, look-ahead one panel.
// Step k has three phases, k0 = k nb:
//
//   3 k      A(k0:n, k0:k0+nb) -= L_{k-1} U_{k-1}, then copied to the panel store W_k
//   3 k + 1  one work-item factors W_k, blocks of columns one after the other, while the others do
//            A(k0:n, k0+nb:n) -= L_{k-1} U_{k-1}, and then help it to bring a block to the rest of
//            W_k
//   3 k + 2  rows k0:k0+nb right of the panel: row swaps, U_k = L11^-1 A12, packed copy of U_k
//
// and the last two put the panels back into A, every row where the later swaps moved it: L is never
// swapped on the way. The solution has phases, too.
//
// The tasks of a phase are independent; tickets share them out among work-items, and one phase
// starts when all tasks of the last one are done. In OpenCL C 1.2 only the end of a launch shows
// that: one launch a phase. OPENCL_C = 300, with fences that reach other work-groups, needs one
// launch for many phases, in which a work-item waits for those that drew tickets before it. A
// work-item with a ticket runs without waiting. The exception is the panel's work-item, which waits
// for helpers that have drawn a part of its work and run. So the work would finish even if the
// work-items ran one after the other.
//
// Panel store W_k: the m = n - k0 rows in chunks of RB rows, a chunk holds its columns one after
// the other, RB elements each; (nb + CHUNK_PAD) * RB elements a chunk. It is both what the panel
// factorisation streams through (vectors down a column) and the packed A operand of the update (MR
// rows, RB apart along k), so L is never packed again.
//
// A complex number is two REALs, real part first, and has PARTS = 2 columns wherever a real one has
// 1; n, nb and tiles count numbers, offsets and leading dimensions REALs. A pivot has the largest
// |re| + |im|. Inside a panel and for U_k the products are those of real matrices: of L as it is
// stored, and of W, in which a number x of U becomes
//
//    re x   im x
//   -im x   re x
//
// for (re l, im l) times that is (re l x, im l x). The update, which is nearly all of the work,
// takes three real products instead of the four of W:
//
//   re = re l re u - im l im u,  im = (re l + im l) (re u + im u) - re l re u - im l im u
//
// (Higham 1992). The rounding errors of im are at most 3 (nb + 4) eps |L| |U|, in moduli, because
// (|re l| + |im l|) (|re u| + |im u|) <= 2 |l u| and |re l re u| + |im l im u| <= |l u|; those of
// re are smaller. By four products they are at most 2 nb eps |L| |U|: the backward errors of the
// factors have the same bound but for the constant. What three products lose is the accuracy of a
// part far smaller than the other.
//
// Macros besides those of cpu_tile.clh: RB, rows of a chunk: a multiple of MR, of VEC_WIDTH (1 to 4
// vectors) and of 8. nb must be a multiple of RB and of NR. Local size 1 everywhere, no local
// memory, no barrier.
//
// diagonal.cl is in here as well: a program of its own costs PoCL 0.04 s in every run, 0.15 s in
// the first one.

#include "cpu_tile.clh"
#include "diagonal.cl"
#include "fences.clh"
#if COMPLEX
#include "complex_vectors.clh"
#endif

#ifndef RB
#error "RB is required"
#endif
#if RB % MR != 0 || RB % VEC_WIDTH != 0 || RB % 8 != 0
#error "RB must be a multiple of MR, VEC_WIDTH and 8"
#endif

#define MANY_PHASES FENCES
#define PARTS (1 + COMPLEX)

#define LINE 16       // uints of a cache line
#define PIECE 64      // rows of a task that does little with each
#define PANEL_COLS 8  // columns factored between two updates of their block
#define CHUNK_PAD 8   // columns; a chunk of a multiple of 4 KiB would alias in L1

#if RB / VEC_WIDTH == 1
#define EACH_PART(f, x) f(x, 0)
#elif RB / VEC_WIDTH == 2
#define EACH_PART(f, x) f(x, 0) f(x, 1)
#elif RB / VEC_WIDTH == 3
#define EACH_PART(f, x) f(x, 0) f(x, 1) f(x, 2)
#elif RB / VEC_WIDTH == 4
#define EACH_PART(f, x) f(x, 0) f(x, 1) f(x, 2) f(x, 3)
#else
#error "RB must be 1 to 4 vectors"
#endif
#define EACH_COL(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7)

ulong chunk_size(const uint nb) { return (ulong)(PARTS * nb + CHUNK_PAD) * RB; }

// Start of panel p in the panel store: panel q has ceil(n / RB) - q nb / RB chunks.
ulong panel_start(const uint n, const uint nb, const uint p) {
  const ulong chunks = (n + RB - 1) / RB;
  return chunk_size(nb) * (p * chunks - (ulong)(nb / RB) * p * (p - (p > 0)) / 2);
}

// Start of row r of a panel.
ulong row_start(const uint r, const ulong chunk) { return r / RB * chunk + r % RB; }

// ---- trailing update

#define PREFETCH_CELL(r, v) PREFETCH(c + r * ldc + v * VEC_WIDTH);
#define PREFETCH_ROW(r) EACH_VEC(PREFETCH_CELL, r)
#define SUBTRACT_CELL(r, v) \
  VSTORE(VLOAD(c + r * ldc + v * VEC_WIDTH) - c_##r##_##v, c + r * ldc + v * VEC_WIDTH);
#define SUBTRACT_ROW(r) EACH_VEC(SUBTRACT_CELL, r)
#define SPILL_CELL(r, v) VSTORE(c_##r##_##v, edge + r * NR + v * VEC_WIDTH);
#define SPILL_ROW(r) EACH_VEC(SPILL_CELL, r)

// c[0..rows) x [0..cols) -= L U, L in a chunk, U in a packed panel of NR columns.
void subtract_tile(global const REAL* l, global const REAL* u, const uint depth, global REAL* c,
                   const ulong ldc, const uint rows, const uint cols) {
  const bool full = rows >= MR && cols >= NR;
  if (full) {
    EACH_ROW(PREFETCH_ROW)
  }
  DECLARE_TILE
  ACCUMULATE_TILE(l, RB, u, depth)
  if (full) {
    EACH_ROW(SUBTRACT_ROW)
  } else {
    REAL edge[MR * NR];
    EACH_ROW(SPILL_ROW)
    PLAIN_LOOP
    for (uint i = 0; i < min(rows, (uint)MR); ++i) {
      PLAIN_LOOP
      for (uint j = 0; j < min(cols, (uint)NR); ++j) c[i * ldc + j] -= edge[i * NR + j];
    }
  }
}

// Rows [row, row + rows) and columns [col, col + cols) of what lies below and right of the previous
// panel; `c` is its first element, `l` the previous panel's first chunk below its diagonal block.
void subtract_block(global const REAL* l, global const REAL* u, global REAL* c, const ulong ld,
                    const uint nb, const uint row, const uint rows, const uint col,
                    const uint cols) {
  const ulong chunk = chunk_size(nb);
  for (uint i = row; i < row + rows; i += MR)
    for (uint j = col; j < col + cols; j += NR)
      subtract_tile(l + row_start(i, chunk), u + (ulong)j * nb, nb, c + (ulong)i * ld + j, ld,
                    row + rows - i, col + cols - j);
}

// What is factored, and where.
typedef struct {
  global REAL* a;  // the first element
  ulong ld;
  uint n, nb;
  global REAL* store;
  global REAL* u;  // the rows of U right of the panel, packed: strips of NR columns
} Factors;

// L of step k - 1 below its diagonal block: what is subtracted in step k.
global REAL* left_of(const Factors f, const uint step) {
  return f.store + panel_start(f.n, f.nb, step - 1) + f.nb / RB * chunk_size(f.nb);
}

// Row and column k0 of A.
global REAL* corner_of(const Factors f, const uint step) {
  return f.a + (ulong)step * f.nb * (f.ld + PARTS);
}

#if COMPLEX

#if VEC_WIDTH == 4
#define LOW_PAIRS(re, im) ((VEC)(re.s0, im.s0, re.s1, im.s1))
#define HIGH_PAIRS(re, im) ((VEC)(re.s2, im.s2, re.s3, im.s3))
#elif VEC_WIDTH == 8
#define LOW_PAIRS(re, im) ((VEC)(re.s0, im.s0, re.s1, im.s1, re.s2, im.s2, re.s3, im.s3))
#define HIGH_PAIRS(re, im) ((VEC)(re.s4, im.s4, re.s5, im.s5, re.s6, im.s6, re.s7, im.s7))
#else
#define LOW_PAIRS(re, im)                                                                    \
  ((VEC)(re.s0, im.s0, re.s1, im.s1, re.s2, im.s2, re.s3, im.s3, re.s4, im.s4, re.s5, im.s5, \
         re.s6, im.s6, re.s7, im.s7))
#define HIGH_PAIRS(re, im)                                                                   \
  ((VEC)(re.s8, im.s8, re.s9, im.s9, re.sa, im.sa, re.sb, im.sb, re.sc, im.sc, re.sd, im.sd, \
         re.se, im.se, re.sf, im.sf))
#endif

#define ROW_VECS (NR / VEC_WIDTH)
#define PREFETCH_PAIR(r, v)                  \
  PREFETCH(c + r * ldc + 2 * v * VEC_WIDTH); \
  PREFETCH(c + r * ldc + (2 * v + 1) * VEC_WIDTH);
#define PREFETCH_PAIRS(r) EACH_VEC(PREFETCH_PAIR, r)
#define FIRST_CELL(r, v) other[r * ROW_VECS + v] = c_##r##_##v;
#define FIRST_ROW(r) EACH_VEC(FIRST_CELL, r)
#define SECOND_CELL(r, v)                                       \
  re[r * ROW_VECS + v] = other[r * ROW_VECS + v] - c_##r##_##v; \
  other[r * ROW_VECS + v] += c_##r##_##v;
#define SECOND_ROW(r) EACH_VEC(SECOND_CELL, r)
#define THIRD_CELL(r, v) other[r * ROW_VECS + v] = c_##r##_##v - other[r * ROW_VECS + v];
#define THIRD_ROW(r) EACH_VEC(THIRD_CELL, r)
#define PAIRS_CELL(r, v)                                                    \
  {                                                                         \
    const VEC re_v = re[r * ROW_VECS + v], im_v = other[r * ROW_VECS + v];  \
    global REAL* at = c + r * ldc + 2 * v * VEC_WIDTH;                      \
    VSTORE(VLOAD(at) - LOW_PAIRS(re_v, im_v), at);                          \
    VSTORE(VLOAD(at + VEC_WIDTH) - HIGH_PAIRS(re_v, im_v), at + VEC_WIDTH); \
  }
#define PAIRS_ROW(r) EACH_VEC(PAIRS_CELL, r)
// Gives a product of `nb` steps to USE, a row of it at a time.
#define PRODUCT_TO(USE, panel_a, a_stride, panel_b) \
  {                                                 \
    DECLARE_TILE                                    \
    ACCUMULATE_TILE(panel_a, a_stride, panel_b, nb) \
    EACH_ROW(USE)                                   \
  }

// c[0..rows) x [0..cols) -= L U of complex numbers: L in a chunk, `sums` of its parts in another, U
// in three packed panels of NR columns: its real parts, imaginary parts, and their sums.
void subtract_numbers(global const REAL* l, global const REAL* sums, global const REAL* u,
                      const uint nb, global REAL* c, const ulong ldc, const uint rows,
                      const uint cols) {
  VEC re[MR * ROW_VECS], other[MR * ROW_VECS];  // other: in the end im
  const bool full = rows >= MR && cols >= NR;
  if (full) {
    EACH_ROW(PREFETCH_PAIRS)
  }
  PRODUCT_TO(FIRST_ROW, l, 2 * RB, u)
  PRODUCT_TO(SECOND_ROW, l + RB, 2 * RB, u + NR * nb)
  PRODUCT_TO(THIRD_ROW, sums, RB, u + 2 * NR * nb)
  if (full) {
    EACH_ROW(PAIRS_ROW)
  } else {
    const REAL *re_of = (const REAL*)re, *im_of = (const REAL*)other;
    PLAIN_LOOP
    for (uint i = 0; i < min(rows, (uint)MR); ++i) {
      PLAIN_LOOP
      for (uint j = 0; j < min(cols, (uint)NR); ++j) {
        c[i * ldc + 2 * j] -= re_of[i * NR + j];
        c[i * ldc + 2 * j + 1] -= im_of[i * NR + j];
      }
    }
  }
}

// Behind the packed U: the three panels for each NR numbers of its rows, and the chunks of sums.
global REAL* panels_of_u(const Factors f) {
  return f.u + (ulong)((f.n + NR - 1) / NR * NR) * 4 * f.nb;
}
global REAL* sums_of_l(const Factors f) {
  return panels_of_u(f) + (ulong)((f.n + NR - 1) / NR * NR) * 3 * f.nb;
}
ulong sums_size(const uint nb) { return (ulong)(nb + CHUNK_PAD) * RB; }

// Rows [row, row + rows) and numbers [col, col + cols) of what lies below and right of the previous
// panel.
void update_block(const Factors f, const uint step, const uint row, const uint rows, const uint col,
                  const uint cols) {
  const ulong chunk = chunk_size(f.nb);
  for (uint i = row; i < row + rows; i += MR)
    for (uint j = col; j < col + cols; j += NR)
      subtract_numbers(
          left_of(f, step) + row_start(i, chunk), sums_of_l(f) + row_start(i, sums_size(f.nb)),
          panels_of_u(f) + (ulong)j * 3 * f.nb, f.nb, corner_of(f, step) + (ulong)i * f.ld + 2 * j,
          f.ld, row + rows - i, col + cols - j);
}

// The sums for a chunk of the panel of `step`, counted from its first one below the diagonal block.
void add_parts(const Factors f, const uint step, const uint index) {
  global const REAL* l = left_of(f, step + 1) + index * chunk_size(f.nb);
  global REAL* sums = sums_of_l(f) + index * sums_size(f.nb);
  for (uint j = 0; j < f.nb; ++j, l += 2 * RB, sums += RB)
    for (uint v = 0; v < RB; v += VEC_WIDTH) VSTORE(VLOAD(l + v) + VLOAD(l + RB + v), sums + v);
}

// The three panels from two strips of W, which lie one behind the other.
void split_strips(global const REAL* w, const uint nb, global REAL* re) {
  global REAL *im = re + NR * nb, *sum = im + NR * nb;
  for (uint t = 0; t < nb; ++t, w += 2 * NR)
    for (uint v = 0; v < 2 * NR;
         v += 2 * VEC_WIDTH, re += VEC_WIDTH, im += VEC_WIDTH, sum += VEC_WIDTH) {
      const uint next = v + VEC_WIDTH;
      const VEC a = VLOAD(w + (v < NR ? v : v - NR + 2 * NR * nb));
      const VEC b = VLOAD(w + (next < NR ? next : next - NR + 2 * NR * nb));
      const VEC re_v = (VEC)(a.even, b.even), im_v = (VEC)(a.odd, b.odd);
      VSTORE(re_v, re);
      VSTORE(im_v, im);
      VSTORE(re_v + im_v, sum);
    }
}

#else

void update_block(const Factors f, const uint step, const uint row, const uint rows, const uint col,
                  const uint cols) {
  subtract_block(left_of(f, step), f.u, corner_of(f, step), f.ld, f.nb, row, rows, col, cols);
}

#endif

// A chunk of the panel (RB rows).
void extract_chunk(const Factors f, const uint step, const uint index) {
  const uint left = f.n - step * f.nb, row = index * RB;
  const uint rows = min((uint)RB, left - row), cols = PARTS * min(f.nb, left);
  global REAL* corner = corner_of(f, step);
  if (step > 0) update_block(f, step, row, rows, 0, cols / PARTS);
  global REAL* chunk = f.store + panel_start(f.n, f.nb, step) + index * chunk_size(f.nb);
  pack_across(corner + (ulong)row * f.ld, f.ld, rows, cols, (REAL)1, chunk, RB);
  PLAIN_LOOP
  for (uint i = cols * RB; i < (cols + PANEL_COLS - 1) / PANEL_COLS * PANEL_COLS * RB; ++i)
    chunk[i] = 0;
}

// NDRange: one work-item a chunk.
kernel void lu_extract(global REAL* a, const ulong offset, const ulong ld, const uint n,
                       const uint nb, const uint step, global REAL* store, global REAL* u) {
  const Factors f = {a + offset, ld, n, nb, store, u};
  const uint index = (uint)get_global_id(0);
  if (index * RB < n - step * nb) extract_chunk(f, step, index);
}

#include "lu_cpu_panel.clh"

// What a panel reports besides its factors.
typedef struct {
  global uint* pivots;
  global uint* ids;        // n of them a step
  global uint* positions;  // see find_positions
  global uint* moves;      // see record_moves
  global int* info;
  global REAL* scratch;
} Outcome;

Panel panel_of(const Factors f, const uint step, const Outcome out, global uint* its_counters) {
  const uint k0 = step * f.nb, rows = f.n - k0;
  const Panel p = {f.store + panel_start(f.n, f.nb, step),
                   chunk_size(f.nb),
                   rows,
                   (rows + RB - 1) / RB,
                   out.pivots + k0,
                   PARTS * min(f.nb, rows),
                   out.scratch,
                   its_counters};
  return p;
}

void factor_step(const Factors f, const uint step, const Panel p, const Outcome out) {
  const uint k0 = step * f.nb, pivots = p.cols / PARTS;
  factor_panel(p, k0, out.info);
  record_moves(p, pivots, out.moves, f.nb);
  global uint* before = out.ids + (ulong)(step > 0 ? step - 1 : 0) * f.n;
  global uint* after = out.ids + (ulong)step * f.n;
  for (uint i = 0; i < f.n; ++i) after[i] = step > 0 ? before[i] : i;
  for (uint t = 0; t < pivots; ++t) {
    const uint r = k0 + p.pivots[t];
    const uint keep = after[k0 + t];
    after[k0 + t] = after[r];
    after[r] = keep;
  }
}

// ---- row swaps and row block of U

#define TRI_LOAD_CELL(r, v) \
  c_##r##_##v = VLOAD(strip + PARTS * (r0 + r) * NR + v * VEC_WIDTH) - c_##r##_##v;
#define TRI_LOAD_ROW(r) EACH_VEC(TRI_LOAD_CELL, r)
#if COMPLEX
#define TRI_CELL(v, r, s)                             \
  c_##r##_##v = MULADD(re, c_##s##_##v, c_##r##_##v); \
  c_##r##_##v = MULADD(im, TIMES_I(c_##s##_##v), c_##r##_##v);
#if NR / VEC_WIDTH == 1
#define TRI_CELLS(r, s) TRI_CELL(0, r, s)
#elif NR / VEC_WIDTH == 2
#define TRI_CELLS(r, s) TRI_CELL(0, r, s) TRI_CELL(1, r, s)
#elif NR / VEC_WIDTH == 3
#define TRI_CELLS(r, s) TRI_CELL(0, r, s) TRI_CELL(1, r, s) TRI_CELL(2, r, s)
#else
#define TRI_CELLS(r, s) TRI_CELL(0, r, s) TRI_CELL(1, r, s) TRI_CELL(2, r, s) TRI_CELL(3, r, s)
#endif
#define TRI_STEP(r, s)                                                              \
  if (s < r) {                                                                      \
    const VEC re = (VEC)(-l[2 * s * RB + r]), im = (VEC)(-l[(2 * s + 1) * RB + r]); \
    TRI_CELLS(r, s)                                                                 \
  }
#elif NR / VEC_WIDTH == 1
#define TRI_STEP(r, s)                           \
  if (s < r) {                                   \
    const VEC f = (VEC)(-l[s * RB + r]);         \
    c_##r##_0 = MULADD(f, c_##s##_0, c_##r##_0); \
  }
#elif NR / VEC_WIDTH == 2
#define TRI_STEP(r, s)                           \
  if (s < r) {                                   \
    const VEC f = (VEC)(-l[s * RB + r]);         \
    c_##r##_0 = MULADD(f, c_##s##_0, c_##r##_0); \
    c_##r##_1 = MULADD(f, c_##s##_1, c_##r##_1); \
  }
#elif NR / VEC_WIDTH == 3
#define TRI_STEP(r, s)                           \
  if (s < r) {                                   \
    const VEC f = (VEC)(-l[s * RB + r]);         \
    c_##r##_0 = MULADD(f, c_##s##_0, c_##r##_0); \
    c_##r##_1 = MULADD(f, c_##s##_1, c_##r##_1); \
    c_##r##_2 = MULADD(f, c_##s##_2, c_##r##_2); \
  }
#else
#define TRI_STEP(r, s)                           \
  if (s < r) {                                   \
    const VEC f = (VEC)(-l[s * RB + r]);         \
    c_##r##_0 = MULADD(f, c_##s##_0, c_##r##_0); \
    c_##r##_1 = MULADD(f, c_##s##_1, c_##r##_1); \
    c_##r##_2 = MULADD(f, c_##s##_2, c_##r##_2); \
    c_##r##_3 = MULADD(f, c_##s##_3, c_##r##_3); \
  }
#endif
#define TRI_ROW(r) EACH_ROW_AGAIN(TRI_STEP, r)
#if COMPLEX
#define TRI_STORE_CELL(r, v)                                      \
  VSTORE(c_##r##_##v, strip + 2 * (r0 + r) * NR + v * VEC_WIDTH); \
  VSTORE(TIMES_I(c_##r##_##v), strip + (2 * (r0 + r) + 1) * NR + v * VEC_WIDTH);
#else
#define TRI_STORE_CELL(r, v) VSTORE(c_##r##_##v, strip + (r0 + r) * NR + v * VEC_WIDTH);
#endif
#define TRI_STORE_ROW(r) EACH_VEC(TRI_STORE_CELL, r)

// strip (PARTS nb x NR, of which every PARTS-th row is given) <- L11^-1 strip: MR rows of L at a
// time, first the rows above them by the update's own loop, then the small triangle in registers.
void solve_strip(global const REAL* w, const ulong chunk, global REAL* strip, const uint nb) {
  for (uint r0 = 0; r0 < nb; r0 += MR) {
    global const REAL* l = w + row_start(r0, chunk);
    DECLARE_TILE
    ACCUMULATE_TILE(l, RB, strip, PARTS * r0)
    l += PARTS * r0 * RB;
    EACH_ROW(TRI_LOAD_ROW)
    EACH_ROW(TRI_ROW)
    EACH_ROW(TRI_STORE_ROW)
  }
}

#define COPY_CELL(r, v) VSTORE(VLOAD(from + v * VEC_WIDTH), to + v * VEC_WIDTH);

void copy_row(global const REAL* from, global REAL* to, const uint cols) {
  if (cols == NR) {
    EACH_VEC(COPY_CELL, 0)
  } else {
    PLAIN_LOOP
    for (uint j = 0; j < cols; ++j) to[j] = from[j];
  }
}

// A strip of NR columns right of the panel, which is nb wide; those behind the matrix are 0.
void finish_strip(const Factors f, const uint step, const uint index, global const uint* moves) {
  const uint nb = f.nb, col = index * NR;
  const uint right = PARTS * (f.n - (step + 1) * nb), cols = min((uint)NR, right - min(right, col));
  global REAL* top = corner_of(f, step) + PARTS * nb + col;
  global REAL* strip = f.u + (ulong)col * PARTS * nb;
  for (uint t = 0; t < nb; ++t) {
    copy_row(top + moves[t] * f.ld, strip + PARTS * t * NR, cols);
    PLAIN_LOOP
    for (uint j = cols; j < NR; ++j) strip[PARTS * t * NR + j] = 0;
  }
  for (uint t = 0; t < nb; ++t) {
    if (moves[nb + t] < nb) continue;
    copy_row(top + moves[2 * nb + t] * f.ld, top + moves[nb + t] * f.ld, cols);
  }
  solve_strip(f.store + panel_start(f.n, nb, step), chunk_size(nb), strip, nb);
  for (uint t = 0; t < nb; ++t) copy_row(strip + PARTS * t * NR, top + t * f.ld, cols);
}

// What the tasks of the third part of a step are.
#if COMPLEX
uint row_tasks(const Factors f, const uint right) {
  return (right + NR - 1) / NR + (right + RB - 1) / RB;
}
void row_task(const Factors f, const uint step, const uint task, global const uint* moves) {
  const uint strips = (f.n - (step + 1) * f.nb + NR - 1) / NR;
  if (task >= strips) {
    add_parts(f, step, task - strips);
    return;
  }
  finish_strip(f, step, 2 * task, moves);
  finish_strip(f, step, 2 * task + 1, moves);
  split_strips(f.u + (ulong)task * 4 * NR * f.nb, f.nb,
               panels_of_u(f) + (ulong)task * 3 * NR * f.nb);
}
#else
uint row_tasks(const Factors f, const uint right) { return (right + NR - 1) / NR; }
void row_task(const Factors f, const uint step, const uint task, global const uint* moves) {
  finish_strip(f, step, task, moves);
}
#endif

// ---- back into A

// Of a piece of rows: positions[original row] = final row; pivots become 0-based rows of A.
void find_positions(const Factors f, const uint panels, const uint index, const Outcome out) {
  global const uint* last = out.ids + (ulong)(panels - 1) * f.n;
  for (uint i = index * PIECE; i < min(f.n, (index + 1) * PIECE); ++i) {
    out.positions[last[i]] = i;
    out.pivots[i] += i / f.nb * f.nb;
  }
}

// Four rows of a chunk, transposed 4 x 4 elements at a time.
void unpack_rows(global const REAL* w, const uint cols, global REAL* p, global REAL* q,
                 global REAL* r, global REAL* s) {
  uint j = 0;
  for (; j + 4 <= cols; j += 4) {
    const REAL4 a = vload4(0, w + j * RB), b = vload4(0, w + j * RB + RB);
    const REAL4 c = vload4(0, w + j * RB + 2 * RB), d = vload4(0, w + j * RB + 3 * RB);
    const REAL4 ab_low = (REAL4)(a.s0, b.s0, a.s1, b.s1), ab_high = (REAL4)(a.s2, b.s2, a.s3, b.s3);
    const REAL4 cd_low = (REAL4)(c.s0, d.s0, c.s1, d.s1), cd_high = (REAL4)(c.s2, d.s2, c.s3, d.s3);
    vstore4((REAL4)(ab_low.lo, cd_low.lo), 0, p + j);
    vstore4((REAL4)(ab_low.hi, cd_low.hi), 0, q + j);
    vstore4((REAL4)(ab_high.lo, cd_high.lo), 0, r + j);
    vstore4((REAL4)(ab_high.hi, cd_high.hi), 0, s + j);
  }
  PLAIN_LOOP
  for (; j < cols; ++j) {
    p[j] = w[j * RB];
    q[j] = w[j * RB + 1];
    r[j] = w[j * RB + 2];
    s[j] = w[j * RB + 3];
  }
}

// A chunk of the panel of `step`, its rows where the later swaps moved them.
void store_chunk(const Factors f, const uint step, const uint index, const Outcome out) {
  const uint k0 = step * f.nb, row = index * RB;
  if (row >= f.n - k0) return;
  const uint rows = min((uint)RB, f.n - k0 - row), cols = PARTS * min(f.nb, f.n - k0);
  global const REAL* w = f.store + panel_start(f.n, f.nb, step) + (ulong)index * chunk_size(f.nb);
  global const uint* id = out.ids + (ulong)step * f.n + k0 + row;
  global const uint* to = out.positions;
  global REAL* a = f.a + PARTS * k0;
  uint i = 0;
  for (; i + 4 <= rows; i += 4)
    unpack_rows(w + i, cols, a + to[id[i]] * f.ld, a + to[id[i + 1]] * f.ld,
                a + to[id[i + 2]] * f.ld, a + to[id[i + 3]] * f.ld);
  for (; i < rows; ++i) {
    global REAL* target = a + to[id[i]] * f.ld;
    PLAIN_LOOP
    for (uint j = 0; j < cols; ++j) target[j] = w[j * RB + i];
  }
}

// ---- the phases

// Each has counters of its own: of the first two cache lines tickets drawn, and tasks done.
#define COUNTERS (3 * LINE)

#define FOR_EACH_TASK(its_counters, tasks, done) \
  for (uint task; (task = atomic_inc(its_counters)) < tasks; ++done)

// Tells that `done` tasks are, with all that they wrote.
void tell_done(global uint* its_counters, const uint done) {
#if MANY_PHASES
  if (done > 0)
    atomic_fetch_add_explicit((volatile global atomic_uint*)(its_counters + LINE), done,
                              memory_order_release, memory_scope_device);
#endif
}

// Whether `tasks` tasks are done. Then their results may be read.
bool are_done(global uint* its_counters, const uint tasks) {
#if MANY_PHASES
  return atomic_load_explicit((volatile global atomic_uint*)(its_counters + LINE),
                              memory_order_acquire, memory_scope_device) >= tasks;
#else
  return true;
#endif
}

// Tasks of a phase: of one of the steps, or after them. The first of a step's second part is its
// panel.
uint tasks_of(const Factors f, const uint phase, const uint panels, const uint tile_rows,
              const uint tile_cols) {
  if (phase == 3 * panels) return (f.n + PIECE - 1) / PIECE;
  if (phase > 3 * panels) return panels * ((f.n + RB - 1) / RB);
  const uint step = phase / 3, rows = f.n - step * f.nb, right = rows - min(f.nb, rows);
  if (phase % 3 == 0) return (rows + RB - 1) / RB;
  if (phase % 3 == 2) return row_tasks(f, right);
  return 1 + (step > 0 ? (rows + tile_rows - 1) / tile_rows * ((right + tile_cols - 1) / tile_cols)
                       : 0);
}

// NDRange: at most as many work-items as compute units, at least one. Phases [first, last): one if
// not MANY_PHASES. The tiles of the update have tile_rows x tile_cols elements, multiples of RB,
// NR. info[0]: atomic minimum of the rows whose pivots are zero or NaN, of complex numbers also
// infinite. The counters are 0 at first.
kernel void lu_phases(global REAL* a, const ulong offset, const ulong ld, const uint n,
                      const uint nb, const uint first, const uint last, global REAL* store,
                      global REAL* u, global REAL* scratch, global uint* pivots, global uint* ids,
                      global uint* positions, global uint* moves, global int* info,
                      global uint* counters, const uint tile_rows, const uint tile_cols,
                      const uint panels) {
  const Factors f = {a + offset, ld, n, nb, store, u};
  const Outcome out = {pivots, ids, positions, moves, info, scratch};
  for (uint phase = first; phase < last; ++phase) {
    const uint step = phase / 3, tasks = tasks_of(f, phase, panels, tile_rows, tile_cols);
    global uint* its_counters = counters + phase * COUNTERS;
    const bool has_panel = phase < 3 * panels && phase % 3 == 1;
    const Panel panel = panel_of(f, has_panel ? step : 0, out, its_counters);
    uint done = 0;
    FOR_EACH_TASK(its_counters, tasks, done) {
      if (phase == 3 * panels) {
        find_positions(f, panels, task, out);
      } else if (phase > 3 * panels) {
        store_chunk(f, task % panels, task / panels, out);
      } else if (phase % 3 == 0) {
        extract_chunk(f, step, task);
      } else if (phase % 3 == 2) {
        row_task(f, step, task, moves);
      } else if (task == 0) {
        factor_step(f, step, panel, out);
      } else {
        const uint rows = n - step * nb, right = rows - nb,
                   tiles_m = (rows + tile_rows - 1) / tile_rows,
                   row = (task - 1) % tiles_m * tile_rows, col = (task - 1) / tiles_m * tile_cols;
        update_block(f, step, row, min(tile_rows, rows - row), nb + col,
                     min(tile_cols, right - col));
      }
    }
    tell_done(its_counters, done);
    while (phase + 1 < last && !are_done(its_counters, tasks)) {
      if (has_panel) help(panel);
      PAUSE;
    }
  }
}

// ---- solution

#if COMPLEX

#if VEC_WIDTH == 4
#define SWAPPED(v) ((v).yxwz)
#elif VEC_WIDTH == 8
#define SWAPPED(v) ((v).s10325476)
#else
#define SWAPPED(v) ((v).s1032547698badcfe)
#endif

// Sum of row[j] x[j], j < count.
NUMBER dot_row(global const NUMBER* row, global const NUMBER* x, const uint count) {
  global const REAL *l = (global const REAL*)row, *r = (global const REAL*)x;
  VEC straight_0 = (VEC)(0), straight_1 = (VEC)(0), crossed_0 = (VEC)(0), crossed_1 = (VEC)(0);
  uint j = 0;
  for (; j + VEC_WIDTH <= count; j += VEC_WIDTH, l += 2 * VEC_WIDTH, r += 2 * VEC_WIDTH) {
    const VEC x_0 = VLOAD(r), x_1 = VLOAD(r + VEC_WIDTH);
    straight_0 = MULADD(VLOAD(l), x_0, straight_0);
    crossed_0 = MULADD(VLOAD(l), SWAPPED(x_0), crossed_0);
    straight_1 = MULADD(VLOAD(l + VEC_WIDTH), x_1, straight_1);
    crossed_1 = MULADD(VLOAD(l + VEC_WIDTH), SWAPPED(x_1), crossed_1);
  }
  REAL straight[VEC_WIDTH], crossed[VEC_WIDTH];
  VSTORE(straight_0 + straight_1, straight);
  VSTORE(crossed_0 + crossed_1, crossed);
  NUMBER sum = NUMBER_OF(0, 0);
  for (uint i = 0; i < VEC_WIDTH; i += 2)
    sum += NUMBER_OF(straight[i] - straight[i + 1], crossed[i] + crossed[i + 1]);
  PLAIN_LOOP
  for (; j < count; ++j) sum += product(row[j], x[j]);
  return sum;
}

#else

// Sum of row[j] x[j], j < count.
REAL dot_row(global const REAL* row, global const REAL* x, const uint count) {
  VEC s0 = (VEC)(0), s1 = (VEC)(0);
  uint j = 0;
  for (; j + 2 * VEC_WIDTH <= count; j += 2 * VEC_WIDTH) {
    s0 = MULADD(VLOAD(row + j), VLOAD(x + j), s0);
    s1 = MULADD(VLOAD(row + j + VEC_WIDTH), VLOAD(x + j + VEC_WIDTH), s1);
  }
  if (j + VEC_WIDTH <= count) {
    s0 = MULADD(VLOAD(row + j), VLOAD(x + j), s0);
    j += VEC_WIDTH;
  }
  REAL lanes[VEC_WIDTH];
  VSTORE(s0 + s1, lanes);
  REAL sum = 0;
  for (uint i = 0; i < VEC_WIDTH; ++i) sum += lanes[i];
  PLAIN_LOOP
  for (; j < count; ++j) sum += row[j] * x[j];
  return sum;
}

#endif

// A U-L system that is solved by blocks of `size` rows.
typedef struct {
  global const NUMBER* a;  // the factors
  ulong ld;
  uint n;
  global NUMBER* x;
  uint size;
} Substitution;

// Rows [first, last) lose columns [begin, end) times x.
void subtract_known(const Substitution s, const uint first, const uint last, const uint begin,
                    const uint end) {
  for (uint i = first; i < last; ++i)
    s.x[i] -= dot_row(s.a + (ulong)i * s.ld + begin, s.x + begin, end - begin);
}

// The tasks of block `block` of L: the first takes its rows, which lose what x of the block before
// says, and solves them; the others take the rows below, a piece each.
uint forward_tasks(const Substitution s, const uint block) {
  const uint end = min(s.n, (block + 1) * s.size);
  return 1 + (block > 0 ? (s.n - end + PIECE - 1) / PIECE : 0);
}
void forward_task(const Substitution s, const uint block, const uint task) {
  const uint begin = block * s.size, end = min(s.n, begin + s.size);
  const uint first = task == 0 ? begin : end + (task - 1) * PIECE;
  const uint last = task == 0 ? end : min(s.n, first + PIECE);
  if (block > 0) subtract_known(s, first, last, begin - s.size, begin);
  for (uint i = begin; i < (task == 0 ? end : begin); ++i) subtract_known(s, i, i + 1, begin, i);
}

// The same upwards with U: of block `block`, after that below it.
uint backward_tasks(const Substitution s, const uint block) {
  const uint begin = block * s.size;
  return 1 + (begin + s.size < s.n ? (begin + PIECE - 1) / PIECE : 0);
}
void backward_task(const Substitution s, const uint block, const uint task) {
  const uint begin = block * s.size, end = min(s.n, begin + s.size);
  const uint first = task == 0 ? begin : (task - 1) * PIECE;
  const uint last = task == 0 ? end : min(begin, first + PIECE);
  if (end < s.n) subtract_known(s, first, last, end, min(s.n, end + s.size));
  for (uint i = end; i-- > (task == 0 ? begin : end);) {
    subtract_known(s, i, i + 1, i + 1, end);
    s.x[i] = quotient(s.x[i], s.a[(ulong)i * s.ld + i]);
  }
}

// b <- U^-1 L^-1 P b, or NaN where the factorisation failed: the substitutions leave NaN
// everywhere. Offsets and leading dimensions count numbers. NDRange and phases as of lu_phases:
// x <- P b; L block by block; U; b <- x.
kernel void solve_phases(global const NUMBER* a, const ulong offset, const ulong ld, const uint n,
                         global NUMBER* b, const ulong offset_b, const uint first, const uint last,
                         global NUMBER* x, global const uint* ids, const uint panels,
                         global const int* info, global uint* counters, const uint size) {
  const Substitution s = {a + offset, ld, n, x, size};
  global const uint* order = ids + (ulong)(panels - 1) * n;
  const uint blocks = (n + size - 1) / size, end = 2 * blocks + 1;
  b += offset_b;
  for (uint phase = first; phase < last; ++phase) {
    const uint below = phase - 1, above = 2 * blocks - phase;  // blocks
    const uint tasks = phase == 0 || phase == end ? (n + PIECE - 1) / PIECE
                       : phase <= blocks          ? forward_tasks(s, below)
                                                  : backward_tasks(s, above);
    global uint* its_counters = counters + phase * COUNTERS;
    uint done = 0;
    FOR_EACH_TASK(its_counters, tasks, done) {
      const uint row = task * PIECE, row_end = min(n, row + PIECE);
      if (phase == 0)
        for (uint i = row; i < row_end; ++i) x[i] = info[0] == (int)n ? b[order[i]] : of_real(NAN);
      else if (phase == end)
        for (uint i = row; i < row_end; ++i) b[i] = x[i];
      else if (phase <= blocks)
        forward_task(s, below, task);
      else
        backward_task(s, above, task);
    }
    tell_done(its_counters, done);
    while (phase + 1 < last && !are_done(its_counters, tasks)) PAUSE;
  }
}
