/* Inside an application's own OpenCL: a matrix in a buffer is factored in place and solved with, in order, on the application's
 * queue; nothing waits until the answer is read. Column-major, as BLAS and LAPACK have it. */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <clgauss.h>
#include <math.h>
#include <stdio.h>

#define CHECK(call)                                  \
  do {                                               \
    if ((call) != CLGAUSS_OK) {                      \
      fprintf(stderr, "%s\n", clgauss_last_error()); \
      return 1;                                      \
    }                                                \
  } while (0)

enum { N = 200, NRHS = 2 };
static float a[N * N], b[N * NRHS], x[N * NRHS];

int main(void) {
  cl_platform_id platform;
  cl_device_id device;
  cl_int error;
  clgauss_context context = NULL;
  clgauss_lu lu = NULL;
  cl_event factored, solved;
  size_t failed_column;
  double worst = 0;
  for (size_t j = 0; j < N; ++j)
    for (size_t i = 0; i < N; ++i) {
      a[j * N + i] = (float)((7 * i + 3 * j) % 13) / 13 + (i == j ? 20 : 0);
      for (size_t k = 0; k < NRHS; ++k) b[k * N + i] += a[j * N + i] * (float)(k + 1);
    } /* so that x is all 1, then all 2 */

  if (clGetPlatformIDs(1, &platform, NULL) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
    return 1;
  cl_context mine = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
  cl_command_queue queue = clCreateCommandQueueWithProperties(mine, device, NULL, &error);
  const cl_mem_flags copied = CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR;
  cl_mem a_buffer = clCreateBuffer(mine, copied, sizeof a, a, &error);
  cl_mem b_buffer = clCreateBuffer(mine, copied, sizeof b, b, &error);

  CHECK(clgauss_context_create_on_queue(queue, CLGAUSS_USE_ENVIRONMENT, &context));
  CHECK(clgauss_lu_create(context, CLGAUSS_F32, N, &lu));
  CHECK(clgauss_sgetrf_buffer(lu, CLGAUSS_COLUMN_MAJOR, a_buffer, 0, N, queue, 0, NULL, &factored));
  CHECK(clgauss_sgetrs_buffer(lu, CLGAUSS_COLUMN_MAJOR, CLGAUSS_NO_TRANSPOSE, NRHS, b_buffer, 0, N,
                              queue, 1, &factored, &solved));
  clEnqueueReadBuffer(queue, b_buffer, CL_TRUE, 0, sizeof x, x, 1, &solved, NULL);
  CHECK(clgauss_lu_failed_column(lu, &failed_column));
  for (size_t i = 0; i < N * NRHS; ++i) worst = fmax(worst, fabs((double)x[i] - (i < N ? 1 : 2)));
  printf("n = %d, %d right-hand sides, largest error %.2g\n", N, NRHS, worst);

  clReleaseEvent(factored);
  clReleaseEvent(solved);
  CHECK(clgauss_lu_destroy(lu));
  CHECK(clgauss_context_destroy(context));
  clReleaseMemObject(a_buffer);
  clReleaseMemObject(b_buffer);
  clReleaseCommandQueue(queue);
  clReleaseContext(mine);
  return failed_column == 0 && worst <= 1e-4 ? 0 : 1;
}
