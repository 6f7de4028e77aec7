#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <clgauss/lab/launch.hpp>
#include <utility>

#include "kernels/batched/batched_backend.hpp"
#include "kernels/batched/known_answers.hpp"
#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/lu_common.hpp"

namespace clgauss {

namespace {

const KernelVariant& batched_ldlt_variant_of(bool cpu) {
  return cpu ? batched_ldlt_cpu_variant() : batched_ldlt_variant();
}

class BatchedLdlt : public BatchedBackend {
 public:
  BatchedLdlt(Context& context, RealType type, Index n, bool cpu, std::optional<bool> packed)
      : context_(context),
        type_(type),
        n_(static_cast<cl_uint>(n)),
        variant_(batched_ldlt_variant_of(cpu)),
        parameters_(usual_parameters(std::array{&variant_}, {context.profile(), type, n})),
        group_(cpu ? 1 : group_for({context.profile(), type, n})),
        packed_(!cpu && packed.value_or(local_bytes(kMostTogether, true) <=
                                        context.profile().static_local_bytes())) {}

  void prepare(Index nrhs) override {
    (void)kernel("batched_factor", 1);  // the self-test of the other needs it, too
    (void)kernel("batched_factor_and_solve", rhs_for(nrhs));
  }

  void factor(const cl::CommandQueue& queue, const BatchFactors& factors) override {
    Kernel factor = kernel("batched_factor", 1);
    keep_inertia_of(factors.batch);
    cl_uint index = 0;
    pass_batch(factor, index, factors.lu);
    factor.set_arguments_from(index, factors.permutation, n_, cl_ulong{factors.batch}, factors.info,
                              inertias_.buffer);
    launch(queue, factor, index + 5, factors.batch);
  }

  void solve(const cl::CommandQueue& queue, const BatchFactors& factors, const BatchView& b,
             Index nrhs) override {
    Kernel solve = kernel("batched_solve", rhs_for(nrhs));
    cl_uint index = 0;
    pass_batch(solve, index, factors.lu);
    solve.set_arguments_from(index++, factors.permutation);
    pass_batch(solve, index, b);
    solve.set_arguments_from(index, static_cast<cl_uint>(nrhs), n_, cl_ulong{factors.batch},
                             factors.info);
    launch(queue, solve, index + 4, factors.batch);
  }

  void factor_and_solve(const cl::CommandQueue& queue, const BatchView& a, const BatchView& b,
                        Index nrhs, Index batch, const cl::Buffer& info) override {
    Kernel both = kernel("batched_factor_and_solve", rhs_for(nrhs));
    keep_inertia_of(batch);
    cl_uint index = 0;
    pass_batch(both, index, a);
    pass_batch(both, index, b);
    both.set_arguments_from(index, static_cast<cl_uint>(nrhs), n_, cl_ulong{batch}, info,
                            inertias_.buffer);
    launch(queue, both, index + 5, batch);
  }

  [[nodiscard]] std::string name() const override {
    if (&variant_ == &batched_ldlt_cpu_variant()) return "ldlt cpu";
    return packed_ ? "ldlt local" : "ldlt global";
  }

  [[nodiscard]] std::vector<Inertia> inertias(const cl::CommandQueue& queue) const override {
    std::vector<cl_int> counts(2 * inertias_.systems);
    if (inertias_.systems > 0)
      queue.enqueueReadBuffer(inertias_.buffer, CL_TRUE, 0, counts.size() * sizeof(cl_int),
                              counts.data());
    std::vector<Inertia> all;
    for (Index s = 0; s < inertias_.systems; ++s) {
      const auto negative = static_cast<Index>(counts[2 * s]),
                 zero = static_cast<Index>(counts[2 * s + 1]);
      if (negative > n_ || zero > n_ - negative)
        throw DeviceFault("the inertia read from the device has more eigenvalues than A");
      all.push_back({n_ - negative - zero, negative, zero});
    }
    return all;
  }

