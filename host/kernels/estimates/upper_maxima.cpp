#include "kernels/estimates/upper_maxima.hpp"

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <cmath>
#include <limits>
#include <mutex>
#include <span>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/variants.hpp"
#include "kernels/estimates/known_answers.hpp"
#include "matrix/max_or_nan.hpp"
#include "matrix/transfer.hpp"
#include "parallel.hpp"

namespace clgauss {

namespace {

Defines macros_for(NumberType number, const Parameters& parameters) {
  Defines macros = macros_of(upper_maxima_variant(), number.real, parameters);
  if (number.complex) macros.emplace_back("COMPLEX", "1");
  return macros;
}

double enqueue_and_read(Context& context, const cl::CommandQueue& queue, NumberType number,
                        const Parameters& parameters, const MatrixView& t, Index n) {
  Kernel kernel = context.programs().kernel(upper_maxima_variant().file, "upper_row_maxima",
                                            macros_for(number, parameters));
  const cl::Buffer maxima = context.allocate(n * bytes_of(number.real), "the maxima of rows");
  cl_uint index = 0;
  pass_view(kernel, index, number.in_parts(t));
  kernel.set_arguments_from(index, static_cast<cl_uint>(n), maxima);
  launch_groups(queue, kernel, n, static_cast<std::size_t>(value_of(parameters, "WG_SIZE")));
  double largest = 0;
  for (const double value : download(queue, maxima, number.real, n))
    largest = std::isnan(value) || value > largest ? value : largest;
  return largest;
}

Parameters usual(Context& context, RealType type, Index n) {
  return usual_parameters(std::array{&upper_maxima_variant()}, {context.profile(), type, n});
}

bool works(Context& context, NumberType number, const Parameters& parameters) {
  const KernelVariant& variant = upper_maxima_variant();
  return context.trials().passes({variant.name, variant.file, macros_for(number, parameters)}, [&] {
    require_upper_maximum(context, number, [&](const MatrixView& t, Index n) {
      return enqueue_and_read(context, context.queue(), number, parameters, t, n);
    });
  });
}

}  // namespace

const KernelVariant& upper_maxima_variant() {
  static const KernelVariant variant{
      .name = "upper_maxima",
      .file = "upper_maxima.cl",
      .parameters =
          {{.name = "WG_SIZE",  // 1 where a work-group is a core, which then runs along the row
            .least = 1,
            .most = 1024,
            .usual =
                [](const Setting& at) {
                  return at.device.type == DeviceType::cpu
                             ? 1
                             : static_cast<int>(
                                   std::min<std::size_t>(128, at.device.max_work_group_size));
                }}},
      .lacks = lacks_nothing,
      .ask = [](Context& context, RealType type) {
        for (const bool complex : {false, true})
          (void)works(context, {type, complex}, usual(context, type, 1500));
      }};
  return variant;
}

namespace {

/// The largest magnitude; NaN if any value is NaN.
template <typename Real>
double largest_in(std::span<const Real> values) {
  constexpr Index kLanes = 16;  // lets the compiler use vectors
  std::array<Real, kLanes> largest{}, differences{};
  const auto look = [&](Index i, Index lane) {
    const Real magnitude = std::abs(values[i]);
    largest[lane] = magnitude > largest[lane] ? magnitude : largest[lane];
    differences[lane] += magnitude != magnitude ? Real{1} : Real{0};
  };
  const Index whole = values.size() / kLanes * kLanes;
  for (Index i = 0; i < whole; i += kLanes)
    for (Index lane = 0; lane < kLanes; ++lane) look(i + lane, lane);
  for (Index i = whole; i < values.size(); ++i) look(i, 0);
  const bool nan = std::ranges::any_of(differences, [](Real count) { return count > 0; });
  return nan ? std::numeric_limits<double>::quiet_NaN() : double{std::ranges::max(largest)};
}

template <typename Real>
double upper_maximum_on_host(const cl::CommandQueue& queue, const MatrixView& t, Index n,
                             Index parts) {
  auto* const mapped = static_cast<Real*>(
      queue.enqueueMapBuffer(t.buffer, CL_TRUE, CL_MAP_READ, t.offset * sizeof(Real),
                             ((n - 1) * t.ld + parts * n) * sizeof(Real)));
  double largest = 0;
  std::mutex one_at_a_time;
  in_parallel(n, 2 * kElementsPerThread / n + 1, [&](Index first, Index last) {
    double of_part = 0;
    for (Index i = first; i < last; ++i)
      of_part = max_or_nan(of_part, largest_in(std::span<const Real>(mapped + i * t.ld + parts * i,
                                                                     parts * (n - i))));
    const std::scoped_lock lock(one_at_a_time);
    largest = max_or_nan(largest, of_part);
  });
  queue.enqueueUnmapMemObject(t.buffer, mapped);
  return largest;
}

/// The parameters of the usable kernel. Throws NoUsableKernel.
Parameters usable(Context& context, NumberType number, Index n) {
  Parameters parameters = usual(context, number.real, n);
  if (!works(context, number, parameters))
    KernelMemo(context, number).none_works("the largest element", {upper_maxima_variant().name});
  return parameters;
}

}  // namespace

double upper_maximum(Context& context, const cl::CommandQueue& queue, NumberType number,
                     const MatrixView& t, Index n) {
  if (n == 0) return 0;
  if (context.transfers() == Transfers::mapped) {
    const MatrixView parts = number.in_parts(t);
    return number.real == RealType::f32
               ? upper_maximum_on_host<float>(queue, parts, n, number.parts())
               : upper_maximum_on_host<double>(queue, parts, n, number.parts());
  }
  return enqueue_and_read(context, queue, number, usable(context, number, n), t, n);
}

void prepare_upper_maximum(Context& context, NumberType number, Index n) {
  if (context.transfers() == Transfers::mapped) return;
  const Parameters parameters = usable(context, number, n);
  (void)context.programs().kernel(upper_maxima_variant().file, "upper_row_maxima",
                                  macros_for(number, parameters));
}

}  // namespace clgauss
