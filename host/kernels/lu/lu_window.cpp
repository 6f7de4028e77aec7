#include "kernels/lu/lu_window.hpp"

#include <algorithm>
#include <array>
#include <clgauss/lab/launch.hpp>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/butterfly.hpp"
#include "kernels/lu/known_answers.hpp"
#include "matrix/shapes.hpp"

namespace clgauss {

namespace {

constexpr int kSmallestGroup = 64;

bool is_large(const Setting& at) {
  return at.device.type != DeviceType::cpu && at.device.max_work_group_size >= 512;
}

/// 16 x 32 work-items. On a CPU, one core runs all of them, so a row is one vector.
int usual_rows(const Setting& at) { return is_large(at) ? 16 : 4; }
int usual_columns(const Setting& at) { return is_large(at) ? 32 : 16; }

/// The columns that fill the registers of such a work-group, together with the window: 128 in f32,
/// 64 in f64.
int usual_block(const Setting& at) { return is_large(at) && at.type == RealType::f32 ? 128 : 64; }

std::string lacks_group(Context& context) {
  return context.profile().max_work_group_size >= kSmallestGroup
             ? ""
             : "it needs work-groups of 64 work-items";
}

std::string broken_rule_of_window(const Parameters& parameters, RealType /*type*/) {
  for (const char* grid : {"GRID_ROWS", "GRID_COLS"})
    if (const std::string rule = not_power_of_two(parameters, grid); !rule.empty()) return rule;
  if (const std::string rule = not_multiple(parameters, "NB", "GRID_COLS"); !rule.empty())
    return rule;
  const int window = value_of(parameters, "WINDOW"), rows = value_of(parameters, "GRID_ROWS");
  if (window < value_of(parameters, "NB")) return "WINDOW must be at least NB";
  return window % (4 * rows) == 0 && window <= 32 * rows
             ? ""
             : "WINDOW must be a multiple of 4 GRID_ROWS and at most 32 GRID_ROWS";
}

std::size_t group_of(const Parameters& parameters) {
  return static_cast<std::size_t>(value_of(parameters, "GRID_ROWS") *
                                  value_of(parameters, "GRID_COLS"));
}

std::vector<Demand> window_demands(const Parameters& parameters, RealType type) {
  const auto value = [&](const char* name) {
    return static_cast<std::uint64_t>(value_of(parameters, name));
  };
  const std::size_t group = group_of(parameters);
  return {{"GRID_ROWS", group, 2 * group * sizeof(cl_uint)},
          {"WINDOW", 0,
           (4 * value("WINDOW") + value("NB") + value("GRID_ROWS")) * bytes_of(type) +
               (value("WINDOW") + 2 * value("NB")) * sizeof(cl_uint)}};
}

std::uint64_t workspace(const Parameters& parameters, const Setting& at) {
  const auto nb = static_cast<Index>(value_of(parameters, "NB")),
             window = static_cast<Index>(value_of(parameters, "WINDOW"));
  return (at.n * padded_ld(at.n, at.type) + nb * (2 * nb + window)) * bytes_of(at.type) +
         (3 * at.n + window) * sizeof(cl_int);
}

/// Columns that a sub-group of lu_diagonal_ptx.cl keeps.
constexpr int kSubGroupColumns = 8;

/// Whether such blocks fit into the registers of lu_diagonal_ptx.cl.
bool fits_sub_groups(const Parameters& parameters, RealType type) {
  const int nb = value_of(parameters, "NB"), window = value_of(parameters, "WINDOW");
  return type == RealType::f32 && nb % kSubGroupColumns == 0 && nb <= 128 &&
         (window == 128 || window == 256) && nb <= window && 2 * nb >= window;
}

/// Self-tests the kernels that `ask` chooses, with the usual parameters.
void ask_usual(Context& context, RealType type,
               const std::function<void(WindowKernels&, const Parameters&)>& ask) {
  const Parameters parameters = usual_parameters(rbt_variants(), {context.profile(), type, 1});
  KernelMemo kernels(context, type);
  const LuFlags flags(context);
  WindowKernels window(kernels, flags, parameters);
  ask(window, parameters);
}

}  // namespace

const KernelVariant& lu_diagonal_ptx_variant() {
  static const KernelVariant variant{
      .name = "lu_diagonal_ptx",
      .file = "lu_diagonal_ptx.cl",
      .parameters = {},
      .lacks = lacks_ptx,
      .ask = [](Context& context, RealType type) {
        ask_usual(context, type, [&](WindowKernels& kernels, const Parameters& parameters) {
          if (fits_sub_groups(parameters, type))
            (void)kernels.diagonal_works(lu_diagonal_ptx_variant());
        });
      }};
  return variant;
}

const KernelVariant& lu_diagonal_variant() {
  static const KernelVariant variant{
      .name = "lu_diagonal",
      .file = "lu_diagonal.cl",
      .parameters = {},
      .lacks = lacks_group,
      .ask = [](Context& context, RealType type) {
        ask_usual(context, type, [](WindowKernels& kernels, const Parameters&) {
          (void)kernels.diagonal_works(lu_diagonal_variant());
        });
      }};
  return variant;
}

const KernelVariant& lu_window_variant() {
  static const KernelVariant variant{
      .name = "lu_window",
      .file = "lu_window.cl",
      .parameters =
          {{.name = "NB", .least = 1, .most = 256, .usual = usual_block, .tried = {32, 64, 128}},
           {.name = "WINDOW",  // twice NB: then pivots are as good as those of whole columns
            .least = 1,
            .most = 512,
            .usual = [](const Setting& at) { return 2 * usual_block(at); },
            .tried = {64, 128, 256}},
           {.name = "GRID_ROWS",
            .least = 4,
            .most = 32,
            .usual = usual_rows,
            .tried = {4, 8, 16, 32}},
           {.name = "GRID_COLS", .least = 1, .most = 32, .usual = usual_columns, .tried = {16, 32}},
           // Two blocks update the rest together, which is then read and written half as often. A
           // solve on an H200 in ms, without and with: n = 4096 7.95 and 8.01, 8192 22.2 and 20.9,
           // 16384 90.2 and 81.8, 32768 547 and 489.
           {.name = "PAIRED",
            .least = 0,
            .most = 1,
            .usual = [](const Setting& at) { return is_large(at) && at.n >= 6144 ? 1 : 0; },
            .tried = {0, 1},
            .macro = false}},
      .lacks = lacks_group,
      .ask =
          [](Context& context, RealType type) {
            ask_usual(context, type, [](WindowKernels& kernels, const Parameters&) {
              (void)kernels.exchanges_work();
            });
          },
      .broken_rule = broken_rule_of_window,
      .demands = window_demands,
      .workspace_bytes = workspace};
  return variant;
}

Variants rbt_variants() {
  static const std::array variants{&butterfly_variant(), &lu_diagonal_ptx_variant(),
                                   &lu_diagonal_variant(), &lu_window_variant()};
  return variants;
}

WindowKernels::WindowKernels(KernelMemo& kernels, const LuFlags& flags,
                             const Parameters& parameters)
    : kernels_(kernels),
      flags_(flags),
      parameters_(parameters),
      nb_(static_cast<cl_uint>(value_of(parameters, "NB"))),
      window_(static_cast<cl_uint>(value_of(parameters, "WINDOW"))),
      grid_cols_(static_cast<cl_uint>(value_of(parameters, "GRID_COLS"))),
      group_(group_of(parameters)) {}

Defines WindowKernels::macros(const KernelVariant& variant) const {
  if (&variant != &lu_diagonal_ptx_variant())
    return with_parameters(lu_window_variant(), parameters_, {});
  return {{"NB", std::to_string(nb_)}, {"WINDOW", std::to_string(window_)}};
}

Kernel& WindowKernels::kernel(const KernelVariant& variant, const char* name) {
  return kernels_.get(variant.file, name, macros(variant));
}

std::vector<const KernelVariant*> WindowKernels::diagonals() {
  std::vector<const KernelVariant*> variants;
  if (fits_sub_groups(parameters_, kernels_.type()) &&
      lu_diagonal_ptx_variant().lacks(kernels_.context()).empty())
    variants.push_back(&lu_diagonal_ptx_variant());
  variants.push_back(&lu_diagonal_variant());
  return variants;
}

void WindowKernels::prepare() {
  const std::vector<const KernelVariant*> all = diagonals();
  const auto usable =
      std::ranges::find_if(all, [&](const KernelVariant* each) { return diagonal_works(*each); });
  if (usable == all.end()) {
    std::vector<std::string> names;
    for (const KernelVariant* each : all) names.emplace_back(each->name);
    kernels_.none_works("the diagonal blocks of an LU with pivots from a window", names);
  }
  diagonal_ = *usable;
  if (!exchanges_work())
    kernels_.none_works("an LU with pivots from a window", {lu_window_variant().name});
  (void)kernel(*diagonal_, "lu_diagonal");
  for (const char* name : {"exchange_rows", "invert_order", "extreme_entries"})
    (void)kernel(lu_window_variant(), name);
}

bool WindowKernels::diagonal_works(const KernelVariant& variant) {
  return kernels_.works(variant.name, variant.file, macros(variant), [&] {
    Context& context = kernels_.context();
    const cl::CommandQueue& queue = context.queue();
    const LuFlags flags(context);  // not those of a factorisation in progress
    WindowKernels own(kernels_, flags, parameters_);
    own.diagonal_ = &variant;
    const auto count = [](Index number) { return static_cast<cl_uint>(number); };
    for (const bool singular : {false, true})
      require_diagonal_block(
          context, kernels_.type(), {nb_, window_}, singular, [&](const DiagonalQuestion& q) {
            flags.reset(queue);
            own.diagonal(queue, {q.a, q.lu, q.work, q.sources, count(q.rows), count(q.size), 0});
            return flags.read(queue).first_bad_pivot;
          });
  });
}

bool WindowKernels::exchanges_work() {
  const KernelVariant& variant = lu_window_variant();
  return kernels_.works(variant.name, variant.file, macros(variant), [&] {
    Context& context = kernels_.context();
    const cl::CommandQueue& queue = context.queue();
    const auto count = [](Index number) { return static_cast<cl_uint>(number); };
    require_exchanges(context, kernels_.type(), {nb_, window_}, [&](const ExchangeQuestion& q) {
      exchange(queue,
               {q.a, q.lu, q.sources, q.order, count(q.first), count(q.rows), count(q.columns)});
      invert(queue, q.order, count(q.columns + 1), q.positions);
    });
    require_extreme_entries(context, kernels_.type(),
                            [&](const MatrixView& a, cl_uint n, const cl::Buffer& figures) {
                              extremes(queue, a, n, {figures, 0, 1, 2});
                            });
  });
}

void WindowKernels::diagonal(const cl::CommandQueue& queue, const Diagonal& block) {
  Kernel& diagonal = kernel(*diagonal_, "lu_diagonal");
  cl_uint index = 0;
  pass_view(diagonal, index, block.a);
  diagonal.set_arguments_from(index, block.rows, block.size);
  index += 2;
  pass_view(diagonal, index, block.lu);
  diagonal.set_arguments_from(index, block.work, block.sources, block.first, flags_.buffer());
  launch_groups(queue, diagonal, 1,
                diagonal_ == &lu_diagonal_variant() ? group_ : nb_ / kSubGroupColumns * kSubGroup);
}

void WindowKernels::exchange(const cl::CommandQueue& queue, const Exchange& exchange) {
  Kernel& rows = kernel(lu_window_variant(), "exchange_rows");
  cl_uint index = 0;
  pass_view(rows, index, exchange.a);
  pass_view(rows, index, exchange.lu);
  rows.set_arguments_from(index, exchange.first, exchange.rows, exchange.columns, exchange.sources,
                          exchange.order);
  launch_groups(queue, rows, ceil_div(exchange.columns, grid_cols_), group_);
}

void WindowKernels::invert(const cl::CommandQueue& queue, const cl::Buffer& order, cl_uint n,
                           const cl::Buffer& positions) {
  if (n == 0) return;
  Kernel& invert = kernel(lu_window_variant(), "invert_order");
  invert.set_arguments(order, positions);
  launch_items(kernels_.context(), queue, invert, {n, 1});
}

void WindowKernels::extremes(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                             const Figures& figures) {
  if (n == 0) return;
  Kernel& entries = kernel(lu_window_variant(), "extreme_entries");
  cl_uint index = 0;
  pass_view(entries, index, a);
  entries.set_arguments_from(index, n, figures.buffer, figures.below, figures.above,
                             figures.smallest);
  launch_groups(queue, entries, n, group_);
}

}  // namespace clgauss
