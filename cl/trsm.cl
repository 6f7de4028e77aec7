// Row exchanges and the triangular solve with a diagonal block, on a strip of STRIP columns per
// work-group, portable OpenCL C 1.2.
//
// lu_swap_solve, for every column c of [0, columns) outside [hole_begin, hole_end):
//     B(:, c) = P B(:, c)                 rows j <-> pivots[pivot_offset + j] - row_base, j < block
//     B(0:block, c) = L^-1 B(0:block, c)  if `solve` and c >= hole_end (left of it lies L itself)
// block_solve:
//     B(0:block, :) = T^-1 B(0:block, :)   T unit lower (upper = 0) or upper (upper = 1)
//
// A work-item owns one row of the block (STRIP values in private memory), so block <= WG_SIZE. A
// strip of columns belongs to one work-group, which reads every row concerned before it writes one:
// LAPACK's laswp in a single pass. Which row comes to a position is traced backwards through the
// exchanges, every position by itself: `block` steps over local memory instead of a serial
// simulation. The diagonal is solved by blocks of DIAGONAL rows with their inverses, a work-item
// per column of an inverse (|L| is about 1, 16 rows: the growth is harmless), or by substitution
// with SUBSTITUTE = 1, to check against. A zero on U's diagonal gives Inf or NaN, as in LAPACK.
//
//   t + t_offset  the block x block triangle; b + b_offset: the first element of B's first row;
//                 row-major, leading dimensions in elements
// KERNEL: what is built, for each takes its time to compile: 0 lu_swap_solve for exchanges alone (`solve` is not looked at),
// 1 lu_swap_solve, 2 block_solve.
// NDRange: one dimension, local WG_SIZE, groups ceil(columns / STRIP).
// Local memory: 16 * WG_SIZE + 32 * STRIP scalars, WG_SIZE words: 37 KiB for f64, 256 rows; for exchanges alone the words.

#include "common.clh"

#if !defined(WG_SIZE) || !defined(STRIP) || !defined(SUBSTITUTE) || !defined(KERNEL)
#error "WG_SIZE, STRIP, SUBSTITUTE and KERNEL must be defined"
#endif
#define DIAGONAL 16
#if WG_SIZE % DIAGONAL != 0 || WG_SIZE % STRIP != 0
#error "WG_SIZE must be a multiple of 16 and of STRIP"
#endif

#if KERNEL != 0

