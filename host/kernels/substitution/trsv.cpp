#include "kernels/substitution/trsv.hpp"

#include <algorithm>
#include <array>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/substitution/known_answers.hpp"

namespace clgauss {

namespace {

constexpr cl_uint kBlock = 64;                      // rows of a block
constexpr cl_uint kTrsvQuestion = 3 * kBlock - 11;  // n of the self-test

/// Rows of a block of the persistent kernel. Each work-group must invert its blocks first, so
/// smaller blocks are better if there are few of them. LU and solve on an H100, f64, n = 300, 500,
/// 2048 and 4096: 0.45, 0.75, 4.07 and 8.99 ms with 32 rows; 0.60, 0.84, 4.13 and 8.97 with 64. For
/// complex f64, local memory has no space for more than 32.
cl_uint persistent_block(NumberType number, Index n) {
  return number.bytes() > 8 || n <= 2048 ? kBlock / 2 : kBlock;
}

/// Bytes of a number in transfer between work-groups: packets of 8 bytes, each with its tag.
std::uint64_t packet_bytes(NumberType number) {
  return (number.bytes() + 7) / 8 * sizeof(cl_ulong2);
}

/// Bytes of the parts of x, for a system of n or for the self-test.
std::uint64_t parts_bytes(Index n, std::uint64_t part) {
  return std::max<Index>(n, kTrsvQuestion) * part;
}

void ask_usual(Context& context, RealType type,
               std::unique_ptr<TrsvKernel> (*make)(const LuSetting& setting)) {
  UsualLu usual(context, type);
  const auto kernel = make(usual.setting);
  (void)trsv_works(*kernel, usual.setting);
}

class TrsvPersistent : public TrsvKernel {
 public:
  explicit TrsvPersistent(const LuSetting& setting) : setting_(setting), launch_(setting) {}

  const KernelVariant& variant() const override { return trsv_persistent_variant(); }
  Defines macros(bool upper) const override { return launch_.macros({upper, false, 1}); }
  void build(bool upper) override { (void)kernel(upper); }

  void trsv(const cl::CommandQueue& queue, const MatrixView& t, cl_uint n, const MatrixView& b,
            bool upper) override {
    launch_.enqueue(queue, kernel(upper), t, n, {b.buffer, b.offset, n}, 1);
  }

 private:
  Kernel& kernel(bool upper) {
    return setting_.kernels.get(variant().file, "trsv_persistent", macros(upper));
  }

  LuSetting setting_;
  PersistentTrsv launch_;
};

class TrsvSteps : public TrsvKernel {
 public:
  explicit TrsvSteps(const LuSetting& setting) : setting_(setting) {}

  const KernelVariant& variant() const override { return trsv_variant(); }

  Defines macros(bool upper) const override {
    return with_parameters(variant(), setting_.parameters,
                           {{"WG_SIZE", std::to_string(kBlock)}, {"UPPER", upper ? "1" : "0"}});
  }

  void build(bool upper) override { (void)kernel(upper); }

  void trsv(const cl::CommandQueue& queue, const MatrixView& t, cl_uint n, const MatrixView& b,
            bool upper) override {
    Kernel& step = kernel(upper);
    const std::size_t element = setting_.kernels.number().bytes();
    if (work_() == nullptr)
      work_ =
          setting_.context().allocate(parts_bytes(setting_.n, element), "the workspace of a solve");
    const cl_uint blocks = ceil_div(n, kBlock);
    for (cl_uint i = 0; i < blocks; ++i) {
      const cl_uint block = upper ? blocks - 1 - i : i;
      cl_uint index = 0;
      pass_view(step, index, t);
      step.set_arguments_from(index, n, block, b.buffer, cl_ulong{b.offset}, work_);
      launch_groups(queue, step, std::max<cl_uint>(1, blocks - 1 - i), kBlock);
    }
    queue.enqueueCopyBuffer(work_, b.buffer, 0, b.offset * element, n * element);
  }

