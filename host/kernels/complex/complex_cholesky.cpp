#include "kernels/complex/complex_cholesky.hpp"

#include <clgauss/lab/launch.hpp>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"

namespace clgauss {

namespace {

constexpr cl_uint kEdge = 16;  // the kernels' macro EDGE

}  // namespace

const KernelVariant& complex_cholesky_variant() {
  static const KernelVariant variant{
      .name = "complex_cholesky",
      .file = "complex_cholesky.cl",
      .parameters =
          {{.name = "GROUP",
            .least = 1,
            .most = 1024,
            .usual = [](const Setting& at) { return has_groups(at) ? usual_group(at, 256) : 1; },
            .tried = {1, 64, 128, 256}}},
      .lacks = lacks_nothing,
      .ask = [](Context& context, RealType type) { (void)complex_cholesky_works(context, type); },
      .broken_rule = [](const Parameters& parameters, RealType) -> std::string {
        const int group = value_of(parameters, "GROUP");
        return group == 1 || group % static_cast<int>(kEdge) == 0
                   ? ""
                   : "GROUP must be 1 or a multiple of 16";
      },
      .demands =
          [](const Parameters& parameters, RealType) {
            return std::vector<Demand>{
                {"GROUP", static_cast<std::uint64_t>(value_of(parameters, "GROUP")), 0}};
          }};
  return variant;
}

Defines complex_cholesky_macros(const Parameters& parameters) {
  Defines of_lu;
  for (const char* name : {"VEC_WIDTH", "BLOCK"})
    of_lu.emplace_back(name, std::to_string(value_of(parameters, name)));
  return with_parameters(complex_cholesky_variant(), parameters, std::move(of_lu));
}

ComplexCholeskyKernels::ComplexCholeskyKernels(KernelMemo& kernels, const Parameters& parameters)
    : kernels_(kernels),
      macros_(complex_cholesky_macros(parameters)),
      group_(static_cast<cl_uint>(value_of(parameters, "GROUP"))) {
  for (const char* name : {"hermitian_block", "hermitian_turn"})
    (void)kernel(name);  // builds it before anything is timed
}

Kernel& ComplexCholeskyKernels::kernel(const char* name) {
  return kernels_.get(complex_cholesky_variant().file, name, macros_);
}

void ComplexCholeskyKernels::factor_block(const cl::CommandQueue& queue, const MatrixView& a,
                                          cl_uint size, cl_uint first, const cl::Buffer& info) {
  Kernel& block = kernel("hermitian_block");
  cl_uint index = 0;
  pass_view(block, index, a);
  block.set_arguments_from(index, size, first, info);
  launch_groups(queue, block, 1, group_);
}

void ComplexCholeskyKernels::enqueue_turn(const cl::CommandQueue& queue, const MatrixView& from,
                                          const MatrixView& to, cl_uint rows, cl_uint columns,
                                          cl_ulong diagonal, bool divides) {
  Kernel& turn = kernel("hermitian_turn");
  turn.set_arguments(from.buffer, cl_ulong{from.offset}, cl_ulong{to.offset},
                     static_cast<cl_uint>(from.ld), rows, columns, diagonal,
                     static_cast<cl_uint>(divides));
  enqueue_kernel(queue, turn,
                 cl::NDRange(std::size_t{ceil_div(rows, kEdge)} * group_, ceil_div(columns, kEdge)),
                 cl::NDRange(group_, 1));
}

void ComplexCholeskyKernels::turn(const cl::CommandQueue& queue, const MatrixView& a21,
                                  const MatrixView& u12, cl_uint rows, cl_uint columns) {
  enqueue_turn(queue, a21, u12, rows, columns, 0, false);
}

void ComplexCholeskyKernels::turn_back(const cl::CommandQueue& queue, const MatrixView& u12,
                                       const MatrixView& l21, cl_uint rows, cl_uint columns,
                                       const MatrixView& d) {
  enqueue_turn(queue, u12, l21, rows, columns, d.offset, true);
}

}  // namespace clgauss
