// The pieces of a product in f64 by tensor instructions on 8-bit integers, each by itself, to know what the whole would cost:
// Ozaki's scheme II scales both factors to integers, multiplies their residues to MODULI coprime moduli, and puts the product
// together by the Chinese remainder theorem. int8_bench.cpp launches them.
//
// tensor_products (NVIDIA, inline PTX): `steps` times TILES independent instructions a sub-group, whose factors are all ones, on
// integers (FLOATS 0) or on halves that are summed in f32 (1). out[i] <- sum of work-item i's entries. NDRange: local 256.
//
// residues: planes[m * count + i] <- a[4 i .. 4 i + 3] mod moduli[m], the residue next to zero. a holds integers. NDRange: count.
//
// reconstruct: c[i] -= the number whose residues are entry i mod 64 of the `remainders` to each modulus. What comes out of a product
// is that and a multiple of the modulus; it is made here, one of another size for each of the `turns` that a work-item does. NDRange:
// a multiple of 64; c has `turns` times as many.

#define MODULI 15
#define EACH_MODULUS(f)                                                                           \
  f(0, 256) f(1, 255) f(2, 253) f(3, 251) f(4, 247) f(5, 241) f(6, 239) f(7, 233) f(8, 229)       \
      f(9, 227) f(10, 223) f(11, 217) f(12, 211) f(13, 199) f(14, 197)

#ifdef FLOATS
#define TILES 8
#if FLOATS
typedef float Entry;
#define ONES 0x3c003c00u
#define MULTIPLY(d, a, b)                                                                          \
  asm volatile(                                                                                    \
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, " \
      "{%0,%1,%2,%3};"                                                                             \
      : "+f"((d)[0]), "+f"((d)[1]), "+f"((d)[2]), "+f"((d)[3])                                     \
      : "r"(a), "r"(a), "r"(a), "r"(a), "r"(b), "r"(b))
#else
typedef int Entry;
#define ONES 0x01010101u
#define MULTIPLY(d, a, b)                                                                         \
  asm volatile(                                                                                   \
      "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, " \
      "{%0,%1,%2,%3};"                                                                            \
      : "+r"((d)[0]), "+r"((d)[1]), "+r"((d)[2]), "+r"((d)[3])                                    \
      : "r"(a), "r"(a), "r"(a), "r"(a), "r"(b), "r"(b))
#endif

kernel __attribute__((reqd_work_group_size(256, 1, 1))) void tensor_products(global Entry* out,
                                                                             const uint steps) {
  Entry d[TILES][4];
#pragma unroll
  for (uint t = 0; t < TILES; ++t)
#pragma unroll
    for (uint e = 0; e < 4; ++e) d[t][e] = 0;
#pragma unroll 1
  for (uint step = 0; step < steps; ++step)
#pragma unroll
    for (uint t = 0; t < TILES; ++t) MULTIPLY(d[t], ONES, ONES);
  Entry sum = 0;
#pragma unroll
  for (uint t = 0; t < TILES; ++t)
#pragma unroll
    for (uint e = 0; e < 4; ++e) sum += d[t][e];
  out[get_global_id(0)] = sum;
}

#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define ROUNDER 0x1.8p52  // added and taken away again it leaves the next integer, and in its low bits

int low_bits(const double x) { return (int)(uint)as_ulong(x); }

kernel void residues(const global double4* restrict a, global char4* restrict planes,
                     const uint count) {
  const uint i = get_global_id(0);
  const double4 x = a[i];
#define RESIDUE(m, p)                                                                            \
  {                                                                                              \
    const double4 q = fma(x, (double4)(1.0 / p), (double4)(ROUNDER)) - ROUNDER,                  \
                  r = fma(q, (double4)(-p), x) + ROUNDER;                                        \
    planes[(ulong)m * count + i] = (char4)((char)low_bits(r.s0), (char)low_bits(r.s1),           \
                                           (char)low_bits(r.s2), (char)low_bits(r.s3));          \
  }
  EACH_MODULUS(RESIDUE)
}

// weights: those of the remainders, in two parts each; the product of the moduli, in two parts, and its reciprocal.
kernel void reconstruct(const global int* restrict remainders, const global double* restrict weights,
                        global double* restrict c, const uint turns) {
#define REMAINDER(m, p) const int r_##m = remainders[m * 64 + get_global_id(0) % 64];
  EACH_MODULUS(REMAINDER)
  for (uint turn = 0; turn < turns; ++turn) {
    double high = 0, low = 0;
#define ADD(m, p)                                                                            \
  {                                                                                          \
    const int t = r_##m + (int)turn * p;                                                     \
    const int r = t - p * (int)rint((float)t * (1.0f / p));                                  \
    high = fma((double)r, weights[2 * m], high);                                             \
    low = fma((double)r, weights[2 * m + 1], low);                                           \
  }
    EACH_MODULUS(ADD)
    const double q = rint((high + low) * weights[2 * MODULI + 2]);
    const ulong i = (ulong)turn * get_global_size(0) + get_global_id(0);
    c[i] -= fma(-q, weights[2 * MODULI], high) + fma(-q, weights[2 * MODULI + 1], low);
  }
}

#endif
