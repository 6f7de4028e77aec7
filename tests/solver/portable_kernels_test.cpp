#include <doctest/doctest.h>

#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>

#include "support/devices.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;

TEST_CASE("portable kernels alone solve, and say which they were") {
  on_every_device([](const Device& device) {
    ContextOptions options = ContextOptions::from_environment();
    options.vendor_kernels = false;
    Context context(device, options);
    CHECK_FALSE(context.profile().lacks_ptx().empty());
    for (const Index n : {20, 300, 700}) {
      const System system{generate_matrix("random", n, n), random_matrix(n, 2, 1)};
      const Solution solution = solve(context, system);
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.residual.scaled <= 1);
    }
    for (const KernelVerdict& verdict : context.trials().verdicts())
      if (verdict.usable) CHECK(verdict.file.find("ptx") == std::string::npos);
  });
}
