// c <- a + b, n numbers.
//
// NDRange: any of at least n / ELEMENTS work-items; each adds ELEMENTS numbers that lie a whole range apart.
// Parameters: ELEMENTS = numbers a work-item.

kernel void vector_add(global float* c, global const float* a, global const float* b, int n) {
  for (int e = 0; e < ELEMENTS; ++e) {
    const int i = get_global_id(0) + e * get_global_size(0);
    if (i < n) c[i] = a[i] + b[i];
  }
}

// The same by one work-item a number, to compare with.
kernel void vector_add_plain(global float* c, global const float* a, global const float* b, int n) {
  const int i = get_global_id(0);
  if (i < n) c[i] = a[i] + b[i];
}
