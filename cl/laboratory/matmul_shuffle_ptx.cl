// Kernels 4 and 5 of Lopatin's report for NVIDIA devices, whose OpenCL has no shuffle: inline PTX.
// A sub-group has 32 work-items (SG_WIDTH); NDRange and parameters in matmul_shuffle.clh.

#include "ptx.clh"

static inline float broadcast(float value, uint lane) {
  return as_float(sub_group_from(as_uint(value), lane));
}
static inline uint lane_id() { return get_local_id(0) % SG_WIDTH; }

#include "matmul_shuffle.clh"
