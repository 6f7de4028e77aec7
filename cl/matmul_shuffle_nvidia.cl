// Kernels 4 and 5 of Lopatin's report for NVIDIA devices, whose OpenCL has no shuffle: inline PTX. A sub-group has 32 work-items
// (SG_WIDTH); NDRange and parameters in matmul_shuffle.clh.

static inline float broadcast(float value, uint lane) {
  uint bits;
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, 0xffffffff;"
               : "=r"(bits)
               : "r"(as_uint(value)), "r"(lane));
  return as_float(bits);
}
static inline uint lane_id() { return get_local_id(0) % SG_WIDTH; }

#include "matmul_shuffle.clh"
