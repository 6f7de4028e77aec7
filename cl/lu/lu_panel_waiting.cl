// LU panel with true partial pivoting in ONE launch, portable OpenCL C 1.2: P A = L U, A m x width,
// width <= PANEL_WIDTH. The counterpart of lu_panel_persistent.cl, which describes the scheme, for
// devices without its instructions. The differences are:
//  - The packets are those of waiting.clh, their tag is the number of the column.
//  - No sub-groups: the rows' owners and the WAITERS, who own none and do all the searching,
//    sending and waiting, meet at barriers of the work-group, seven a column.
// Complex numbers take the pivot from its row. H200, f32, PANEL_WIDTH 32, ROWS 256, 64 bits: 2.2 us
// a column over the panels of n = 4096 where lu_panel_persistent.cl takes 1.7; with chains of
// comparisons instead of trees it was 3.9.
//
// NDRange: one dimension, local ROWS + WAITERS, groups ceil(m / ROWS). More than one group: ALL
// MUST BE CO-RESIDENT (the host probes with this very kernel). A wait gives up after SPIN_LIMIT
// polls and sets info[1]; the panel is then worthless, and the exchanges name rows of the matrix
// nonetheless.
//   a + offset  the panel's first element, row-major, leading dimension ld (in: A, out: L\U)
//   pivots      pivots[pivot_offset + j] = row_base + position exchanged with position j, j < width
//   info        [0] atomic minimum of row_base + j over the columns with a zero or NaN pivot,
//               [1] = 1: gave up waiting
//   exchange    2 * groups * (HEADER_WORDS + ROW_WORDS) packets, set to zero once
//   epoch       > 0, grows by at least `width` from launch to launch on one exchange buffer, and
//               epoch + width fits half a packet
// Local memory: ROWS * 9 NUMBERs, ROWS * 12 bytes and some more: 22 KiB for f64 and 256 rows.

#include "common.clh"
#include "numbers.clh"
#include "pivot.clh"
#include "waiting.clh"

#if !defined(PANEL_WIDTH) || !defined(ROWS)
#error "PANEL_WIDTH and ROWS must be defined"
#endif
#if ROWS % 64 != 0
#error "ROWS must be a multiple of 64"
#endif
#if PANEL_WIDTH > 63
#error "PANEL_WIDTH must be at most 63"
#endif
#define WAITERS 64
#define WG_SIZE (ROWS + WAITERS)
#define NO_POSITION 0xffffffffu
#define NOBODY 0xffffffffu
#define STAGE_COLUMNS 8
#define STAGE_LD (STAGE_COLUMNS + 1)

#define HEADER_WORDS (PLACE_WORDS + REAL_WORDS)
#define ROW_WORDS (PANEL_WIDTH * NUMBER_WORDS)

#if !COMPLEX
// A place is twice the position, and a real entry's sign.
static inline NUMBER value_of(Candidate c) {
  return REAL_OF((c.key - 1) | ((Bits)(c.place & 1u) << (REAL_BITS - 1)));
}
#endif

// The elimination that gives the next column, in all columns after it, for a row with this
// `factor`; the last element collects the `finished` entries (L, or U of a used row). `left`:
// columns of u.
static inline void eliminate(NUMBER* r, NUMBER factor, NUMBER finished, const local NUMBER* u,
                             bool guarded, bool eliminates, uint left) {
  if (!guarded) {
    UNROLLED
    for (uint c = 1; c < PANEL_WIDTH; ++c) r[c - 1] = minus_product(factor, u[c], r[c]);
  } else {
    UNROLLED
    for (uint c = 1; c < PANEL_WIDTH; ++c)
      r[c - 1] = eliminates && c < left ? minus_product(factor, u[c], r[c]) : r[c];
  }
  r[PANEL_WIDTH - 1] = finished;
}

