#pragma once
/// Loops in the widest vectors that the processor has. They are templates over Vectors and are
/// compiled once per vector width, inside a function built for that instruction set. The caller
/// first checks which instruction set this processor supports.

#include <algorithm>
#include <clgauss/matrix.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

/// For every function that such a function calls.
#define CLGAUSS_INLINE [[gnu::always_inline]] inline

namespace clgauss {

/// Vectors of `kCount` numbers, and of integers of the same size, that need no more alignment than
/// one number.
template <Index kCount, typename Number = double>
struct Vectors {
  using Real = Number;
  using Place = std::conditional_t<sizeof(Number) == 8, std::int64_t, std::int32_t>;
  using Numbers
      [[gnu::vector_size(sizeof(Number) * kCount), gnu::aligned(sizeof(Number)), gnu::may_alias]] =
          Number;
  using Singles [[gnu::vector_size(4 * kCount), gnu::aligned(4), gnu::may_alias]] = float;
  using Places [[gnu::vector_size(sizeof(Number) * kCount), gnu::aligned(sizeof(Number))]] = Place;
  static constexpr Index kLanes = kCount;
};

template <typename V>
CLGAUSS_INLINE typename V::Numbers& at(typename V::Real* place) {
  return *reinterpret_cast<typename V::Numbers*>(place);
}
template <typename V>
CLGAUSS_INLINE const typename V::Numbers& at(const typename V::Real* place) {
  return *reinterpret_cast<const typename V::Numbers*>(place);
}

inline bool runs_everywhere() { return true; }

/// The first of `kinds`, the widest first, whose runs_here() is true; the last one's always is.
template <typename Kind, std::size_t kCount>
const Kind& first_that_runs_here(const Kind (&kinds)[kCount]) {
  return *std::ranges::find_if(kinds, [](const Kind& one) { return one.runs_here(); });
}

#if defined(__x86_64__)
#define CLGAUSS_AVX2 [[gnu::target("avx2,fma")]]
#define CLGAUSS_AVX512 [[gnu::target("avx512f,avx512dq,avx512vl,fma")]]
inline bool has_avx2() { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }
inline bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
/// F(name, lanes in f64, attribute of its functions, runs_here()) for every width, the widest
/// first.
#define CLGAUSS_EACH_WIDTH(F)              \
  F(avx512, 8, CLGAUSS_AVX512, has_avx512) \
  F(avx2, 4, CLGAUSS_AVX2, has_avx2)       \
  F(pairs, 2, , runs_everywhere)
#else
#define CLGAUSS_EACH_WIDTH(F) F(pairs, 2, , runs_everywhere)
#endif

}  // namespace clgauss
