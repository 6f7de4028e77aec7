#include <doctest/doctest.h>

#include "kernels/complex/complex_lu.hpp"
#include "support/devices.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::types_of;

TEST_CASE("complex LU: right with work-groups of one and of many, with narrow and wide vectors") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const auto& [columns, width, group] : test::some_of(
               std::vector<std::tuple<int, int, int>>{
                   {8, 16, 1}, {8, 2, 64}, {16, 4, 16}, {8, 8, 128}, {16, 16, 1}},
               2)) {
        CAPTURE(columns);
        CAPTURE(width);
        CAPTURE(group);
        const Parameters parameters{
            {"COLUMNS", columns}, {"VEC_WIDTH", width}, {"WG_SIZE", group}, {"BLOCK", 64}};
        CHECK_MESSAGE(complex_lu_works(context, type, parameters),
                      context.trials().reasons({complex_lu_variant().name}));
      }
  });
}

TEST_CASE("complex LU: kernels that leave their results as they were are found out") {
  ContextOptions options = ContextOptions::from_environment();
  options.kernel_faults["complex_lu"] = KernelFault::wrong;
  on_every_device([&](const Device& device) {
    Context context(device, options);
    CHECK_FALSE(complex_lu_works(context, RealType::f32));
  });
}
