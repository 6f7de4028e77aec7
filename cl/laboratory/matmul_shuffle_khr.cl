// Kernels 4 and 5 of Lopatin's report for devices with cl_khr_subgroup_shuffle; NDRange and
// parameters in matmul_shuffle.clh.

#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#pragma OPENCL EXTENSION cl_khr_subgroup_shuffle : enable

static inline float broadcast(float value, uint lane) { return sub_group_shuffle(value, lane); }
static inline uint lane_id() { return get_sub_group_local_id(); }

#include "matmul_shuffle.clh"
