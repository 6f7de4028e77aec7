#include "tuner/measure/matmul_bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <clgauss/gemm.hpp>
#include <clgauss/lab/launch.hpp>
#include <limits>
#include <memory>

#include "tuner/measure/work_groups.hpp"

namespace clgauss::tune {

namespace {

constexpr float kNothing = std::numeric_limits<float>::quiet_NaN();
constexpr float kCanary = 12345;
constexpr std::size_t kCanaries = 64;

/// Groups in the second dimension of the strip that is timed first. More than one where there are
/// many, so that a short strip does not make a device with many compute units look slow.
std::size_t strip_of(std::size_t groups) { return (groups + 15) / 16; }

void enqueue(const cl::CommandQueue& queue, const Kernel& kernel, std::array<std::size_t, 2> local,
             std::array<std::size_t, 2> groups) {
  enqueue_kernel(queue, kernel, cl::NDRange(groups[0] * local[0], groups[1] * local[1]),
                 cl::NDRange(local[0], local[1]));
}

}  // namespace

MatmulBench::MatmulBench(Context& context, const Product& product, const TimingOptions& options)
    : context_(context), product_(product), options_(options) {
  const Index elements = product.n() * product.n();
  const std::string what = fmt::format("the matrices of n = {}", product.n());
  context.require_memory(3 * elements * sizeof(float), what);
  c_.resize(elements + kCanaries);
  a_device_ = context.allocate(elements * sizeof(float), what);
  b_device_ = context.allocate(elements * sizeof(float), what);
  c_device_ = context.allocate(c_.size() * sizeof(float), what);
  upload();
}

void MatmulBench::upload() {
  const std::size_t bytes = product_.n() * product_.n() * sizeof(float);
  context_.queue().enqueueWriteBuffer(a_device_, CL_FALSE, 0, bytes, product_.a().data());
  context_.queue().enqueueWriteBuffer(b_device_, CL_TRUE, 0, bytes, product_.b().data());
}

void MatmulBench::download() {
  const std::size_t bytes = product_.n() * product_.n() * sizeof(float);
  context_.queue().enqueueReadBuffer(c_device_, CL_TRUE, 0, bytes, c_.data());
}

Prepared MatmulBench::copy_in() {
  return repeated(options_, time_once([&] { upload(); }), [this](std::size_t passes) {
    for (std::size_t p = 0; p < passes; ++p) upload();
  });
}

Prepared MatmulBench::copy_out() {
  return repeated(options_, time_once([&] { download(); }), [this](std::size_t passes) {
    for (std::size_t p = 0; p < passes; ++p) download();
  });
}

void MatmulBench::spoil_result() {
  std::fill(c_.begin(), c_.end() - kCanaries, kNothing);
  std::fill(c_.end() - kCanaries, c_.end(), kCanary);
  context_.queue().enqueueWriteBuffer(c_device_, CL_TRUE, 0, c_.size() * sizeof(float), c_.data());
}

bool MatmulBench::result_is_right() {
  context_.queue().enqueueReadBuffer(c_device_, CL_TRUE, 0, c_.size() * sizeof(float), c_.data());
  return std::all_of(c_.end() - kCanaries, c_.end(), [](float x) { return x == kCanary; }) &&
         product_.matches(c_, product_.n(), product_.n());
}

Prepared MatmulBench::checked(const std::function<void()>& enqueue) {
  const cl::CommandQueue& queue = context_.queue();
  spoil_result();
  const double once_s = time_once([&] {
    enqueue();
    queue.finish();
  });
  if (!result_is_right()) return {{Status::wrong_result, "C is not A B", {}}};
  return repeated(options_, once_s, [this, enqueue](std::size_t passes) {
    for (std::size_t p = 0; p < passes; ++p) enqueue();
    context_.queue().finish();
  });
}

/// By a strip of groups in one dimension; all groups do the same work.
double MatmulBench::expected_seconds(const Kernel& built, const MatmulKernel& kernel) {
  const cl::CommandQueue& queue = context_.queue();
  const std::size_t longer = kernel.groups[1] > 1 ? 1 : 0;
  std::array<std::size_t, 2> strip = kernel.groups;
  strip[longer] = strip_of(kernel.groups[longer]);
  const double scale =
      static_cast<double>(kernel.groups[longer]) / static_cast<double>(strip[longer]);
  const auto strip_s = [&] {
    return time_once([&] {
      enqueue(queue, built, kernel.local, strip);
      queue.finish();
    });
  };
  enqueue(queue, built, kernel.local, {1, 1});  // some drivers compile only now
  queue.finish();
  const double first_s = scale * strip_s();
  // One that seems too slow gets a second chance: something else may have kept the device.
  return first_s <= options_.timeout_s ? first_s : std::min(first_s, scale * strip_s());
}

Prepared MatmulBench::multiply(const MatmulKernel& kernel) {
  require_local_memory(context_.profile(), kernel.local_bytes, kernel.name);
  Kernel built = context_.programs().kernel(kernel.file, kernel.name, kernel.defines);
  require_group(context_.profile(), built, kernel.local);
  built.set_arguments(a_device_, b_device_, c_device_, cl_ulong{product_.n()});
  if (kernel.local_argument) built.set_arguments_from(4, cl::Local(kernel.local_bytes));

  const double expected_s = expected_seconds(built, kernel);
  if (!(expected_s <= options_.timeout_s)) return {too_slow(expected_s)};
  return checked([this, built, local = kernel.local, groups = kernel.groups] {
    enqueue(context_.queue(), built, local, groups);
  });
}

Prepared MatmulBench::multiply_by_gemm() {
  const auto gemm = std::make_shared<Gemm>(context_, RealType::f32);
  const auto multiply = [this, gemm, n = product_.n()] {
    gemm->multiply({n, n, n}, 1, {a_device_, 0, n}, {b_device_, 0, n}, 0, {c_device_, 0, n});
  };
  multiply();  // builds
  context_.queue().finish();
  return checked(multiply);
}

}  // namespace clgauss::tune
