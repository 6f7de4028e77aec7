#include "kernels/complex/complex_lu.hpp"

#include <algorithm>
#include <array>
#include <clgauss/lab/launch.hpp>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/complex/complex_cholesky.hpp"
#include "linalg/lu/pivots.hpp"
#include "matrix/shapes.hpp"

namespace clgauss {

namespace {

constexpr const char* kComplexSpace = "the workspace of a complex LU";
/// Most work-groups of a panel: each step compares the best rows of all of them.
constexpr cl_uint kMostGroups = 64;
constexpr cl_int kNone = std::numeric_limits<cl_int>::max();

}  // namespace

const KernelVariant& complex_lu_variant() {
  static const KernelVariant variant{
      .name = "complex_lu",
      .file = "complex_lu.cl",
      .parameters =
          {{.name = "COLUMNS",
            .least = 8,
            .most = 32,
            .step = 8,
            .usual = [](const Setting&) { return 8; },
            .tried = {8, 16}},
           {.name = "VEC_WIDTH",
            .least = 2,
            .most = 16,
            .usual = [](const Setting& at) { return has_groups(at) ? 2 : 16; },
            .tried = {2, 4, 8, 16}},
           {.name = "WG_SIZE",
            .least = 1,
            .most = 1024,
            .usual = [](const Setting& at) { return has_groups(at) ? usual_group(at, 64) : 1; },
            .tried = {1, 64, 128, 256}},
           {.name = "BLOCK",
            .least = 8,
            .most = 512,
            .step = 8,
            .usual = [](const Setting&) { return 96; },
            .tried = {32, 64, 96, 128},
            .macro = false}},
      .lacks = lacks_nothing,
      .ask = [](Context& context, RealType type) { (void)complex_lu_works(context, type); },
      .broken_rule = [](const Parameters& parameters, RealType) -> std::string {
        std::string rule = not_power_of_two(parameters, "WG_SIZE");
        if (rule.empty()) rule = not_power_of_two(parameters, "VEC_WIDTH");
        return rule.empty() ? not_multiple(parameters, "BLOCK", "COLUMNS") : rule;
      },
      .demands =
          [](const Parameters& parameters, RealType type) {
            const auto items = static_cast<std::uint64_t>(value_of(parameters, "WG_SIZE")),
                       columns = static_cast<std::uint64_t>(value_of(parameters, "COLUMNS"));
            return std::vector<Demand>{
                {"WG_SIZE", items,
                 (2 * columns + items) * bytes_of(type) + items * sizeof(cl_uint)}};
          },
      .workspace_bytes =
          [](const Parameters& parameters, const Setting& at) {
            return ComplexLuKernels::bytes(at.type, at.n, 2 * at.n, parameters);
          }};
  return variant;
}

const KernelVariant& complex_pairs_variant() {
  static const KernelVariant variant{.name = "complex_pairs",
                                     .file = "complex_pairs.cl",
                                     .parameters = {},
                                     .lacks = lacks_nothing,
                                     .ask = ask_complex_blocks};
  return variant;
}

Variants complex_variants() {
  static const std::array variants{&complex_lu_variant(), &complex_pairs_variant(),
                                   &complex_cholesky_variant()};
  return variants;
}

Parameters usual_complex_lu_parameters(const Setting& setting) {
  return usual_parameters(complex_variants(), setting);
}

ComplexLuKernels::ComplexLuKernels(KernelMemo& kernels, Index n, Index columns,
                                   const Parameters& parameters)
    : kernels_(kernels),
      parameters_(parameters),
      in_one_launch_(value_of(parameters, "WG_SIZE") == 1 && suits_cpu_kernels(kernels.context())) {
  const auto number = [&](const char* name) {
    return static_cast<cl_uint>(value_of(parameters_, name));
  };
  panel_columns_ = number("COLUMNS");
  block_ = number("BLOCK");
  width_ = number("VEC_WIDTH");
  group_ = number("WG_SIZE");
  for (const char* name :
       {"complex_load", "complex_panel", "complex_exchange", "complex_lower", "complex_upper"})
    (void)kernel(name);  // builds it before anything is timed
  const RealType type = kernels.type();
  const std::size_t element = bytes_of(type);
  Context& context = kernels.context();
  const Index w_ld = padded_ld(columns, type);
  w_ = {context.allocate(2 * block_ * w_ld * element, kComplexSpace), 0, w_ld};
  for (cl::Buffer& panel : panels_)
    panel = context.allocate(n * 2 * panel_columns_ * element, kComplexSpace);
  sizes_ = context.allocate(2 * kMostGroups * element, kComplexSpace);
  best_rows_ = context.allocate(2 * kMostGroups * sizeof(cl_uint), kComplexSpace);
  pivots_ = context.allocate(n * sizeof(cl_uint), kComplexSpace);
  info_ = context.allocate(sizeof(cl_int), kComplexSpace);
}

std::uint64_t ComplexLuKernels::bytes(RealType type, Index n, Index columns,
                                      const Parameters& parameters) {
  const auto number = [&](const char* name) {
    return static_cast<std::uint64_t>(value_of(parameters, name));
  };
  return (2 * number("BLOCK") * padded_ld(columns, type) + 4 * n * number("COLUMNS") +
          2 * kMostGroups) *
             bytes_of(type) +
         (2 * kMostGroups + n + 1) * sizeof(cl_uint);
}

Kernel& ComplexLuKernels::kernel(const char* name) {
  return kernels_.get(complex_lu_variant().file, name,
                      with_parameters(complex_lu_variant(), parameters_, {}));
}

void ComplexLuKernels::enqueue_strips(const cl::CommandQueue& queue, const Kernel& kernel,
                                      Index columns) const {
  // On a CPU, a work-group is one core's work. On other devices, work-items beyond the columns do
  // nothing.
  const std::size_t strips = (columns + width_ - 1) / width_;
  const std::size_t local = group_;
  enqueue_kernel(queue, kernel, cl::NDRange((strips + local - 1) / local * local),
                 cl::NDRange(local));
}

void ComplexLuKernels::reset(const cl::CommandQueue& queue) const {
  queue.enqueueFillBuffer(info_, kNone, 0, sizeof kNone);
}

void ComplexLuKernels::factor_panel(const cl::CommandQueue& queue, const MatrixView& a,
                                    cl_uint rows, cl_uint columns, cl_uint top) {
  const cl_uint groups = in_one_launch_ ? 1 : std::clamp(rows / group_, 1U, kMostGroups);
  Kernel &load = kernel("complex_load"), &panel = kernel("complex_panel");
  cl_uint index = 0;
  pass_view(load, index, a);
  load.set_arguments_from(index, rows, panels_[0], sizes_, best_rows_);
  launch_groups(queue, load, groups, group_);
  index = 0;
  pass_view(panel, index, a);
  panel.set_arguments_from(index, rows, columns);
  const cl_uint steps = index + 2;
  panel.set_arguments_from(steps + 2, panels_[0], panels_[1], sizes_, best_rows_, pivots_, top,
                           info_);
  const cl_uint of_launch = groups == 1 ? columns : 1;
  for (cl_uint step = 0; step < columns; step += of_launch) {
    panel.set_arguments_from(steps, step, step + of_launch);
    launch_groups(queue, panel, groups, group_);
  }
}

void ComplexLuKernels::exchange(const cl::CommandQueue& queue, const MatrixView& a, Index columns,
                                cl_uint first, cl_uint count) {
  if (columns == 0) return;
  Kernel& exchange = kernel("complex_exchange");
  cl_uint index = 0;
  pass_view(exchange, index, a);
  exchange.set_arguments_from(index, static_cast<cl_uint>(columns), pivots_, first, count);
  enqueue_strips(queue, exchange, columns);
}

void ComplexLuKernels::solve(const cl::CommandQueue& queue, bool upper, const MatrixView& triangle,
                             const MatrixView& b, Index columns, cl_uint count) {
  Kernel& solve = kernel(upper ? "complex_upper" : "complex_lower");
  solve.set_arguments(triangle.buffer, cl_ulong{triangle.offset}, cl_ulong{b.offset},
                      static_cast<cl_uint>(b.ld), static_cast<cl_uint>(columns), count, w_.buffer,
                      static_cast<cl_uint>(w_.ld));
  enqueue_strips(queue, solve, columns);
}

std::optional<Index> ComplexLuKernels::failed_column(const cl::CommandQueue& queue, Index n) const {
  cl_int column = 0;
  queue.enqueueReadBuffer(info_, CL_TRUE, 0, sizeof column, &column);
  if (column == kNone) return std::nullopt;
  return checked_failed_column(static_cast<Index>(column), n);
}

}  // namespace clgauss
