// r = b - A x and d = |b| + |A| |x| of numbers of f64, for devices without fp64: in integers alone,
// which no option of a compiler and no flushed denormal number spoils. Numbers come as their bits.
//
// A number that is not 0 is +-m 2^e with 2^63 <= m < 2^64; its low bits, 11 or more, are 0. The
// terms of a row are b_i 1 and -a_ij x_j. Of each the product p = floor(m_a m_x / 2^64) is taken,
// 2^62 <= p < 2^64, the exponent being e_a + e_x + 64. With E the largest exponent of the row's
// terms, q = floor(p / 2^(E - exponent)) is what is summed up: of a term's magnitude t,
//   0 <= t - q 2^E < 2 2^E                     (less than 1 is cut off by each floor, in units of
//                                              2^E at most).
// The sums are exact: of the low and of the high 32 bits of q apart, in 64 bits, for up to 2^31 - 1
// terms. The term with the largest exponent alone makes d >= 2^62 2^E, so that, n being the terms
// in a row of A,
//   |r' - r| <= 2 (n + 1) 2^E <= (n + 1) 2^-61 d   and   0 <= d - d' <= (n + 1) 2^-61 d,
// hundreds of times less than n operations in f64 round, whatever the numbers' range. The host
// rounds the sums to f64, once.
//
//   a, a_ld      n columns, row-major
//   x            nrhs x n: a right-hand side is a row
//   b            nrhs x rows_of_b
//   sums         nrhs x rows_of_b x 4: r's sums of high and of low parts, d's
//   exponents    nrhs x rows_of_b: E; the largest int where a number is an infinity or NaN
//
// Macro: WG_SIZE, work-items that share a row, a power of two. NDRange: (rows WG_SIZE) x nrhs,
// local WG_SIZE x 1, for the first `rows` of rows_of_b. Local memory: 36 WG_SIZE bytes.

#include "common.clh"

#ifndef WG_SIZE
#error "WG_SIZE must be defined"
#endif

#define NO_NUMBER INT_MAX

typedef struct {
  ulong m;
  int e;
  bool negative, finite;
} number;

number number_of(const ulong bits) {
  const uint biased = (uint)(bits >> 52) & 2047;
  const ulong fraction = bits & 0xFFFFFFFFFFFFFUL;
  const ulong m = biased > 0 ? fraction | 0x10000000000000UL : fraction;
  const uint shift = (uint)clz(m) & 63;
  number v;
  v.m = m << shift;
  v.e = (int)max(biased, 1u) - 1075 - (int)shift;
  v.negative = bits >> 63;
  v.finite = biased < 2047;
  return v;
}

int top_of(const number a, const number x) {
  if (!a.finite || !x.finite) return NO_NUMBER;
  return a.m > 0 && x.m > 0 ? a.e + x.e + 64 : INT_MIN;
}

// Adds +-a x, in units of 2^top, to the four sums.
void add_term(const number a, const number x, const bool negative, const int top, long* sums) {
  if (a.m == 0 || x.m == 0) return;
  const int shift = top - (a.e + x.e + 64);
  const ulong q = shift < 64 ? mul_hi(a.m, x.m) >> shift : 0;
  const long high = (long)(q >> 32), low = (long)(q & 0xFFFFFFFFUL);
  sums[0] += negative ? -high : high;
  sums[1] += negative ? -low : low;
  sums[2] += high;
  sums[3] += low;
}

kernel __attribute__((reqd_work_group_size(WG_SIZE, 1, 1))) void residual_integer(
    const global ulong* restrict a, const uint a_ld, const uint n, const uint rows_of_b,
    const global ulong* restrict x, const global ulong* restrict b, global long* restrict sums,
    global int* restrict exponents) {
  local int tops[WG_SIZE];
  local long parts[4 * WG_SIZE];
  const uint id = get_local_id(0), i = get_group_id(0), c = get_group_id(1);
  const global ulong* row = a + (ulong)i * a_ld;
  const global ulong* v = x + (ulong)c * n;
  const ulong at = (ulong)c * rows_of_b + i;
  const number right = number_of(b[at]), one = number_of(0x3FF0000000000000UL);
  int top = top_of(right, one);
  for (uint j = id; j < n; j += WG_SIZE) top = max(top, top_of(number_of(row[j]), number_of(v[j])));
  tops[id] = top;
  for (uint step = WG_SIZE / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < step) tops[id] = max(tops[id], tops[id + step]);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  top = tops[0];

  long own[4] = {0, 0, 0, 0};
  if (top != NO_NUMBER) {
    if (id == 0) add_term(right, one, right.negative, top, own);
    for (uint j = id; j < n; j += WG_SIZE) {
      const number entry = number_of(row[j]), factor = number_of(v[j]);
      add_term(entry, factor, entry.negative == factor.negative, top, own);
    }
  }
  for (uint k = 0; k < 4; ++k) parts[k * WG_SIZE + id] = own[k];
  for (uint step = WG_SIZE / 2; step > 0; step /= 2) {
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < step)
      for (uint k = 0; k < 4; ++k) parts[k * WG_SIZE + id] += parts[k * WG_SIZE + id + step];
  }
  if (id == 0) {
    for (uint k = 0; k < 4; ++k) sums[4 * at + k] = parts[k * WG_SIZE];
    exponents[at] = top;
  }
}