// Copies columns c0 .. c0 + STAGE_COLUMNS of the group's rows between the panel and local memory,
// so that neighbours access neighbouring columns: row r of the stage is row rows[r] of the panel.
static inline void load_stage(const global NUMBER* panel, uint ld, uint first_row, uint m, uint c0,
                              uint width, local NUMBER* stage) {
  for (uint e = get_local_id(0); e < ROWS * STAGE_COLUMNS; e += WG_SIZE) {
    const uint row = e / STAGE_COLUMNS, col = e % STAGE_COLUMNS;
    const bool in = first_row + row < m && c0 + col < width;
    stage[row * STAGE_LD + col] =
        in ? panel[(ulong)(first_row + row) * ld + c0 + col] : (NUMBER)(0);
  }
}
static inline void store_stage(global NUMBER* panel, uint ld, const local uint* rows, uint c0,
                               uint width, const local NUMBER* stage) {
  for (uint e = get_local_id(0); e < ROWS * STAGE_COLUMNS; e += WG_SIZE) {
    const uint row = e / STAGE_COLUMNS, col = e % STAGE_COLUMNS;
    if (rows[row] != NO_POSITION && c0 + col < width)
      panel[(ulong)rows[row] * ld + c0 + col] = stage[row * STAGE_LD + col];
  }
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void lu_panel_waiting(
    global NUMBER* restrict a, ulong offset, uint ld, uint m, uint width, uint row_base,
    global int* restrict pivots, ulong pivot_offset, volatile global int* restrict info,
    volatile global Packet* exchange, uint epoch) {
  local NUMBER stage[ROWS * STAGE_LD];
  local Bits entries[ROWS];
  local uint positions[ROWS];
  local Candidate parts[WAITERS], eighths[EIGHTHS];
  local NUMBER candidate_row[PANEL_WIDTH], candidate_factor;
  local NUMBER pivot_row[2][PANEL_WIDTH];
  local NUMBER pivot_inverse;
  local uint chosen_owner, pivot_position, special[2], gave_up;

  const uint id = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
  const bool waiter = id >= ROWS;
  const uint lane = id % WAITERS;  // among the waiters
  const uint first_row = group * ROWS;
  uint position = waiter ? NO_POSITION : first_row + id;
  bool active = !waiter && position < m;
  global NUMBER* panel = a + offset;

  NUMBER r[PANEL_WIDTH];
  for (uint c0 = 0; c0 < PANEL_WIDTH; c0 += STAGE_COLUMNS) {
    load_stage(panel, ld, first_row, m, c0, width, stage);
    barrier(CLK_LOCAL_MEM_FENCE);
    UNROLLED
    for (uint c = 0; c < PANEL_WIDTH; ++c)
      if (c / STAGE_COLUMNS == c0 / STAGE_COLUMNS)
        r[c] = waiter ? (NUMBER)(0) : stage[id * STAGE_LD + c % STAGE_COLUMNS];
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);  // others will store what was read here
  }

  // Column j: `ahead` is this row's entry of the column to be searched, r still holds the state
  // before the elimination that produced it (none for j = 0), `factor` is this row's multiplier in
  // that elimination.
  NUMBER ahead = r[0], factor = 0, finished = 0;
  bool eliminates = false;
  bool guarded = false;  // something is not finite or the reciprocal would overflow: take care
                         // element by element
  if (id == 0) gave_up = 0u;
  for (uint j = 0; j < width; ++j) {
    const uint now = j & 1u, before = now ^ 1u, tag = epoch + j, shift = j > 0 ? 1u : 0u;
    volatile global Packet* sent_headers = exchange + (ulong)now * groups * HEADER_WORDS;
    volatile global Packet* sent_rows =
        exchange + 2UL * groups * HEADER_WORDS + (ulong)now * groups * ROW_WORDS;

    // 1. The group's largest entry, in three steps; its owner hands over its row.
    if (!waiter) {
      entries[id] = BITS_OF(size_of(ahead));
      positions[id] = active ? position : NO_POSITION;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (waiter) {
      Candidate part = {0, 0u, NOBODY};
      UNROLLED
      for (uint k = 0; k < ROWS; k += WAITERS) {
        const Bits bits = entries[k + lane];
        const uint at = positions[k + lane];
        const Candidate next = {at == NO_POSITION ? 0 : key_of(bits),
                                2u * at | (uint)(bits >> (REAL_BITS - 1)), k + lane};
        part = better(part, next);
      }
      parts[lane] = part;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (waiter && lane < EIGHTHS) eighths[lane] = best_of(parts + lane, EIGHTHS);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (waiter) {
      const Candidate best = best_of(eighths, 1u);
      if (lane == 0) {
        chosen_owner = best.key == 0 ? NOBODY : best.owner;
        special[now] = 0u;
      }
      volatile global Packet* header = sent_headers + (ulong)group * HEADER_WORDS;
      if (groups > 1u && lane == 0) send(header, best.key, REAL_WORDS, tag);
      if (groups > 1u && lane == 1) send(header + REAL_WORDS, best.place, PLACE_WORDS, tag);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == chosen_owner) {
      UNROLLED
      for (uint k = 0; k < PANEL_WIDTH; ++k) candidate_row[k] = r[k];
      candidate_factor = factor;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // 2. The waiters bring the row up to date and send it, then read what all groups sent.
    if (waiter) {
      if (chosen_owner != NOBODY && lane < PANEL_WIDTH) {
        const uint from = min(lane + shift, (uint)PANEL_WIDTH - 1u);
        NUMBER v = minus_product(candidate_factor, shift ? pivot_row[before][from] : (NUMBER)(0),
                                 candidate_row[from]);
        v = lane < PANEL_WIDTH - j ? v : (NUMBER)(0);
        if (groups == 1u) {
          pivot_row[now][lane] = v;
          if (!is_finite(v)) special[now] = 1u;
        } else {
          send_number(sent_rows + (ulong)group * ROW_WORDS + lane * NUMBER_WORDS, v, tag);
        }
      }
      if (groups > 1u) {
        uint spins = gave_up ? SPIN_LIMIT : 0u;
        Candidate top = {0, 0u, 0u};
        for (uint s = lane; s < groups; s += WAITERS) {
          Word words[HEADER_WORDS];
          await(sent_headers + (ulong)s * HEADER_WORDS, words, HEADER_WORDS, tag, &spins);
          const Candidate next = {joined(words, REAL_WORDS),
                                  (uint)joined(words + REAL_WORDS, PLACE_WORDS), s};
          top = better(top, next);
        }
        parts[lane] = top;
        if (spins >= SPIN_LIMIT) gave_up = 1u;
      }
    }
    // 3. Meanwhile the elimination of the column before. (No else: PoCL 3.1 took wrong rows with
    // it.)
    if (!waiter && j > 0u)
      eliminate(r, factor, finished, pivot_row[before], guarded, eliminates, PANEL_WIDTH + 1u - j);
    finished = r[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    // 4. The pivot, and its row.
    if (waiter && groups > 1u && lane < EIGHTHS) eighths[lane] = best_of(parts + lane, EIGHTHS);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (waiter) {
      const Candidate top = best_of(eighths, 1u);
      if (groups > 1u && lane < PANEL_WIDTH) {
        uint spins = gave_up || top.key == 0 ? SPIN_LIMIT : 0u;
        const NUMBER v = await_number(
            sent_rows + (ulong)top.owner * ROW_WORDS + lane * NUMBER_WORDS, tag, &spins);
        pivot_row[now][lane] = v;
        if (!is_finite(v)) special[now] = 1u;
        if (spins >= SPIN_LIMIT) gave_up = 1u;
      }
#if COMPLEX
      if (lane == 0u) {
        const NUMBER pivot = pivot_row[now][0];  // which it has put there
#else
      if (lane == WAITERS - 1u) {  // while the row travels
        const NUMBER pivot = value_of(top);
#endif
        pivot_inverse = is_zero(pivot) ? ONE : inverse_of(pivot);
        pivot_position = top.place >> 1;
        if (is_unusual(pivot)) special[now] = 1u;
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    // 5. Exchange positions, then look one column ahead. A group that gave up knows no pivot;
    // what it hands on must be a row of the matrix all the same.
    const uint chosen = gave_up ? j : pivot_position;
    guarded = special[now] != 0u;
    if (position == chosen) {
      active = false;
      position = j;
    } else if (position == j) {
      position = chosen;
    }
    eliminates = active;
    const NUMBER pivot = pivot_row[now][0];
    factor = 0;
    if (active) {
      factor = product(r[0], pivot_inverse);
      if (guarded) factor = is_zero(pivot) ? r[0] : quotient(r[0], pivot);
      finished = factor;
    }
    ahead = active ? minus_product(factor, pivot_row[now][1], r[1]) : r[1];
    if (id == ROWS && group == 0) {
      pivots[pivot_offset + j] = (int)(row_base + chosen);
      if (!gave_up && is_bad(pivot)) atomic_min(info, (int)(row_base + j));
    }
  }
  eliminate(r, factor, finished, pivot_row[(width - 1u) & 1u], guarded, eliminates,
            PANEL_WIDTH + 1u - width);
  for (uint c = width; c < PANEL_WIDTH; ++c)  // a narrow panel: finish the round
    eliminate(r, 0, r[0], pivot_row[0], true, false, 0u);

  // Every row of the panel has been read by now (its group took part in the last column), so rows
  // may be overwritten.
  if (!waiter) positions[id] = first_row + id < m && !gave_up ? position : NO_POSITION;
  for (uint c0 = 0; c0 < PANEL_WIDTH; c0 += STAGE_COLUMNS) {
    if (!waiter) {
      UNROLLED
      for (uint c = 0; c < PANEL_WIDTH; ++c)
        if (c / STAGE_COLUMNS == c0 / STAGE_COLUMNS)
          stage[id * STAGE_LD + c % STAGE_COLUMNS] = r[c];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    store_stage(panel, ld, positions, c0, width, stage);
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (gave_up && id == 0) info[1] = 1;
}
