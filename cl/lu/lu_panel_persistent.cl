// LU panel with true partial pivoting in ONE launch (NVIDIA: inline PTX): P A = L U, A m x width,
// width <= PANEL_WIDTH and <= m.
//
// Every work-item keeps one row of the panel in registers. Per column each work-group publishes the
// value, the position and the whole row of its largest entry; every work-group reads all
// candidates, agrees on the winner, fetches that row and eliminates. Nothing is swapped meanwhile:
// a row carries its current position and is written there at the end, so `pivots` are LAPACK's (the
// lowest position wins a tie).
//  - No inter-work-group barrier and no fence: each 16-byte packet {payload, tag} is one relaxed
//    128-bit access that carries its own sequence number, so a reader waits for the data itself.
//    Two buffers suffice: a group publishes column j + 2 only after it has read every candidate of
//    column j + 1, hence after every reader is done with column j.
//  - The next column is eliminated and searched first, the other columns while its candidates
//    travel (an L2 round trip: 430 cycles).
//  - One more sub-group, which owns no rows, does the waiting.
//  - The candidate's row is brought up to date and published by its whole sub-group, one element a
//    work-item.
//  - What a row sends is its entries of U and, after them, those of L, so every work-group knows
//    L11 step by step: one more sub-group of each does the exchanges and the solve in 32 of the
//    columns beside the panel (lu_beside.clh). LU of n = 4096 takes 8.5 ms instead of 9.0, f64,
//    8192 in f32 20.1 instead of 21.4.
//  - The registers rotate by one a column (the fused multiply-add writes its neighbour), so the
//    loop body is the same for all columns and the private array is indexed by constants only.
// H200, f64, us a column: 1.7 at m = 1024, 1.9 at 8192, 2.3 at 16384 (a barrier with membar and
// unrolled columns: 2.9 at 1024, 3.3, 3.5). Of a column at m = 4096, in cycles: a sub-group's
// search 600, the barrier 180, the group's best 370, its way to the others and the slowest of
// theirs 1340, the winner and the division 350, its row 380, the rest 250. The row is now requested
// before the division. (Tried: the rows of up to 8 or 16 candidates polled together with their
// headers, for one trip through L2 instead of two. The polls that come too early keep the trip
// itself waiting: LU 4096 10.2 and 12.0 ms instead of 9.8. Every sub-group's largest entry as a
// candidate, for a barrier and a search less: f32 n = 4096 9.5 ms instead of 8.6. Rolled loops
// before and after the columns, a third fewer instructions: 1 % slower.)
//
// NDRange: one dimension, local (SUB_GROUPS + 2) * 32, groups ceil(m / (SUB_GROUPS * 32)) at least.
// More than one: ALL MUST BE CO-RESIDENT (the host probes with this very kernel). A wait gives up
// after SPIN_LIMIT polls and sets info[1]; the panel is then worthless, and the exchanges name rows
// of the matrix nonetheless.
//   a + offset  the panel's first element, row-major, leading dimension ld (in: A, out: L\U)
//   left, right columns of the matrix left and right of the panel that are exchanged, and right of
//   it solved, too: no more than 32 for
//               every group, each side rounded up to 32
//   pivots      pivots[pivot_offset + j] = row_base + position exchanged with position j, j < width
//   info        [0] atomic minimum of row_base + j over the columns with a zero or NaN pivot,
//               [1] = 1: gave up waiting
//   exchange    2 * groups * (1 + PANEL_WIDTH) packets, complex f64 2 * groups * (1 + 2 *
//               PANEL_WIDTH), set to zero once
//   epoch       > 0, grows by at least `width` from launch to launch on one exchange buffer
// A zero pivot: its column is zero, nothing is scaled (getf2). A NaN counts as the largest
// magnitude, so that it is reported at once.
// Local memory: SUB_GROUPS * 32 * 17 (9 with more than 8 sub-groups, and of complex f32, 5 of
// complex f64) + (PANEL_WIDTH + 2) * PANEL_WIDTH NUMBERs and some words: 44 KiB for f64.

#include "common.clh"
#include "numbers.clh"
#include "pivot.clh"
#include "ptx.clh"

#if !defined(PANEL_WIDTH) || !defined(SUB_GROUPS) || !defined(SPIN_LIMIT)
#error "PANEL_WIDTH, SUB_GROUPS and SPIN_LIMIT must be defined"
#endif
#if PANEL_WIDTH != 32 || SUB_GROUPS < 1 || SUB_GROUPS > 30
#error "PANEL_WIDTH must be 32 and SUB_GROUPS lie in 1..30"
#endif

#include "lu_beside.clh"
#include "packets.clh"

