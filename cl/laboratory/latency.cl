// How long one access takes when the next one waits for it: a work-item follows a chain, at <-
// next[at].
//
//   next      a permutation with one cycle
//   result[0] <- the position in the chain `steps` steps after result[0]. It checks that no step is
//   left out, and lets the next launch find words that no cache holds.
//
// NDRange: one work-item. With up to 60000 steps no driver is known to cut the loop off.

// Through global memory.
kernel void chase_global(global const uint* next, uint steps, global uint* result) {
  uint at = result[0];
  for (uint s = 0; s < steps; ++s) at = next[at];
  result[0] = at;
}

// Through local memory, `count` numbers that are copied there first. Local memory: 4 count bytes.
kernel void chase_local(global const uint* next, uint steps, global uint* result, uint count,
                        local uint* copy) {
  for (uint i = 0; i < count; ++i) copy[i] = next[i];
  barrier(CLK_LOCAL_MEM_FENCE);
  uint at = result[0];
  for (uint s = 0; s < steps; ++s) at = copy[at];
  result[0] = at;
}
