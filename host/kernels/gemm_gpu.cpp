#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <map>
#include <tuple>

#include "kernels/gemm_backend.hpp"

namespace clgauss {

namespace {

/// The matrix instructions used by cl/gemm_nvidia_*.cl came with compute capability 8.0.
constexpr unsigned kCapability = 8;

class GemmGpu : public GemmBackend {
 public:
  GemmGpu(Context& context, RealType type, const GemmOptions& options)
      : context_(context),
        type_(type),
        options_(options),
        tuned_{tuned_gemm_specs(context, type, GemmUse::general),
               tuned_gemm_specs(context, type, GemmUse::update)} {
    const std::string lacks = context.profile().lacks_compute_capability(kCapability);
    has_matrix_units_ = lacks.empty();
    for (const GemmSpec& spec : gemm_specs())
      if (!has_matrix_units_ && spec.needs_nvidia() && spec.type == type)
        context.trials().pass_over(build_of(spec), lacks);
  }

  void multiply(const cl::CommandQueue& queue, const GemmCall& call) override {
    launch(queue, choose(call), call);
  }

  std::string kernel_name(const GemmCall& call) override { return choose(call).spec.name; }

 private:
  /// A kernel that was built, or found not to work here.
  struct Entry {
    GemmSpec spec;
    Kernel kernel;
    bool works = false;
  };

  /// Whether the views and the shape are what the spec's kernel takes.
  [[nodiscard]] bool takes(const GemmSpec& spec, const GemmCall& call) const {
    if (spec.is_for_cpu() || spec.type != type_) return false;
    if (spec.needs_nvidia() && !has_matrix_units_) return false;
    if ((call.shape.transpose_a || call.shape.transpose_b) && !spec.transposes()) return false;
    if (spec.use == GemmUse::update && (call.alpha != -1 || call.beta != 1)) return false;
    for (const MatrixView* view : {&call.a, &call.b, &call.c})
      if (view->offset % spec.alignment() != 0 || view->ld % spec.alignment() != 0) return false;
    return true;
  }

  /// Whether the spec's tiles of this C give every compute unit enough to do. On an H200 124 work-items a unit lose to
  /// smaller tiles (f64, n = 1024), 248 win (f32, n = 2048).
  [[nodiscard]] bool fills_device(const GemmSpec& spec, const GemmShape& shape) const {
    return spec.tiles(shape.m, shape.n) * spec.work_group_size() >=
           192 * context_.profile().compute_units;
  }

  /// What was tuned for the use and the size of the call, if anything was. Updates were tuned with the few columns that an LU takes at
  /// once; with many, the kernel tuned for them lost 18 % (H200, f32, n = k = 4096).
  [[nodiscard]] const GemmSpec* tuned_for(const GemmCall& call) const {
    constexpr Index kUpdateDepth = 256;
    const bool update = call.alpha == -1 && call.beta == 1 && call.shape.k <= kUpdateDepth;
    const std::vector<TunedGemm>& specs = tuned_[update ? 1 : 0];
    std::vector<const TunedEntry*> entries;
    for (const TunedGemm& tuned : specs) entries.push_back(tuned.entry);
    const TunedEntry* nearest = nearest_tuned(entries, std::max(call.shape.m, call.shape.n));
    const auto found = std::ranges::find(specs, nearest, &TunedGemm::entry);
    return found == specs.end() ? nullptr : &found->spec;
  }

  /// The first spec that takes the call and works on this device: of the preferred ones, then what was tuned, then of the table,
  /// where an update build comes before a general one and counts only if it fills the device. Failing all, the one of the table
  /// with the smallest tiles.
  const Entry& choose(const GemmCall& call) {
    if (options_.strict) return strict_choice(call);
    std::vector<const GemmSpec*> first;
    for (const GemmSpec& spec : options_.preferred) first.push_back(&spec);
    if (const GemmSpec* tuned = tuned_for(call)) first.push_back(tuned);
    for (const GemmSpec* spec : first) {
      if (!takes(*spec, call)) continue;
      const Entry& entry = prepared(*spec, call.shape);
      if (entry.works) return entry;
    }
    std::vector<std::string> names;
    for (const GemmUse use : {GemmUse::update, GemmUse::general}) {
      const Entry* best = nullptr;
      for (const GemmSpec& spec : gemm_specs()) {
        if (spec.use != use || !takes(spec, call)) continue;
        names.push_back(spec.name);
        if (best != nullptr && best->spec.needs_nvidia() && !spec.needs_nvidia())
          continue;  // slower whatever the shape
        const bool fills = fills_device(spec, call.shape);
        const auto tiles_of = [&](const GemmSpec& of) {
          return of.tiles(call.shape.m, call.shape.n);
        };
        // What cannot win need not be built.
        if (!fills && best != nullptr && tiles_of(spec) <= tiles_of(best->spec)) continue;
        const Entry& entry = prepared(spec, call.shape);
        if (!entry.works) continue;
        if (fills) return entry;
        best = &entry;
      }
      if (best != nullptr) return *best;
    }
    throw NoUsableKernel("no GEMM kernel works on " + context_.profile().name + ": " +
                         context_.trials().reasons(names));
  }