#define WG_SIZE ((SUB_GROUPS + 2) * 32)
#define SYNC() SYNC_FIRST((SUB_GROUPS + 1) * 32)  // all but those who work beside the panel
#define GROUP_ROWS (SUB_GROUPS * 32)
#define NO_POSITION 0xffffffffu
#if COMPLEX
#define STAGE_COLUMNS (REAL_BITS == 64 ? 4 : 8)
#else
#define STAGE_COLUMNS (SUB_GROUPS > 8 ? 8 : 16)
#endif
#define STAGE_LD (STAGE_COLUMNS + 1)
#if REAL_BITS == 64
#define PIN(v) PIN_F64(v)
#else
#define PIN(v) PIN_F32(v)
#endif

// Out of line for the compiler's eye: a division that it might otherwise execute always and select
// later (200 cycles for f64).
static inline NUMBER divide(NUMBER x, NUMBER y) {
#if COMPLEX
  PIN(y.x);
#else
  PIN(y);
#endif
  COMPILER_FENCE();
  return is_zero(y) ? x : quotient(x, y);
}
// Magnitudes ordered as integers; 0 means "no candidate", NaN is above infinity. f64: the high word
// of |v| plus one, then the low word.
#if REAL_BITS == 64
static inline ulong bits_of_real(REAL v) { return as_ulong(v); }
static inline REAL real_of(ulong b) { return as_double(b); }
static inline uint high_key(ulong b) { return ((uint)(b >> 32) & 0x7fffffffu) + 1u; }
static inline uint low_key(ulong b) { return (uint)b; }
#else
static inline ulong bits_of_real(REAL v) { return as_uint(v); }
static inline REAL real_of(ulong b) { return as_float((uint)b); }
static inline uint high_key(ulong b) { return ((uint)b & 0x7fffffffu) + 1u; }
static inline uint low_key(ulong b) { return 0u; }
#endif

#define ROW_PACKETS (NUMBER_PACKETS * PANEL_WIDTH)

#if COMPLEX
// Of the first work-item.
static inline REAL first_real(REAL v) {
#if REAL_BITS == 64
  const ulong bits = as_ulong(v);
  return as_double((ulong)sub_group_from((uint)(bits >> 32), 0u) << 32 |
                   sub_group_from((uint)bits, 0u));
#else
  return as_float(sub_group_from(as_uint(v), 0u));
#endif
}
#endif

// A one-bit mask of the work-item that holds the largest magnitude (the lowest position among
// equals), 0 when nobody has a candidate.
static inline uint sub_group_winner(bool candidate, ulong bits, uint position) {
  uint key = candidate ? high_key(bits) : 0u;
  uint best = sub_group_largest(key);
  uint mask = sub_group_votes(key != 0u && key == best);
  if ((mask & (mask - 1u)) !=
      0u) {  // the whole sub-group is here: every exchange below must be reached by all of it
    bool in = key == best;
#if REAL_BITS == 64
    const uint low = in ? low_key(bits) : 0u, best_low = sub_group_largest(low);
    in = in && low == best_low;
#endif
    const uint first = sub_group_smallest(in ? position : NO_POSITION);
    mask = sub_group_votes(in && position == first);
  }
  return mask;
}

typedef struct {
  ulong bits;     // of the value, or of a complex one's size
  uint position;  // NO_POSITION: none
} Candidate;

