#include "kernels/lu_block_pivot.hpp"

#include <array>

#include "kernels/butterfly.hpp"
#include "kernels/cpu_tile.hpp"
#include "kernels/known_answers.hpp"
#include "kernels/variants.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

/// 16 x 32 work-items, fewer where the device's groups are smaller: a rectangle of powers of two.
std::size_t usual_rows(const Setting& at) {
  std::size_t rows = 16;
  while (rows > 1 && 2 * rows * rows > at.device.max_work_group_size) rows /= 2;
  return rows;
}

/// On a GPU, 128 columns in f32 and 64 in f64, whose elements fill the registers of a work-group; a CPU has one core for them.
int usual_block(const Setting& at) {
  return at.device.type != DeviceType::cpu && at.type == RealType::f32 ? 128 : 64;
}

bool is_power_of_two(int value) { return (value & (value - 1)) == 0; }

std::string broken_rule(const Parameters& parameters, RealType /*type*/) {
  for (const char* name : {"GRID_ROWS", "GRID_COLS"}) {
    if (!is_power_of_two(value_of(parameters, name)))
      return std::string(name) + " must be a power of two";
    if (const std::string rule = not_multiple(parameters, "NB", name); !rule.empty()) return rule;
  }
  return value_of(parameters, "NB") <= 32 * value_of(parameters, "GRID_ROWS")
             ? ""
             : "NB must be at most 32 GRID_ROWS";
}

std::size_t group_of(const Parameters& parameters) {
  return static_cast<std::size_t>(value_of(parameters, "GRID_ROWS") *
                                  value_of(parameters, "GRID_COLS"));
}

std::vector<Demand> demands(const Parameters& parameters, RealType type) {
  const auto nb = static_cast<std::uint64_t>(value_of(parameters, "NB")),
             rows = static_cast<std::uint64_t>(value_of(parameters, "GRID_ROWS"));
  const std::size_t group = group_of(parameters);
  return {{"GRID_ROWS", group, 2 * group * sizeof(cl_uint)},
          {"NB", 0, (2 * nb + 2 * rows) * bytes_of(type) + 2 * nb * sizeof(cl_uint)}};
}

std::uint64_t workspace(const Parameters& parameters, const Setting& at) {
  const auto nb = static_cast<Index>(value_of(parameters, "NB"));
  return (at.n * padded_ld(at.n, at.type) + 2 * nb * nb) * bytes_of(at.type) +
         at.n * sizeof(cl_int);
}

void ask_usual(Context& context, RealType type) {
  const Parameters parameters = usual_parameters(rbt_variants(), {context.profile(), type, 1});
  KernelMemo kernels(context, type);
  const LuFlags flags(context);
  BlockPivotKernels(kernels, flags, parameters).prepare();
}

}  // namespace

const KernelVariant& lu_block_pivot_variant() {
  static const KernelVariant variant{
      .name = "lu_block_pivot",
      .file = "lu_block_pivot.cl",
      .parameters =
          {{.name = "NB", .least = 1, .most = 256, .usual = usual_block, .tried = {32, 64, 128}},
           {.name = "GRID_ROWS",
            .least = 1,
            .most = 32,
            .usual = [](const Setting& at) { return static_cast<int>(usual_rows(at)); },
            .tried = {8, 16, 32}},
           {.name = "GRID_COLS",
            .least = 1,
            .most = 32,
            .usual =
                [](const Setting& at) {
                  const std::size_t rows = usual_rows(at);
                  return static_cast<int>(
                      2 * rows * rows <= at.device.max_work_group_size ? 2 * rows : rows);
                },
            .tried = {16, 32}}},
      .lacks = lacks_nothing,
      .ask = ask_usual,
      .broken_rule = broken_rule,
      .demands = demands,
      .workspace_bytes = workspace};
  return variant;
}

Variants rbt_variants() {
  static const std::array<const KernelVariant*, 2> variants{&butterfly_variant(),
                                                            &lu_block_pivot_variant()};
  return variants;
}

