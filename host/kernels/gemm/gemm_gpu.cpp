#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "kernels/gemm/gemm_backend.hpp"
#include "launch/queue_order.hpp"

namespace clgauss {

namespace {

/// The properties of a spec that the choice reads repeatedly, looked up once.
struct Candidate {
  explicit Candidate(const GemmSpec& of)
      : spec(&of),
        ptx(of.needs_ptx()),
        transposes(of.transposes()),
        alignment(of.alignment()),
        tile_m(static_cast<Index>(of.value("TILE_M"))),
        tile_n(static_cast<Index>(of.value("TILE_N"))),
        work_group(of.work_group_size()) {}

  const GemmSpec* spec;
  bool ptx, transposes;
  Index alignment, tile_m, tile_n, work_group;

  [[nodiscard]] Index tiles(const GemmCall& call) const {
    const GemmShape& shape = call.shape;
    return ((shape.m + tile_m - 1) / tile_m) * ((shape.n + tile_n - 1) / tile_n) *
           (call.batch == nullptr ? 1 : call.batch->count);
  }
};

class GemmGpu : public GemmBackend {
 public:
  GemmGpu(Context& context, RealType type, const GemmOptions& options)
      : context_(context),
        type_(type),
        options_(options),
        tuned_{tuned_gemm_specs(context, type, GemmUse::general),
               tuned_gemm_specs(context, type, GemmUse::update)} {
    const std::string lacks = context.profile().lacks_ptx();
    has_matrix_units_ = lacks.empty();
    for (const GemmSpec& spec : gemm_specs())
      if (!has_matrix_units_ && spec.needs_ptx() && spec.type == type)
        context.trials().pass_over(clgauss::build_of(spec), lacks);
    const auto add = [&](std::vector<Candidate>& list, const GemmSpec& spec) {
      if (!spec.is_for_cpu() && spec.type == type) list.emplace_back(spec);
    };
    for (const GemmSpec& spec : options_.preferred) add(preferred_, spec);
    for (std::size_t use = 0; use < tuned_.size(); ++use)
      for (const TunedGemm& one : tuned_[use]) add(tuned_candidates_[use], one.spec);
    for (const GemmSpec& spec : gemm_specs()) add(table_, spec);
  }

  void multiply(const cl::CommandQueue& queue, const GemmCall& call) override {
    const Entry& entry = choose(call);
    launch(queue, entry, call, slices_for(entry.spec, call));
  }

  std::string kernel_name(const GemmCall& call) override { return choose(call).spec.name; }

  bool can_multiply(const GemmCall& call) override {
    try {
      (void)choose(call);
      return true;
    } catch (const NoUsableKernel&) {
      return false;
    }
  }

 private:
  /// A kernel that was built, or that does not work on this device.
  struct Entry {
    GemmSpec spec;
    KernelBuild of;
    Kernel kernel;
    bool works = false;
    bool spills = false;  // more than a few registers
  };

  /// The spec, and whether the product has A^T, B^T, shared, batched, sliced.
  using Key = std::tuple<const GemmSpec*, bool, bool, bool, bool, bool>;
  [[nodiscard]] Key key_of(const GemmSpec& spec, const GemmCall& call) const {
    const GemmShape& shape = call.shape;
    return {&spec,
            shape.transpose_a,
            shape.transpose_b,
            call.share != nullptr,
            call.batch != nullptr,
            slices_for(spec, call) > 1};
  }

  /// The build of the spec's kernel for such a product.
  [[nodiscard]] KernelBuild build_for(const GemmSpec& spec, const GemmCall& call) const {
    KernelBuild build = build_of(transposed(spec, call.shape.transpose_a, call.shape.transpose_b));
    if (call.share != nullptr) build.defines.emplace_back("SHARED", "1");
    if (call.batch != nullptr) build.defines.emplace_back("BATCHED", "1");
    if (slices_for(spec, call) > 1) build.defines.emplace_back("SLICED", "1");
    return build;
  }

  /// Whether the spec's kernel supports the views and the shape.
  [[nodiscard]] bool takes(const Candidate& candidate, const GemmCall& call) const {
    if (candidate.ptx && !has_matrix_units_) return false;
    if (call.share != nullptr && !candidate.ptx) return false;
    if ((call.shape.transpose_a || call.shape.transpose_b) && !candidate.transposes) return false;
    if (candidate.spec->use == GemmUse::update && (call.alpha != -1 || call.beta != 1))
      return false;
    for (const MatrixView* view : {&call.a, &call.b, &call.c})
      if (view->offset % candidate.alignment != 0 || view->ld % candidate.alignment != 0)
        return false;
    if (call.batch == nullptr) return true;
    const auto& [count, a_stride, b_stride, c_stride] = *call.batch;
    return (a_stride | b_stride | c_stride) % candidate.alignment == 0;
  }

