#include <algorithm>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <optional>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/gemm/gemm_backend.hpp"

namespace clgauss {

namespace {

/// The kernels of a checked GemmSpec, and the parameters that the host needs.
struct Kernels {
  cl_uint mr, nr, pack_steps, kc, mc, nc;
  std::string name;
  Kernel pack_a_n, pack_a_t, pack_b_n, pack_b_t, tiles;

  Kernels(Context& context, const GemmSpec& spec) : name(spec.name) {
    const auto number = [&](const char* name) { return static_cast<cl_uint>(spec.value(name)); };
    mr = number("MR");
    nr = number("NR");
    pack_steps = number("PACK_STEPS");
    kc = number("KC");
    mc = number("MC");
    nc = number("NC");
    const auto kernel = [&](const char* function) {
      return context.programs().kernel(spec.file, function, spec.defines());
    };
    pack_a_n = kernel("pack_a_n");
    pack_a_t = kernel("pack_a_t");
    pack_b_n = kernel("pack_b_n");
    pack_b_t = kernel("pack_b_t");
    tiles = kernel("gemm_tiles");
  }
};

/// Extent and depth of one operand.
struct Operand {
  cl_uint extent, depth, kc, panel;

  /// Elements of the operand's packed copy.
  [[nodiscard]] std::uint64_t packed() const {
    return std::uint64_t{round_up(extent, panel)} * depth;
  }
};

/// The smallest multiple of `unit` that cuts `extent` into at most `parts` parts.
cl_uint part(cl_uint extent, cl_uint parts, cl_uint unit) {
  return std::max(unit, round_up(ceil_div(extent, parts), unit));
}

class GemmCpu : public GemmBackend {
 public:
  GemmCpu(Context& context, RealType type, const GemmOptions& options)
      : context_(context),
        type_(type),
        compute_units_(context.profile().compute_units),
        tickets_(context.allocate(sizeof(cl_uint), "the tickets of a GEMM")) {
    if (options.strict) {
      const GemmSpec& spec = options.preferred.front();
      if (!spec.is_for_cpu() || spec.type != type)
        throw DeviceLimit(spec.name + " is not for this kind of device or type");
      kernels_.emplace(context, spec);
      return;
    }
    for (const GemmSpec& spec : options.preferred)
      if (spec.is_for_cpu() && spec.type == type && works(spec)) return;
    // The same blocks serve every size. Those tuned at the largest size are best where most time is
    // spent.
    std::vector<TunedGemm> tuned = tuned_gemm_specs(context, type, GemmUse::general);
    std::ranges::stable_sort(tuned, std::ranges::greater(),
                             [](const TunedGemm& of) { return of.entry->n; });
    for (const TunedGemm& of : tuned)
      if (of.spec.is_for_cpu() && works(of.spec)) return;
    const GemmSpec usual = default_cpu_gemm_spec(context.profile(), type);
    if (!works(usual))
      throw NoUsableKernel("no GEMM kernel for CPUs works on " + context.profile().name + ": " +
                           context.trials().reasons({usual.name}));
  }

  void multiply(const cl::CommandQueue& queue, const GemmCall& call) override {
    const auto m = static_cast<cl_uint>(call.shape.m);
    const auto n = static_cast<cl_uint>(call.shape.n);
    const auto k = static_cast<cl_uint>(call.shape.k);
    Kernels& own = *kernels_;
    // Blocks of equal depth, because a thin last block would read and write C for little work.
    const cl_uint kc = round_up(ceil_div(k, ceil_div(k, own.kc)), own.pack_steps);
    const Operand a{m, k, kc, own.mr}, b{n, k, kc, own.nr};
    reserve(packed_a_, capacity_a_, a);
    reserve(packed_b_, capacity_b_, b);
    Kernel& pack_a = call.shape.transpose_a ? own.pack_a_t : own.pack_a_n;
    Kernel& pack_b = call.shape.transpose_b ? own.pack_b_t : own.pack_b_n;
    pack(queue, pack_a, !call.shape.transpose_a, call.a, a, call.alpha, packed_a_);
    pack(queue, pack_b, call.shape.transpose_b, call.b, b, 1, packed_b_);
    own.tiles.set_arguments(packed_a_, packed_b_, call.c.buffer, cl_ulong{call.c.offset},
                            cl_ulong{call.c.ld}, m, n, k, kc);
    set_real(own.tiles, 9, type_, call.beta);
    enqueue_tiles(queue, m, n, call.shape.lower);
  }

