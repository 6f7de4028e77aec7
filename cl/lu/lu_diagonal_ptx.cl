// lu_diagonal of lu_diagonal.cl for sub-groups of 32 work-items (NVIDIA: inline PTX) in f32: the
// same arguments and answer, and the same pivots but for candidates that differ by less than 2^-15.
//
// A sub-group keeps COLUMNS whole columns of the window in registers, a work-item ROWS / 32 rows of
// them. So the next COLUMNS columns are one sub-group's own, which eliminates in them without a
// barrier: the pivot is the largest of the sub-group by one instruction, and its row passes through
// local memory. What that leaves, the multipliers of every row, the others read after a barrier and
// update their columns by; meanwhile the next sub-group, which does so first, is at its own
// columns. One barrier for COLUMNS columns, and none waits for the update of the rest.
//
// J: the columns of a step, T: its pivots' rows, L_J \ U_J: what elimination makes of them where
// both meet. Every other row's multipliers are F = W(:, J) U_J^-1, of rows that were pivots before
// as of those that will be. With G = L_J^-1 W(T, :), or L_J^-1 in the columns J themselves, all
// that remains is
//   right of J:  W - F G for all rows, of which those that were pivots hold U^-1 of the columns so
//                far times U; U_J^-1 G for T
//   left of J:   W - F G for the rows that were no pivot yet, G for T: L^-1
//   J:           -F G for those, -F for rows that were pivots, L_J^-1 below U_J^-1 for T
//
// H200, NB 128, WINDOW 256: 121 us (lu_diagonal.cl 218), of which elimination takes 48, the update
// 22, G and what T becomes 20, the copy of L's columns 4, reading and writing 15.
//
// NDRange: one work-group of NB / COLUMNS * 32. Local memory: 32 (NB + 4) + 2 COLUMNS (COLUMNS + 1)
// + 2 COLUMNS NB scalars, NB words, NB + 3 WINDOW bytes and what they are rounded up by: 27 KiB.

#include "common.clh"
#include "ptx.clh"
#include "load_if.clh"

#if !defined(NB) || !defined(WINDOW)
#error "NB and WINDOW must be defined"
#endif
#define COLUMNS 8
#define SUB_GROUPS (NB / COLUMNS)
#define WG_SIZE (SUB_GROUPS * 32)
#define ROWS (WINDOW / 32)
#if REAL_BITS != 32 || NB % COLUMNS != 0 || NB > 128
#error "f32 only, NB a multiple of 8 and at most 128"
#endif
#if WINDOW % 128 != 0 || WINDOW > 256 || NB > WINDOW || 2 * COLUMNS * WINDOW > 32 * (NB + 4)
#error "WINDOW must be 128 or 256, and NB about half of it or more"
#endif

// The row of a work-item's number r: float4's of a column are neighbours' then.
#define ROW_OF(lane, r) (4 * (lane) + ((r)&3) + 128 * ((r) >> 2))
#define NO_RANK 0xffu  // the row is not in T

// L_J \ U_J, row by row, and which row of the window became which of T. In two places by turns: one
// is read while the next is made.
typedef struct {
  float4 rows[COLUMNS][COLUMNS / 4];
  float inverses[COLUMNS];  // of the pivots
  uchar4 ranks[WINDOW / 4];
} Panel;

static inline void load_row(const local float4* p, float row[COLUMNS]) {
  UNROLLED
  for (uint q = 0; q < COLUMNS / 4; ++q) {
    row[4 * q] = p[q].x;
    row[4 * q + 1] = p[q].y;
    row[4 * q + 2] = p[q].z;
    row[4 * q + 3] = p[q].w;
  }
}
static inline void store_row(local float4* p, const float row[COLUMNS]) {
  UNROLLED
  for (uint q = 0; q < COLUMNS / 4; ++q)
    p[q] = (float4)(row[4 * q], row[4 * q + 1], row[4 * q + 2], row[4 * q + 3]);
}

// Loops count to constants and ask inside, so that compilers unroll them all and keep the arrays in
// registers.

