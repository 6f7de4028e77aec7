#include <doctest/doctest.h>

#include <clgauss/error.hpp>

#include "kernels/complex/complex_cholesky.hpp"
#include "kernels/complex/complex_lu.hpp"
#include "kernels/complex/known_answers.hpp"
#include "linalg/lu/lu_backend.hpp"
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

TEST_CASE("complex LU as a real one: right with both panels whose work-groups wait, on GPUs") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const int persistent : {0, 1}) {
        CAPTURE(persistent);
        constexpr Index kN = 300, kNrhs = 3;
        const NumberType number(type, true);
        LuSpec spec = complex_lu_spec(device.profile, type, kN);
        if (persistent == 1 && value_of(spec.parameters, "PERSISTENT") == 0) continue;
        set_value(spec.parameters, "PERSISTENT", persistent);
        const auto solve = [&](const ComplexQuestion& question) -> ComplexOutcome {
          const auto lu = make_complex_lu_gpu(context, type, kN, {}, spec);
          const MatrixView a = number.in_numbers(question.a);
          lu->prepare(a, kNrhs);
          lu->getrf(context.queue(), a);
          const auto failed = lu->failed_column(context.queue());
          if (!failed)
            (void)lu->getrs(context.queue(), a, a.at(0, question.b / number.parts()), kNrhs);
          return {failed, lu->pivots(context.queue())};
        };
        const auto ask = [&] {
          require_complex_solution(context, type, kN, kNrhs, 2 * kN + 4, 2 * (kN + kNrhs) + 8,
                                   solve);
        };
        if (device.profile.type == DeviceType::cpu)
          CHECK_THROWS_AS(ask(), NoUsableKernel);  // nor does anything wait there
        else
          ask();
      }
  });
}

TEST_CASE("complex Cholesky: right with work-groups of one and of many, and vectors of any width") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const auto& [group, width, columns] : test::some_of(
               std::vector<std::tuple<int, int, int>>{
                   {1, 16, 8}, {64, 2, 8}, {16, 4, 16}, {128, 8, 24}, {1, 2, 32}},
               2)) {
        CAPTURE(group);
        CAPTURE(width);
        CAPTURE(columns);
        const Parameters parameters{{"COLUMNS", columns},
                                    {"VEC_WIDTH", width},
                                    {"WG_SIZE", 1},
                                    {"BLOCK", 96},
                                    {"GROUP", group}};
        CHECK_MESSAGE(complex_cholesky_works(context, type, parameters),
                      context.trials().reasons({complex_cholesky_variant().name}));
      }
  });
}

TEST_CASE("complex LU: kernels that leave their results as they were are found out") {
  ContextOptions options = ContextOptions::from_environment();
  options.kernel_faults["complex_lu"] = KernelFault::wrong;
  ContextOptions of_cholesky = ContextOptions::from_environment();
  of_cholesky.kernel_faults["complex_cholesky"] = KernelFault::wrong;
  on_every_device([&](const Device& device) {
    Context context(device, options), other(device, of_cholesky);
    CHECK_FALSE(complex_lu_works(context, RealType::f32));
    CHECK_FALSE(complex_cholesky_works(other, RealType::f32));
  });
}
