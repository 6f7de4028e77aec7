// Tutubalin, "NVidia 8800GTX: memory bandwidth": the sum of a size-by-size array of floats, walked
// by rows or by columns.
//
//   data     size-by-size, row-major; read as ELEMENT, of which `width` make a row
//   output   one float a work-item: its partial sum; the host adds them up
//
// NDRange: one dimension, any number of groups of any size. Group g takes the rows (columns) g, g +
// groups ..; within one, work-item t takes the elements t, t + local size .. Local memory: none.
// Parameters: ELEMENT_WIDTH, floats of one access: 1 or 4 (size must then be a multiple of 4).

#if !defined(ELEMENT_WIDTH) || (ELEMENT_WIDTH != 1 && ELEMENT_WIDTH != 4)
#error "ELEMENT_WIDTH must be 1 or 4"
#endif

#if ELEMENT_WIDTH == 1
#define ELEMENT float
#define SUM_OF(x) (x)
#else
#define ELEMENT float4
#define SUM_OF(x) ((x).s0 + (x).s1 + (x).s2 + (x).s3)
#endif

#define BY_ROWS                                                            \
  for (uint row = get_group_id(0); row < height; row += get_num_groups(0)) \
    for (uint col = get_local_id(0); col < width; col += get_local_size(0))
#define BY_COLUMNS                                                        \
  for (uint col = get_group_id(0); col < width; col += get_num_groups(0)) \
    for (uint row = get_local_id(0); row < height; row += get_local_size(0))
#define PLACE ((ulong)row * width + col)

kernel void sum_rows(global const ELEMENT* data, uint height, uint width, global float* output) {
  ELEMENT sum = 0.0f;
  BY_ROWS sum += data[PLACE];
  output[get_global_id(0)] = SUM_OF(sum);
}

kernel void sum_columns(global const ELEMENT* data, uint height, uint width, global float* output) {
  ELEMENT sum = 0.0f;
  BY_COLUMNS sum += data[PLACE];
  output[get_global_id(0)] = SUM_OF(sum);
}

// The walk of sum_rows without its reads: what the arithmetic and the loops cost.
kernel void arithmetic(global const ELEMENT* data, uint height, uint width, global float* output) {
  ELEMENT sum = 0.0f;
  BY_ROWS sum += 1.0f;
  output[get_global_id(0)] = SUM_OF(sum);
}

// Every element <- value.
kernel void write_rows(global ELEMENT* data, uint height, uint width, float value) {
  BY_ROWS data[PLACE] = value;
}

kernel void write_columns(global ELEMENT* data, uint height, uint width, float value) {
  BY_COLUMNS data[PLACE] = value;
}

// What a launch costs without its work: a small loop and the stores of the partial sums. Its time
// is subtracted.
kernel void empty_kernel(global float* output, uint rounds) {
  float sum = 0.0f;
  for (uint i = 0; i < rounds; ++i) sum += (float)i;
  output[get_global_id(0)] = sum;
}

// to[i] <- from[i], i < count elements: the measured peak. NDRange: at least count.
kernel void copy_elements(global const ELEMENT* from, global ELEMENT* to, ulong count) {
  if (get_global_id(0) < count) to[get_global_id(0)] = from[get_global_id(0)];
}
