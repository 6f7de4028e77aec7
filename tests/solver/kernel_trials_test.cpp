#include <doctest/doctest.h>

#include <algorithm>
#include <clgauss/batched.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/lab/kernel_survey.hpp>
#include <clgauss/solve.hpp>
#include <cmath>

#include "linalg/lu/factor_lu.hpp"
#include "support/devices.hpp"
#include "support/padded_matrix.hpp"
#include "support/paths.hpp"
#include "support/recorded_profiles.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;
using clgauss::test::types_of;

namespace {

/// The reason why a kernel is passed over; empty if it is not.
std::string reason_of(Context& context, const std::string& kernel) {
  const auto& verdicts = context.trials().verdicts();
  const auto found = std::ranges::find_if(
      verdicts, [&](const KernelVerdict& v) { return v.kernel == kernel && !v.usable; });
  return found == verdicts.end() ? "" : found->reason;
}

System random_system(Index n, Index nrhs) {
  return {generate_matrix("random", n, 5), random_matrix(n, nrhs, 6)};
}

/// Solves with the kernels `faults` broken; the answer must be right all the same, and the reason
/// be told.
void check_passed_over(const Device& device, const std::string& faults, const std::string& kernel,
                       Index n, Index nrhs = 1) {
  CAPTURE(faults);
  Context context = test::context_with_faults(device, faults);
  const Solution solution = solve(context, random_system(n, nrhs));
  CHECK(solution.status == SolveStatus::ok);
  const std::string reason = reason_of(context, kernel);
  CHECK_FALSE(reason.empty());
}

Matrix gemm_on_host(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows(), b.cols());
  for (Index i = 0; i < a.rows(); ++i)
    for (Index k = 0; k < a.cols(); ++k)
      for (Index j = 0; j < b.cols(); ++j) c(i, j) += a(i, k) * b(k, j);
  return c;
}

}  // namespace

TEST_CASE("kernels: one that does not build or is wrong is passed over, and the answer is right") {
  on_every_device([](const Device& device) {
    bool for_cpus = false;
    {
      Context context(device, ContextOptions::from_environment());
      for_cpus = context.runs_long_loops() && device.profile.type == DeviceType::cpu;
    }
    if (for_cpus) {
      check_passed_over(device, "lu_cpu=build", "lu_cpu", 150);
      check_passed_over(device, "lu_cpu=wrong", "lu_cpu", 150);
    }
    // What comes before the portable kernels is out of the way.
    const std::string portable =
        std::string(for_cpus ? "lu_cpu=wrong," : "") +
        (device.profile.attributes.nvidia
             ? "lu_panel_columns=wrong,lu_panel_persistent=build,trsv_persistent=wrong,"
               "lu_small_columns=build,"
             : "");
    check_passed_over(device, portable + "lu_panel_group=wrong", "lu_panel_group", 150);
    check_passed_over(device, portable + "trsv=wrong", "trsv", 150);
    check_passed_over(device, portable + "trsv=build", "trsv", 150);
    check_passed_over(device, portable + "lu_small=wrong", "lu_small", 60);
    check_passed_over(device, portable + "gemm_cpu=wrong,lu_small=build", "lu_small", 60);
  });
}

TEST_CASE(
    "kernels: where no LU works the elimination takes over, and where that is wrong nothing does") {
  on_every_device([](const Device& device) {
    Context context = test::context_with_faults(device, "lu_cpu=build,laswp_trsm=wrong");
    const System system = random_system(150, 1);
    const Solution solution = solve(context, system);
    CHECK(solution.status == SolveStatus::ok);
    CHECK(solution.method == Method::gauss);
    SolveOptions lu;
    lu.method = Method::lu;
    CHECK_THROWS_WITH_AS((void)solve(context, system, lu), doctest::Contains("trsm: wrong answer"),
                         NoUsableKernel);
    Context nothing =
        test::context_with_faults(device, "lu_cpu=build,laswp_trsm=build,gauss=wrong");
    CHECK_THROWS_WITH_AS((void)solve(nothing, system), doctest::Contains("gauss: "),
                         NoUsableKernel);
  });
}