  std::string kernel_name(const GemmCall& /*call*/) override { return kernels_->name; }
  bool can_multiply(const GemmCall& call) override { return call.share == nullptr; }

 private:
  /// Uses the spec if its kernels build and pass a self-test with whole and partial tiles and
  /// blocks.
  bool works(const GemmSpec& spec) {
    const bool passed = context_.trials().passes(build_of(spec), [&] {
      const Kernels& own = kernels_.emplace(context_, spec);
      GemmShape shape{2 * own.mr + 5, 2 * own.nr + 7, own.kc + 3};
      for (const bool lower : {false, true}) {
        shape.lower = lower;
        require_known_answer(context_, type_, shape,
                             [&](const GemmCall& call) { multiply(context_.queue(), call); });
      }
    });
    if (passed) kernels_.emplace(context_, spec);
    return passed;  // no error: the next spec is tried
  }

  void reserve(cl::Buffer& buffer, std::uint64_t& capacity, const Operand& operand) const {
    const std::uint64_t count = operand.packed();
    if (count <= capacity) return;
    buffer = context_.allocate(count * bytes_of(type_), "the packed copy of a GEMM operand");
    capacity = count;
  }

  /// `across`: the extent runs down the columns of `source`, so the copy transposes.
  void pack(const cl::CommandQueue& queue, Kernel& kernel, bool across, const MatrixView& source,
            const Operand& operand, double scale, const cl::Buffer& packed) const {
    kernel.set_arguments(source.buffer, cl_ulong{source.offset}, cl_ulong{source.ld},
                         operand.extent, operand.depth, operand.kc);
    set_real(kernel, 6, type_, scale);
    kernel.set_arguments_from(7, packed, tickets_);
    if (across)
      enqueue_kernel(
          queue, kernel,
          cl::NDRange(ceil_div(operand.extent, operand.panel), ceil_div(operand.depth, operand.kc)),
          cl::NDRange(1, 1));
    else
      enqueue_kernel(queue, kernel, cl::NDRange(ceil_div(operand.depth, kernels_->pack_steps)),
                     cl::NDRange(1));
  }

  void enqueue_tiles(const cl::CommandQueue& queue, cl_uint m, cl_uint n, bool lower) {
    Kernels& p = *kernels_;
    // Equal parts, at least 32 per compute unit, so that no unit waits long for the last parts.
    cl_uint parts_m = ceil_div(m, p.mc), parts_n = ceil_div(n, p.nc);
    while (parts_m * parts_n < 32 * compute_units_ && n / parts_n > 4 * p.nr) ++parts_n;
    while (parts_m * parts_n < 32 * compute_units_ && m / parts_m > 4 * p.mr) ++parts_m;
    const cl_uint rows = part(m, parts_m, p.mr), cols = part(n, parts_n, p.nr);
    p.tiles.set_arguments_from(10, rows, cols, tickets_, cl_uint{lower ? 1U : 0U});
    enqueue_kernel(queue, p.tiles, cl::NDRange(compute_units_), cl::NDRange(1));
  }

  Context context_;
  RealType type_;
  cl_uint compute_units_;
  std::optional<Kernels> kernels_;
  cl::Buffer packed_a_, packed_b_;
  cl::Buffer tickets_;  // the counter from which gemm_tiles draws its tiles
  std::uint64_t capacity_a_ = 0, capacity_b_ = 0;
};

}  // namespace

std::uint64_t gemm_workspace_bytes(const GemmSpec& spec, const GemmShape& shape) {
  if (!spec.is_for_cpu()) return 0;
  const auto operand = [&](Index extent, const char* panel) {
    return Operand{static_cast<cl_uint>(extent), static_cast<cl_uint>(shape.k), 0,
                   static_cast<cl_uint>(spec.value(panel))}
        .packed();
  };
  return (operand(shape.m, "MR") + operand(shape.n, "NR")) * bytes_of(spec.type);
}

void ask_gemm_cpu(Context& context, RealType type) {
  const GemmSpec spec = default_cpu_gemm_spec(context.profile(), type);
  GemmOptions options;
  options.preferred.push_back(spec);
  (void)GemmCpu(context, type, options);
}

std::unique_ptr<GemmBackend> make_gemm_cpu(Context& context, RealType type,
                                           const GemmOptions& options) {
  return std::make_unique<GemmCpu>(context, type, options);
}

}  // namespace clgauss
