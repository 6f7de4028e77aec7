#include "kernels/ldlt/ldlt.hpp"

#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "matrix/shapes.hpp"

namespace clgauss {

namespace {

constexpr const char* kFile = "ldlt.cl";

/// The functions give the usual values of VEC_WIDTH, WIDTH, LOCAL and CHUNK.
std::vector<ParameterSpec> parameters(int (*vec_width)(const Setting&),
                                      int (*width)(const Setting&), int (*local)(const Setting&),
                                      int (*chunk)(const Setting&)) {
  return {{.name = "VEC_WIDTH", .least = 1, .most = 16, .usual = vec_width},
          {.name = "USE_FMA",
           .least = 0,
           .most = 1,
           .usual = [](const Setting& at) { return at.device.fast_fma ? 1 : 0; }},
          {.name = "WIDTH",  // columns of a panel
           .least = 8,
           .most = 256,
           .usual = width,
           .tried = {32, 48, 64, 96, 128}},
          {.name = "LOCAL", .least = 1, .most = 1024, .usual = local, .tried = {}},
          {.name = "CHUNK", .least = 1, .most = 64, .usual = chunk, .tried = {}},
          {.name = "PIECE",  // rows of a piece of a job
           .least = 16,
           .most = 1 << 16,
           .usual = [](const Setting&) { return 128; },
           .tried = {}}};
}

std::vector<ParameterSpec> cpu_parameters() {
  std::vector<ParameterSpec> all =
      parameters([](const Setting& at) { return usual_tile(at, "VEC_WIDTH"); },
                 [](const Setting&) { return 96; }, [](const Setting&) { return 1; },
                 [](const Setting&) { return 16; });
  all.push_back({.name = "OPENCL_C",  // 300: work-groups help with a panel
                 .least = 120,
                 .most = 300,
                 .step = 180,
                 .usual = usual_language,
                 .tried = {}});
  return all;
}

void ask(Context& context, RealType type, LuFamily family) {
  (void)ldlt_works(context, type, family);
  (void)complex_ldlt_works(context, type, family);
}

std::string broken_rule(const Parameters& parameters, RealType /*type*/) {
  for (const char* name : {"VEC_WIDTH", "LOCAL"})
    if (const std::string rule = not_power_of_two(parameters, name); !rule.empty()) return rule;
  return {};
}

std::vector<Demand> demands(const Parameters& parameters, RealType type) {
  const auto local = static_cast<std::uint64_t>(value_of(parameters, "LOCAL")),
             width = static_cast<std::uint64_t>(value_of(parameters, "WIDTH"));
  // multipliers of complex numbers take twice as much as real ones
  std::vector<Demand> all{
      {"LOCAL", local, (2 * width + local) * bytes_of(type) + local * sizeof(cl_uint)}};
  if (local > 1) all.push_back({"WIDTH", width, 0});  // ldlt_exchange
  return all;
}

template <LuFamily kFamily>
std::uint64_t workspace(const Parameters& /*parameters*/, const Setting& at) {
  return LdltBuffers::bytes(at.type, ldlt_cut(at.device, at.type, kFamily, at.n));
}

}  // namespace

const KernelVariant& ldlt_cpu_variant() {
  static const KernelVariant variant{
      .name = "ldlt_cpu",
      .file = kFile,
      .parameters = cpu_parameters(),
      .lacks = lacks_long_loops,
      .ask = [](Context& context, RealType type) { ask(context, type, LuFamily::cpu); },
      .broken_rule = broken_rule,
      .demands = demands,
      .workspace_bytes = workspace<LuFamily::cpu>};
  return variant;
}

const KernelVariant& ldlt_variant() {
  static const KernelVariant variant{
      .name = "ldlt",
      .file = kFile,
      .parameters = parameters([](const Setting&) { return 1; }, [](const Setting&) { return 64; },
                               [](const Setting& at) { return usual_group(at, 512); },
                               [](const Setting&) { return 1; }),
      .lacks = lacks_nothing,
      .ask = [](Context& context, RealType type) { ask(context, type, LuFamily::gpu); },
      .broken_rule = broken_rule,
      .demands = demands,
      .workspace_bytes = workspace<LuFamily::gpu>};
  return variant;
}

const KernelVariant& ldlt_variant_of(LuFamily family) {
  return family == LuFamily::cpu ? ldlt_cpu_variant() : ldlt_variant();
}

Variants ldlt_variants() {
  static const std::array<const KernelVariant*, 3> variants{&ldlt_cpu_variant(), &ldlt_variant(),
                                                            &ldlt_waiting_variant()};
  return variants;
}

namespace {

/// Columns of a panel that a work-item of ldlt_bring and ldlt_spread takes on GPUs.
constexpr cl_uint kShare = 8;

/// Work-items of a group of ldlt_exchange on GPUs, which takes some lines at once.
constexpr cl_uint kExchanging = 256;

/// Per row of A: numbers, and cl_uints.
constexpr std::uint64_t kNumbers = 4, kIndices = 7;

/// Of `team`, besides the pieces: four lines (LINE of ldlt_panel.clh).
constexpr Index kCounters = 64;

Index pieces_of(const LdltCut& cut) { return ceil_div(cut.n, cut.piece); }

/// The usual parameters; a vector of complex numbers has at least one.
Parameters parameters_for(KernelMemo& kernels, const KernelVariant& variant, Index n) {
  Parameters parameters =
      usual_parameters(std::array{&variant}, {kernels.context().profile(), kernels.type(), n});
  if (kernels.number().complex)
    set_value(parameters, "VEC_WIDTH", std::max(2, value_of(parameters, "VEC_WIDTH")));
  return parameters;
}

}  // namespace

LdltCut ldlt_cut(const DeviceProfile& device, NumberType number, LuFamily family, Index n) {
  const Parameters parameters =
      usual_parameters(std::array{&ldlt_variant_of(family)}, {device, number.real, n});
  const Index width = static_cast<Index>(value_of(parameters, "WIDTH"));
  const cl_uint rows = family == LuFamily::gpu ? LdltWaiting::usual_rows(device, number, n) : 0;
  return {n, rows > 0 ? std::min<Index>(width, LdltWaiting::width(number)) : width,
          static_cast<Index>(value_of(parameters, "PIECE"))};
}

Index ld_of_ldlt_panel(NumberType number, Index n) {
  return padded_ld(number.parts() * n, number.real) / number.parts();
}

std::uint64_t LdltBuffers::bytes(NumberType number, const LdltCut& cut) {
  return cut.n * (kNumbers * number.bytes() + kIndices * sizeof(cl_uint)) +
         (cut.width * (ld_of_ldlt_panel(number, cut.n) + 1) + pieces_of(cut)) * number.bytes() +
         (kCounters + pieces_of(cut)) * sizeof(cl_uint);
}

LdltBuffers::LdltBuffers(const Context& context, NumberType number, const LdltCut& cut) {
  constexpr const char* kWhat = "the workspace of L D L^T";
  context.require_memory(bytes(number, cut), kWhat);
  const Index rows_or_one = std::max<Index>(cut.n, 1);
  w.ld = ld_of_ldlt_panel(number, rows_or_one);
  w.buffer = context.allocate(cut.width * w.ld * number.bytes(), kWhat);
  d = context.allocate(kNumbers / 2 * rows_or_one * number.bytes(), kWhat);
  work = context.allocate(
      (kNumbers / 2 * rows_or_one + cut.width + pieces_of(cut)) * number.bytes(), kWhat);
  team = context.allocate((kCounters + pieces_of(cut)) * sizeof(cl_uint), kWhat);
  for (cl::Buffer* indices : {&kinds, &exchanges, &order, &rows, &ends})
    *indices = context.allocate(rows_or_one * sizeof(cl_uint), kWhat);
  sources = context.allocate(2 * rows_or_one * sizeof(cl_uint), kWhat);
  done = context.allocate(3 * sizeof(cl_uint), kWhat);
}

LdltDone::LdltDone(const cl::CommandQueue& queue, const cl::Buffer& done) {
  queue.enqueueReadBuffer(done, CL_FALSE, 0, sizeof done_, done_.data(), nullptr, &event_);
  queue.flush();
}

LdltDone::~LdltDone() {
  if (event_() != nullptr) (void)clWaitForEvents(1, &event_());
}

const std::array<cl_uint, 3>& LdltDone::read() {
  event_.wait();
  return done_;
}

LdltKernels::LdltKernels(KernelMemo& kernels, LuFamily family, Index n, const LdltPanels& panels)
    : kernels_(kernels),
      variant_(ldlt_variant_of(family)),
      parameters_(parameters_for(kernels, variant_, n)),
      cut_(ldlt_cut(kernels.context().profile(), kernels.number(), family, n)),
      local_(static_cast<cl_uint>(value_of(parameters_, "LOCAL"))),
      chunk_(static_cast<cl_uint>(value_of(parameters_, "CHUNK"))),
      groups_(family == LuFamily::cpu && value_of(parameters_, "OPENCL_C") >= 300
                  ? kernels.context().profile().compute_units
                  : 1),
      panels_(family == LuFamily::gpu || panels.which == LdltPanels::rook ? panels.which
                                                                          : LdltPanels::one_group),
      waiting_(kernels, n, panels.rows) {
  if (panels.rows > 0) cut_.width = LdltWaiting::width(kernels.number());
}

KernelBuild LdltKernels::build() const {
  return {variant_.name, variant_.file, kernels_.all(macros())};
}

Kernel& LdltKernels::kernel(const char* name) {
  return kernels_.get(variant_.file, name, macros());
}

void LdltKernels::prepare() {
  for (const char* name :
       {"ldlt_bring", "ldlt_panel", "ldlt_spread", "ldlt_exchange", "ldlt_permute"})
    (void)kernel(name);
  if (local_ > 1) (void)kernel("ldlt_sources");
  if (waits(std::min(static_cast<cl_uint>(cut_.n), waiting_.most_rows()))) waiting_.prepare();
}

bool LdltKernels::waits(cl_uint rows) {
  const bool by_one = panels_ == LdltPanels::one_group || panels_ == LdltPanels::rook;
  if (by_one || rows == 0 || rows > waiting_.most_rows()) return false;
  if (panels_ == LdltPanels::waiting) return true;
  if (!waiting_works_) {
    Context& context = kernels_.context();
    const auto works = kernels_.number().complex ? complex_ldlt_waiting_works : ldlt_waiting_works;
    waiting_works_ = works(context, kernels_.type(), waiting_.rows());
    if (*waiting_works_ && !waiting_.resident()) {
      context.trials().pass_over(waiting_.build(), kNotResident);
      waiting_works_ = false;
    }
  }
  return *waiting_works_;
}

void LdltKernels::launch_chunks(const cl::CommandQueue& queue, const Kernel& kernel, cl_uint count,
                                cl_uint columns) const {
  const std::size_t local = std::min<std::size_t>(local_, 64),
                    rows = round_up<std::size_t>(ceil_div(count, chunk_), local);
  const std::size_t shares = local_ > 1 ? ceil_div<cl_uint>(columns, kShare) : 1;
  enqueue_kernel(queue, kernel, cl::NDRange(rows, shares), cl::NDRange(local, 1));
}

cl_uint LdltKernels::panel(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                           cl_uint first, cl_uint width, const LdltBuffers& buffers,
                           const LuFlags& flags) {
  const bool waiting = waits(n - first);
  if (waiting) {
    bring(queue, a, n, first, width, waiting_.brought());
    waiting_.panel(queue, a, n, first, width, buffers, flags);
  } else {
    panel_of_one_group(queue, a, n, first, width, buffers, flags);
  }
  // While it is waited for, the device goes on.
  LdltDone done(queue, buffers.done);
  if (waiting) waiting_.displace(queue, a, n, first, width, buffers);
  spread(queue, a, n, first, buffers);
  if (done.gave_up()) {
    if (panels_ == LdltPanels::waiting) throw DeviceLimit(kNotResident);
    kernels_.context().trials().forget_residency();
    waiting_works_ = false;
    queue.enqueueFillBuffer(buffers.done, cl_uint{0}, 2 * sizeof(cl_uint), sizeof(cl_uint));
    return panel(queue, a, n, first, width, buffers, flags);
  }
  const cl_uint count = done.count();
  if (count == 0 || count > width || count + 1 < width)
    throw DeviceFault("the device says that a panel of " + std::to_string(width) +
                      " columns from column " + std::to_string(first + 1) + " on took " +
                      std::to_string(count));
  return count;
}

void LdltKernels::bring(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                        cl_uint first, cl_uint width, const MatrixView& w) {
  Kernel& bring = kernel("ldlt_bring");
  bring.set_arguments(a.buffer, cl_ulong{a.offset}, cl_ulong{a.ld}, n, first, width, w.buffer,
                      cl_ulong{w.ld});
  launch_chunks(queue, bring, n - first, width);
}

void LdltKernels::panel_of_one_group(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                                     cl_uint first, cl_uint width, const LdltBuffers& buffers,
                                     const LuFlags& flags) {
  bring(queue, a, n, first, width, buffers.w);
  Kernel& panel = kernel("ldlt_panel");
  panel.set_arguments(a.buffer, cl_ulong{a.offset}, cl_ulong{a.ld}, n, first, width,
                      buffers.w.buffer, cl_ulong{buffers.w.ld}, buffers.d, buffers.kinds,
                      buffers.exchanges, buffers.order, buffers.rows, buffers.ends, buffers.work,
                      buffers.done, flags.buffer(), buffers.team,
                      cl_uint{panels_ == LdltPanels::rook ? 1U : 0U});
  const auto pieces = static_cast<cl_uint>(ceil_div<Index>(n - first, cut_.piece));
  launch_groups(queue, panel, std::min(groups_, pieces), local_);
}

void LdltKernels::spread(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                         cl_uint first, const LdltBuffers& buffers) {
  Kernel& spread = kernel("ldlt_spread");
  spread.set_arguments(a.buffer, cl_ulong{a.offset}, cl_ulong{a.ld}, n, first, buffers.w.buffer,
                       cl_ulong{buffers.w.ld}, buffers.kinds, buffers.done);
  launch_chunks(queue, spread, n - first, width());
}

void LdltKernels::exchange(const cl::CommandQueue& queue, const MatrixView& a, cl_uint n,
                           const LdltBuffers& buffers) {
  Kernel& exchange = kernel("ldlt_exchange");
  if (local_ == 1) {
    exchange.set_arguments(a.buffer, cl_ulong{a.offset}, cl_ulong{a.ld}, n, buffers.kinds,
                           buffers.exchanges, buffers.ends);
    launch_chunks(queue, exchange, n);
    return;
  }
  Kernel& sources = kernel("ldlt_sources");
  sources.set_arguments(n, buffers.exchanges, buffers.ends, buffers.sources);
  launch_chunks(queue, sources, n);
  const auto width = static_cast<cl_uint>(value_of(parameters_, "WIDTH"));
  const cl_uint lines = std::max<cl_uint>(1, std::min(kExchanging, local_) / width);
  for (const cl_uint of_rows : {0U, 1U}) {
    exchange.set_arguments(a.buffer, cl_ulong{a.offset}, cl_ulong{a.ld}, n, buffers.kinds,
                           buffers.exchanges, buffers.ends, buffers.sources, of_rows);
    launch_groups(queue, exchange, ceil_div(n, lines), lines * width);
  }
}

void LdltKernels::permute(const cl::CommandQueue& queue, const MatrixView& b, cl_uint n, Index nrhs,
                          const cl::Buffer& order, const cl::Buffer& x, bool back) {
  Kernel& permute = kernel("ldlt_permute");
  permute.set_arguments(b.buffer, cl_ulong{b.offset}, cl_ulong{b.ld}, n, static_cast<cl_uint>(nrhs),
                        order, x, cl_uint{back ? 1U : 0U});
  launch_chunks(queue, permute, n);
}

}  // namespace clgauss
