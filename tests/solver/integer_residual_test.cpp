// Double accuracy without fp64: who computes the residuals, and that the answer is as good.
#include <algorithm>
#include <clgauss/lab/generate.hpp>
#include <clgauss/solve.hpp>

#include "linalg/refinement/integer_operator.hpp"
#include "support/changed_kernels.hpp"
#include "support/devices.hpp"
#include "support/gallery.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;

namespace {

constexpr Index kOrder = 600;

/// Every device as if it had no fp64.
void on_every_device_without_fp64(const std::function<void(const Device&)>& body) {
  on_every_device([&](Device device) {
    device.profile.fp64 = false;
    body(device);
  });
}

Solution solved(Context& context, const Matrix& a, Index nrhs, Method method) {
  SolveOptions options;
  options.method = method;
  return solve(context, {a, random_matrix(a.rows(), nrhs, 9)}, options);
}

}  // namespace

TEST_CASE("without fp64 residuals by the device lead to the backward error of f64" *
          test::also_on_slow_devices) {
  on_every_device_without_fp64([](const Device& device) {
    Context context(device);
    REQUIRE(context.trials().passes(integer_residual_choice(context, kOrder), [] {}));
    const Matrix graded = test::rows_by_powers_of_ten(random_matrix(kOrder, kOrder, 5));
    std::size_t turn = 0;
    for (const Matrix& a : {random_matrix(kOrder, kOrder, 1), test::minij(kOrder), graded})
      for (const Method method : {Method::mixed, Method::rbt})
        for (const Index nrhs : {1, 3}) {
          if (test::is_slow(context) && turn++ % 5 != 0) continue;
          CAPTURE(method_name(method));
          CAPTURE(nrhs);
          const Solution solution = solved(context, a, nrhs, method);
          CHECK(solution.status == SolveStatus::ok);
          if (solution.by_lapack) continue;
          CHECK(solution.refinement.on_device);
          CHECK(solution.refinement.accepted);
          CHECK(solution.refinement.backward_errors.back() <= 4 * 0x1p-53);
          CHECK(solution.residual.scaled <= 1);
          CHECK(solution.judge == Judge::host);
        }
  });
}

TEST_CASE("without fp64 a first measurement says who computes the residuals") {
  on_every_device_without_fp64([](const Device& device) {
    Context context(device);
    const Solution solution = solved(context, random_matrix(kOrder, kOrder, 1), 1, Method::mixed);
    CHECK(solution.status == SolveStatus::ok);
    const std::string name = integer_residual_choice(context, kOrder).name;
    const auto& verdicts = context.trials().verdicts();
    const auto verdict = std::ranges::find(verdicts, name, &KernelVerdict::kernel);
    REQUIRE(verdict != verdicts.end());
    CHECK(solution.refinement.on_device == verdict->usable);
    if (!verdict->usable)
      CHECK(verdict->reason.find("no faster than the host's cores") != std::string::npos);
    CHECK(name == integer_residual_choice(context, 1023).name);
    CHECK(name != integer_residual_choice(context, 1024).name);
    CHECK_FALSE(solved(context, random_matrix(100, 100, 1), 1, Method::mixed).refinement.on_device);
  });
}

TEST_CASE("without fp64 the host computes the residuals where the device does not") {
  const test::ChangedKernels changed("residual_integer.cl", "mul_hi(a.m, x.m)", "a.m");
  on_every_device_without_fp64([&](const Device& device) {
    for (const bool broken : {true, false}) {
      ContextOptions options;
      if (broken) options.kernel_folder = changed.context_options().kernel_folder;
      Context context(device, options);
      const KernelBuild choice = integer_residual_choice(context, kOrder);
      if (broken)
        REQUIRE(context.trials().passes(choice, [] {}));
      else
        context.trials().pass_over(choice, "slower");
      const Solution solution = solved(context, random_matrix(kOrder, kOrder, 1), 1, Method::mixed);
      CHECK(solution.status == SolveStatus::ok);
      CHECK_FALSE(solution.refinement.on_device);
      CHECK(solution.refinement.accepted);
    }
  });
}
