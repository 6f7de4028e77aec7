#include <clgauss/error.hpp>
#include <clgauss/generate.hpp>
#include <cmath>
#include <map>

#include "linalg/gemm_backend.hpp"
#include "linalg/gemm_spec.hpp"
#include "linalg/transfer.hpp"

namespace clgauss {

namespace {

/// The matrix instructions used by cl/gemm_nvidia_*.cl came with compute capability 8.0.
bool has_matrix_units(const DeviceProfile& device) {
  return device.attributes.nvidia && device.attributes.nvidia->capability_major >= 8;
}

class GemmGpu : public GemmBackend {
 public:
  GemmGpu(DeviceContext& context, RealType type) : context_(context), type_(type) {}

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

  static std::string key_of(const GemmSpec& spec) {
    return spec.transposes() ? spec.name + std::to_string(spec.value("TRANS_A")) +
                                   std::to_string(spec.value("TRANS_B"))
                             : spec.name;
  }

  /// Whether the views and the shape are what the spec's kernel takes.
  static bool takes(const GemmSpec& spec, const GemmCall& call) {
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

  /// Of the specs that take the call and work on this device, an update build before a general one, the first that fills
  /// the device, else the one with the smallest tiles.
  const Entry& choose(const GemmCall& call) {
    for (const GemmUse use : {GemmUse::update, GemmUse::general}) {
      const Entry* best = nullptr;
      for (const GemmSpec& spec : gemm_specs()) {
        if (spec.type != type_ || spec.use != use || !takes(spec, call)) continue;
        if (spec.needs_nvidia() && !has_matrix_units(context_.profile())) continue;
        if (best != nullptr && best->spec.needs_nvidia() && !spec.needs_nvidia())
          continue;  // slower whatever the shape
        const Entry& entry =
            prepared(transposed(spec, call.shape.transpose_a, call.shape.transpose_b));
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

  /// The kernel of a spec, built and checked when it is first asked for.
  const Entry& prepared(const GemmSpec& spec) {
    const auto [place, is_new] = kernels_.try_emplace(key_of(spec));
    Entry& entry = place->second;
    if (!is_new) return entry;
    entry.spec = spec;
    // A kernel that does not build or launch here is an outcome, not an error: the next spec is tried.
    try {
      entry.kernel = context_.programs().kernel(spec.file, "gemm", spec.defines());
      entry.works = fits(entry) && gives_known_answer(entry);
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

  /// A product over full and cut tiles against the host's: |C - Cref| <= 4 (k + 2) eps (|A| |B| + |C0|), element by element.
  bool gives_known_answer(const Entry& entry) {
    const GemmSpec& spec = entry.spec;
    const bool trans_a = spec.transposes() && spec.value("TRANS_A") == 1;
    const bool trans_b = spec.transposes() && spec.value("TRANS_B") == 1;
    const auto macro = [&](const char* name) { return static_cast<Index>(spec.value(name)); };
    const Index align = spec.alignment();
    const Index m = (macro("TILE_M") + 5 + align) / align * align,
                n = (macro("TILE_N") + 7 + align) / align * align,
                k = (2 * macro("TILE_K") + 3 + align) / align * align;
    const Matrix a = random_matrix(trans_a ? k : m, trans_a ? m : k, 1),
                 b = random_matrix(trans_b ? n : k, trans_b ? k : n, 2), c = random_matrix(m, n, 3);
    const auto view_of = [&](const Matrix& matrix) {
      return to_device(context_, type_, matrix, matrix.cols(), "the check of a GEMM kernel");
    };
    const GemmCall call{{m, n, k, trans_a, trans_b}, -1, view_of(a), view_of(b), 1, view_of(c)};
    launch(context_.queue(), entry, call);
    const std::vector<double> result = download(context_.queue(), call.c.buffer, type_, m * n);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < n; ++j) {
        double sum = c(i, j), size = std::abs(c(i, j));
        for (Index p = 0; p < k; ++p) {
          const double product = (trans_a ? a(p, i) : a(i, p)) * (trans_b ? b(j, p) : b(p, j));
          sum -= product;
          size += std::abs(product);
        }
        const double bound = 4.0 * static_cast<double>(k + 2) * unit_roundoff(type_) * size;
        if (!(std::abs(result[i * n + j] - sum) <= bound)) return false;
      }
    return true;
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
  std::map<std::string, Entry> kernels_;
};

}  // namespace

std::unique_ptr<GemmBackend> make_gemm_gpu(DeviceContext& context, RealType type) {
  return std::make_unique<GemmGpu>(context, type);
}

}  // namespace clgauss
