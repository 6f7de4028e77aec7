// One panel of P A P^T = L D L^T, or L D L^H, in ONE launch of work-groups that wait for each
// other, portable OpenCL C 1.2: the counterpart of ldlt_panel (ldlt_panel.clh, where the pivots and
// the results are described) for GPUs.
//
// Every work-item owns a row. A column is brought up to date by all of them when it is examined,
// each with what the columns before left in its row; each group sends its largest element, that
// one's row and where it is, and the groups agree on a pivot by what all have sent. Nothing is
// moved meanwhile: a row carries its position, which tells where it is written at the end, and A is
// not written at all (ldlt_displace), so a panel that was given up can be factored again. Every
// group keeps the rows that the panel's columns are of, so a step takes one round trip between
// groups, and two more, one for a row and one for what its column holds, where the largest
// element's column is examined, too.
//
// NDRange: one dimension, local ROWS, groups ceil((n - first) / ROWS). More than one group: ALL
// MUST BE CO-RESIDENT (the host probes with this very kernel). A wait gives up after SPIN_LIMIT
// polls and sets done[2]; what the panel left is then worthless.
//   brought   columns first .. first + width - 1 of A as rows, from the diagonal on (ldlt_bring)
//   x         scratch, as large as w: (L D)^T in the order in which the rows were
//   places    of rows from `first` on: their positions behind the panel
//   picked    of column first + t of the panel, t < done[0]: its row; WIDTH behind that, the column
//             it changed places with, and again WIDTH behind, its kind
//   exchange  2 * (groups * (HEADER_WORDS + CANDIDATE_WORDS) + SHARED_WORDS) packets, set to zero
//             once
//   epoch     > 0, grows by at least 2 * width from launch to launch on one exchange buffer, and
//             epoch + 2 * width fits half a packet
// The other arguments are those of ldlt_panel.
//   SUB_GROUPS  1: a group finds its largest element by NVIDIA's instructions (waiting_ptx.clh)
// Local memory: (WIDTH + 11) * WIDTH NUMBERs, ROWS * 16 bytes and some more: 41 KiB for f64, 128
// rows and 64 columns.

#include "common.clh"
#include "numbers.clh"
#include "waiting.clh"
#if SUB_GROUPS
#include "waiting_ptx.clh"
#endif

#if !defined(WIDTH) || !defined(ROWS) || !defined(SUB_GROUPS)
#error "WIDTH, ROWS and SUB_GROUPS must be defined"
#endif
#if ROWS % 64 != 0 || 2 * WIDTH > ROWS
#error "ROWS must be a multiple of 64, and WIDTH at most half of it"
#endif

#include "ldlt_pivot.clh"
#include "pivot.clh"

#define HALF (ROWS / 2)  // of the work-items: these wait for headers, the others for numbers
#define NO_ROW 0xffffffffu
#define HEADER_WORDS (REAL_WORDS + 2 * PLACE_WORDS)
#define CANDIDATE_WORDS ((WIDTH + 1) * NUMBER_WORDS)
#define SHARED_WORDS CANDIDATE_WORDS
#define NOT_FINITE (key_of(BITS_OF((REAL)INFINITY)))

// Where the packets of an exchange lie.
typedef struct {
  volatile global Packet *headers, *candidates, *elements;
  uint tag;
} Mail;
INLINE Mail mail_of(volatile global Packet* exchange, const uint tag) {
  const uint groups = get_num_groups(0);
  Mail mail;
  mail.headers =
      exchange + (tag & 1u) * ((ulong)groups * (HEADER_WORDS + CANDIDATE_WORDS) + SHARED_WORDS);
  mail.candidates = mail.headers + (ulong)groups * HEADER_WORDS;
  mail.elements = mail.candidates + (ulong)groups * CANDIDATE_WORDS;
  mail.tag = tag;
  return mail;
}

// A before the panel: the columns below `end` were brought, the others lie in the lower triangle.
typedef struct {
  const global NUMBER *a, *brought;
  ulong ld, w_ld;
  uint first, end;
} Before;
INLINE NUMBER element(const Before before, const uint i, const uint c) {
  const uint low = min(i, c), high = max(i, c);
  const NUMBER v = low < before.end ? before.brought[(low - before.first) * before.w_ld + high]
                                    : before.a[high * before.ld + low];
  return i < c ? conjugate(v) : v;
}

