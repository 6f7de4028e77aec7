#include <doctest/doctest.h>

#include <clgauss/residual.hpp>
#include <cmath>

#include "kernels/common/cpu_tile.hpp"
#include "kernels/common/known_answers.hpp"
#include "kernels/substitution/trsm_cpu.hpp"
#include "linalg/lu/getrs.hpp"
#include "support/changed_kernels.hpp"
#include "support/devices.hpp"
#include "support/padded_matrix.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::types_of;

namespace {

/// L and U in one, B and the exchanges of its rows, on the host and on the device.
struct Question {
  Matrix lu, b;
  std::vector<Index> pivots;
  PaddedMatrix lu_there, b_there;
  cl::Buffer pivots_there;

  Question(Context& context, RealType type, Index n, Index nrhs, bool exchanges)
      : lu(random_triangle(type, n, 2)),
        b(random_of(type, n, nrhs, 3)),
        pivots(n),
        lu_there(context, type, lu, 5, 3),
        b_there(context, type, b, 3, 2),
        pivots_there(context.allocate(n * sizeof(cl_int), "a test's exchanges")) {
    for (Index k = 0; k < n; ++k) pivots[k] = exchanges ? k + (k * k + 3) % (n - k) : k;
    const std::vector<cl_int> there(pivots.begin(), pivots.end());
    context.queue().enqueueWriteBuffer(pivots_there, CL_TRUE, 0, n * sizeof(cl_int), there.data());
  }

  /// Of the B that is on the device now, in n eps of the largest element.
  [[nodiscard]] double error(Context& context, RealType type) const {
    const Index n = lu.rows();
    Matrix expected = b;
    exchange_rows(expected, pivots);
    expected = solved_on_host(lu, solved_on_host(lu, expected, n, false, true), n, true, false);
    return max_difference(b_there.read(context, type), expected) /
           (static_cast<double>(n) * unit_roundoff(type) * largest_in(expected));
  }
};

}  // namespace

TEST_CASE("many right-hand sides on CPUs: rows, groups, blocks, panels and strips, whole and cut") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const RealType type : types_of(device.profile)) {
      TrsmCpu strips(context, type, 500);
      CHECK(strips.works() == suits_cpu_kernels(context));
      if (!strips.works()) continue;
      for (const auto& [n, nrhs] : std::initializer_list<std::pair<Index, Index>>{
               {1, 1}, {3, 17}, {12, 64}, {13, 9}, {240, 33}, {241, 16}, {491, 100}, {50, 3001}})
        for (const bool exchanges : {false, true}) {
          CAPTURE(n);
          CAPTURE(nrhs);
          CAPTURE(exchanges);
          const Question q(context, type, n, nrhs, exchanges);
          strips.solve(context.queue(), q.lu_there.view, static_cast<cl_uint>(n),
                       exchanges ? &q.pivots_there : nullptr, q.b_there.view,
                       static_cast<cl_uint>(nrhs));
          CHECK(q.error(context, type) <= 16);
        }
    }
  });
}

TEST_CASE("many right-hand sides on CPUs: a zero on U's diagonal leaves no numbers above it") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    TrsmCpu strips(context, RealType::f32, 30);
    if (!strips.works()) return;
    constexpr Index n = 30, zero = 20;
    Matrix lu = random_triangle(RealType::f32, n, 2);
    lu(zero, zero) = 0;
    const PaddedMatrix there(context, RealType::f32, lu, 0, 0),
        b(context, RealType::f32, random_of(RealType::f32, n, 11, 3), 0, 0);
    strips.solve(context.queue(), there.view, n, nullptr, b.view, 11);
    const Matrix x = b.read(context, RealType::f32);
    for (Index j = 0; j < 11; ++j)
      for (Index i = 0; i < n; ++i) CHECK(std::isfinite(x(i, j)) == (i > zero));
  });
}

TEST_CASE("many right-hand sides on CPUs: a kernel that is wrong is found out, and done without") {
  const test::ChangedKernels changed("trsm_cpu.cl", "known /= -column[k]", "known *= -column[k]");
  on_every_device([&](const Device& device) {
    Context context(device, changed.context_options());
    CHECK_FALSE(TrsmCpu(context, RealType::f32, 100).works());
    const Question q(context, RealType::f32, 100, 9, true);
    ManySolves(context, RealType::f32, 100, {})
        .solve(context.queue(), q.lu_there.view, 100, q.pivots_there, q.b_there.view, 9);
    CHECK(q.error(context, RealType::f32) <= 16);
  });
}
