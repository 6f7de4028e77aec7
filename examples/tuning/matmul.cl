// c <- a b of square matrices of WIDTH rows, row-major.
//
// A work-group computes a tile of c of block_size_y tile_size_y rows and block_size_x tile_size_x columns, a work-item tile_size_y x
// tile_size_x elements of it that lie a block apart.
// NDRange: WIDTH / tile_size_x x WIDTH / tile_size_y in groups of block_size_x x block_size_y; the tile divides WIDTH.
// Local memory: block_size_x (block_size_y tile_size_y + block_size_x tile_size_x) floats.

#define ROWS (block_size_y * tile_size_y)
#define COLUMNS (block_size_x * tile_size_x)
#define DEPTH block_size_x

kernel void matmul(global float* c, global const float* a, global const float* b) {
  local float ta[ROWS][DEPTH], tb[DEPTH][COLUMNS];
  const int x = get_local_id(0), y = get_local_id(1);
  const int row = get_group_id(1) * ROWS, column = get_group_id(0) * COLUMNS;
  float sum[tile_size_y][tile_size_x];
  for (int i = 0; i < tile_size_y; ++i)
    for (int j = 0; j < tile_size_x; ++j) sum[i][j] = 0.0f;
  for (int k = 0; k < WIDTH; k += DEPTH) {
    for (int i = y; i < ROWS; i += block_size_y) ta[i][x] = a[(row + i) * WIDTH + k + x];
    for (int i = y; i < DEPTH; i += block_size_y)
      for (int j = x; j < COLUMNS; j += block_size_x) tb[i][j] = b[(k + i) * WIDTH + column + j];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int d = 0; d < DEPTH; ++d)
      for (int i = 0; i < tile_size_y; ++i)
        for (int j = 0; j < tile_size_x; ++j)
          sum[i][j] += ta[y + i * block_size_y][d] * tb[d][x + j * block_size_x];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  for (int i = 0; i < tile_size_y; ++i)
    for (int j = 0; j < tile_size_x; ++j)
      c[(row + y + i * block_size_y) * WIDTH + column + x + j * block_size_x] = sum[i][j];
}

// The same by one work-item an element, to compare with. NDRange: WIDTH x WIDTH.
kernel void matmul_plain(global float* c, global const float* a, global const float* b) {
  const int column = get_global_id(0), row = get_global_id(1);
  float sum = 0.0f;
  for (int k = 0; k < WIDTH; ++k) sum += a[row * WIDTH + k] * b[k * WIDTH + column];
  c[row * WIDTH + column] = sum;
}