// Eliminates in this sub-group's columns, which are columns base .. base + COLUMNS; w becomes F.
// active: bit r tells whether row r of this work-item was no pivot yet. Returns the first column
// whose pivot is zero or not finite, else NB.
static inline __attribute__((always_inline)) uint eliminate(float w[ROWS][COLUMNS], uint* active,
                                                            uint base, uint rows, uint size,
                                                            uint lane, local Panel* panel,
                                                            local uint* source) {
  uint bad = NB;
  ulong ranks = ~0ul;  // NO_RANK eight times
  uint within = 0;     // bit r: the row is one of `rows`
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) within |= (ROW_OF(lane, r) < rows ? 1u : 0u) << r;
  UNROLLED
  for (uint k = 0; k < COLUMNS; ++k) {
    // The magnitude's bits sort as it does; the last 8 make room for the row. NaN is above all.
    const uint eligible = *active & (base + k < size ? within : ~within);
    uint keys[ROWS];
    UNROLLED
    for (uint r = 0; r < ROWS; ++r)
      keys[r] = ((as_uint(w[r][k]) & 0x7fffff00u) | ROW_OF(lane, r)) &
                ((eligible >> r & 1) != 0 ? ~0u : 0u);
    UNROLLED
    for (uint reach = ROWS / 2; reach > 0; reach /= 2) {
      UNROLLED
      for (uint r = 0; r < ROWS / 2; ++r)
        if (r < reach) keys[r] = max(keys[r], keys[r + reach]);
    }
    const uint p = sub_group_largest(keys[0]) & 0xffu;
    // This work-item's own candidate is made ready meanwhile.
    const uint number = (keys[0] & 3) + (keys[0] & 0x80u) / 32;
    float row[COLUMNS];
    UNROLLED
    for (uint c = 0; c < COLUMNS; ++c) {
      // As a choice between elements NVIDIA's compiler would take an address, and w were in memory.
      uint bits = 0;
      UNROLLED
      for (uint r = 0; r < ROWS; ++r) bits |= as_uint(w[r][c]) & (r == number ? ~0u : 0u);
      row[c] = as_float(bits);
    }
    const float own_inverse = native_recip(row[k]);
    if (lane == p % 128 / 4) {
      store_row(panel->rows[k], row);
      panel->inverses[k] = own_inverse;
      ranks ^= (ulong)(NO_RANK ^ k) << 8 * number;
      *active ^= 1u << number;
      source[base + k] = p;
    }
    SUB_GROUP_SYNC();
    float u[COLUMNS];
    load_row(panel->rows[k], u);
    const float pivot = u[k], inverse = panel->inverses[k];
    if (!(fabs(pivot) > 0 && fabs(pivot) < INFINITY)) bad = min(bad, base + k);
    UNROLLED
    for (uint r = 0; r < ROWS; ++r) w[r][k] *= inverse;
    UNROLLED
    for (uint c = 0; c < COLUMNS; ++c) {
      UNROLLED
      for (uint r = 0; r < ROWS; ++r)
        if (c > k) w[r][c] = fma(-w[r][k], u[c], w[r][c]);
    }
  }
  UNROLLED
  for (uint h = 0; h < ROWS / 4; ++h)
    panel->ranks[h * 32 + lane] = as_uchar4((uint)(ranks >> 32 * h));
  return bad;
}

