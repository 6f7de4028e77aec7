/// The memory that a context keeps from one solve to the next.

#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>
#include <utility>

#include "launch/matrix_memory.hpp"
#include "launch/staging.hpp"
#include "matrix/shapes.hpp"
#include "matrix/transfer.hpp"
#include "support/devices.hpp"

namespace clgauss {

TEST_CASE("matrix memory: what was given is taken again, until another size is wanted") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    MatrixMemory memory;
    const auto take = [&](std::uint64_t bytes) { return memory.take(context, bytes, "a test"); };
    // Held, so that no other gets their handles.
    const cl::Buffer first = take(4096), second = take(8192), third = take(4096),
                     fourth = take(1000);
    CHECK(first.getInfo<CL_MEM_SIZE>() == 4096);
    CHECK(memory.bytes() == 0);
    memory.give(context, first, 4096);
    memory.give(context, second, 8192);
    memory.give(context, third, 4096);
    memory.give(context, fourth, 1000);  // a solve has no fourth
    CHECK(memory.bytes() == 4096 + 8192 + 4096);
    CHECK(take(8192)() == second());
    CHECK(memory.bytes() == 4096 + 4096);
    const std::uint64_t share = device.profile.type == DeviceType::cpu
                                    ? MatrixMemory::kMostBytes
                                    : device.profile.global_mem_bytes / MatrixMemory::kShare;
    memory.give(context, fourth, std::min(share, MatrixMemory::kMostBytes) + 1);
    CHECK(memory.bytes() == 4096 + 4096);
    CHECK(take(1000)() != fourth());
    CHECK(memory.bytes() == 0);
    CHECK(take(4096)() != first());
  });
}

TEST_CASE(
    "matrix memory: solves one after the other are right, and hold no more than the last one's "
    "matrices") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    MatrixMemory& memory = context.staging().matrices();
    for (const RealType type : test::types_of(device.profile))
      for (const Index n : {Index{70}, Index{70}, Index{71}, Index{33}, Index{70}}) {
        CAPTURE(n);
        SolveOptions options;
        options.method = Method::lu;
        options.type = type;
        // Another system each time: what is left of the last one would be seen.
        const System system{random_matrix(n, n, static_cast<std::uint32_t>(n)),
                            random_matrix(n, 2, 5)};
        CHECK(solve(context, system, options).status == SolveStatus::ok);
        CHECK(memory.bytes() == n * padded_ld(n, type) * bytes_of(type));
      }
    if (!device.profile.fp64) return;
    const std::uint64_t in_f32 = 50 * 4 * padded_ld(50, RealType::f32),
                        in_f64 = 50 * 8 * padded_ld(50, RealType::f64);
    for (const auto& [method, bytes] :
         {std::pair{Method::mixed, in_f32 + in_f64}, std::pair{Method::rbt, 2 * in_f32 + in_f64}}) {
      SolveOptions options;
      options.method = method;
      for (const std::uint32_t seed : {7U, 8U, 9U}) {
        const System system{random_matrix(50, 50, seed), random_matrix(50, 1, 8)};
        const Solution solution = solve(context, system, options);
        CHECK(solution.method == method);
        CHECK(solution.status == SolveStatus::ok);
        CHECK(memory.bytes() == bytes);
      }
    }
  });
}

TEST_CASE("matrix memory: columns on their way take the same buffer again, within a bound") {
  test::on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const auto strip_of = [&](Index rows) {
      cl::Buffer buffer;
      by_strips(context, RealType::f32, rows, 3, kStripBytes,
                [&](Index, Index, const MatrixView& strip) { buffer = strip.buffer; });
      return buffer;
    };
    const cl::Buffer first = strip_of(1000);
    CHECK(strip_of(1000)() == first());
    CHECK(strip_of(70)() == first());  // a smaller one lies in it
    const cl::Buffer larger = strip_of(2000);
    CHECK(larger() != first());
    CHECK(larger.getInfo<CL_MEM_SIZE>() == 3 * 2000 * sizeof(float));
    CHECK(strip_of(2000)() == larger());

    Staging& staging = context.staging();
    const std::uint64_t too_much = device.profile.global_mem_bytes / Staging::kShareOfStrip + 1;
    if (too_much > (std::uint64_t{1} << 30U)) return;  // of which a buffer alone takes long
    const cl::Buffer held = staging.strip(context, too_much);
    CHECK(staging.strip(context, too_much)() != held());
    CHECK(strip_of(2000)() != larger());  // which was let go of before there was more
  });
}

}  // namespace clgauss
