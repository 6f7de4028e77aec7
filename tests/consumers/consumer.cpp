// What a caller writes: headers, a solve, an answer that is checked, an error that is caught. Built
// with each consumer's own settings of CLHPP, which the library must neither force nor suffer from.
#include <clgauss/batched.hpp>
#include <clgauss/context.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/io.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/solve.hpp>
#include <clgauss/version.hpp>
#include <cmath>
#include <cstdio>

#if defined(WANTED_TARGET) && CL_HPP_TARGET_OPENCL_VERSION != WANTED_TARGET
#error "clgauss forces its own version of OpenCL"
#endif
#if defined(CL_HPP_ENABLE_EXCEPTIONS) != defined(WANTED_EXCEPTIONS)
#error "clgauss forces its own way of errors"
#endif

namespace {

// The caller's own use of CLHPP: its inline functions are compiled here, with the caller's
// settings.
cl_int use_clhpp(const clgauss::Context& context) {
  cl_int code = CL_SUCCESS;
  cl::Buffer buffer(context.context(), CL_MEM_READ_WRITE, 64, nullptr, &code);
  const double zero = 0;
  if (code == CL_SUCCESS)
    code = context.queue().enqueueWriteBuffer(buffer, CL_TRUE, 0, sizeof zero, &zero);
  if (code == CL_SUCCESS) code = context.queue().enqueueBarrierWithWaitList();
  return code;
}

// The library must hear of it that a call fails, however the caller's own <CL/opencl.hpp> tells: an
// event that is none.
bool failing_call_is_told(clgauss::Context& context, clgauss::RealType type) {
  const cl::Buffer buffer = context.allocate(64 * clgauss::bytes_of(type), "a matrix");
  clgauss::Lu lu(context, type, 8);
  try {
    lu.factor({buffer, 0, 8}, {.wait_for = {cl::Event()}});
  } catch (const clgauss::OpenClError&) {
    return true;
  }
  return false;
}

}  // namespace

int main() try {
  clgauss::Context context(clgauss::open_device());
  const clgauss::RealType type = clgauss::choose_type(context.profile(), {});
  clgauss::Matrix a(3, 3), x(3, 1);
  for (clgauss::Index i = 0; i < 3; ++i) {
    for (clgauss::Index j = 0; j < 3; ++j) a(i, j) = i == j ? 0.0 : double(1 + i + j);
    x(i, 0) = double(i + 1);
  }
  clgauss::Matrix b(3, 1);
  for (clgauss::Index i = 0; i < 3; ++i)
    for (clgauss::Index j = 0; j < 3; ++j) b(i, 0) += a(i, j) * x(j, 0);

  if (use_clhpp(context) != CL_SUCCESS) return std::puts("the caller's own calls fail"), 1;
  clgauss::Lu lu = clgauss::lu_factor(context, type, a);
  if (!(clgauss::max_difference(lu.solve(b), x) <= 1e-5)) return std::puts("Lu: wrong answer"), 1;
  const clgauss::Solution solution = clgauss::solve(context, {a, b});
  if (solution.status != clgauss::SolveStatus::ok ||
      !(clgauss::max_difference(solution.x, x) <= 1e-5))
    return std::puts("solve(): wrong answer"), 1;
  try {
    (void)lu.solve(clgauss::Matrix(2, 1));
    return std::puts("no DimensionError"), 1;
  } catch (const clgauss::DimensionError&) {
  }
  if (!failing_call_is_told(context, type)) return std::puts("a call failed unnoticed"), 1;
  std::printf("clgauss %s on %s: right\n", clgauss::version(), context.profile().name.c_str());
} catch (const clgauss::Error& error) {
  std::printf("error %d: %s\n", static_cast<int>(error.error_code()), error.what());
  return 1;
}
