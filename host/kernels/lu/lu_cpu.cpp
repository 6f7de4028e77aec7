#include "kernels/lu/lu_cpu.hpp"

#include <algorithm>
#include <clgauss/lab/launch.hpp>
#include <clgauss/lab/lu_spec.hpp>
#include <numeric>

#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_common.hpp"
#include "linalg/lu/pivots.hpp"

namespace clgauss {

namespace {

/// The values for 64-byte vectors are the best of a search on 2 cores with AVX-512.
std::vector<ParameterSpec> parameters() {
  return with_cpu_tile(
      {{.name = "OPENCL_C",  // 300: many phases per launch; 120: one
        .least = 120,
        .most = 300,
        .step = 60,
        .usual = usual_language},
       {.name = "RB",  // rows of a chunk of the panel store
        .least = 8,
        .most = 64,
        .step = 8,
        .usual =
            [](const Setting& at) {
              return usual_tile(at, "MR") == 12 ? 3 * usual_tile(at, "VEC_WIDTH") : 8;
            }},
       // With many cores, the panel limits the speed up to a larger n. On 16 cores, n = 2048 takes
       // 8.5 ms with 96 columns and 10.1 with 192 in f32, 14.8 and 16.5 in f64.
       {.name = "NB",
        .least = 8,
        .most = 4096,
        .step = 8,
        .usual =
            [](const Setting& at) {
              return at.n <= (at.device.compute_units >= 8 ? 2048U : 1536U) ? 96 : 192;
            },
        .tried = {48, 96, 144, 192, 240, 288},
        .macro = false},
       {.name = "TILE_ROWS",
        .least = 8,
        .most = 1 << 16,
        .usual = [](const Setting&) { return 144; },
        .tried = {48, 96, 144, 192, 288},
        .macro = false},
       {.name = "TILE_COLS",
        .least = 4,
        .most = 1 << 16,
        .usual = [](const Setting& at) { return 16 * usual_tile(at, "NR"); },
        .macro = false},
       {.name = "SOLVE_BLOCK",
        .least = 1,
        .most = 1 << 16,
        .usual = [](const Setting&) { return 192; },
        .tried = {96, 192, 384},
        .macro = false}});
}

std::string broken_rule_of_cpu(const Parameters& parameters, RealType type) {
  std::string broken = broken_tile_rule(parameters, type);
  constexpr std::pair<const char*, const char*> multiples[] = {
      {"RB", "MR"}, {"RB", "VEC_WIDTH"}, {"NB", "RB"},
      {"NB", "NR"}, {"TILE_ROWS", "RB"}, {"TILE_COLS", "NR"}};
  for (const auto& [name, of] : multiples)
    if (broken.empty()) broken = not_multiple(parameters, name, of);
  if (broken.empty() && value_of(parameters, "RB") > 4 * value_of(parameters, "VEC_WIDTH"))
    broken = "RB must be at most 4 VEC_WIDTH";
  if (const int language = value_of(parameters, "OPENCL_C");
      broken.empty() && language != 120 && language != 300)
    broken = "OPENCL_C must be 120 or 300";
  return broken;
}

}  // namespace

const KernelVariant& lu_cpu_variant() {
  static const KernelVariant variant{
      .name = "lu_cpu",
      .file = "lu_cpu.cl",
      .parameters = parameters(),
      .lacks = lacks_long_loops,
      .ask =
          [](Context& context, RealType type) {
            (void)lu_cpu_works(context, type,
                               default_lu_spec(context.profile(), type, 1500, LuFamily::cpu));
            (void)complex_lu_cpu_works(context, type,
                                       complex_lu_cpu_spec(context.profile(), type, 1500));
          },
      .broken_rule = broken_rule_of_cpu,
      .workspace_bytes =
          [](const Parameters& parameters, const Setting& at) {
            return LuCpuWorkspace(LuCpuBlocking(parameters, at.n), at.type).sum();
          }};
  return variant;
}

bool works_in_panels(Context& context, const KernelVariant& variant, NumberType number,
                     const LuSpec& spec,
                     const std::function<void(const LuSpec& small, Index n)>& ask) {
  const KernelBuild build{variant.name, variant.file,
                          number_macros(number, with_parameters(variant, spec.parameters, {}))};
  return context.trials().passes(build, [&] {
    LuSpec small = spec;
    const int unit = std::lcm(spec.value("RB"), spec.value("NR"));
    set_value(small.parameters, "NB", unit);
    set_value(small.parameters, "SOLVE_BLOCK", unit);
    ask(small, 2 * static_cast<Index>(unit) + 5);
  });
}

std::optional<Index> read_failed_column(const cl::CommandQueue& queue, const cl::Buffer& info,
                                        cl_uint n) {
  cl_int column = 0;
  queue.enqueueReadBuffer(info, CL_TRUE, 0, sizeof column, &column);
  if (column == static_cast<cl_int>(n)) return std::nullopt;
  return checked_failed_column(static_cast<Index>(column), n);
}

LuCpuBlocking::LuCpuBlocking(const Parameters& parameters, Index rows)
    : n(static_cast<cl_uint>(rows)) {
  const auto number = [&](const char* name) {
    return static_cast<cl_uint>(value_of(parameters, name));
  };
  rb = number("RB");
  nr = number("NR");
  nb = number("NB");
  tile_rows = number("TILE_ROWS");
  tile_cols = number("TILE_COLS");
  solve_block = number("SOLVE_BLOCK");
  panels = ceil_div(n, nb);
}

LuCpuPhases::LuCpuPhases(const Context& context, const Parameters& parameters)
    : many_(value_of(parameters, "OPENCL_C") >= 300),
      compute_units_(context.profile().compute_units) {}

void LuCpuPhases::launch(const cl::CommandQueue& queue, Kernel& kernel, cl_uint at, cl_uint first,
                         cl_uint last) const {
  const cl_uint at_once = many_ ? last - first : 1;
  for (cl_uint phase = first; phase < last; phase += at_once) {
    kernel.set_arguments_from(at, phase, phase + at_once);
    enqueue_kernel(queue, kernel, cl::NDRange(compute_units_), cl::NDRange(1));
  }
}

LuCpuWorkspace::LuCpuWorkspace(const LuCpuBlocking& cut, NumberType number) {
  const std::uint64_t element = bytes_of(number.real), parts = number.parts(), n = cut.n,
                      columns = parts * cut.nb;
  std::uint64_t elements =
      0;  // every panel's rows in chunks of rb, each padded by CHUNK_PAD = 8 columns
  for (cl_uint k = 0; k < cut.n; k += cut.nb)
    elements += std::uint64_t{ceil_div(cut.n - k, cut.rb)} * (columns + 8) * cut.rb;
  store = elements * element;
  const std::uint64_t strips = round_up(cut.n, cut.nr);
  // Of complex numbers W, the three panels of the update, and the sums of L's parts.
  u = (number.complex ? 7 * strips * cut.nb + round_up(cut.n, cut.rb) * (cut.nb + 8)
                      : strips * cut.nb) *
      element;
  scratch = columns * 64 * parts * element;  // BLOCK_COLS is at most 64 PARTS
  x = n * parts * element;
  ids = std::uint64_t{cut.panels} * n * sizeof(cl_uint);
  pivots = positions = n * sizeof(cl_uint);
  moves = cut.nb * 3 * sizeof(cl_uint);
  counters = std::max(lu_phases(cut.panels), cut.solve_phases(cut.n)) * kLuCpuCounterBytes;
  info = sizeof(cl_int);
}

LuCpuKernels::LuCpuKernels(Context& context, NumberType number, const Parameters& parameters) {
  const Defines defines = number_macros(number, with_parameters(lu_cpu_variant(), parameters, {}));
  const auto kernel = [&](const char* name) {
    return context.programs().kernel(lu_cpu_variant().file, name, defines);
  };
  extract = kernel("lu_extract");
  phases = kernel("lu_phases");
  solve = kernel("solve_phases");
  diagonal = kernel("diagonal");
}

LuCpuBuffers::LuCpuBuffers(const Context& context, const LuCpuWorkspace& bytes) {
  context.require_memory(bytes.sum(), "the workspace of an LU");
  const auto buffer = [&](std::uint64_t size) {
    return context.allocate(size, "the workspace of an LU");
  };
  store = buffer(bytes.store);
  u = buffer(bytes.u);
  scratch = buffer(bytes.scratch);
  x = buffer(bytes.x);
  ids = buffer(bytes.ids);
  pivots = buffer(bytes.pivots);
  positions = buffer(bytes.positions);
  moves = buffer(bytes.moves);
  counters = buffer(bytes.counters);
  info = buffer(bytes.info);
}

}  // namespace clgauss