 private:
  Kernel& kernel(bool upper) {
    return setting_.kernels.get(variant().file, "trsv_step", macros(upper));
  }

  LuSetting setting_;
  cl::Buffer work_;  // the known part of x
};

}  // namespace

const KernelVariant& trsv_persistent_variant() {
  static const KernelVariant variant{
      .name = "trsv_persistent",
      .file = "trsv_persistent.cl",
      .parameters = {},
      .lacks = lacks_ptx,
      .ask = [](Context& context,
                RealType type) { ask_usual(context, type, make_trsv_persistent); },
      .workspace_bytes = [](const Parameters& parameters, const Setting& at) -> std::uint64_t {
        return value_of(parameters, "PERSISTENT") == 1 ? parts_bytes(at.n, packet_bytes(at.type))
                                                       : 0;
      }};
  return variant;
}

const KernelVariant& trsv_variant() {
  static const KernelVariant variant{
      .name = "trsv",
      .file = "trsv.cl",
      .parameters = {},
      .lacks = lacks_nothing,
      .ask = [](Context& context, RealType type) { ask_usual(context, type, make_trsv); },
      .workspace_bytes = [](const Parameters&,
                            const Setting& at) { return parts_bytes(at.n, bytes_of(at.type)); }};
  return variant;
}

Defines PersistentTrsv::macros(const Triangle& triangle) const {
  return {{"BLOCK", std::to_string(persistent_block(setting_.kernels.number(), setting_.n))},
          {"UPPER", triangle.upper ? "1" : "0"},
          {"TRANSPOSED", triangle.transposed ? "1" : "0"},
          {"RHS", std::to_string(triangle.columns)},
          {"SPIN_LIMIT", std::to_string(value_of(setting_.parameters, "SPIN_LIMIT"))}};
}

void PersistentTrsv::enqueue(const cl::CommandQueue& queue, Kernel& kernel, const MatrixView& t,
                             cl_uint n, const MatrixView& x, cl_uint columns) {
  const NumberType number = setting_.kernels.number();
  const cl_uint block = persistent_block(number, setting_.n);
  const std::uint64_t bytes = columns * parts_bytes(setting_.n, packet_bytes(number));
  if (packets_() == nullptr || packets_.getInfo<CL_MEM_SIZE>() < bytes) {
    packets_ = setting_.context().allocate(bytes, "the workspace of a solve");
    epoch_ = 0;
  }
  if (epoch_ == 0) {  // tags would repeat
    queue.enqueueFillBuffer(packets_, cl_int{0}, 0, packets_.getInfo<CL_MEM_SIZE>());
    epoch_ = 1;
  }
  cl_uint index = 0;
  pass_view(kernel, index, t);
  kernel.set_arguments_from(index, n, x.buffer, cl_ulong{x.offset}, cl_ulong{x.ld}, packets_,
                            epoch_++, setting_.flags.buffer());
  const cl_uint compute_units = setting_.context().profile().compute_units;
  launch_groups(queue, kernel, std::min(compute_units, ceil_div(n, block)), 4 * block);
}

std::unique_ptr<TrsvKernel> make_trsv_persistent(const LuSetting& setting) {
  return std::make_unique<TrsvPersistent>(setting);
}

std::unique_ptr<TrsvKernel> make_trsv(const LuSetting& setting) {
  return std::make_unique<TrsvSteps>(setting);
}

bool trsv_works(TrsvKernel& kernel, const LuSetting& setting) {
  Context& context = setting.context();
  const KernelVariant& variant = kernel.variant();
  return std::ranges::all_of(std::array{false, true}, [&](bool upper) {
    return setting.kernels.works(variant.name, variant.file, kernel.macros(upper), [&] {
      require_triangular_solve(context, setting.kernels.number(), kTrsvQuestion, 1, upper,
                               [&](const MatrixView& t, const MatrixView& b) {
                                 kernel.trsv(context.queue(), t, kTrsvQuestion, b, upper);
                               });
    });
  });
}

}  // namespace clgauss