// What a work-group shares.
typedef struct {
  NUMBER pivot_row[2][PANEL_WIDTH];
  Steps steps;
  NUMBER pivot_inverse;
  uint pivot_position, special[2], gave_up;
  Candidate candidates[SUB_GROUPS];
  // of each sub-group: rows to load or store, or its candidate's
  NUMBER stage[SUB_GROUPS][32 * STAGE_LD];
  uint positions[SUB_GROUPS][32];
} Shared;

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void lu_panel_persistent(
    global NUMBER* restrict a, ulong offset, uint ld, uint m, uint width, uint left, uint right,
    uint row_base, global int* restrict pivots, ulong pivot_offset,
    volatile global int* restrict info, global ulong2* exchange, uint epoch) {
  local Shared shared;
  const uint id = get_local_id(0), lane = id & 31u, sub = id >> 5;
  const uint group = get_group_id(0), groups = get_num_groups(0);
  const bool waiter = sub == SUB_GROUPS;
  if (id == 0) shared.gave_up = shared.steps.known = 0u;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (sub > SUB_GROUPS) {
    if (group < STRIPS_BESIDE(left, right))
      follow_beside(a + offset, ld, width, left, right, group, lane, &shared.steps);
    return;
  }
  const uint first_row = group * GROUP_ROWS + sub * 32u;
  uint position = waiter ? NO_POSITION : first_row + lane;
  bool active = !waiter && position < m;
  global NUMBER* panel = a + offset;
  NUMBER r[PANEL_WIDTH];

  // Load through local memory: a work-item owns a row, but neighbours should read neighbouring
  // columns.
  if (!waiter) {
    local NUMBER* my_stage = shared.stage[sub];
#pragma unroll
    for (uint c0 = 0; c0 < PANEL_WIDTH; c0 += STAGE_COLUMNS) {
#pragma unroll
      for (uint k = 0; k < 32; k += 32 / STAGE_COLUMNS) {
        uint row = k + lane / STAGE_COLUMNS, col = lane % STAGE_COLUMNS;
        bool in = first_row + row < m && c0 + col < width;
        my_stage[row * STAGE_LD + col] =
            in ? panel[(ulong)(first_row + row) * ld + c0 + col] : (NUMBER)(0);
      }
      SUB_GROUP_SYNC();
#pragma unroll
      for (uint c = 0; c < STAGE_COLUMNS; ++c) r[c0 + c] = my_stage[lane * STAGE_LD + c];
      SUB_GROUP_SYNC();
    }
  } else {
#pragma unroll
    for (uint c = 0; c < PANEL_WIDTH; ++c) r[c] = 0;
  }

  // Column j: `ahead` is this row's entry of the column to be searched, r still holds the state
  // before the elimination that produced it (none for j = 0), `factor` is this row's multiplier
  // in that elimination.
  NUMBER ahead = r[0], factor = 0, finished = 0;
  bool failed = false, eliminates = false;
  uint known = 0;        // pivots that were written
  bool guarded = false;  // something is not finite or the reciprocal would overflow: take care
                         // element by element
  NUMBER inverse = 0, pivot = 0;
#pragma unroll 1
  for (uint j = 0; j <= PANEL_WIDTH; ++j) {
    const bool searching = j < width && !failed;
    const uint now = j & 1u, before = now ^ 1u, tag = epoch + j, shift = j > 0 ? 1u : 0u;
    global ulong2* headers = exchange + (ulong)now * groups;
    global ulong2* rows = exchange + 2UL * groups + (ulong)now * groups * ROW_PACKETS;
    if (searching) {
      // 1. Every sub-group proposes its largest entry ...
      const ulong bits = bits_of_real(size_of(ahead));
      const uint mine = sub_group_winner(active, bits, position);
      const bool is_mine = lane == (mine == 0u ? 0u : 31u - clz(mine));
      if (!waiter && is_mine) {
        shared.candidates[sub].bits = bits;
        shared.candidates[sub].position = mine == 0u ? NO_POSITION : position;
      }
      SYNC();
      // ... and the group's best is known to all of it.
      const Candidate c = shared.candidates[lane % SUB_GROUPS];
      const uint best =
          sub_group_winner(lane < SUB_GROUPS && c.position != NO_POSITION, c.bits, c.position);
      const uint chosen_sub = best == 0u ? 0u : 31u - clz(best);
      if (waiter && lane == chosen_sub)
        store_packet(headers + group, c.bits,
                     (ulong)(best == 0u ? NO_POSITION : c.position) << 32 | tag);

      // 2. The candidate's sub-group brings its row up to date and publishes it.
      if (!waiter && best != 0u && sub == chosen_sub) {
        local NUMBER* row = shared.stage[sub];
        if (is_mine) {
#pragma unroll
          for (uint k = 0; k < PANEL_WIDTH; ++k) row[k] = r[k];
          row[PANEL_WIDTH] = factor;
        }
        SUB_GROUP_SYNC();
        // The finished entries of the row follow the others; the factor is the last.
        const NUMBER old = row[lane + shift];
        const NUMBER u =
            shift ? shared.pivot_row[before][min(lane + 1u, PANEL_WIDTH - 1u)] : (NUMBER)(0);
        store_number(rows + (ulong)group * ROW_PACKETS + lane, PANEL_WIDTH,
                     lane < PANEL_WIDTH - j ? minus_product(row[PANEL_WIDTH], u, old) : old, tag);
      }
      if (waiter) {
        // 3. Read all candidates; lane s looks after s, s + 32, ...
        Candidate top;
        top.position = NO_POSITION;
        top.bits = 0;
        uint key_high = 0u, key_low = 0u, from = 0u, spins = 0u;
        for (uint s = lane; s - lane < groups; s += 32u) {
          const uint source = min(s, groups - 1u);
          const ulong2 h = await_packet(headers + source, tag, &spins);
          const uint p = (uint)(h.y >> 32), high = p == NO_POSITION ? 0u : high_key(h.x),
                     low = low_key(h.x);
          if (high > key_high ||
              (high == key_high && (low > key_low || (low == key_low && p < top.position)))) {
            key_high = high;
            key_low = low;
            top.bits = h.x;
            top.position = p;
            from = source;
          }
        }
        SUB_GROUP_SYNC();
        const uint all = sub_group_winner(top.position != NO_POSITION, top.bits, top.position);
        const uint winner = all == 0u ? 0u : 31u - clz(all);
        from = sub_group_from(from, winner);
        global ulong2* entry = rows + (ulong)from * ROW_PACKETS + lane;
#if !COMPLEX
        ulong2 v = load_packet(entry);
#endif
        const uint chosen = sub_group_from(top.position, winner);
#if COMPLEX
        const NUMBER x = await_number(entry, PANEL_WIDTH, tag, &spins);
        pivot = NUMBER_OF(first_real(x.x), first_real(x.y));
        inverse = inverse_of(pivot);
#else
        pivot = real_of(sub_group_from((uint)top.bits, winner) |
                        (ulong)sub_group_from((uint)(top.bits >> 32), winner) << 32);
        inverse = inverse_of(pivot);  // while the row travels
        PIN(inverse);
        if ((uint)v.y != tag) v = await_packet(entry, tag, &spins);
        const REAL x = real_of(v.x);
#endif
        const bool is_u = lane < PANEL_WIDTH - j;
        shared.pivot_row[now][lane] = is_u ? x : (NUMBER)(0);
        shared.steps.l[j][lane] = is_u ? (NUMBER)(0) : x;
        const uint others = sub_group_votes(is_u && !is_finite(x));
        if (spins >= SPIN_LIMIT || all == 0u) shared.gave_up = 1u;
        if (lane == 0) {
          shared.special[now] = is_unusual(pivot) || others != 0u ? 1u : 0u;
          shared.pivot_inverse = is_zero(pivot) ? ONE : inverse;
          shared.pivot_position = shared.steps.pivots[j] = chosen;
        }
      }
    }
    // 4. Meanwhile the elimination of the column before; the last register collects the
    // finished entries (L, or U of a used row).
    if (!waiter && j > 0u) {
      if (!guarded) {
#pragma unroll
        for (uint c = 1; c < PANEL_WIDTH; ++c)
          r[c - 1] = minus_product(factor, shared.pivot_row[before][c], r[c]);
      } else {
#pragma unroll
        for (uint c = 1; c < PANEL_WIDTH; ++c)
          r[c - 1] = eliminates && c <= PANEL_WIDTH - j
                         ? minus_product(factor, shared.pivot_row[before][c], r[c])
                         : r[c];
      }
      r[PANEL_WIDTH - 1] = finished;
    }
    factor = 0;
    finished = r[0];
    guarded = true;  // nothing to eliminate: a plain rotation (pivot_row may hold anything)
    eliminates = false;
    if (searching) {
      SYNC();
      // 5. Exchange positions, then look one column ahead.
      guarded = shared.special[now] != 0u;
      failed = shared.gave_up != 0u;
      if (waiter && lane == 0) publish_local(&shared.steps.known, failed ? GAVE_UP : j + 1u);
      // A group that gave up knows no pivot; what it hands on must be a row of the matrix all the
      // same.
      const uint chosen = failed ? j : shared.pivot_position;
      if (position == chosen) {
        active = false;
        position = j;
      } else if (position == j) {
        position = chosen;
      }
      eliminates = active;
      if (active) {
        factor = product(r[0], shared.pivot_inverse);
        if (guarded) factor = divide(r[0], shared.pivot_row[now][0]);
        finished = factor;
      }
      ahead = active ? minus_product(factor, shared.pivot_row[now][1], r[1]) : r[1];
      if (waiter && group == 0 && lane == 0) {
        pivots[pivot_offset + j] = (int)(row_base + chosen);
        known = j + 1u;
        if (is_bad(pivot)) atomic_min(info, (int)(row_base + j));
      }
    }
  }

  // Every row of the panel has been read by now (its group took part in the last column), so rows
  // may be overwritten.
  if (!waiter && !failed) {
    local NUMBER* my_stage = shared.stage[sub];
    shared.positions[sub][lane] = first_row + lane < m ? position : NO_POSITION;
#pragma unroll
    for (uint c0 = 0; c0 < PANEL_WIDTH; c0 += STAGE_COLUMNS) {
      SUB_GROUP_SYNC();
#pragma unroll
      for (uint c = 0; c < STAGE_COLUMNS; ++c) my_stage[lane * STAGE_LD + c] = r[c0 + c];
      SUB_GROUP_SYNC();
#pragma unroll
      for (uint k = 0; k < 32; k += 32 / STAGE_COLUMNS) {
        uint row = k + lane / STAGE_COLUMNS, col = lane % STAGE_COLUMNS,
             p = shared.positions[sub][row];
        if (p != NO_POSITION && c0 + col < width)
          panel[(ulong)p * ld + c0 + col] = my_stage[row * STAGE_LD + col];
      }
    }
  }
  if (failed && waiter && group == 0 && lane == 0)
    for (uint j = known; j < width; ++j) pivots[pivot_offset + j] = (int)(row_base + j);
  if (failed && id == 0) info[1] = 1;
}
