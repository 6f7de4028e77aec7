// Does one work-item run a long loop to its end? Mesa's llvmpipe cuts every work-item off after
// 65535 iterations of its loops taken together, without an error; the kernels for CPU devices,
// where a work-item does a core's share of the work, would give wrong results there.
//
// result[0] <- the state of a linear congruential generator after `steps` steps from 1.
// NDRange: one work-item.

kernel void count_steps(global uint* result, uint steps) {
  uint state = 1;
  for (uint i = 0; i < steps; ++i) state = state * 1664525u + 1013904223u;
  result[0] = state;
}