// Row r of a work-item's columns goes to local memory: registers have no addresses.
#define STORE_ROW(r)                                                            \
  case r:                                                                       \
    store_row(shared + lane * (NB + 4) / 4 + sub * (COLUMNS / 4), w[r % ROWS]); \
    break;

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void lu_diagonal(
    const global REAL* restrict a, ulong a_offset, uint a_ld, uint rows, uint size,
    global REAL* restrict lu, ulong lu_offset, uint lu_ld, global REAL* work,
    global int* restrict sources, uint first, volatile global int* info) {
  local float4 shared[32 * (NB + 4) / 4];  // F of two steps, and what is transposed
  local Panel panels[2];
  local float4 tops[SUB_GROUPS][COLUMNS][COLUMNS / 4];    // W(T, a sub-group's columns), then G
  local float4 finals[SUB_GROUPS][COLUMNS][COLUMNS / 4];  // what W(T, ...) becomes
  local uint source[NB];                                  // row k came from source[k]
  local uchar position[WINDOW];  // and row i went to position[i], NO_RANK: none
  local uchar source_of_emptied[NB];
  local uint votes[2][WINDOW / 32];
  local float* const stage = (local float*)shared;
  const uint id = get_local_id(0), lane = id % 32, sub = id / 32;
  global float4* const scratch = (global float4*)(work + 2 * NB * NB);
  float w[ROWS][COLUMNS];

  // Rows are read whole and cross in local memory.
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) {
    UNROLLED
    for (uint t = 0; t < COLUMNS; ++t) {
      const uint e = t * WG_SIZE + id, i = ROW_OF(e / NB, r), j = e % NB;
      const bool in = i < rows && j < size;
      const float entry = load_if(in, a + a_offset + (ulong)i * a_ld + j);
      w[r][t] = in ? entry : (float)(i == j);
    }
  }
  UNROLLED
  for (uint r = 0; r < ROWS; ++r) {
    UNROLLED
    for (uint t = 0; t < COLUMNS; ++t) {
      const uint e = t * WG_SIZE + id;
      stage[e / NB * (NB + 4) + e % NB] = w[r][t];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    load_row(shared + lane * (NB + 4) / 4 + sub * (COLUMNS / 4), w[r]);
    barrier(CLK_LOCAL_MEM_FENCE);
  }

  uint active = (1u << ROWS) - 1, bad = NB;
#pragma unroll 1
  for (uint step = 0; step <= SUB_GROUPS; ++step) {
    // Step `step` is made of the columns of sub-group `step`, once it has those of the step before
    // behind it.
    if (step > 0) {
      const uint done = step - 1;
      const local Panel* const panel = &panels[done % 2];
      const local float4* const f = shared + done % 2 * (COLUMNS * WINDOW / 4);
      local float4(*const top)[COLUMNS / 4] = tops[sub];
      const bool own = sub == done, right = sub > done;
      uchar ranks[ROWS];
      UNROLLED
      for (uint h = 0; h < ROWS / 4; ++h) {
        const uchar4 four = panel->ranks[h * 32 + lane];
        ranks[4 * h] = four.x;
        ranks[4 * h + 1] = four.y;
        ranks[4 * h + 2] = four.z;
        ranks[4 * h + 3] = four.w;
      }
      UNROLLED
      for (uint r = 0; r < ROWS; ++r) {
        if (ranks[r] != NO_RANK) {
          active &= ~(1u << r);
          if (!own) store_row(top[ranks[r]], w[r]);
        }
      }
      SUB_GROUP_SYNC();
      if (lane < COLUMNS) {  // a column each
        local float* const column = (local float*)top + lane;
        local float* const last = (local float*)finals[sub] + lane;
        const uint i = done * COLUMNS, j = sub * COLUMNS + lane;
        float g[COLUMNS], x[COLUMNS];
        UNROLLED
        for (uint k = 0; k < COLUMNS; ++k) {
          float l[COLUMNS];
          load_row(panel->rows[k], l);
          g[k] = own ? (float)(k == lane) : column[k * COLUMNS];
          UNROLLED
          for (uint q = 0; q < COLUMNS; ++q)
            if (q < k) g[k] = fma(-l[q], g[q], g[k]);
        }
        COMPILER_FENCE();  // U is read anew: there are no registers to keep it in
        UNROLLED
        for (uint back = 0; back < COLUMNS; ++back) {
          const uint k = COLUMNS - 1 - back;
          float u[COLUMNS];
          load_row(panel->rows[k], u);
          x[k] = own ? (float)(k == lane) : g[k];
          UNROLLED
          for (uint q = COLUMNS; q-- > 0;)  // the latest last
            if (q > k) x[k] = fma(-u[q], x[q], x[k]);
          x[k] *= panel->inverses[k];
          column[k * COLUMNS] = g[k];
          last[k * COLUMNS] = right || (own && lane >= k) ? x[k] : g[k];
        }
        if ((own || right) && j < size) {
          const local float* from = own ? (const local float*)panel->rows + lane : column;
#pragma unroll 2
          for (uint k = 0; k < COLUMNS; ++k)
            if (i + k < size) lu[lu_offset + (ulong)(i + k) * lu_ld + j] = from[k * COLUMNS];
        }
      }
      SUB_GROUP_SYNC();
      if (own) {
        UNROLLED
        for (uint c = 0; c < COLUMNS; ++c) {
          UNROLLED
          for (uint r = 0; r < ROWS; ++r) {
            UNROLLED
            for (uint k = 0; k < COLUMNS; ++k)
              if (k > c)
                w[r][c] = fma((active >> r & 1) != 0 ? w[r][k] : 0.0f,
                              ((const local float*)top[k])[c], w[r][c]);
            w[r][c] = -w[r][c];
          }
        }
      } else {
        const uint updated = right ? ~0u : active;
#pragma unroll 2  // unrolled eight times it is no faster, and longer to compile
        for (uint k = 0; k < COLUMNS; ++k) {
          float g[COLUMNS];
          load_row(top[k], g);
          UNROLLED
          for (uint h = 0; h < ROWS / 4; ++h) {
            const float4 four = f[(k * ROWS / 4 + h) * 32 + lane];
            const float factors[4] = {four.x, four.y, four.z, four.w};
            UNROLLED
            for (uint q = 0; q < 4; ++q) {
              const float factor = (updated >> (4 * h + q) & 1) != 0 ? factors[q] : 0.0f;
              UNROLLED
              for (uint c = 0; c < COLUMNS; ++c)
                w[4 * h + q][c] = fma(-factor, g[c], w[4 * h + q][c]);
            }
          }
        }
      }
      UNROLLED
      for (uint r = 0; r < ROWS; ++r)
        if (ranks[r] != NO_RANK) load_row(finals[sub][ranks[r]], w[r]);
    }
    if (sub == step) {
      local float4* const f = shared + step % 2 * (COLUMNS * WINDOW / 4);
      bad = eliminate(w, &active, step * COLUMNS, rows, size, lane, &panels[step % 2], source);
      UNROLLED
      for (uint k = 0; k < COLUMNS; ++k) {
        UNROLLED
        for (uint h = 0; h < ROWS / 4; ++h) {
          const float4 four =
              (float4)(w[4 * h][k], w[4 * h + 1][k], w[4 * h + 2][k], w[4 * h + 3][k]);
          const uint at = h * 32 + lane;
          f[k * WINDOW / 4 + at] = four;
          scratch[(step * COLUMNS + k) * (WINDOW / 4) + at] = four;
        }
      }
      if (lane == 0 && bad < NB) atomic_min(info, (int)(first + bad));
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  }

  if (id < WINDOW) position[id] = NO_RANK;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id < NB) position[source[id]] = id;
  barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
  for (uint r = 0; r < ROWS; ++r) {
    // clang-format off
    switch (r) {
      STORE_ROW(0) STORE_ROW(1) STORE_ROW(2) STORE_ROW(3)
      STORE_ROW(4) STORE_ROW(5) STORE_ROW(6) STORE_ROW(7)
    }
    // clang-format on
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLLED
    for (uint t = 0; t < COLUMNS; ++t) {
      const uint e = t * WG_SIZE + id, i = position[ROW_OF(e / NB, r)], j = e % NB;
      const float entry = stage[e / NB * (NB + 4) + j];
      if (i < NB) {
        work[i * NB + j] = i > j ? entry : (float)(i == j);
        work[(NB + i) * NB + j] = i > j ? 0.0f : entry;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  // L left of the blocks L_J: its columns lie in the order that the window had.
  const global float* const multipliers = (const global float*)scratch;
  float left[NB * NB / WG_SIZE];
  UNROLLED
  for (uint t = 0; t < NB * NB / WG_SIZE; ++t) {
    const uint e = t * WG_SIZE + id, i = e % NB, j = e / NB;
    left[t] = load_if(j < i / COLUMNS * COLUMNS, multipliers + j * WINDOW + source[i]);
  }
  UNROLLED
  for (uint base = 0; base < NB; base += 32) {
    UNROLLED
    for (uint t = 0; t < 32 * NB / WG_SIZE; ++t) {
      const uint e = t * WG_SIZE + id;
      stage[e / NB * (NB + 1) + e % NB] = left[base * NB / WG_SIZE + t];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = sub; i < size; i += SUB_GROUPS) {
      const uint j = base + lane;
      if (j < i / COLUMNS * COLUMNS)
        lu[lu_offset + (ulong)i * lu_ld + j] = stage[lane * (NB + 1) + i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  // The pivots' rows come first; where they leave a row empty below, the rows that they displace
  // go, in their order.
  const bool was_pivot = id < WINDOW && position[id] != NO_RANK;
  const bool displaced = id < size && !was_pivot, emptied = id >= size && was_pivot;
  if (id < WINDOW) {
    const uint these[2] = {sub_group_votes(displaced), sub_group_votes(emptied)};
    if (lane == 0) {
      votes[0][sub] = these[0];
      votes[1][sub] = these[1];
    }
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  uint rank = 0;  // among the displaced or the emptied
  if (id < WINDOW) {
    const local uint* const kind = votes[displaced ? 0 : 1];
    for (uint s = 0; s < sub; ++s) rank += popcount(kind[s]);
    rank += popcount(kind[sub] & ((1u << lane) - 1));
  }
  if (displaced) source_of_emptied[rank] = id;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id < rows)
    sources[id] = (int)(id < size ? source[id] : (emptied ? source_of_emptied[rank] : id));
}