BlockPivotKernels::BlockPivotKernels(KernelMemo& kernels, const LuFlags& flags,
                                     const Parameters& parameters)
    : kernels_(kernels),
      flags_(flags),
      parameters_(parameters),
      nb_(static_cast<cl_uint>(value_of(parameters, "NB"))),
      grid_cols_(static_cast<cl_uint>(value_of(parameters, "GRID_COLS"))),
      group_(group_of(parameters)) {}

Defines BlockPivotKernels::macros() const {
  return with_parameters(lu_block_pivot_variant(), parameters_, {});
}

ProgramRequest BlockPivotKernels::program() const {
  return {lu_block_pivot_variant().file, with_real(kernels_.type(), macros())};
}

Kernel& BlockPivotKernels::kernel(const char* name) {
  return kernels_.get(lu_block_pivot_variant().file, name, macros());
}

void BlockPivotKernels::prepare() {
  const KernelVariant& variant = lu_block_pivot_variant();
  if (!kernels_.works(variant.name, variant.file, macros(), [&] { ask(); }))
    kernels_.none_works("an LU with row exchanges inside diagonal blocks", {variant.name});
  for (const char* name : {"lu_diagonal", "exchange_rows", "extreme_entries"}) (void)kernel(name);
}

void BlockPivotKernels::ask() {
  Context& context = kernels_.context();
  const cl::CommandQueue& queue = context.queue();
  const LuFlags flags(context);  // not those of a factorisation that may be under way
  BlockPivotKernels own(kernels_, flags, parameters_);
  for (const bool singular : {false, true})
    require_diagonal_block(context, kernels_.type(), nb_, singular, [&](const DiagonalQuestion& q) {
      flags.reset(queue);
      own.diagonal(queue, {q.a, q.lu, q.inverses, q.sources, static_cast<cl_uint>(q.size), 0});
      return flags.read(queue).first_bad_pivot;
    });
  for (const bool left : {false, true})
    require_exchanges(
        context, kernels_.type(), nb_, left,
        [&](const MatrixView& a, cl_uint n, cl_uint columns, const cl::Buffer& sources) {
          own.exchange(queue, a, n, columns, left, sources);
        });
  require_extreme_entries(context, kernels_.type(),
                          [&](const MatrixView& a, cl_uint n, const cl::Buffer& figures) {
                            own.extremes(queue, a, n, {figures, 0, 1, 2});
                          });
}

void BlockPivotKernels::diagonal(const cl::CommandQueue& queue, const Diagonal& block) {
  Kernel& diagonal = kernel("lu_diagonal");
  cl_uint index = 0;
  pass_view(diagonal, index, block.a);
  diagonal.set_arguments_from(index++, block.size);
  pass_view(diagonal, index, block.lu);
  diagonal.set_arguments_from(index, block.inverses, block.sources, cl_ulong{block.first},
                              block.first, flags_.buffer());
  launch_groups(queue, diagonal, 1, group_);
}

void BlockPivotKernels::exchange(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                                 cl_uint columns, bool left, const cl::Buffer& sources) {
  if (n == 0 || columns == 0) return;
  Kernel& exchange = kernel("exchange_rows");
  cl_uint index = 0;
  pass_view(exchange, index, a);
  exchange.set_arguments_from(index, n, columns, cl_uint{left ? 1U : 0U}, sources);
  enqueue_kernel(queue, exchange,
                 cl::NDRange(ceil_div(columns, grid_cols_) * group_, ceil_div(n, nb_)),
                 cl::NDRange(group_, 1));
}

void BlockPivotKernels::extremes(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                                 const Figures& figures) {
  if (n == 0) return;
  Kernel& entries = kernel("extreme_entries");
  cl_uint index = 0;
  pass_view(entries, index, a);
  entries.set_arguments_from(index, n, figures.buffer, figures.below, figures.above,
                             figures.smallest);
  launch_groups(queue, entries, n, group_);
}

}  // namespace clgauss
