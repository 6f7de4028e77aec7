#include <doctest/doctest.h>

#include <array>
#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>

#include "kernels/batched/batched_backend.hpp"
#include "support/bits.hpp"
#include "support/devices.hpp"
#include "support/padded_matrix.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;
using clgauss::test::types_of;

namespace {

/// The systems of a batch one under the other, and their right-hand sides; the last system is
/// singular.
struct Systems {
  Index n, batch, nrhs;
  Matrix a, b;

  Systems(Index order, Index count, Index columns, RealType type)
      : n(order),
        batch(count),
        nrhs(columns),
        a(rounded(random_matrix(count * order, order, 1), type)),
        b(rounded(random_matrix(count * order, columns, 2), type)) {
    for (Index i = 0; i < n; ++i) a((batch - 1) * n + i, n - 1) = 0;
  }

  /// Makes all systems positive definite, but for the last pivot of the last, which is negative.
  void make_definite() {
    for (Index s = 0; s < batch; ++s)
      for (Index i = 0; i < n; ++i) {
        for (Index j = 0; j < i; ++j) a(s * n + j, i) = a(s * n + i, j);
        a(s * n + i, i) = static_cast<double>(n);
      }
    a(batch * n - 1, n - 1) = -1;
  }

  void check(const Matrix& x, const std::vector<cl_int>& info, RealType type) const {
    for (Index s = 0; s + 1 < batch; ++s) {
      CAPTURE(s);
      CHECK(info[s] == 0);
      const auto part = [&](const Matrix& stacked) {
        return std::span(stacked.values()).subspan(s * n * stacked.cols(), n * stacked.cols());
      };
      CHECK(compute_residual(n, nrhs, part(a), part(b), part(x), unit_roundoff(type)).scaled <=
            kScaledResidualBound);
    }
    CHECK(info[batch - 1] == static_cast<cl_int>(n));
  }
};

/// Systems for `backend`, padded, in one call; `apart`: by factor() and solve(), too.
void check_backend(Context& context, RealType type, BatchedBackend& backend, const Systems& systems,
                   bool apart) {
  const Index n = systems.n;
  const auto ints = [&](Index count) {
    return cl::Buffer(context.context(), CL_MEM_READ_WRITE, count * sizeof(cl_int));
  };
  const cl::Buffer info = ints(systems.batch), permutation = ints(systems.batch * n);
  const Index gap = 3, offset = 5;
  const PaddedMatrix a(context, type, systems.a, offset, gap),
      b(context, type, systems.b, offset, gap), y(context, type, systems.b, offset, gap);
  const auto batch = [&](const PaddedMatrix& m) {
    return BatchView{m.view.buffer, m.view.offset, m.view.ld, n * m.view.ld};
  };
  backend.factor_and_solve(context.queue(), batch(a), batch(b), systems.nrhs, systems.batch, info);
  systems.check(b.read(context, type), test::read_ints(context, info, systems.batch), type);
  if (!apart) return;
  const BatchFactors factors{batch(a), systems.batch, permutation, info};
  backend.factor(context.queue(), factors);
  backend.solve(context.queue(), factors, batch(y), systems.nrhs);
  systems.check(y.read(context, type), test::read_ints(context, info, systems.batch), type);
}

}  // namespace

TEST_CASE("the batched kernel tile is right as GPUs take it and as CPUs do") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = types_of(device.profile).back();
    // 2 x 2 to 8 x 8 work-items with 2 and 3 elements a row each, complete and not; 18 systems fill
    // a group and begin another.
    for (const auto& [n, nrhs] : std::vector<std::array<Index, 2>>{{4, 2}, {12, 1}, {17, 1}})
      for (const bool in_registers : {false, true}) {
        if (!in_registers && n != 4) continue;  // more of those are asked in the solver's tests
        CAPTURE(n);
        CAPTURE(nrhs);
        CAPTURE(in_registers);
        const auto backend = make_batched_tile(context, type, n, {}, in_registers);
        // The other kernels once: PoCL builds each for seconds.
        check_backend(context, type, *backend, Systems(n, 18, nrhs, type), n == 4);
      }
  });
}

TEST_CASE("the batched kernel by panels is right with every work-group and workspace") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = types_of(device.profile).back();
    struct Case {
      Index n, nrhs;
      int panel, group;
    };
    // Panels of which the last is narrow, or whole; groups larger and smaller than a panel; more
    // right-hand sides than work-items.
    for (const auto& [n, nrhs, panel, group] :
         {Case{5, 9, 4, 1}, {24, 1, 8, 4}, {70, 17, 16, 128}}) {
      if (static_cast<std::size_t>(group) > device.profile.max_work_group_size) continue;
      CAPTURE(n);
      CAPTURE(panel);
      CAPTURE(group);
      Parameters parameters{{"PANEL", panel}, {"GROUP", group}};
      // Two systems at a time, of five.
      const auto backend =
          make_batched_panels(context, type, n, {}, parameters, 2 * n * n * bytes_of(type));
      check_backend(context, type, *backend, Systems(n, 5, nrhs, type), true);
    }
  });
}

TEST_CASE("the batched Cholesky kernel is right with every panel and work-group") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = types_of(device.profile).back();
    struct Case {
      Index n;
      int panel, group;
    };
    // One row of a work-item and several, panels within a work-item's rows and over some
    // work-items'; a last panel of one column, and a whole one.
    for (const auto& [n, panel, group] :
         {Case{5, 4, 1}, {24, 8, 4}, {49, 16, 96}, {70, 16, 64}, {64, 32, 24}}) {
      if (static_cast<std::size_t>(group) > device.profile.max_work_group_size) continue;
      CAPTURE(n);
      CAPTURE(panel);
      CAPTURE(group);
      const Parameters cholesky{{"PANEL", panel}, {"GROUP", group}};
      const auto backend = make_batched_panels(context, type, n, {.positive_definite = true}, {},
                                               2 * n * n * bytes_of(type), cholesky);
      Systems systems(n, 5, 1, type);
      systems.make_definite();
      check_backend(context, type, *backend, systems, true);
    }
  });
}
