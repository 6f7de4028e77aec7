#include "kernels/upper_maxima.hpp"

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <cmath>

#include "kernels/cpu_tile.hpp"
#include "kernels/known_answers.hpp"
#include "kernels/variants.hpp"
#include "matrix/transfer.hpp"

namespace clgauss {

namespace {

double enqueue_and_read(Context& context, const cl::CommandQueue& queue, RealType type,
                        const Parameters& parameters, const MatrixView& t, Index n) {
  const KernelVariant& variant = upper_maxima_variant();
  Kernel kernel = context.programs().kernel(variant.file, "upper_row_maxima",
                                            macros_of(variant, type, parameters));
  const cl::Buffer maxima = context.allocate(n * bytes_of(type), "the maxima of rows");
  cl_uint index = 0;
  pass_view(kernel, index, t);
  kernel.set_arguments_from(index, static_cast<cl_uint>(n), maxima);
  launch_groups(queue, kernel, n, static_cast<std::size_t>(value_of(parameters, "WG_SIZE")));
  double largest = 0;
  for (const double value : download(queue, maxima, type, n))
    largest = std::isnan(value) || value > largest ? value : largest;
  return largest;
}

Parameters usual(Context& context, RealType type, Index n) {
  return usual_parameters(std::array{&upper_maxima_variant()}, {context.profile(), type, n});
}

bool works(Context& context, RealType type, const Parameters& parameters) {
  const KernelVariant& variant = upper_maxima_variant();
  return context.trials().passes(
      {variant.name, variant.file, macros_of(variant, type, parameters)}, [&] {
        require_upper_maximum(context, type, [&](const MatrixView& t, Index n) {
          return enqueue_and_read(context, context.queue(), type, parameters, t, n);
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
        (void)works(context, type, usual(context, type, 1500));
      }};
  return variant;
}

double upper_maximum(Context& context, const cl::CommandQueue& queue, RealType type,
                     const MatrixView& t, Index n) {
  if (n == 0) return 0;
  const Parameters parameters = usual(context, type, n);
  if (!works(context, type, parameters))
    KernelMemo(context, type).none_works("the largest element", {upper_maxima_variant().name});
  return enqueue_and_read(context, queue, type, parameters, t, n);
}

}  // namespace clgauss