// What a work-group shares.
typedef struct {
  NUMBER panel[WIDTH * WIDTH];           // of (L D)^T, the rows first .. first + width - 1
  NUMBER other[WIDTH + 1];               // of the largest element's row, and that element
  NUMBER here[WIDTH], there[WIDTH + 1];  // elements of the two columns in the panel's rows;
                                         // there[WIDTH]: in the largest element's
  NUMBER m[WIDTH];                       // multipliers
  // The LU of the blocks of D by rows, of which a 1 x 1 pivot's is itself, and of what divides.
  NUMBER left[WIDTH], right[WIDTH], inverse[WIDTH];
  NUMBER d[WIDTH], below[WIDTH];  // D as it is told
  NUMBER l21, inverse_of_beside;
  Candidate all[SUB_GROUPS ? ROWS / 32 : ROWS], eighths[EIGHTHS];
  uint kinds[WIDTH];
  uint at[WIDTH];  // of the panel's positions: the row
  uint to[WIDTH];  // exchanges
  uint is_careful[WIDTH];
  uint gave_up[2];  // in step 2 and 3: nobody sets one that another has yet to read
} Shared;

// m[t] <- conj(L(row, t)), t < count, from the row of L D.
INLINE void find_multipliers(local Shared* shared, const local NUMBER* row, const uint ld,
                             const uint count) {
  for (uint t = get_local_id(0); t < count; t += ROWS) {
    const uint kind = shared->kinds[t], top = kind == SECOND ? t - 1 : t;
    const bool careful = shared->is_careful[top];
    const NUMBER w0 = conjugate(row[top * ld]);
    if (kind == SINGLE) {
      shared->m[t] =
          careful ? multiplier(w0, real_part(shared->left[t])) : product(w0, shared->inverse[t]);
    } else {
      const NUMBER w1 = conjugate(row[(top + 1) * ld]), v1 = LESS(w0, shared->left[top + 1], w1),
                   l1 = careful ? quotient(v1, shared->right[top + 1])
                                : product(v1, shared->inverse[top + 1]),
                   v0 = LESS(w1, shared->right[top], l1);
      shared->m[t] = kind == SECOND ? l1
                     : careful      ? quotient(v0, shared->left[top])
                                    : product(v0, shared->inverse[top]);
    }
  }
}

// v - sum over t < count of m[t] x[t ld].
INLINE NUMBER remaining(NUMBER v, const global NUMBER* x, const ulong ld, const local NUMBER* m,
                        const uint count) {
  NUMBER v1 = 0, v2 = 0, v3 = 0;
  uint t = 0;
  for (; t + 8 <= count; t += 8) {
    const global NUMBER* const from = x + t * ld;
    const local NUMBER* const by = m + t;
    const NUMBER x0 = from[0], x1 = from[ld], x2 = from[2 * ld], x3 = from[3 * ld],
                 x4 = from[4 * ld], x5 = from[5 * ld], x6 = from[6 * ld], x7 = from[7 * ld];
    v = LESS(v, by[0], x0);
    v1 = LESS(v1, by[1], x1);
    v2 = LESS(v2, by[2], x2);
    v3 = LESS(v3, by[3], x3);
    v = LESS(v, by[4], x4);
    v1 = LESS(v1, by[5], x5);
    v2 = LESS(v2, by[6], x6);
    v3 = LESS(v3, by[7], x7);
  }
  for (; t < count; ++t) v = LESS(v, m[t], x[t * ld]);
  return (v + v1) + (v2 + v3);
}