// Replaces every diagonal block by its inverse, block after block of DIAGONAL x DIAGONAL in
// `inverse`: work-item id computes column id % DIAGONAL of block id / DIAGONAL. Rows and columns
// beyond `block` are those of the identity.
static inline void invert_diagonal(const global REAL* t, uint ld, uint block, uint upper,
                                   local REAL* inverse) {
    const uint id = get_local_id(0), base = id / DIAGONAL * DIAGONAL, col = id % DIAGONAL;
    UNROLLED
    for (uint e = 0; e < DIAGONAL; ++e) {  // neighbours read neighbouring columns
        const uint row = e * (WG_SIZE / DIAGONAL) + id / DIAGONAL,
                   column = row / DIAGONAL * DIAGONAL + col;
        inverse[row * DIAGONAL + col] = row < block && column < block
                                            ? t[(ulong)row * ld + column]
                                            : (row == column ? (REAL)1 : (REAL)0);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    const local REAL* d = inverse + base * DIAGONAL;
    REAL x[DIAGONAL];
    if (!upper) {
        UNROLLED
        for (uint i = 0; i < DIAGONAL; ++i) {
            REAL s = i == col ? 1 : 0;
            UNROLLED
            for (uint k = 0; k < DIAGONAL; ++k)
                if (k < i) s = fma(-d[i * DIAGONAL + k], x[k], s);
            x[i] = s;
        }
    } else {
        UNROLLED
        for (uint ii = 0; ii < DIAGONAL; ++ii) {
            const uint i = DIAGONAL - 1 - ii;
            REAL s = i == col ? 1 : 0;
            UNROLLED
            for (uint k = 0; k < DIAGONAL; ++k)
                if (k > i) s = fma(-d[i * DIAGONAL + k], x[k], s);
            // Below the diagonal the inverse is zero: a zero or NaN on U's diagonal must not reach
            // it.
            x[i] = i > col ? (REAL)0 : s / d[i * DIAGONAL + i];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLLED
    for (uint i = 0; i < DIAGONAL; ++i) inverse[(base + i) * DIAGONAL + col] = x[i];
}

// x (this work-item's row of the strip) becomes the solution's row; all work-items of the group
// take part.
static inline void solve_strip(const global REAL* t, uint ld, uint block, uint upper, REAL* x,
                               local REAL* inverse, local REAL* right, local REAL* solved) {
    const uint id = get_local_id(0), steps = (block + DIAGONAL - 1) / DIAGONAL;
    invert_diagonal(t, ld, block, upper, inverse);
    for (uint step = 0; step < steps; ++step) {
        const uint base = (upper ? steps - 1 - step : step) * DIAGONAL;
        if (id >= base && id < base + DIAGONAL) {
            UNROLLED
            for (uint c = 0; c < STRIP; ++c) right[(id - base) * STRIP + c] = x[c];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#if SUBSTITUTE
        if (id < STRIP) {
            for (uint ii = 0; ii < DIAGONAL; ++ii) {
                const uint i = upper ? DIAGONAL - 1 - ii : ii;
                REAL s = right[i * STRIP + id];
                if (base + i < block) {
                    const global REAL* row = t + (ulong)(base + i) * ld + base;
                    const uint from = upper ? i + 1 : 0,
                               to = upper ? min(DIAGONAL, (int)(block - base)) : i;
                    for (uint k = from; k < to; ++k) s = fma(-row[k], solved[k * STRIP + id], s);
                    if (upper) s /= row[i];
                }
                solved[i * STRIP + id] = s;
            }
        }
#else
        for (uint e = id; e < DIAGONAL * STRIP; e += WG_SIZE) {
            const uint i = e / STRIP, c = e % STRIP;
            REAL s = 0;
            UNROLLED
            for (uint k = 0; k < DIAGONAL; ++k)
                s = fma(inverse[(base + i) * DIAGONAL + k], right[k * STRIP + c], s);
            solved[e] = s;
        }
#endif
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id >= base && id < base + DIAGONAL) {
            UNROLLED
            for (uint c = 0; c < STRIP; ++c) x[c] = solved[(id - base) * STRIP + c];
        } else if (id < block && (upper ? id < base : id >= base + DIAGONAL)) {
            const global REAL* row = t + (ulong)id * ld + base;
            REAL l[DIAGONAL];
            UNROLLED
            for (uint k = 0; k < DIAGONAL; ++k) l[k] = base + k < block ? row[k] : (REAL)0;
            UNROLLED
            for (uint k = 0; k < DIAGONAL; ++k) {
                UNROLLED
                for (uint c = 0; c < STRIP; ++c) x[c] = fma(-l[k], solved[k * STRIP + c], x[c]);
            }
        }
    }
}

#endif
#if KERNEL != 2

// The position whose row ends at `position` after all exchanges.
static inline uint trace_back(uint position, uint block, const local uint* pivot) {
    for (uint j = block; j-- > 0;) {
        uint p = pivot[j];
        position = position == j ? p : (position == p ? j : position);
    }
    return position;
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void lu_swap_solve(
    const global REAL* t, ulong t_offset, uint t_ld, global REAL* b, ulong b_offset, uint b_ld,
    uint block, uint columns, uint hole_begin, uint hole_end, uint solve, const global int* pivots,
    ulong pivot_offset, uint row_base) {
    local uint pivot[WG_SIZE];
#if KERNEL == 1
    local REAL inverse[WG_SIZE * DIAGONAL];
    local REAL right[DIAGONAL * STRIP], solved[DIAGONAL * STRIP];
#endif
    const uint id = get_local_id(0), first = get_group_id(0) * STRIP;
    if (id < block) pivot[id] = (uint)pivots[pivot_offset + id] - row_base;
    barrier(CLK_LOCAL_MEM_FENCE);

    // Read the row that comes to this work-item's position, and the one that comes to the position
    // its exchange emptied.
    REAL x[STRIP], y[STRIP];
    uint outside = id < block ? pivot[id] : 0u;
    const bool displaces = id < block && outside >= block;
    const uint source = trace_back(id, id < block ? block : 0u, pivot),
               displaced = trace_back(outside, displaces ? block : 0u, pivot);
    global REAL* strip = b + b_offset + first;
    UNROLLED
    for (uint c = 0; c < STRIP; ++c) {
        bool in = first + c < columns && (first + c < hole_begin || first + c >= hole_end);
        x[c] = in && id < block ? strip[(ulong)source * b_ld + c] : (REAL)0;
        y[c] = in && displaces ? strip[(ulong)displaced * b_ld + c] : (REAL)0;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
#if KERNEL == 1
    const bool needed = first < hole_begin || first + STRIP > hole_end;
    if (solve && needed && first + STRIP > hole_end) {
        // A strip that straddles the hole's end keeps its left part as it is.
        REAL kept[STRIP];
        UNROLLED
        for (uint c = 0; c < STRIP; ++c) kept[c] = x[c];
        solve_strip(t + t_offset, t_ld, block, 0u, x, inverse, right, solved);
        UNROLLED
        for (uint c = 0; c < STRIP; ++c) x[c] = first + c >= hole_end ? x[c] : kept[c];
    }
#endif
    UNROLLED
    for (uint c = 0; c < STRIP; ++c) {
        bool in = first + c < columns && (first + c < hole_begin || first + c >= hole_end);
        if (in && id < block) strip[(ulong)id * b_ld + c] = x[c];
        // Several exchanges with one row: each of their work-items writes the same.
        if (in && displaces) strip[(ulong)outside * b_ld + c] = y[c];
    }
}

#else

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void block_solve(
    const global REAL* t, ulong t_offset, uint t_ld, global REAL* b, ulong b_offset, uint b_ld,
    uint block, uint columns, uint upper) {
    local REAL inverse[WG_SIZE * DIAGONAL];
    local REAL right[DIAGONAL * STRIP], solved[DIAGONAL * STRIP];
    const uint id = get_local_id(0), first = get_group_id(0) * STRIP;
    global REAL* strip = b + b_offset + first;
    REAL x[STRIP];
    UNROLLED
    for (uint c = 0; c < STRIP; ++c)
        x[c] = first + c < columns && id < block ? strip[(ulong)id * b_ld + c] : (REAL)0;
    // Not called once for each triangle: with its barriers in two branches PoCL 3.1 gave wrong answers.
    solve_strip(t + t_offset, t_ld, block, upper, x, inverse, right, solved);
    UNROLLED
    for (uint c = 0; c < STRIP; ++c)
        if (first + c < columns && id < block) strip[(ulong)id * b_ld + c] = x[c];
}

#endif
