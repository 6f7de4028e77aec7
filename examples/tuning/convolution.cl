// output <- input convolved with weights: output(y, x) = sum input(y + i, x + j) weights(i, j), i < filter_height, j < filter_width.
//
//   output   IMAGE rows and columns
//   input    IMAGE + filter_height - 1 rows of IMAGE + filter_width - 1
//   weights  filter_height x filter_width
//
// A work-group computes a tile of block_size_y tile_size_y rows and block_size_x tile_size_x columns from a part of the input in local
// memory, whose rows use_padding makes one float longer.
// NDRange: IMAGE / tile_size_x x IMAGE / tile_size_y in groups of block_size_x x block_size_y; the tile divides IMAGE.

#define ROWS (block_size_y * tile_size_y)
#define COLUMNS (block_size_x * tile_size_x)
#define INPUT_WIDTH (IMAGE + filter_width - 1)

kernel void convolution(global float* output, global const float* input, constant float* weights) {
  local float part[ROWS + filter_height - 1][COLUMNS + filter_width - 1 + use_padding];
  const int x = get_local_id(0), y = get_local_id(1);
  const int row = get_group_id(1) * ROWS, column = get_group_id(0) * COLUMNS;
  for (int i = y; i < ROWS + filter_height - 1; i += block_size_y)
    for (int j = x; j < COLUMNS + filter_width - 1; j += block_size_x)
      part[i][j] = input[(row + i) * INPUT_WIDTH + column + j];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (int ty = y; ty < ROWS; ty += block_size_y)
    for (int tx = x; tx < COLUMNS; tx += block_size_x) {
      float sum = 0.0f;
      for (int i = 0; i < filter_height; ++i)
        for (int j = 0; j < filter_width; ++j)
          sum += part[ty + i][tx + j] * weights[i * filter_width + j];
      output[(row + ty) * IMAGE + column + tx] = sum;
    }
}

// The same from global memory by one work-item an element, to compare with. NDRange: IMAGE x IMAGE.
kernel void convolution_plain(global float* output, global const float* input,
                              constant float* weights) {
  const int x = get_global_id(0), y = get_global_id(1);
  float sum = 0.0f;
  for (int i = 0; i < filter_height; ++i)
    for (int j = 0; j < filter_width; ++j)
      sum += input[(y + i) * INPUT_WIDTH + x + j] * weights[i * filter_width + j];
  output[y * IMAGE + x] = sum;
}