// The best of the group's, for all of it.
INLINE Candidate best_in_group(const Candidate mine, local Shared* shared) {
  const uint id = get_local_id(0);
#if SUB_GROUPS
  if (is_best_of_sub_group(mine)) shared->all[id / 32] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  Candidate best = shared->all[0];
#pragma unroll
  for (uint q = 1; q < ROWS / 32; ++q) best = better(best, shared->all[q]);
  barrier(CLK_LOCAL_MEM_FENCE);
  return best;
#else
  shared->all[id] = mine;
  barrier(CLK_LOCAL_MEM_FENCE);
  if (id < EIGHTHS) {
    Candidate best = best_of(shared->all + id, EIGHTHS);
    for (uint q = 64; q < ROWS; q += 64)
      best = better(best, best_of(shared->all + q + id, EIGHTHS));
    shared->eighths[id] = best;
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return best_of(shared->eighths, 1u);
#endif
}

kernel __attribute__((reqd_work_group_size(ROWS, 1, 1))) void ldlt_panel_waiting(
    const global NUMBER* a, const ulong offset, const ulong ld, const uint n, const uint first,
    const uint width, const global NUMBER* brought, global NUMBER* x, global NUMBER* w,
    const ulong w_ld, global NUMBER* d, global uint* places, global uint* picked, global uint* done,
    volatile global int* info, volatile global Packet* exchange, const uint epoch) {
  local Shared shared;
  const uint id = get_local_id(0), group = get_group_id(0), groups = get_num_groups(0);
  const uint i = first + group * ROWS + id, end = first + width, last = end < n ? end - 1 : n;
  const Before before = {a + offset, brought, ld, w_ld, first, end};
  global NUMBER* const mine = x + i;  // of L D
  bool active = i < n;
  uint position = i, count = 0, tag = epoch;
  bool good = done[1] == 0;
  for (uint t = id; t < width; t += ROWS) shared.at[t] = first + t;
  if (id < 2) shared.gave_up[id] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);

  while (good && first + count < last) {
    const uint k = first + count, c = shared.at[count];
    // 1. Column c.
    NUMBER s0 = active ? element(before, i, c) : (NUMBER)(0), s1 = 0;
    find_multipliers(&shared, shared.panel + (c - first), WIDTH, count);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (active) s0 = remaining(s0, mine, w_ld, shared.m, count);
    Mail mail = mail_of(exchange, tag);
    if (i < end) send_number(mail.elements + (i - first) * NUMBER_WORDS, s0, tag);
    Candidate best = {active && i != c ? key_of(BITS_OF(size_of(s0))) : 0, position, i};
    best = best_in_group(best, &shared);
    volatile global Packet* const header = mail.headers + (ulong)group * HEADER_WORDS;
    if (id == 0) send(header, best.key, REAL_WORDS, tag);
    if (id == 1) send(header + REAL_WORDS, best.place, PLACE_WORDS, tag);
    if (id == 2) send(header + REAL_WORDS + PLACE_WORDS, best.owner, PLACE_WORDS, tag);
    if (best.key != 0 && best.owner >= end) {
      volatile global Packet* const row = mail.candidates + (ulong)group * CANDIDATE_WORDS;
      if (i == best.owner) send_number(row + WIDTH * NUMBER_WORDS, s0, tag);
      if (id < count) send_number(row + id * NUMBER_WORDS, x[id * w_ld + best.owner], tag);
    }

    // 2. What all have sent, this group, too: hence the barrier.
    uint spins = 0;
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    best.key = 0;
    for (uint g = id; id < HALF && g < groups; g += HALF) {
      Word words[HEADER_WORDS];
      await(mail.headers + (ulong)g * HEADER_WORDS, words, HEADER_WORDS, tag, &spins);
      const Candidate other = {joined(words, REAL_WORDS),
                               (uint)joined(words + REAL_WORDS, PLACE_WORDS),
                               (uint)joined(words + REAL_WORDS + PLACE_WORDS, PLACE_WORDS)};
      best = better(best, other);
    }
    if (id >= HALF && id < HALF + width)
      shared.here[id - HALF] =
          await_number(mail.elements + (id - HALF) * NUMBER_WORDS, tag, &spins);
    if (spins >= SPIN_LIMIT) shared.gave_up[0] = 1;
    best = best_in_group(best, &shared);
    if (shared.gave_up[0]) break;
    ++tag;
    const NUMBER of_c = shared.here[c - first];
    const REAL diagonal = fabs(real_part(of_c)),
               largest = best.key == 0 ? (REAL)0 : REAL_OF(best.key - 1);
    good = best.key < NOT_FINITE && diagonal < (REAL)INFINITY;

    // 3. The column of its largest element.
    const uint r = best.owner, place = best.place;
    const bool elsewhere = good && is_small(diagonal, largest);
    bool stays = true, two = false;
    if (elsewhere) {
      if (active) s1 = element(before, i, r);
      if (r >= end && (id < count || id == WIDTH))
        shared.other[id] = await_number(
            mail.candidates + (ulong)((r - first) / ROWS) * CANDIDATE_WORDS + id * NUMBER_WORDS,
            mail.tag, &spins);
      if (r < end && id == WIDTH) shared.other[WIDTH] = shared.here[r - first];
      if (spins >= SPIN_LIMIT) shared.gave_up[1] = 1;
      barrier(CLK_LOCAL_MEM_FENCE);
      if (r < end)
        find_multipliers(&shared, shared.panel + (r - first), WIDTH, count);
      else
        find_multipliers(&shared, shared.other, 1, count);
      barrier(CLK_LOCAL_MEM_FENCE);
      if (shared.gave_up[1]) break;
      if (active) s1 = remaining(s1, mine, w_ld, shared.m, count);
      mail = mail_of(exchange, tag);
      if (i < end) send_number(mail.elements + (i - first) * NUMBER_WORDS, s1, tag);
      if (i == r) send_number(mail.elements + WIDTH * NUMBER_WORDS, s1, tag);
      Candidate most = {active && i != r ? key_of(BITS_OF(size_of(s1))) : 0, 0, 0};
      most = best_in_group(most, &shared);
      if (id == 0) send(mail.headers + (ulong)group * HEADER_WORDS, most.key, REAL_WORDS, tag);
      most.key = 0;
      barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
      for (uint g = id; id < HALF && g < groups; g += HALF) {
        Word words[REAL_WORDS];
        await(mail.headers + (ulong)g * HEADER_WORDS, words, REAL_WORDS, tag, &spins);
        most.key = max(most.key, joined(words, REAL_WORDS));
      }
      if (id >= HALF && id < HALF + width)
        shared.there[id - HALF] =
            await_number(mail.elements + (id - HALF) * NUMBER_WORDS, tag, &spins);
      if (id == HALF)
        shared.there[WIDTH] = await_number(mail.elements + WIDTH * NUMBER_WORDS, tag, &spins);
      if (id == HALF - 1) {  // whose sub-group mostly waits for nothing
        shared.l21 = quotient(of_real(real_part(of_c)), shared.other[WIDTH]);
        shared.inverse_of_beside = reciprocal(shared.other[WIDTH]);
      }
      if (spins >= SPIN_LIMIT) shared.gave_up[1] = 1;
      most = best_in_group(most, &shared);
      if (shared.gave_up[1]) break;
      ++tag;
      const REAL other_diagonal = fabs(real_part(shared.there[WIDTH])),
                 most_of_other = REAL_OF(most.key - 1);  // at least `largest`
      good = most.key < NOT_FINITE && other_diagonal < (REAL)INFINITY;
      stays = stays_there(diagonal, largest, most_of_other);
      two = !stays && takes_two(other_diagonal, most_of_other);
    }
    if (!good) break;

    // 4. The pivot.
    const uint kk = two ? k + 1 : k, from = shared.at[kk - first];  // changes places with row r
    const bool by_c = stays || two;                                 // whether column c is in it
    if (i < n) mine[count * w_ld] = by_c ? s0 : s1;
    if (i < n && two) mine[(count + 1) * w_ld] = s1;
    if (i == r && !stays)
      position = kk;
    else if (i == from && !stays)
      position = place;
    active = active && !(by_c && i == c) && !(!stays && i == r);
    if (id < width) {
      shared.panel[count * WIDTH + id] = by_c ? shared.here[id] : shared.there[id];
      if (two) shared.panel[(count + 1) * WIDTH + id] = shared.there[id];
    }
    const NUMBER own = of_real(real_part(by_c ? of_c : shared.there[WIDTH]));
    const NUMBER beside = shared.other[WIDTH], next = of_real(real_part(shared.there[WIDTH])),
                 u22 = LESS(conjugate(beside), shared.l21, next);
    bool bad = false;
    if (id == ROWS - 1) {
      shared.d[count] = own;
      shared.below[count] = two ? beside : of_real(0);
      shared.left[count] = two ? beside : own;
      bad = is_zero(two ? u22 : own);
      if (two) {
        shared.d[count + 1] = next;
        shared.below[count + 1] = of_real(0);
        shared.right[count] = next;
        shared.left[count + 1] = shared.l21;
        shared.right[count + 1] = u22;
        shared.inverse[count] = shared.inverse_of_beside;
        shared.inverse[count + 1] = bad ? of_real(0) : reciprocal(u22);
      } else {
        shared.inverse[count] = bad ? of_real(0) : of_real(1 / real_part(own));
      }
      shared.is_careful[count] = is_unusual(two ? beside : own) || (two && is_unusual(u22));
      if (bad && group == 0) (void)atomic_min(info, (int)kk);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id == 0) {
      if (!stays) {
        shared.at[kk - first] = r;
        if (place < end && place != kk) shared.at[place - first] = from;
      }
      if (two) shared.to[count] = k;
      shared.to[kk - first] = stays ? k : place;
      shared.kinds[count] = two ? FIRST : SINGLE;
      if (two) shared.kinds[count + 1] = SECOND;
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    count += two ? 2 : 1;
  }

  if (shared.gave_up[0] || shared.gave_up[1]) {
    if (id == 0) done[2] = 1;
    return;
  }
  if (!good) {
    if (group == 0 && id == 0) {
      (void)atomic_min(info, (int)(first + count));
      w[count * w_ld + first + count] = of_real((REAL)NAN);
      done[0] = width;
      done[1] = 1;
    }
    return;
  }
  if (i < n) {
    const uint taken = position - first;
    // What stands in its block is of D.
    const uint length = taken < count ? taken - (shared.kinds[taken] == SECOND ? 1 : 0) : count;
    for (uint t = 0; t < length; ++t) w[t * w_ld + position] = mine[t * w_ld];
    places[i] = position;
  }
  if (group != 0) return;
  for (uint t = id; t < count; t += ROWS) {
    const uint kind = shared.kinds[t], k = first + t, block = kind == SECOND ? k - 1 : k;
    w[t * w_ld + block] = shared.left[t];
    if (kind != SINGLE) w[t * w_ld + block + 1] = shared.right[t];
    d[k] = shared.d[t];
    d[n + k] = shared.below[t];
    picked[t] = shared.at[t];
    picked[WIDTH + t] = shared.to[t];
    picked[2 * WIDTH + t] = kind;
  }
  if (id == 0) done[0] = count;
}

// What such a panel of done[0] columns left to do: moves the columns whose places others took to
// where those were, in the lower triangle, and writes kinds, exchanges, order, rows and ends.
// NDRange: local ROWS, the n - first rows, rounded up.
kernel __attribute__((reqd_work_group_size(ROWS, 1, 1))) void ldlt_displace(
    global NUMBER* a, const ulong offset, const ulong ld, const uint n, const uint first,
    const uint width, const global NUMBER* brought, const ulong w_ld, const global uint* places,
    const global uint* picked, global uint* kinds, global uint* exchanges, global uint* order,
    global uint* rows, global uint* ends, const global uint* done) {
  local uint of_columns[WIDTH], of_rows[WIDTH];
  if (done[1] != 0 || done[2] != 0) return;
  const uint id = get_local_id(0), i = first + (uint)get_global_id(0), end = first + width,
             count = done[0], behind = first + count;
  global NUMBER* const corner = a + offset;
  const uint at = i < n ? places[i] : 0;  // below `behind`: a pivot
  for (uint t = first; at >= behind && t <= i && t < end; ++t) {
    const uint to = places[t];
    if (to < behind || (to == t && at == i)) continue;
    const NUMBER v = brought[(t - first) * w_ld + i];
    if (at >= to)
      corner[at * ld + to] = v;
    else
      corner[to * ld + at] = conjugate(v);
  }
  if (get_group_id(0) != 0) return;
  for (uint t = id; t < width; t += ROWS) {
    of_rows[t] = order[first + t];
    if (t < count) of_columns[t] = order[picked[t]];
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  for (uint t = id; t < width; t += ROWS) {
    const uint k = first + t, to = places[k];
    if (to >= behind && to != k) order[to] = of_rows[t];
    if (t >= count) continue;
    const uint kind = picked[2 * WIDTH + t];
    kinds[k] = kind;
    exchanges[k] = picked[WIDTH + t];
    order[k] = of_columns[t];
    rows[k] = of_columns[kind == FIRST ? t + 1 : kind == SECOND ? t - 1 : t];
    ends[k] = behind;
  }
}
