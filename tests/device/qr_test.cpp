#include <doctest/doctest.h>

#include "kernels/qr/qr.hpp"
#include "support/devices.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::types_of;

TEST_CASE(
    "panels of QR: right with one work-item a row and several, in one work-group and several") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const auto& [nb, width, lanes] :
           test::some_of(std::vector<std::tuple<int, int, int>>{{16, 16, 1},
                                                                {32, 16, 1},
                                                                {32, 8, 4},
                                                                {32, 1, 4},
                                                                {64, 1, 8},
                                                                {8, 1, 8},
                                                                {24, 8, 2}},
                         4)) {
        CAPTURE(nb);
        CAPTURE(width);
        CAPTURE(lanes);
        const Parameters parameters{
            {"NB", nb}, {"VEC_WIDTH", width}, {"LANES", lanes}, {"BLOCK", 4 * nb}};
        CHECK_MESSAGE(qr_works(context, type, parameters),
                      context.trials().reasons({qr_variant().name}));
      }
  });
}

TEST_CASE("panels of QR: kernels that leave their results as they were are found out") {
  ContextOptions options = ContextOptions::from_environment();
  options.kernel_faults["qr"] = KernelFault::wrong;
  on_every_device([&](const Device& device) {
    Context context(device, options);
    for (const Index rows : {Index{1}, kManyRows})
      CHECK_FALSE(qr_works(context, RealType::f32,
                           usual_qr_parameters({context.profile(), RealType::f32, rows})));
  });
}