TEST_CASE("kernels: refinement, estimates and butterflies do without what is broken") {
  on_every_device([](const Device& device) {
    const System system = random_system(300, 1);
    SolveOptions options;
    options.method = Method::mixed;
    options.trust = true;
    if (device.profile.fp64) {
      Context on_host = test::context_with_faults(device, "refine=wrong");
      const Solution refined = solve(on_host, system, options);
      CHECK(refined.status == SolveStatus::ok);
      CHECK(refined.method == Method::mixed);
      CHECK(refined.refinement.accepted);
      CHECK_FALSE(reason_of(on_host, "refine").empty());
    }
    Context no_estimate = test::context_with_faults(
        device, "trsv_transposed=wrong,trsv_columns_cpu=wrong,upper_maxima=wrong");
    // Below n = 1024 the host estimates on CPUs, without these kernels.
    const Solution solution = solve(no_estimate, random_system(1100, 1), options);
    CHECK(solution.status == SolveStatus::ok);
    CHECK_FALSE(solution.trust.has_value());
    Context no_butterflies = test::context_with_faults(device, "butterfly=wrong");
    options.method = Method::rbt;
    const Solution instead = solve(no_butterflies, system, options);
    CHECK(instead.status == SolveStatus::ok);
    CHECK(instead.method == Method::mixed);
    CHECK_FALSE(instead.passed_over.empty());
  });
}

TEST_CASE("kernels: batched ones are passed over, too") {
  on_every_device([](const Device& device) {
    Context context = test::context_with_faults(device, "batched_cpu=wrong,batched_ptx=build"),
            nothing = test::context_with_faults(
                device, "batched_cpu=wrong,batched_tile=wrong,batched_panels=wrong");
    for (const auto& [n, kernel] : {std::pair<Index, const char*>{9, "tile"}, {140, "panels"}}) {
      const Index count = 5;
      BatchedSystem system;
      const auto batch = [&](Index cols, std::uint64_t seed) {
        const Matrix values = random_matrix(count, n * cols, seed);
        return Batch{count, n, cols, {values.values().begin(), values.values().end()}};
      };
      system.a = batch(n, 1);
      system.b = batch(1, 2);
      const BatchedSolution solution = solve_batched(context, system);
      CHECK(solution.status == SolveStatus::ok);
      CHECK(solution.kernel.starts_with(kernel));
      if (device.profile.attributes.nvidia) continue;
      CHECK_THROWS_AS((void)solve_batched(nothing, system), NoUsableKernel);
    }
  });
}

TEST_CASE("kernels: a vendor's kernels on a device that cannot build them") {
  on_every_device([](const Device& device) {
    if (device.profile.attributes.nvidia) return;
    Device claims = device;  // what a driver might say: the kernels are tried, and do not build
    claims.profile.attributes.nvidia = {9, 0};
    Context context(claims, ContextOptions::from_environment());
    const System system = random_system(300, 1);
    const LuSpec spec = default_lu_spec(claims.profile, RealType::f32, 300, LuFamily::gpu);
    CHECK(spec.value("PERSISTENT") == 1);
    LuOptions options;
    options.spec = spec;
    const EliminationResult result =
        factor_lu(context, system, {.type = RealType::f32, .lu = options}).result;
    CHECK(result.pivoting == Pivoting::tournament);
    CHECK(compute_residual(system, result.x, unit_roundoff(RealType::f32)).scaled <=
          kScaledResidualBound);
    CHECK_FALSE(reason_of(context, "lu_panel_persistent").empty());
  });
}

TEST_CASE("kernels: what older NVIDIA devices lack is asked, not concluded from the vendor") {
  DeviceProfile profile = test::recorded_profile("h200").profile;
  profile.local_mem_bytes = 49152;
  const auto spec_of = [&](unsigned major, unsigned minor, RealType type) {
    profile.attributes.nvidia = {major, minor};
    const LuSpec spec = default_lu_spec(profile, type, 5000, LuFamily::gpu);
    check_lu_spec(spec, profile, type);
    return spec;
  };
  // Compute capability 8.0 brought redux.sync; below, the persistent panel is not even tried.
  for (const auto& [major, minor] : {std::pair(6U, 1U), {7U, 0U}, {7U, 5U}}) {
    CAPTURE(major);
    LuSpec spec = spec_of(major, minor, RealType::f64);
    CHECK(spec.value("PERSISTENT") == 0);
    set_value(spec.parameters, "PERSISTENT", 1);
    CHECK_THROWS_WITH_AS(check_lu_spec(spec, profile, RealType::f64),
                         doctest::Contains("compute capability 8.0"), DeviceLimit);
  }
  CHECK(spec_of(8, 0, RealType::f64).value("PERSISTENT") == 1);
  CHECK(spec_of(9, 0, RealType::f64).value("PERSISTENT") == 1);
  // n (n + 2) elements and 512 bytes within 48, 64, 99 and 227 KiB.
  CHECK(spec_of(6, 1, RealType::f64).value("SMALL_N") == 76);
  CHECK(spec_of(7, 5, RealType::f64).value("SMALL_N") == 89);
  CHECK(spec_of(8, 6, RealType::f64).value("SMALL_N") == 111);
  CHECK(spec_of(9, 0, RealType::f64).value("SMALL_N") == 128);
  profile.attributes = {};
  CHECK(default_lu_spec(profile, RealType::f64, 5000, LuFamily::gpu).value("PERSISTENT") == 0);
}

