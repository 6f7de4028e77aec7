// result[0] <- x[0] + .. + x[n - 1], by one launch.
//
// NDRange: whole groups of any size; their work-items add up numbers that lie a whole range apart.
// partial: a number a group; done: 0, and 0 again at the end; sums: a number a work-item of a group.
//
// Each group leaves the sum of its part in `partial` and counts itself in `done`. The last one to do so, which finds all
// others counted, adds up the parts. No group waits for another.

float sum_of_group(float mine, local float* sums) {
  const uint item = get_local_id(0);
  sums[item] = mine;
  for (uint size = get_local_size(0); size > 1; size = (size + 1) / 2) {
    const uint half_of_it = (size + 1) / 2;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (item + half_of_it < size) sums[item] += sums[item + half_of_it];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  return sums[0];
}

kernel void sum(global const float* x, global float* result, volatile global float* partial,
                volatile global uint* done, local float* sums, ulong n) {
  local uint last;
  const uint groups = get_num_groups(0);
  float mine = 0;
  for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) mine += x[i];
  const float part = sum_of_group(mine, sums);
  if (get_local_id(0) == 0) {
    partial[get_group_id(0)] = part;
    mem_fence(CLK_GLOBAL_MEM_FENCE);
    last = atomic_inc(done) == groups - 1;
  }
  barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
  const uint parts = last ? groups : 0;
  mine = 0;
  for (uint i = get_local_id(0); i < parts; i += get_local_size(0)) mine += partial[i];
  const float whole = sum_of_group(mine, sums);
  if (parts > 0 && get_local_id(0) == 0) {
    result[0] = whole;
    done[0] = 0;
  }
}
