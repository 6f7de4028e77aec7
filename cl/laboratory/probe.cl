// Small kernels on whose work-group size `clgauss-tune explain` tries its model: in one dimension
// and in two, with local memory and without. What an element of the result is does not depend on
// the work-group size.
//
//   a, b     n-by-n, row-major, dense; b is written
//   tile     local memory, where a kernel has it: (x + 2) (y + 2) numbers for groups of x-by-y
//
// NDRange: 1-D kernels n^2 or more, 2-D kernels (columns, rows) n-by-n or more in each dimension;
// surplus work-items return at once, behind the barriers where there are any.

#define LINE const uint i = get_global_id(0), end = n * n
#define PLACE const uint j = get_global_id(0), i = get_global_id(1)

kernel void probe_scale(global const float* a, global float* b, uint n) {
  LINE;
  if (i < end) b[i] = 2 * a[i];
}

kernel void probe_add(global const float* a, global float* b, uint n) {
  LINE;
  if (i < end) b[i] = a[i] + a[end + i];
}

kernel void probe_reverse(global const float* a, global float* b, uint n) {
  LINE;
  if (i < end) b[i] = a[end - 1 - i];
}

kernel void probe_neighbours(global const float* a, global float* b, uint n) {
  LINE;
  if (i < end) b[i] = a[i] + a[i > 0 ? i - 1 : 0] + a[min(i + 1, end - 1)];
}

// Two reads, of which the second waits for the first: a holds 0 .. 15.
kernel void probe_look_up(global const float* a, global float* b, uint n) {
  LINE;
  if (i < end) b[i] = a[(uint)a[i]];
}

// 64 multiply-adds.
kernel void probe_polynomial(global const float* a, global float* b, uint n) {
  LINE;
  if (i >= end) return;
  const float x = a[i] * 0.01f;
  float sum = 1;
  for (int k = 0; k < 64; ++k) sum = sum * x + 0.5f;
  b[i] = sum;
}

kernel void probe_copy(global const float* a, global float* b, uint n) {
  PLACE;
  if (i < n && j < n) b[i * n + j] = a[i * n + j];
}

kernel void probe_rank_one(global const float* a, global float* b, uint n) {
  PLACE;
  if (i < n && j < n) b[i * n + j] = a[n * n + i * n + j] - a[j] * a[i];
}

float cross_of(float middle, float left, float right, float up, float down) {
  return left + right + up + down - 4 * middle;
}

kernel void probe_stencil(global const float* a, global float* b, uint n) {
  PLACE;
  if (i >= n || j >= n) return;
  const uint left = j > 0 ? j - 1 : 0, up = i > 0 ? i - 1 : 0;
  const uint right = min(j + 1, n - 1), down = min(i + 1, n - 1);
  b[i * n + j] =
      cross_of(a[i * n + j], a[i * n + left], a[i * n + right], a[up * n + j], a[down * n + j]);
}

kernel void probe_transpose(global const float* a, global float* b, uint n) {
  PLACE;
  if (i < n && j < n) b[j * n + i] = a[i * n + j];
}

// The sum of three neighbours, by a line in local memory.
kernel void probe_neighbours_local(global const float* a, global float* b, uint n,
                                   local float* tile) {
  LINE;
  const uint me = get_local_id(0), size = get_local_size(0);
  const uint here = min(i, end - 1);
  tile[me + 1] = a[here];
  if (me == 0) tile[0] = a[here > 0 ? here - 1 : 0];
  if (me == size - 1) tile[size + 1] = a[min(i + 1, end - 1)];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < end) b[i] = tile[me + 1] + tile[me] + tile[me + 2];
}

// The same as probe_stencil, by a tile in local memory with its four edges.
kernel void probe_stencil_local(global const float* a, global float* b, uint n, local float* tile) {
  PLACE;
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint wide = get_local_size(0), high = get_local_size(1), ld = wide + 2;
  const uint row = min(i, n - 1), column = min(j, n - 1);
  const uint at = (y + 1) * ld + x + 1;
  tile[at] = a[row * n + column];
  if (x == 0) tile[at - 1] = a[row * n + (column > 0 ? column - 1 : 0)];
  if (x == wide - 1) tile[at + 1] = a[row * n + min(j + 1, n - 1)];
  if (y == 0) tile[at - ld] = a[(row > 0 ? row - 1 : 0) * n + column];
  if (y == high - 1) tile[at + ld] = a[min(i + 1, n - 1) * n + column];
  barrier(CLK_LOCAL_MEM_FENCE);
  if (i < n && j < n)
    b[i * n + j] = cross_of(tile[at], tile[at - 1], tile[at + 1], tile[at - ld], tile[at + ld]);
}

// Through a tile in local memory, so that rows of the result are written along a column.
kernel void probe_transpose_local(global const float* a, global float* b, uint n,
                                  local float* tile) {
  PLACE;
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint wide = get_local_size(0), high = get_local_size(1);
  if (i < n && j < n) tile[y * wide + x] = a[i * n + j];
  barrier(CLK_LOCAL_MEM_FENCE);
  const uint me = y * wide + x, row = get_group_id(0) * wide + me / high;
  const uint column = get_group_id(1) * high + me % high;
  if (row < n && column < n) b[row * n + column] = tile[me % high * wide + me / high];
}

// C = A B of depth 32, of which 8 at a time lie in local memory: A is a's first 32 columns, B its
// first 32 rows.
kernel void probe_product_local(global const float* a, global float* b, uint n, local float* tile) {
  PLACE;
  const uint x = get_local_id(0), y = get_local_id(1);
  const uint wide = get_local_size(0), high = get_local_size(1);
  const uint me = y * wide + x, all = wide * high;
  const uint first_row = get_group_id(1) * high, first_column = get_group_id(0) * wide;
  local float* rows = tile;
  local float* columns = tile + 8 * high;
  float sum = 0;
  for (uint k = 0; k < 32; k += 8) {
    for (uint t = me; t < 8 * high; t += all)
      rows[t] = a[min(first_row + t / 8, n - 1) * n + k + t % 8];
    for (uint t = me; t < 8 * wide; t += all)
      columns[t] = a[(k + t / wide) * n + min(first_column + t % wide, n - 1)];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint p = 0; p < 8; ++p) sum += rows[y * 8 + p] * columns[p * wide + x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i < n && j < n) b[i * n + j] = sum;
}