  /// Whether the spec's tiles of this C keep every compute unit busy. On an H200, 124 work-items
  /// per unit were slower than smaller tiles (f64, n = 1024), and 248 were faster (f32, n = 2048).
  [[nodiscard]] bool fills_device(const Candidate& candidate, const GemmCall& call) const {
    return candidate.tiles(call) * candidate.work_group >= 192 * context_.profile().compute_units;
  }

  /// The spec tuned for the use and the size of the call, if there is one. Updates were tuned with
  /// the small depth of an LU's updates. With a large one, the kernel tuned for them was 18 %
  /// slower (H200, f32, n = k = 4096).
  [[nodiscard]] const Candidate* tuned_for(const GemmCall& call) const {
    constexpr Index kUpdateDepth = 256;
    const bool update = call.alpha == -1 && call.beta == 1 && call.shape.k <= kUpdateDepth;
    const std::vector<TunedGemm>& specs = tuned_[update ? 1 : 0];
    if (specs.empty()) return nullptr;
    const GemmSpec* nearest = nearest_tuned_gemm(specs, std::max(call.shape.m, call.shape.n));
    const std::vector<Candidate>& candidates = tuned_candidates_[update ? 1 : 0];
    const auto found = std::ranges::find(candidates, nearest, &Candidate::spec);
    return found == candidates.end() ? nullptr : &*found;
  }

  /// The best candidate that supports the call and has not been skipped; null if there is none. The
  /// order: preferred ones; the tuned one; then, from the table, builds for updates before general
  /// ones, matrix units before none, and specs that fill the device before those that do not. Among
  /// the latter, the smallest tiles win:
  /// those of which C has most, then those with the fewest elements. So a small LU builds one
  /// kernel only.
  [[nodiscard]] const Candidate* best_of(const GemmCall& call) const {
    const auto is_open = [&](const Candidate& candidate) {
      return takes(candidate, call) && !passed_over_.contains(key_of(*candidate.spec, call));
    };
    for (const Candidate& candidate : preferred_)
      if (is_open(candidate)) return &candidate;
    if (const Candidate* tuned = tuned_for(call); tuned != nullptr && is_open(*tuned)) return tuned;
    const auto rank = [&](const Candidate& candidate) {
      const bool fills = fills_device(candidate, call);
      const Index tiles = candidate.tiles(call);
      return std::tuple(candidate.spec->use != GemmUse::update, !candidate.ptx, !fills,
                        fills ? 0 : std::numeric_limits<Index>::max() - tiles,
                        fills ? 0 : candidate.tile_m * candidate.tile_n);
    };
    const Candidate* best = nullptr;
    for (const Candidate& candidate : table_)
      if (is_open(candidate) && (best == nullptr || rank(candidate) < rank(*best)))
        best = &candidate;
    return best;
  }

  /// The best working kernel. One that spills registers is used only if no other works.
  const Entry& choose(const GemmCall& call) {
    if (options_.strict) return strict_choice(call);
    while (const Candidate* candidate = best_of(call)) {
      const Entry& entry = prepared(*candidate->spec, call);
      if (entry.works && (!entry.spills || was_measured(candidate))) return entry;
      passed_over_.insert(key_of(*candidate->spec, call));
      if (entry.works) spilling_.push_back(candidate);
    }
    for (const Candidate* candidate : spilling_)
      if (takes(*candidate, call)) {
        const Entry& entry = prepared(*candidate->spec, call);
        if (entry.works) return entry;
      }
    std::vector<std::string> names;
    for (const std::vector<Candidate>* list :
         {&preferred_, &tuned_candidates_[0], &tuned_candidates_[1], &table_})
      for (const Candidate& candidate : *list)
        if (passed_over_.contains(key_of(*candidate.spec, call)))
          names.push_back(candidate.spec->name);
    throw NoUsableKernel("no GEMM kernel works on " + context_.profile().name + ": " +
                         context_.trials().reasons(names));
  }

  /// Whether the caller preferred it, or a tuner chose it.
  [[nodiscard]] bool was_measured(const Candidate* candidate) const {
    return std::ranges::none_of(table_, [&](const Candidate& one) { return &one == candidate; });
  }

  const Entry& strict_choice(const GemmCall& call) {
    const GemmSpec& spec = options_.preferred.front();
    if (preferred_.empty() || !takes(preferred_.front(), call))
      throw DeviceLimit(spec.name + " does not take this product here");
    const auto [place, is_new] = kernels_.try_emplace(key_of(spec, call));
    Entry& entry = place->second;
    if (entry.works) return entry;
    entry.spec = transposed(spec, call.shape.transpose_a, call.shape.transpose_b);
    entry.of = build_for(spec, call);
    build(entry);
    entry.works = true;
    return entry;
  }

