// How many multiply-adds a device does in a second, in f32 and in f64: eight chains x <- factor x +
// term in every work-item, none of which waits for another. They are written as the products of
// matrices are, so that the compiler makes of them what it makes of those.
//
// sums[i] <- the sum of work-item i's chains, which started at 0 to 7, after 8 `steps` links each.
// NDRange: one dimension, any number of groups of any size. Local memory: none.

#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#define LINK(x) x = x * factor + term;
#define LINKS LINK(a) LINK(b) LINK(c) LINK(d) LINK(e) LINK(f) LINK(g) LINK(h)

// A turn of the loop has eight links of each chain, so that its counting takes no time to speak of.
#define TWICE(work) work work
#define CHAINS(NAME, TYPE)                                                  \
  kernel void NAME(global TYPE* sums, TYPE factor, TYPE term, uint steps) { \
    TYPE a = 0, b = 1, c = 2, d = 3, e = 4, f = 5, g = 6, h = 7;            \
    for (uint i = 0; i < steps; ++i) {                                      \
      TWICE(TWICE(TWICE(LINKS)))                                            \
    }                                                                       \
    sums[get_global_id(0)] = ((a + b) + (c + d)) + ((e + f) + (g + h));     \
  }

CHAINS(multiply_add_f32, float)
#ifdef cl_khr_fp64
CHAINS(multiply_add_f64, double)
#endif
