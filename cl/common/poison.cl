// B = NaN where a factorisation failed, so that the result of a solve with those factors is not
// mistaken for an answer; else B is unchanged.
//
// flags[0] is `success` if every pivot was good; flags[second] is `second_success` if no kernel
// gave up waiting.
// b + b_offset: row-major, b_ld. NDRange: columns x rows of B, any local size. No branch: rusticl's
// compiler warns of every argument that is read in one.

#include "common.clh"

kernel void poison_if_failed(const global int* flags, int success, uint second, int second_success,
                             global REAL* b, ulong b_offset, uint b_ld) {
  const bool failed = flags[0] != success || flags[second] != second_success;
  const ulong at = b_offset + get_global_id(1) * b_ld + get_global_id(0);
  b[at] = failed ? (REAL)NAN : b[at];
}