  /// The kernel of a spec for this kind of product, built and self-tested when first requested.
  const Entry& prepared(const GemmSpec& of, const GemmCall& call) {
    const GemmShape& shape = call.shape;
    const auto [place, is_new] = kernels_.try_emplace(key_of(of, call));
    Entry& entry = place->second;
    if (!is_new) return entry;
    entry.spec = transposed(of, shape.transpose_a, shape.transpose_b);
    entry.of = build_for(of, call);
    if (const std::string too_much = exceeded_limit(entry.spec); !too_much.empty()) {
      context_.trials().pass_over(entry.of, too_much);
      return entry;
    }
    // If the kernel does not build or launch here, that is no error: the next spec is tried.
    entry.works = context_.trials().passes(entry.of, [&] {
      build(entry);
      for (const bool lower : {false, true})
        require_known_answer(context_, type_, shape_to_check(entry, call, lower),
                             [&](GemmCall check) {
                               check.share = call.share;
                               check.batch = call.batch;
                               launch_to_check(entry, check, slices_for(of, call) > 1 ? 3 : 1);
                             });
    });
    if (!entry.works) return entry;
    build(entry);
    if (slices_for(of, call) > 1) (void)add_slices();
    entry.spills = !of.needs_ptx() && private_bytes(entry.kernel) > kMostPrivateBytes;
    return entry;
  }

  /// Work-groups per compute unit of a launch that shares its product. They are more than fit at
  /// once: groups on units left to other kernels end early and make room for the next ones.
  static constexpr std::size_t kSharingGroups = 4;

  /// Bytes of private memory per work-item, which a driver uses when registers run out. Compiled
  /// for a gfx906 and a gfx1030, the largest tiles take 1.4 KiB, and 2 KiB for a gfx1100; the next
  /// smaller ones take none, and 456 bytes for the gfx1100.
  static constexpr cl_ulong kMostPrivateBytes = 512;

  [[nodiscard]] cl_ulong private_bytes(const Kernel& kernel) {
    if (context_.programs().rehearses()) return 0;
    return kernel.handle.getWorkGroupInfo<CL_KERNEL_PRIVATE_MEM_SIZE>(device_of(context_.queue()));
  }

  /// Which limit of the device the spec exceeds; empty if none.
  [[nodiscard]] std::string exceeded_limit(const GemmSpec& spec) const {
    const KernelVariant* const variant = &spec.variant();
    return exceeded_demand({&variant, 1}, spec.parameters, context_.profile(), type_);
  }

  /// Throws DeviceLimit if the device lacks resources for the kernel.
  void build(Entry& entry) {
    const GemmSpec& spec = entry.spec;
    if (const std::string too_much = exceeded_limit(spec); !too_much.empty())
      throw DeviceLimit(spec.name + ": " + too_much);
    if (entry.kernel.handle() == nullptr)
      entry.kernel = context_.programs().kernel(entry.of.file, "gemm", entry.of.defines);
    if (spec.work_group_size() > entry.kernel.work_group_limit)
      throw DeviceLimit(fmt::format("{} takes {} work-items a group; here {} is the limit",
                                    spec.name, spec.work_group_size(),
                                    entry.kernel.work_group_limit));
  }

  /// A shared product is tested with two launches: one leaves half of the compute units to others,
  /// one leaves none. A batch is tested on the upper and the lower half of A and C, or on one
  /// triangle.
  void launch_to_check(const Entry& entry, GemmCall call, Index slices) {
    const cl::CommandQueue& queue = context_.queue();
    if (call.batch != nullptr) {
      const bool whole = call.shape.lower;
      if (!whole) call.shape.m /= 2;
      const GemmBatch halves{whole ? 1U : 2U, call.shape.m * call.a.ld, 0,
                             call.shape.m * call.c.ld};
      call.batch = &halves;
      launch(queue, entry, call, 1);
      return;
    }
    if (call.share == nullptr) {
      launch(queue, entry, call, slices);
      return;
    }
    const cl::Buffer taken = context_.allocate(sizeof(cl_uint), "the check of a product");
    queue.enqueueFillBuffer(taken, cl_uint{0}, 0, sizeof(cl_uint));
    for (const cl_uint left_units : {context_.profile().compute_units / 2, 0U}) {
      const TileShare share{taken, 0, left_units};
      call.share = &share;
      launch(queue, entry, call, 1);
    }
  }

  /// A shape with whole and partial tiles.
  [[nodiscard]] static GemmShape shape_to_check(const Entry& entry, const GemmCall& of,
                                                bool lower) {
    const GemmShape& like = of.shape;
    const GemmSpec& spec = entry.spec;
    const Index align = spec.alignment();
    const auto cut = [&](const char* tile, Index times, Index more) {
      return (times * static_cast<Index>(spec.value(tile)) + more + align) / align * align;
    };
    const Index halves = of.batch != nullptr && !lower ? 2 : 1;
    return {halves * cut("TILE_M", 1, 5),
            cut("TILE_N", 1, 7),
            cut("TILE_K", 2, 3),
            like.transpose_a,
            like.transpose_b,
            lower};
  }