  const Entry& strict_choice(const GemmCall& call) {
    const GemmSpec& spec = options_.preferred.front();
    if (!takes(spec, call)) throw DeviceLimit(spec.name + " does not take this product here");
    const auto [place, is_new] =
        kernels_.try_emplace(std::tuple(&spec, call.shape.transpose_a, call.shape.transpose_b));
    Entry& entry = place->second;
    if (entry.works) return entry;
    entry.spec = transposed(spec, call.shape.transpose_a, call.shape.transpose_b);
    build(entry);
    entry.works = true;
    return entry;
  }

  /// The kernel of a spec for the shape's transpositions, built and checked when it is first asked for.
  const Entry& prepared(const GemmSpec& of, const GemmShape& shape) {
    const auto [place, is_new] =
        kernels_.try_emplace(std::tuple(&of, shape.transpose_a, shape.transpose_b));
    Entry& entry = place->second;
    if (!is_new) return entry;
    entry.spec = transposed(of, shape.transpose_a, shape.transpose_b);
    const GemmSpec& spec = entry.spec;
    if (const std::string too_much = exceeded_local_memory(entry.spec); !too_much.empty()) {
      context_.trials().pass_over(build_of(entry.spec), too_much);
      return entry;
    }
    // A kernel that does not build or launch here is an outcome, not an error: the next spec is tried.
    entry.works = context_.trials().passes(build_of(spec), [&] {
      build(entry);
      require_known_answer(context_, type_, shape_to_check(entry, shape),
                           [&](const GemmCall& call) { launch(context_.queue(), entry, call); });
    });
    if (entry.works) build(entry);
    return entry;
  }

  /// Empty if the device has enough.
  [[nodiscard]] std::string exceeded_local_memory(const GemmSpec& spec) const {
    const std::uint64_t there = context_.profile().static_local_bytes();
    return spec.local_bytes() <= there
               ? ""
               : fmt::format("it takes {} bytes of local memory, {} has {}", spec.local_bytes(),
                             context_.profile().name, there);
  }

  /// Throws DeviceLimit where the kernel is too much for the device.
  void build(Entry& entry) const {
    const GemmSpec& spec = entry.spec;
    if (const std::string too_much = exceeded_local_memory(spec); !too_much.empty())
      throw DeviceLimit(spec.name + ": " + too_much);
    if (entry.kernel.handle() == nullptr)
      entry.kernel = context_.programs().kernel(spec.file, "gemm", spec.defines());
    if (spec.work_group_size() > entry.kernel.work_group_limit)
      throw DeviceLimit(fmt::format("{} takes {} work-items a group; here {} is the limit",
                                    spec.name, spec.work_group_size(),
                                    entry.kernel.work_group_limit));
  }

  /// Full and cut tiles.
  [[nodiscard]] static GemmShape shape_to_check(const Entry& entry, const GemmShape& like) {
    const GemmSpec& spec = entry.spec;
    const Index align = spec.alignment();
    const auto cut = [&](const char* tile, Index times, Index more) {
      return (times * static_cast<Index>(spec.value(tile)) + more + align) / align * align;
    };
    return {cut("TILE_M", 1, 5), cut("TILE_N", 1, 7), cut("TILE_K", 2, 3), like.transpose_a,
            like.transpose_b};
  }

  void launch(const cl::CommandQueue& queue, const Entry& entry, const GemmCall& call) const {
    const GemmSpec& spec = entry.spec;
    Kernel kernel = entry.kernel;  // another reference to the same OpenCL kernel
    const auto int_of = [](Index x) { return static_cast<cl_int>(x); };
    cl_uint index = 0;
    const auto pass = [&](const auto&... values) {
      kernel.set_arguments_from(index, values...);
      index += sizeof...(values);
    };
    const auto pass_view = [&](const MatrixView& view) {
      pass(view.buffer, cl_ulong{view.offset}, static_cast<cl_uint>(view.ld));
    };
    pass(int_of(call.shape.m), int_of(call.shape.n), int_of(call.shape.k));
    set_real(kernel, index++, type_, call.alpha);
    pass_view(call.a);
    pass_view(call.b);
    set_real(kernel, index++, type_, call.beta);
    pass_view(call.c);
    const std::size_t groups = spec.tiles(call.shape.m, call.shape.n);
    const std::size_t local = spec.work_group_size();
    enqueue_kernel(queue, kernel, cl::NDRange(groups * local), cl::NDRange(local));
  }

  Context& context_;
  RealType type_;
  const GemmOptions options_;
  bool has_matrix_units_ = false;
  const std::array<std::vector<TunedGemm>, 2> tuned_;  // for general products and for updates
  std::map<std::tuple<const GemmSpec*, bool, bool>, Entry> kernels_;  // by spec, A^T, B^T
};

}  // namespace

std::unique_ptr<GemmBackend> make_gemm_gpu(Context& context, RealType type,
                                           const GemmOptions& options) {
  return std::make_unique<GemmGpu>(context, type, options);
}

}  // namespace clgauss
