#include "kernels/lu/butterfly.hpp"

#include <algorithm>
#include <clgauss/lab/launch.hpp>
#include <cmath>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/lu/known_answers.hpp"
#include "matrix/shapes.hpp"

namespace clgauss {

namespace {

constexpr Index kQuestion = 39;     // n of the self-test, with whole and partial quadruples
constexpr std::uint64_t kSeed = 1;  // the self-test's seed

/// Number `counter` of SplitMix64 (Steele, Lea, Flood 2014), uniform in [0, 1).
double uniform(std::uint64_t seed, std::uint64_t counter) {
  std::uint64_t z = seed + (counter + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return static_cast<double>((z ^ (z >> 31U)) >> 11U) * 0x1p-53;
}

cl::Buffer upload(const Context& context, const std::vector<float>& numbers) {
  const std::size_t bytes = numbers.size() * sizeof(float);
  const cl::Buffer buffer = context.allocate(bytes, "the butterflies of an LU");
  if (bytes > 0) context.queue().enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes, numbers.data());
  return buffer;
}

/// Self-tests all builds whose input is of `type`.
void ask_usual(Context& context, RealType type) {
  const Parameters parameters = usual_parameters(rbt_variants(), {context.profile(), type, 1});
  KernelMemo input(context, type), narrow(context, RealType::f32);
  if (type != RealType::f32) Butterflies(input, narrow, parameters, 1, 0).prepare();
  Butterflies(input, input, parameters, 1, 0).prepare();
}

}  // namespace

std::vector<float> butterfly_diagonals(Butterfly which, Index n, std::uint64_t seed) {
  std::vector<float> numbers(2 * n);
  for (Index i = 0; i < 2 * n; ++i)
    numbers[i] = static_cast<float>(
        std::exp((uniform(seed, 2 * i + (which == Butterfly::u ? 0 : 1)) - 0.5) / 10));
  return numbers;
}

const KernelVariant& butterfly_variant() {
  static const KernelVariant variant{
      .name = "butterfly",
      .file = "butterfly.cl",
      .parameters = {{.name = "WG_SIZE",
                      .least = 1,
                      .most = 1024,
                      .usual =
                          [](const Setting& at) {
                            return static_cast<int>(
                                std::min<std::size_t>(64, at.device.max_work_group_size));
                          },
                      .tried = {32, 64, 128, 256}}},
      .lacks = lacks_nothing,
      .ask = ask_usual,
      .demands =
          [](const Parameters& parameters, RealType) {
            return std::vector<Demand>{
                {"WG_SIZE", static_cast<std::size_t>(value_of(parameters, "WG_SIZE"))}};
          },
      .workspace_bytes = [](const Parameters&, const Setting& at) -> std::uint64_t {
        return at.n * padded_ld(at.n, at.type) * bytes_of(at.type) + 4 * at.n * sizeof(float);
      }};
  return variant;
}

Butterflies::Butterflies(KernelMemo& input, KernelMemo& factors, const Parameters& parameters,
                         Index n, std::uint64_t seed)
    : input_(input),
      factors_(factors),
      parameters_(parameters),
      n_(static_cast<cl_uint>(n)),
      u_(upload(input.context(), butterfly_diagonals(Butterfly::u, n, seed))),
      v_(upload(input.context(), butterfly_diagonals(Butterfly::v, n, seed))) {}

Defines Butterflies::macros() const {
  return with_parameters(butterfly_variant(), parameters_,
                         {{"OUT_BITS", std::to_string(8 * bytes_of(factors_.type()))}});
}

Kernel& Butterflies::kernel(KernelMemo& memo, const char* name) {
  return memo.get(butterfly_variant().file, name, macros());
}

void Butterflies::prepare() {
  const cl::CommandQueue& queue = factors_.context().queue();
  const auto small = [&] { return Butterflies(input_, factors_, parameters_, kQuestion, kSeed); };
  require_works(input_, "two_sided", [&](const ButterflyQuestion& question) {
    require_two_sided_butterfly(
        input_.context(), input_.type(), factors_.type(), question,
        [&](const MatrixView& a, const MatrixView& r) { small().two_sided(queue, a, r); });
  });
  require_works(factors_, "one_sided", [&](const ButterflyQuestion& question) {
    require_one_sided_butterflies(
        factors_.context(), factors_.type(), question,
        [&](const MatrixView& x, const MatrixView& y, cl_uint nrhs, const cl::Buffer& positions) {
          small().transposed(queue, Butterfly::u, x, y, nrhs, positions);
        },
        [&](const MatrixView& x, const MatrixView& y, cl_uint nrhs, const cl::Buffer& positions) {
          small().forward(queue, Butterfly::v, x, y, nrhs, positions);
        });
  });
  (void)kernel(input_, "two_sided");
  for (const char* name : {"transposed", "forward"}) (void)kernel(factors_, name);
}

void Butterflies::require_works(KernelMemo& memo, const char* what,
                                const std::function<void(const ButterflyQuestion&)>& ask) {
  const KernelVariant& variant = butterfly_variant();
  const std::string role = std::string(variant.name) + ' ' + what;
  const bool works = memo.works(role, variant.file, macros(), [&] {
    ask({butterfly_diagonals(Butterfly::u, kQuestion, kSeed),
         butterfly_diagonals(Butterfly::v, kQuestion, kSeed)});
  });
  if (!works) memo.none_works("random butterflies", {role});
}

void Butterflies::two_sided(const cl::CommandQueue& queue, const MatrixView& a,
                            const MatrixView& r) {
  if (n_ == 0) return;
  Kernel& two_sided = kernel(input_, "two_sided");
  cl_uint index = 0;
  pass_view(two_sided, index, a);
  two_sided.set_arguments_from(index, n_, u_, v_);
  index += 3;
  pass_view(two_sided, index, r);
  const auto group = static_cast<cl_uint>(value_of(parameters_, "WG_SIZE"));
  const cl_uint quadruples = ceil_div(n_, 4);
  enqueue_kernel(queue, two_sided, cl::NDRange(round_up(quadruples, group), quadruples),
                 cl::NDRange(group, 1));
}

void Butterflies::transposed(const cl::CommandQueue& queue, Butterfly which, const MatrixView& b,
                             const MatrixView& y, cl_uint nrhs, const cl::Buffer& positions) {
  one_sided(queue, "transposed", which, b, y, nrhs, positions);
}

void Butterflies::forward(const cl::CommandQueue& queue, Butterfly which, const MatrixView& y,
                          const MatrixView& b, cl_uint nrhs, const cl::Buffer& positions) {
  one_sided(queue, "forward", which, y, b, nrhs, positions);
}

void Butterflies::one_sided(const cl::CommandQueue& queue, const char* name, Butterfly which,
                            const MatrixView& from, const MatrixView& to, cl_uint nrhs,
                            const cl::Buffer& positions) {
  if (n_ == 0 || nrhs == 0) return;
  Kernel& butterfly = kernel(factors_, name);
  cl_uint index = 0;
  pass_view(butterfly, index, from);
  butterfly.set_arguments_from(index, n_, which == Butterfly::u ? u_ : v_, positions);
  index += 3;
  pass_view(butterfly, index, to);
  launch_items(factors_.context(), queue, butterfly, {nrhs, ceil_div(n_, 4)});
}

}  // namespace clgauss
