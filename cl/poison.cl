// B = NaN where a factorisation failed, so that what a solve with its factors left is not taken for an answer; else B stays.
//
// flags[0] is `success` if every pivot was good; flags[1], looked at if `second_flag`, is 0 if no kernel gave up waiting.
// b + b_offset: row-major, b_ld. NDRange: columns x rows of B, any local size.

#include "common.clh"

kernel void poison_if_failed(const global int* flags, int success, uint second_flag,
                             global REAL* b, ulong b_offset, uint b_ld) {
    const bool failed = flags[0] != success || (second_flag != 0 && flags[1] != 0);
    if (failed) b[b_offset + get_global_id(1) * b_ld + get_global_id(0)] = (REAL)NAN;
}
