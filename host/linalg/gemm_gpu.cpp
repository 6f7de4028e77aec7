#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <map>
#include <tuple>

#include "linalg/gemm_backend.hpp"

namespace clgauss {

namespace {

/// The matrix instructions used by cl/gemm_nvidia_*.cl came with compute capability 8.0.
bool has_matrix_units(const DeviceProfile& device) {
  return device.attributes.nvidia && device.attributes.nvidia->capability_major >= 8;
}

class GemmGpu : public GemmBackend {
 public:
  GemmGpu(DeviceContext& context, RealType type, const GemmOptions& options)
      : context_(context),
        type_(type),
        options_(options),
        tuned_{tuned_gemm_specs(context, type, GemmUse::general),
               tuned_gemm_specs(context, type, GemmUse::update)} {}

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
    if (spec.needs_nvidia() && !has_matrix_units(context_.profile())) return false;
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
    for (const GemmUse use : {GemmUse::update, GemmUse::general}) {
      const Entry* best = nullptr;
      for (const GemmSpec& spec : gemm_specs()) {
        if (spec.use != use || !takes(spec, call)) continue;
        if (best != nullptr && best->spec.needs_nvidia() && !spec.needs_nvidia())
          continue;  // slower whatever the shape
        const Entry& entry = prepared(spec, call.shape);
        if (!entry.works) continue;
        if (fills_device(spec, call.shape)) return entry;
        if (best == nullptr ||
            spec.tiles(call.shape.m, call.shape.n) > best->spec.tiles(call.shape.m, call.shape.n))
          best = &entry;
      }
      if (best != nullptr) return *best;
    }
    throw DeviceLimit("no GEMM kernel works on " + context_.profile().name);
  }

  const Entry& strict_choice(const GemmCall& call) {
    const GemmSpec& spec = options_.preferred.front();
    if (!takes(spec, call)) throw DeviceLimit(spec.name + " does not take this product here");
    const auto [place, is_new] =
        kernels_.try_emplace(std::tuple(&spec, call.shape.transpose_a, call.shape.transpose_b));
    Entry& entry = place->second;
    if (entry.works) return entry;
    entry.spec = transposed(spec, call.shape.transpose_a, call.shape.transpose_b);
    entry.kernel = context_.programs().kernel(spec.file, "gemm", entry.spec.defines());
    if (!fits(entry))
      throw DeviceLimit(fmt::format(
          "{} takes {} work-items and {} bytes of local memory; here {} and {} are the limits",
          spec.name, spec.work_group_size(), spec.local_bytes(), entry.kernel.work_group_limit,
          context_.profile().local_mem_bytes));
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
    // A kernel that does not build or launch here is an outcome, not an error: the next spec is tried.
    try {
      entry.kernel = context_.programs().kernel(spec.file, "gemm", spec.defines());
      entry.works =
          fits(entry) && context_.check_once(check_key(spec), [&] { return works(entry, shape); });
    } catch (const BuildError&) {
      entry.works = false;
    } catch (const OpenClError&) {
      entry.works = false;
    } catch (const cl::Error&) {
      entry.works = false;
    }
    return entry;
  }

  /// NVIDIA's driver runs static local memory above the 48 KiB that it reports; there the known answer decides.
  [[nodiscard]] bool fits(const Entry& entry) const {
    return entry.spec.work_group_size() <= entry.kernel.work_group_limit &&
           (entry.spec.needs_nvidia() ||
            entry.spec.local_bytes() <= context_.profile().local_mem_bytes);
  }

  /// A product over full and cut tiles against the host's.
  bool works(const Entry& entry, const GemmShape& like) {
    const GemmSpec& spec = entry.spec;
    const Index align = spec.alignment();
    const auto cut = [&](const char* tile, Index times, Index more) {
      return (times * static_cast<Index>(spec.value(tile)) + more + align) / align * align;
    };
    const GemmShape shape{cut("TILE_M", 1, 5), cut("TILE_N", 1, 7), cut("TILE_K", 2, 3),
                          like.transpose_a, like.transpose_b};
    return gives_known_answer(context_, type_, shape,
                              [&](const GemmCall& call) { launch(context_.queue(), entry, call); });
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
    queue.enqueueNDRangeKernel(kernel.handle, cl::NullRange, cl::NDRange(groups * local),
                               cl::NDRange(local));
  }

  DeviceContext& context_;
  RealType type_;
  const GemmOptions options_;
  const std::array<std::vector<TunedGemm>, 2> tuned_;  // for general products and for updates
  std::map<std::tuple<const GemmSpec*, bool, bool>, Entry> kernels_;  // by spec, A^T, B^T
};

}  // namespace

std::unique_ptr<GemmBackend> make_gemm_gpu(DeviceContext& context, RealType type,
                                           const GemmOptions& options) {
  return std::make_unique<GemmGpu>(context, type, options);
}

}  // namespace clgauss