 private:
  /// n of systems that share a build is rounded up to a multiple.
  static constexpr Index kPackedStep = 16, kStep = 32;
  /// Rows of the work area beyond n: strips of rows end there.
  static constexpr Index kRowsBeyond = 3;
  /// Work-groups per compute unit whose work area is in global memory. Several, so that the others
  /// need not wait for a slow core, or for memory.
  static constexpr Index kGroupsPerUnit = 8;
  /// The limit for all work areas in global memory.
  static constexpr std::uint64_t kScratchBytes = std::uint64_t{1} << 30;
  /// Parts of a search for a pivot, as PARTS of cl/batched/batched_ldlt.cl.
  static constexpr std::uint64_t kMostParts = 16;
  /// Right-hand sides that are solved together.
  static constexpr cl_uint kMostTogether = 8;

  /// What the kernels write of the systems of the last call, in a buffer for `room` systems.
  struct Inertias {
    cl::Buffer buffer;
    Index room = 0, systems = 0;
  };

  static cl_uint group_for(const Setting& at) {
    return static_cast<cl_uint>(usual_group(at, at.n <= 32   ? 32
                                                : at.n <= 64 ? 64
                                                : at.n <= 96 ? 128
                                                             : 256));
  }

  [[nodiscard]] cl_uint columns() const { return std::min<cl_uint>(group_, n_ <= 64 ? 16 : 32); }

  [[nodiscard]] Index extent_of(bool packed) const {
    return round_up(n_ + kRowsBeyond, packed ? kPackedStep : kStep);
  }

  /// Of Shared and the work area in cl/batched/batched_ldlt.cl.
  [[nodiscard]] std::uint64_t local_bytes(cl_uint rhs, bool packed) const {
    const std::uint64_t parts = std::min<std::uint64_t>(group_, kMostParts),
                        searched = group_ + parts, extent = extent_of(packed),
                        area = packed ? extent * (extent + 1) / 2 : 0;
    return (extent * (4 + rhs) + searched + area) * bytes_of(type_) +
           (extent + searched) * sizeof(cl_uint);
  }

  [[nodiscard]] cl_uint rhs_for(Index nrhs) const {
    const bool fits =
        local_bytes(kMostTogether, packed_) <= context_.profile().static_local_bytes();
    return nrhs <= 1 || !fits ? 1 : kMostTogether;
  }

  /// The kernel, self-tested with all kernels of its file. Throws NoUsableKernel.
  Kernel kernel(const char* name, cl_uint rhs) {
    KernelBuild build{variant_.name, variant_.file, macros_of(variant_, type_, parameters_)};
    for (const auto& [macro, value] :
         {std::pair("EXTENT", static_cast<cl_uint>(extent_of(packed_))),
          {"GROUP", group_},
          {"COLUMNS", columns()},
          {"RHS", rhs},
          {"PACKED", packed_ ? 1U : 0U}})
      build.defines.emplace_back(macro, std::to_string(value));
    if (!asks_ && !context_.trials().passes(build, [&] { ask(rhs); }))
      throw NoUsableKernel("the batched kernels for L D L^T do not work on " +
                           context_.profile().name + ": " +
                           context_.trials().reasons({build.name}));
    return context_.programs().kernel(build.file, name, build.defines);
  }

  /// A self-test of this object, which leaves the caller's inertias as they are.
  class Asking {
   public:
    explicit Asking(BatchedLdlt& of) : of_(of), inertias_(std::exchange(of.inertias_, {})) {
      of_.asks_ = true;
    }
    ~Asking() {
      of_.inertias_ = inertias_;
      of_.asks_ = false;
    }
    Asking(const Asking&) = delete;
    Asking& operator=(const Asking&) = delete;

   private:
    BatchedLdlt& of_;
    Inertias inertias_;
  };

