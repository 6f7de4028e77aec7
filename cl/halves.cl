// Splits the operands of gemm_mma_f16x3.cl: a number x of row r of A, or of column r of B, is 2^e(r) (high + low / 4096), high and
// low in f16, to 22 bits or more.
//
// e(r) brings the largest magnitude to 2^14 .. 2^15, so numbers of down to 2^-29 of that keep all these bits; below them the error is
// at most 2^-51 of the largest. Such numbers make the matrix unfit, for a sum of them only may be all of an element of the product.
// Rows and columns with an infinity or NaN become NaN; magnitudes below 2^-111 lose bits.
//
// What is written is as the registers of the matrix instructions hold it, in chunks of 8 numbers, 16 bytes: of 16 rows or columns (a
// block) all k, 16 k (a unit) after another, 64 chunks each. Rows 2g and 2g + 1 and k = 4t .. 4t + 3 of a unit make chunk 4g + t (high)
// and 32 + 4g + t (low), each in the order (2g, 4t), (2g, 4t + 1), (2g + 1, 4t), (2g + 1, 4t + 1), (2g, 4t + 2), ... Column 4g + j of
// 32 and the same k make chunk (j % 2) 32 + 4g + t of block j / 2 of these columns' two: four high parts, then four low ones. Numbers
// beyond the matrix are 0.
// Arguments: padded_k         a multiple of 32, at least k
//            exponents        e of every row, of every column
//            unfit, epoch     unfit[0] becomes epoch, if it is less, where the matrix is unfit
// NDRange: split_rows GROUP items for every two rows, split_columns 32 x 8 items for every 32 columns; the blocks that the products
//   read, all of them.
// Parameter: GROUP            work-items of two rows
#ifndef GROUP
#error "GROUP must be defined"
#endif

typedef struct {
  float4 high, low;
} Halves;

// The largest so far, as bits without the sign.
static inline uint larger(uint largest, float x) { return max(largest, as_uint(x) & 0x7fffffffu); }

static inline int exponent_of(uint largest) { return max((int)(largest >> 23) - 127, -112) - 14; }

// Of four numbers of a row whose largest is `largest`; is_unfit becomes true if one of them does not keep its bits.
static inline Halves split(float4 x, uint largest, bool* is_unfit) {
  const float4 scaled = x * as_float((uint)(127 - exponent_of(largest)) << 23);
  const uint4 bits = as_uint4(scaled), magnitude = bits & 0x7fffffffu;
  const int4 is_subnormal = magnitude < 0x38800000u;  // 2^-14, the least of f16 that is not
  // To nearest, ties to even: 11 bits, or a multiple of 2^-24.
  const float4 normal = as_float4((bits + 0xfffu + ((bits >> 13) & 1u)) & 0xffffe000u);
  const float4 high = select(normal, (scaled + 0.75f) - 0.75f, is_subnormal);
  *is_unfit |= any(magnitude < 0x38000000u && magnitude != 0u);  // 2^-15
  const bool finite = largest < 0x7f800000u;
  const Halves halves = {finite ? high : (float4)(NAN), (scaled - high) * 4096.0f};
  return halves;
}

// Four numbers, `stride` apart, of which `count` are there.
static inline float4 load4(global const float* from, ulong stride, int count) {
  float4 x = 0.0f;
  if (count > 0) x.s0 = from[0];
  if (count > 1) x.s1 = from[stride];
  if (count > 2) x.s2 = from[2 * stride];
  if (count > 3) x.s3 = from[3 * stride];
  return x;
}

kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void split_rows(
    int rows, int k, int padded_k, global const float* restrict a, ulong a_offset, uint lda,
    global half* restrict halves, global int* restrict exponents, volatile global uint* unfit,
    uint epoch) {
  const int item = get_local_id(0), row = 2 * get_group_id(0);
  global const float* const from = a + a_offset + (ulong)row * lda;
  const int there[2] = {row < rows ? k : 0, row + 1 < rows ? k : 0};
  local uint group_largest[2];
  if (item < 2) group_largest[item] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int r = 0; r < 2; ++r) {
    uint largest = 0;
    for (int j = item; j < there[r]; j += GROUP)
      largest = larger(largest, from[r * (ulong)lda + j]);
    atomic_max(&group_largest[r], largest);
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (item < 2) exponents[row + item] = exponent_of(group_largest[item]);
  bool is_unfit = false;
  for (int q = item; q < padded_k / 4; q += GROUP) {
    const Halves one = split(load4(from + 4 * q, 1, there[0] - 4 * q), group_largest[0], &is_unfit),
                 other = split(load4(from + lda + 4 * q, 1, there[1] - 4 * q), group_largest[1],
                               &is_unfit);
    const ulong chunk =
        ((ulong)(row / 16) * (padded_k / 16) + q / 4) * 64 + row % 16 / 2 * 4 + q % 4;
    vstore_half8_rte((float8)(one.high.lo, other.high.lo, one.high.hi, other.high.hi), chunk,
                     halves);
    vstore_half8_rte((float8)(one.low.lo, other.low.lo, one.low.hi, other.low.hi), chunk + 32,
                     halves);
  }
  if (is_unfit) atomic_max(unfit, epoch);
}

kernel __attribute__((reqd_work_group_size(32, 8, 1))) void split_columns(
    int columns, int k, int padded_k, global const float* restrict b, ulong b_offset, uint ldb,
    global half* restrict halves, global int* restrict exponents, volatile global uint* unfit,
    uint epoch) {
  const int x = get_local_id(0), y = get_local_id(1), column = 32 * get_group_id(0) + x;
  const int there = column < columns ? k : 0;
  global const float* const from = b + b_offset + column;
  local uint group_largest[32];
  if (y == 0) group_largest[x] = 0;
  barrier(CLK_LOCAL_MEM_FENCE);
  uint largest = 0;
  for (int i = y; i < there; i += 8) largest = larger(largest, from[(ulong)i * ldb]);
  atomic_max(&group_largest[x], largest);
  barrier(CLK_LOCAL_MEM_FENCE);
  largest = group_largest[x];
  if (y == 0) exponents[column] = exponent_of(largest);
  const int block = column / 32 * 2 + x % 4 / 2;
  bool is_unfit = false;
  for (int q = y; q < padded_k / 4; q += 8) {
    const Halves one =
        split(load4(from + (ulong)(4 * q) * ldb, ldb, there - 4 * q), largest, &is_unfit);
    const ulong chunk =
        ((ulong)block * (padded_k / 16) + q / 4) * 64 + x % 2 * 32 + x / 4 * 4 + q % 4;
    vstore_half8_rte((float8)(one.high, one.low), chunk, halves);
  }
  if (is_unfit) atomic_max(unfit, epoch);
}
