#include "machine.hpp"

#include <cstdio>
#include <cstdlib>

namespace caller {

namespace {

// Kernels that cannot tell how they are launched, and one for every way to tell.
constexpr const char* kText = R"CL(
#define ID get_global_id
#define PASTE(a, b) a##b
float weight(int k) { return exp(-0.1f * (float)(k * k)); }

kernel void axpy(global float* y, global const float* x, uint n) {
  size_t i = ID(0);
  if (i < n) y[i] = y[i] * 0.5f + 1.5f * x[i] + sin(x[i]);
}
kernel void blur(global float* y, global const float* x, uint n) {
  int c = ID(0), r = ID(1), width = n, height = WIDE;
  float sum = 0;
  for (int dr = -1; dr <= 1; ++dr)
    for (int dc = -1; dc <= 1; ++dc)
      sum += weight(dr + dc) * x[clamp(r + dr, 0, height - 1) * width + clamp(c + dc, 0, width - 1)];
  y[r * width + c] = sum;
}
kernel void slow(global float* y, global const float* x, uint n) {
  float value = x[ID(0)];
  for (int k = 0; k < 40; ++k) value = sin(value) + 0.1f;
  y[ID(0)] = value;
}
kernel void deep(global float* y, global const float* x, uint n) {
  size_t at = (ID(2) * DEEP + ID(1)) * n + ID(0);
  y[at] += sqrt(fabs(x[at])) + (float)ID(2);
}
kernel void local_size(global float* y, global const float* x, uint n) {
  y[ID(0)] = (float)get_local_size(0) + x[ID(0)];
}
kernel void group(global float* y, global const float* x, uint n) {
  y[ID(0)] = (float)(get_group_id(0) + get_num_groups(0)) + x[ID(0)];
}
kernel void pasted(global float* y, global const float* x, uint n) {
  y[ID(0)] = (float)PASTE(get_num, _groups)(0) + x[ID(0)];
}
kernel void local_id(global float* y, global const float* x, uint n) {
  y[ID(0)] = (float)get_local_id(0) + x[ID(0)];
}
kernel void global_size(global float* y, global const float* x, uint n) {
  y[ID(0)] = (float)get_global_size(0) + (float)get_global_offset(0) + x[ID(0)];
}
float turned(float v) { return v + 1; }
// Macros that call helpers within helpers, and one that names itself.
#define turned(v) (turned(v) * 0.5f)
#define TWICE(f, v) f(f(v))
#define FOUR_TIMES(f, v) TWICE(f, TWICE(f, v))
#define ASK(what) get_##what(0)
float told(float v) { return v + 0.001f * (float)ASK(local_size); }
kernel void nested(global float* y, global const float* x, uint n) {
  y[ID(0)] = FOUR_TIMES(turned, x[ID(0)]);
}
kernel void nested_told(global float* y, global const float* x, uint n) {
  y[ID(0)] = FOUR_TIMES(told, x[ID(0)]);
}
kernel void counted(global float* y, global const float* x, uint n) {
  atomic_inc((volatile global int*)y);
}
kernel void scratch(global float* y, global const float* x, uint n) {
  local float seen[1];
  if (get_local_id(0) == 0) seen[0] = x[ID(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  y[ID(0)] = seen[0];
}
kernel __attribute__((reqd_work_group_size(7, 1, 1)))
void required(global float* y, global const float* x, uint n) { y[ID(0)] = 2 * x[ID(0)]; }
// get_local_size( in a comment tells nothing
#line 7 "get_group_id(0)"
kernel void commented(global float* y, global const float* x, uint n) { y[ID(0)] += x[ID(0)]; }
)CL";

constexpr std::size_t kElements = 110000;

}  // namespace

void require(cl_int code, const char* what) {
  if (code == CL_SUCCESS) return;
  std::fprintf(stderr, "%s: %d\n", what, code);
  std::exit(1);
}

std::uint64_t hash_of(const void* data, std::size_t bytes) {
  std::uint64_t hash = 14695981039346656037u;
  for (std::size_t i = 0; i < bytes; ++i)
    hash = (hash ^ static_cast<const unsigned char*>(data)[i]) * 1099511628211u;
  return hash;
}

Machine::Machine(cl_device_id id, cl_command_queue_properties properties, cl_context given)
    : device(id), context(given) {
  cl_int code = 0;
  if (context != nullptr) clRetainContext(context);
  if (context == nullptr) context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  require(code, "clCreateContext");
  queue = clCreateCommandQueue(context, device, properties, &code);
  require(code, "clCreateCommandQueue");
  std::vector<float> numbers(kElements);
  for (std::size_t i = 0; i < kElements; ++i)
    numbers[i] = static_cast<float>((i * 7919) % 1000) / 100 - 5;
  x = buffer(numbers);
  y = buffer(numbers);
  build({});
}

Machine::~Machine() {
  clReleaseMemObject(x);
  clReleaseMemObject(y);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
}

cl_mem Machine::buffer(std::vector<float>& numbers) const {
  cl_int code = 0;
  const cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                     numbers.size() * sizeof(float), numbers.data(), &code);
  require(code, "clCreateBuffer");
  return made;
}

void Machine::build(const Binary& binary) {
  cl_int code = 0;
  const char* text = kText;
  const unsigned char* bytes = binary.data();
  const std::size_t size = binary.size();
  program = binary.empty()
                ? clCreateProgramWithSource(context, 1, &text, nullptr, &code)
                : clCreateProgramWithBinary(context, 1, &device, &size, &bytes, nullptr, &code);
  require(code, "clCreateProgram");
  require(clBuildProgram(program, 1, &device, "-w -DWIDE=101 -DDEEP=13", nullptr, nullptr),
          "clBuildProgram");
}

cl_kernel Machine::kernel(const char* name, cl_uint n) const {
  cl_int code = 0;
  const cl_kernel made = clCreateKernel(program, name, &code);
  require(code, "clCreateKernel");
  set(made, y, x, n);
  return made;
}

void Machine::set(cl_kernel kernel, cl_mem y, cl_mem x, cl_uint n) {
  require(clSetKernelArg(kernel, 0, sizeof y, &y), "clSetKernelArg");
  require(clSetKernelArg(kernel, 1, sizeof x, &x), "clSetKernelArg");
  require(clSetKernelArg(kernel, 2, sizeof n, &n), "clSetKernelArg");
}

std::uint64_t Machine::answer() const {
  std::vector<float> numbers(kElements);
  require(clEnqueueReadBuffer(queue, y, CL_TRUE, 0, kElements * sizeof(float), numbers.data(), 0,
                              nullptr, nullptr),
          "clEnqueueReadBuffer");
  return hash_of(numbers.data(), kElements * sizeof(float));
}

cl_int launch(const Machine& on, cl_kernel kernel, const Range& range, const std::size_t* local,
              cl_event* event, const std::vector<cl_event>& waits) {
  return clEnqueueNDRangeKernel(on.queue, kernel, range.dims, range.offset.data(),
                                range.size.data(), local, static_cast<cl_uint>(waits.size()),
                                waits.empty() ? nullptr : waits.data(), event);
}

}  // namespace caller