  /// How many work-groups share the inner dimension of a tile; more than one if there are too few
  /// tiles for the device and the dimension is long. With that, a QR factorisation of 4096 x 1024
  /// in f64, whose V^T C has at most 16 tiles, spends 1.3 ms in products on an H200 instead of 8.3.
  [[nodiscard]] Index slices_for(const GemmSpec& spec, const GemmCall& call) const {
    constexpr Index kLeastDepth = 256;
    const GemmShape& shape = call.shape;
    const Index tiles = spec.tiles(shape.m, shape.n), units = context_.profile().compute_units;
    if (!spec.transposes() || call.batch != nullptr || 2 * tiles > units)
      return 1;  // only the portable kernel supports slices
    return std::clamp<Index>(2 * units / tiles, 1, std::max<Index>(1, shape.k / kLeastDepth));
  }

  void launch(const cl::CommandQueue& queue, const Entry& entry, const GemmCall& call,
              Index slices) {
    if (slices == 1) {
      launch_tiles(queue, entry, call, 1);
      return;
    }
    const Index m = call.shape.m, n = call.shape.n;
    const Index align = entry.spec.alignment(), ld = (n + align - 1) / align * align;
    const std::size_t bytes = slices * m * ld * bytes_of(type_);
    if (products_() == nullptr || products_.getInfo<CL_MEM_SIZE>() < bytes)
      products_ = context_.allocate(bytes, "the workspace of a matrix product");
    GemmCall sliced = call;
    sliced.shape.lower = false;  // add_slices has no triangles
    sliced.beta = 0;
    sliced.c = {products_, 0, ld};
    launch_tiles(queue, entry, sliced, slices);
    Kernel& add = add_slices();
    add.set_arguments(products_, cl_ulong{ld}, static_cast<cl_uint>(slices), call.c.buffer,
                      cl_ulong{call.c.offset}, cl_ulong{call.c.ld});
    set_real(add, 6, type_, call.beta);
    enqueue_kernel(queue, add, cl::NDRange(n, m));
  }

  Kernel& add_slices() {
    if (!add_slices_)
      add_slices_ = context_.programs().kernel("scale.cl", "add_slices", real_defines(type_));
    return *add_slices_;
  }

  void launch_tiles(const cl::CommandQueue& queue, const Entry& entry, const GemmCall& call,
                    Index slices) const {
    const GemmSpec& spec = entry.spec;
    Kernel kernel = entry.kernel;  // a second reference to the same OpenCL kernel
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
    pass(cl_int{call.shape.lower});
    std::size_t groups = spec.tiles(call.shape.m, call.shape.n);
    if (call.share != nullptr) {
      pass(call.share->taken, call.share->product, call.share->left_units);
      groups = kSharingGroups * context_.profile().compute_units;
    }
    Index layers = slices;
    if (call.batch != nullptr) {
      const auto& [count, a_stride, b_stride, c_stride] = *call.batch;
      pass(cl_ulong{a_stride}, cl_ulong{b_stride}, cl_ulong{c_stride});
      layers = count;
    }
    const std::size_t local = spec.work_group_size();
    enqueue_kernel(queue, kernel, cl::NDRange(groups * local, layers), cl::NDRange(local, 1));
  }

  Context context_;
  RealType type_;
  const GemmOptions options_;
  bool has_matrix_units_ = false;
  const std::array<std::vector<TunedGemm>, 2> tuned_;  // for general products and for updates
  std::vector<Candidate> preferred_, table_;
  std::array<std::vector<Candidate>, 2> tuned_candidates_;  // parallel to tuned_
  std::map<Key, Entry> kernels_;
  std::set<Key> passed_over_;               // skipped in favour of others
  std::vector<const Candidate*> spilling_;  // a subset of passed_over_
  cl::Buffer products_;                     // of slices, for at most two groups per compute unit
  std::optional<Kernel> add_slices_;        // made when first needed
};

}  // namespace

void ask_gemm_gpu(Context& context, const GemmSpec& spec) {
  GemmOptions options;
  options.preferred.push_back(spec);
  constexpr Index kSize = 1024;
  const MatrixView view{
      context.allocate(kSize * kSize * bytes_of(spec.type), "a survey of kernels"), 0, kSize};
  (void)GemmGpu(context, spec.type, options)
      .kernel_name({{kSize, kSize, kSize}, -1, view, view, 1, view});
}

std::unique_ptr<GemmBackend> make_gemm_gpu(Context& context, RealType type,
                                           const GemmOptions& options) {
  return std::make_unique<GemmGpu>(context, type, options);
}

}  // namespace clgauss
