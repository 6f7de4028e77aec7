#include <doctest/doctest.h>

#include <array>
#include <clgauss/lab/generate.hpp>
#include <clgauss/residual.hpp>

#include "kernels/batched_backend.hpp"
#include "support/devices.hpp"
#include "support/padded_matrix.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::rounded;
using clgauss::test::types_of;

namespace {

/// The systems of a batch one under the other, and their right-hand sides; the last system is singular.
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

std::vector<cl_int> read_ints(const Context& context, const cl::Buffer& buffer, Index count) {
  std::vector<cl_int> values(count);
  context.queue().enqueueReadBuffer(buffer, CL_TRUE, 0, count * sizeof(cl_int), values.data());
  return values;
}

}  // namespace

TEST_CASE("the batched kernel tile is right as GPUs take it and as CPUs do") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = types_of(device.profile).back();
    // 2 x 2 to 8 x 8 work-items with 2 and 3 elements a row each, complete and not; 18 systems fill a group and begin another.
    for (const auto& [n, nrhs] : std::vector<std::array<Index, 2>>{{4, 2}, {12, 1}, {17, 1}})
      for (const bool in_registers : {false, true}) {
        if (!in_registers && n != 4) continue;  // more of those are asked in the solver's tests
        CAPTURE(n);
        CAPTURE(nrhs);
        CAPTURE(in_registers);
        const Systems systems(n, 18, nrhs, type);
        const auto backend = make_batched_tile(context, type, n, {}, in_registers);
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
        backend->factor_and_solve(context.queue(), batch(a), batch(b), nrhs, systems.batch, info);
        systems.check(b.read(context, type), read_ints(context, info, systems.batch), type);
        if (n > 4) continue;  // the other kernels once: PoCL builds each for seconds
        const BatchFactors factors{batch(a), systems.batch, permutation, info};
        backend->factor(context.queue(), factors);
        backend->solve(context.queue(), factors, batch(y), nrhs);
        systems.check(y.read(context, type), read_ints(context, info, systems.batch), type);
      }
  });
}
