#include <doctest/doctest.h>

#include <clgauss/error.hpp>

#include "linalg/solve/memory_need.hpp"
#include "support/recorded_profiles.hpp"
#include "support/text.hpp"

using namespace clgauss;
using clgauss::test::has;
using clgauss::test::recorded_profile;

namespace {

/// The message of the OutOfMemory that is thrown; empty if none is.
std::string refusal(const MemoryNeed& need, const DeviceProfile& device, std::uint64_t host_bytes) {
  try {
    require_memory(need, device, host_bytes);
  } catch (const OutOfMemory& error) {
    CHECK(error.error_code() == ErrorCode::out_of_memory);
    return error.what();
  }
  return {};
}

const MemoryNeed kNeed{"the f64 system of n = 1000 with 1 right-hand side",
                       RealType::f64,
                       8'000'000,
                       8'000,
                       92'000,
                       8'000'000};

}  // namespace

TEST_CASE("memory: a GPU needs matrix, right-hand sides and workspace together") {
  DeviceProfile gpu = recorded_profile("h200").profile;
  gpu.global_mem_bytes = 8'100'000;
  CHECK(refusal(kNeed, gpu, 0).empty());  // the host's memory is another
  gpu.global_mem_bytes = 8'099'999;
  const std::string text = refusal(kNeed, gpu, 1U << 30U);
  for (const char* part :
       {"n = 1000", "8.1 MB", "matrix 8.0 MB", "the memory of", "f32 takes half"})
    CHECK(has(text, part));
  CHECK_FALSE(has(text, "in place"));
  MemoryNeed f32 = kNeed;
  f32.type = RealType::f32;
  CHECK_FALSE(has(refusal(f32, gpu, 0), "f32 takes half"));
}

TEST_CASE("memory: on a CPU the host's copy of A counts, and solving in place gives it up") {
  DeviceProfile cpu = recorded_profile("pocl").profile;
  cpu.global_mem_bytes = 1U << 30U;
  CHECK(refusal(kNeed, cpu, 16'100'000).empty());
  const std::string text = refusal(kNeed, cpu, 16'000'000);
  for (const char* part : {"16.1 MB", "16.0 MB", "solving in place", "f32 takes half"})
    CHECK(has(text, part));
  MemoryNeed in_place = kNeed;
  in_place.host_copy = 0;
  CHECK(refusal(in_place, cpu, 16'000'000).empty());
  CHECK_FALSE(has(refusal(in_place, cpu, 1'000'000), "--in-place"));
}