  void ask(cl_uint rhs) {
    const Asking asking(*this);
    scratch_bytes_ = 0;  // another queue may still use the present workspace
    require_batched_symmetric(context_, type_, n_, rhs, [&](const BatchedQuestion& q) {
      factor_and_solve(context_.queue(), q.a, q.b, q.nrhs, q.batch, q.info);
    });
    require_batched_symmetric(context_, type_, n_, rhs, [&](const BatchedQuestion& q) {
      factor_apart_and_solve(context_, n_, q, *this);
    });
  }

  void keep_inertia_of(Index systems) {
    if (systems > inertias_.room)
      inertias_ = {context_.allocate(2 * systems * sizeof(cl_int), "the inertia of a batch"),
                   systems};
    inertias_.systems = systems;
  }

  void launch(const cl::CommandQueue& queue, Kernel& kernel, cl_uint scratch_argument,
              Index batch) {
    if (packed_) {
      launch_groups(queue, kernel, batch, group_);
      return;
    }
    const auto vec_width = static_cast<Index>(value_of(parameters_, "VEC_WIDTH"));
    const std::uint64_t each =
        (n_ + kRowsBeyond) * round_up<Index>(n_, vec_width) * bytes_of(type_);
    const DeviceProfile& device = context_.profile();
    const std::uint64_t limit =
        std::min({kScratchBytes, device.max_alloc_bytes, device.global_mem_bytes / 8});
    const Index most = std::clamp<Index>(limit / each, 1, kGroupsPerUnit * device.compute_units),
                groups = std::min(batch, most);
    const std::uint64_t bytes = groups * each;
    if (bytes > scratch_bytes_) {
      scratch_ = context_.allocate(bytes, "the workspace of a batched solve");
      scratch_bytes_ = bytes;
    }
    kernel.set_arguments_from(scratch_argument, scratch_);
    launch_groups(queue, kernel, groups, group_);
  }

  Context context_;
  RealType type_;
  cl_uint n_;
  const KernelVariant& variant_;
  Parameters parameters_;
  cl_uint group_;
  bool packed_;
  cl::Buffer scratch_;
  std::uint64_t scratch_bytes_ = 0;
  Inertias inertias_;
  bool asks_ = false;  // whether a self-test runs
};

std::vector<ParameterSpec> batched_ldlt_parameters(int widest, int (*vec_width)(const Setting&)) {
  return {{.name = "VEC_WIDTH", .least = 1, .most = widest, .usual = vec_width},
          {.name = "USE_FMA", .least = 0, .most = 1, .usual = [](const Setting& at) {
             return at.device.fast_fma ? 1 : 0;
           }}};
}

std::string broken_ldlt_vectors(const Parameters& parameters, RealType /*type*/) {
  return not_power_of_two(parameters, "VEC_WIDTH");
}

}  // namespace

const KernelVariant& batched_ldlt_cpu_variant() {
  static const KernelVariant variant{
      .name = "batched_ldlt_cpu",
      .file = "batched_ldlt.cl",
      .parameters = batched_ldlt_parameters(
          16, [](const Setting& at) { return usual_tile(at, "VEC_WIDTH"); }),
      .lacks = lacks_long_loops,
      .ask =
          [](Context& context, RealType type) {
            make_batched_ldlt(context, type, kUsualBatchedN, true)->prepare(1);
          },
      .broken_rule = broken_ldlt_vectors};
  return variant;
}

const KernelVariant& batched_ldlt_variant() {
  static const KernelVariant variant{
      .name = "batched_ldlt",
      .file = "batched_ldlt.cl",
      .parameters = batched_ldlt_parameters(1, [](const Setting&) { return 1; }),
      .lacks = lacks_nothing,
      .ask =
          [](Context& context, RealType type) {
            make_batched_ldlt(context, type, kUsualBatchedN, false)->prepare(1);
          },
      .broken_rule = broken_ldlt_vectors};
  return variant;
}

std::unique_ptr<BatchedBackend> make_batched_ldlt(Context& context, RealType type, Index n,
                                                  bool cpu, std::optional<bool> packed) {
  return std::make_unique<BatchedLdlt>(context, type, n, cpu, packed);
}

}  // namespace clgauss