TEST_CASE("kernels: a right answer is remembered on disk, a wrong one and an error are not") {
  on_every_device([](const Device& device) {
    const test::TemporaryFolder folder;
    const cl::Context context(device.handle);
    int asked = 0;
    const KernelBuild build{"gauss", "gauss.cl", real_defines(RealType::f32)};
    const auto trial = [&](const std::function<void()>& ask) {
      ContextOptions options;
      options.cache_folder = folder.path();
      ProgramStore store(context, device.handle, options);
      KernelTrials trials(store);
      const bool first = trials.passes(build, ask);
      CHECK(trials.passes(build, ask) == first);  // once a context
      REQUIRE(trials.verdicts().size() == 1);
      CHECK(trials.verdicts().front().usable == first);
      return first;
    };
    const auto wrong = [&] {
      ++asked;
      throw WrongAnswer("off by 1");
    };
    CHECK_FALSE(trial(wrong));
    CHECK_FALSE(trial(wrong));
    CHECK(asked == 2);
    CHECK_FALSE(trial([&] { throw OpenClError("clFinish", CL_OUT_OF_RESOURCES); }));
    CHECK_THROWS_AS((void)trial([&] { throw OutOfMemory("no"); }), OutOfMemory);
    const auto right = [&] { ++asked; };
    CHECK(trial(right));
    CHECK(trial(right));
    CHECK(asked == 3);
    CHECK(trial(wrong));  // it is remembered
    ContextOptions options;
    options.cache_folder = folder.path();
    options.kernel_faults = parse_kernel_faults("gauss=wrong");
    ProgramStore broken(context, device.handle, options);
    KernelTrials trials(broken);
    CHECK_FALSE(trials.passes(build, wrong));  // but not of kernels that are broken on purpose
  });
}

TEST_CASE("kernels: work-groups that run at once are probed anew for more, and after a loss") {
  Context context(open_device(), ContextOptions::from_environment());
  KernelTrials& trials = context.trials();
  const KernelBuild build{"gauss", "gauss.cl", real_defines(RealType::f32)};
  const KernelBuild other{"gauss", "gauss.cl", real_defines(RealType::f64)};
  int probes = 0;
  bool at_once = false;
  const auto resident = [&](const KernelBuild& of, std::size_t groups) {
    return trials.resident(of, groups, [&] {
      ++probes;
      return at_once;
    });
  };
  CHECK_FALSE(resident(build, 8));
  CHECK_FALSE(resident(build, 8));
  CHECK(probes == 2);  // a no does not last: another program may have used the device
  at_once = true;
  CHECK(resident(build, 8));
  at_once = false;
  CHECK(resident(build, 8));
  CHECK(resident(build, 3));
  CHECK(probes == 3);
  CHECK_FALSE(resident(build, 9));
  CHECK_FALSE(resident(other, 8));
  CHECK(resident(build, 8));
  CHECK(probes == 5);
  trials.forget_residency();
  CHECK_FALSE(resident(build, 8));
}

TEST_CASE("kernels: every variant is asked by its file's name, and its macros reach its builds" *
          test::also_on_slow_devices) {
  // On one device: what is asked does not depend on it, and some build for minutes.
  Context context(open_device(), ContextOptions::from_environment());
  survey_kernels(context);
  for (const KernelVariant* variant : kernel_variants()) {
    CAPTURE(variant->name);
    const std::string file = variant->file;
    bool heard = file.empty();  // of the host's code alone
    // A file may hold a second variant, for CPUs.
    if (!heard)
      CHECK((file == std::string(variant->name) + ".cl" ||
             file.substr(0, file.rfind('.')) + "_cpu" == variant->name));
    for (const KernelVerdict& verdict : context.trials().verdicts()) {
      if (verdict.file != file || !verdict.kernel.starts_with(variant->name)) continue;
      heard = true;
      if (!verdict.tried) continue;
      CAPTURE(verdict.build);
      for (const ParameterSpec& parameter : variant->parameters)
        if (parameter.macro)
          CHECK(verdict.build.find(std::string(" ") + parameter.name + "=") != std::string::npos);
    }
    CHECK(heard);
  }
  for (const KernelVerdict& verdict : context.trials().verdicts()) {
    CAPTURE(verdict.kernel);
    CHECK(std::ranges::any_of(kernel_variants(), [&](const KernelVariant* variant) {
      return verdict.file == variant->file && verdict.kernel.starts_with(variant->name);
    }));
  }
}

