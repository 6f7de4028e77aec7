#include <doctest/doctest.h>

#include <clgauss/error.hpp>

#include "kernels/complex/complex_cholesky.hpp"
#include "kernels/complex/complex_lu.hpp"
#include "kernels/complex/known_answers.hpp"
#include "kernels/lu/lu_cpu.hpp"
#include "linalg/complex/complex_lu.hpp"
#include "linalg/lu/lu_backend.hpp"
#include "matrix/transfer.hpp"
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
        set_value(spec.parameters, "COLUMNS_ROWS", 0);  // else panels of one work-group, in f32
        set_value(spec.parameters, "NB", 128);
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

TEST_CASE("complex LU on CPUs: right with one phase a launch, and other tiles and vectors") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (!suits_cpu_kernels(context)) return;
    for (const RealType type : types_of(device.profile))
      for (const Parameters& changes : std::initializer_list<Parameters>{
               {},
               {{"OPENCL_C", 120}},
               {{"VEC_WIDTH", 4}, {"MR", 8}, {"NR", 8}, {"RB", 16}},
               {{"VEC_WIDTH", 8}, {"MR", 4}, {"NR", 32}, {"RB", 8}, {"USE_FMA", 0}}}) {
        LuSpec spec = complex_lu_cpu_spec(device.profile, type, 1000);
        for (const auto& [name, value] : changes) set_value(spec.parameters, name, value);
        CHECK_MESSAGE(complex_lu_cpu_works(context, type, spec),
                      context.trials().reasons({lu_cpu_variant().name}));
      }
  });
}

TEST_CASE("complex LU: right where blocks, panels and right-hand sides are whole, cut and many") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile))
      for (const auto& [n, nrhs] : test::some_of(
               std::vector<std::pair<Index, Index>>{
                   {3, 1}, {23, 2}, {24, 1}, {49, 9}, {96, 1}, {97, 1}, {193, 1}, {300, 3}},
               4)) {
        CAPTURE(n);
        CAPTURE(nrhs);
        ComplexLu lu(context, type, n, nrhs, {});
        const ComplexLayout& layout = lu.layout();
        require_complex_solution(context, type, n, nrhs, layout.b, layout.ld,
                                 [&](const ComplexQuestion& question) -> ComplexOutcome {
                                   const cl::CommandQueue& queue = context.queue();
                                   lu.factor(queue, question.a);
                                   const auto failed = lu.failed_column(queue);
                                   if (!failed) lu.solve(queue, question.a);
                                   return {failed, lu.pivots(queue)};
                                 });
      }
  });
}

TEST_CASE("complex LU: where all numbers are real, so are the factors") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      constexpr Index kN = 250;  // three panels on CPUs
      ComplexLu lu(context, type, kN, 1, {});
      const Index ld = lu.layout().ld;
      Matrix a = random_of(type, kN, ld, 6);
      for (Index i = 0; i < kN; ++i)
        for (Index part = 1; part < ld; part += 2) a(i, part) = 0;
      const MatrixView there = to_device(context, type, a, ld, "a test's matrix");
      lu.factor(context.queue(), there);
      CHECK_FALSE(lu.failed_column(context.queue()));
      const Values all = download(context.queue(), there.buffer, type, kN * ld);
      double largest = 0;
      for (Index i = 0; i < kN; ++i)
        for (Index part = 1; part < 2 * kN; part += 2)
          largest = std::max(largest, std::abs(all[i * ld + part]));
      CHECK(largest == 0);
    }
  });
}

TEST_CASE("complex LU on CPUs: a column of subnormal numbers has the multipliers of a larger one") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    if (!device.profile.fp64 || !suits_cpu_kernels(context)) return;
    constexpr Index kN = 120, kColumn = 50;
    ComplexLu lu(context, RealType::f64, kN, 1, {});
    const Index ld = lu.layout().ld;
    const auto multipliers = [&](int power) {
      Matrix a = random_of(RealType::f64, kN, ld, 5);
      for (Index i = 0; i < kN; ++i)
        for (Index part : {0, 1}) {
          double& value = a(i, 2 * kColumn + part);
          value = std::ldexp(value, power);
        }
      const MatrixView there = to_device(context, RealType::f64, a, ld, "a test's matrix");
      lu.factor(context.queue(), there);
      CHECK_FALSE(lu.failed_column(context.queue()));
      const Values all = download(context.queue(), there.buffer, RealType::f64, kN * ld);
      Matrix l(kN - kColumn - 1, 2);
      for (Index i = 0; i < l.rows(); ++i)
        for (Index part : {0, 1}) l(i, part) = all[(kColumn + 1 + i) * ld + 2 * kColumn + part];
      return l;
    };
    CHECK(max_difference(multipliers(-1030), multipliers(0)) < 1e-9);
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
  ContextOptions of_cpu = ContextOptions::from_environment();
  of_cpu.kernel_faults["lu_cpu"] = KernelFault::wrong;
  on_every_device([&](const Device& device) {
    Context context(device, options), other(device, of_cholesky), cpu(device, of_cpu);
    CHECK_FALSE(complex_lu_works(context, RealType::f32));
    CHECK_FALSE(complex_cholesky_works(other, RealType::f32));
    if (suits_cpu_kernels(cpu))
      CHECK_FALSE(complex_lu_cpu_works(cpu, RealType::f32,
                                       complex_lu_cpu_spec(device.profile, RealType::f32, 1000)));
  });
}