TEST_CASE("kernels: the words that break them") {
  CHECK(parse_kernel_faults("").empty());
  CHECK(parse_kernel_faults("a=build,b=wrong").at("b") == KernelFault::wrong);
  for (const char* text : {"a", "a=", "a=broken", "=", "a=build,b"})
    CHECK_THROWS_AS((void)parse_kernel_faults(text), UsageError);
}

TEST_CASE("kernels: a work-group above the kernel's limit is refused by name") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Kernel kernel =
        context.programs().kernel("scale.cl", "scale", real_defines(RealType::f32));
    const std::size_t size = kernel.work_group_limit + 1;
    CHECK_THROWS_WITH_AS(
        enqueue_kernel(context.queue(), kernel, cl::NDRange(size), cl::NDRange(size)),
        doctest::Contains("CL_KERNEL_WORK_GROUP_SIZE"), DeviceLimit);
  });
}

TEST_CASE("LU: factors that failed are not solved with unnoticed") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = types_of(device.profile).back();
    for (const Index n : {40, 150}) {
      const Matrix singular = generate_matrix("singular", n, 3), b = random_matrix(n, 2, 1);
      Lu factors = lu_factor(context, type, singular);
      CHECK_THROWS_AS((void)factors.solve(b), SingularFactors);
      const PaddedMatrix db(context, type, b, 4, 3);
      factors.solve(db.view, 2);
      const Matrix x = db.read(context, type);
      CHECK(std::ranges::all_of(x.values(), [](double value) { return std::isnan(value); }));
    }
    Lu lu(context, type, 4);
    const PaddedMatrix b(context, type, random_matrix(4, 1, 1), 0, 0);
    CHECK_THROWS_AS(lu.solve(b.view, 1), UsageError);
  });
}

TEST_CASE("views that cannot hold what they are said to hold are refused by name") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = RealType::f32;
    const cl::Buffer buffer = context.allocate(100 * sizeof(float), "a test");
    const MatrixView good{buffer, 0, 10}, narrow{buffer, 0, 9}, beyond{buffer, 1, 10},
        wrapping{buffer, ~Index{0} - 5, 10}, wide{buffer, 0, Index{1} << 33U}, none{{}, 0, 10};
    for (const MatrixView& view : {narrow, beyond, wrapping, wide, none}) {
      CHECK_THROWS_WITH_AS((void)lu_factor(context, type, view, 10),
                           doctest::Contains("A (10 x 10)"), DimensionError);
      Gemm gemm(context, type);
      const auto multiply = [&](const MatrixView& a, const MatrixView& b, const MatrixView& c) {
        gemm.multiply({10, 10, 10}, 1, a, b, 0, c);
      };
      CHECK_THROWS_WITH_AS(multiply(view, good, good), doctest::Contains("A (10"), DimensionError);
      CHECK_THROWS_WITH_AS(multiply(good, view, good), doctest::Contains("B (10"), DimensionError);
      CHECK_THROWS_WITH_AS(multiply(good, good, view), doctest::Contains("C (10"), DimensionError);
    }
    Lu factors = lu_factor(context, type, generate_matrix("random", 30, 1));
    CHECK_THROWS_WITH_AS(factors.solve(good, 4), doctest::Contains("B (30 x 4)"), DimensionError);
    BatchedLu batched(context, type, 10);
    const cl::Buffer info = context.allocate(2 * sizeof(cl_int), "a test");
    CHECK_THROWS_AS((void)batched.factor({buffer, 0, 10, 100}, 2, info, info), DimensionError);
    CHECK_THROWS_WITH_AS((void)batched.factor({buffer, 0, 10, 100}, 1, info, info),
                         doctest::Contains("the permutation (10 integers)"), DimensionError);
  });
}

TEST_CASE("products on two queues do not disturb each other") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const RealType type = RealType::f32;
    const cl::CommandQueue other(context.context(), device.handle);
    const Index n = 150;
    const Matrix a = test::rounded(random_matrix(n, n, 1), type),
                 b = test::rounded(random_matrix(n, n, 2), type);
    const PaddedMatrix da(context, type, a, 0, 0), db(context, type, b, 0, 0),
        first(context, type, Matrix(n, n), 0, 0), second(context, type, Matrix(n, n), 0, 0);
    Gemm gemm(context, type);
    gemm.multiply({n, n, n}, 1, da.view, db.view, 0, first.view);
    gemm.multiply({n, n, n}, 1, db.view, da.view, 0, second.view, {&other});
    other.finish();
    const Matrix ab = gemm_on_host(a, b), ba = gemm_on_host(b, a);
    CHECK(max_difference(first.read(context, type), ab) <= 1e-4);
    CHECK(max_difference(second.read(context, type), ba) <= 1e-4);
  });
}
