// The library's public functions, with one OpenCL call of theirs failing: what leaves them is
// clgauss's own error.
#include <clgauss.h>
#include <doctest/doctest.h>

#include <clgauss/batched.hpp>
#include <clgauss/complex.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/inverse.hpp>
#include <clgauss/lab/gauss.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/solve.hpp>
#include <clgauss/vbatched.hpp>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <vector>

#include "faults/fault_choice.hpp"
#include "faults/fault_layer.hpp"
#include "matrix/transfer.hpp"
#include "support/complex_matrices.hpp"
#include "support/paths.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using namespace clgauss::test;

namespace {

struct Function {
  const char* name;
  std::function<void()> call;
};

constexpr Index kN = 40;

const RealType kType = RealType::f32;  // every device has it

System random_system(Index n = kN) { return {random_matrix(n, n, 1), random_matrix(n, 2, 2)}; }

/// A function of clgauss.h that works by columns on host memory of ours, a 2 kN-by-kN A and a
/// kN-by-2 B: where it fails, all of it is as it was.
template <typename Call>
void on_host(const char* name, const Call& call) {
  std::vector<float> a(2 * kN * kN), b(2 * kN);
  for (Index i = 0; i < a.size(); ++i) a[i] = static_cast<float>((i * 37) % 101) - 50;
  for (Index i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 7);
  const std::vector<float> a_before = a, b_before = b;
  std::vector<std::int32_t> pivots(kN, -1);
  const clgauss_status status = call(a.data(), pivots.data(), b.data());
  if (status == CLGAUSS_OK) return;
  CHECK(status == CLGAUSS_OPENCL);
  CHECK(a == a_before);
  CHECK(b == b_before);
  CHECK(pivots == std::vector<std::int32_t>(kN, -1));
  throw OpenClError(name, CL_OUT_OF_RESOURCES);
}

void gesv_on_host(clgauss_context context) {
  on_host("clgauss_sgesv", [&](float* a, std::int32_t* pivots, float* b) {
    return clgauss_sgesv(context, CLGAUSS_COLUMN_MAJOR, kN, 2, a, 2 * kN, pivots, b, kN);
  });
}

void getrf_on_host(clgauss_context context) {
  on_host("clgauss_sgetrf_host", [&](float* a, std::int32_t* pivots, float* /*b*/) {
    return clgauss_sgetrf_host(context, CLGAUSS_COLUMN_MAJOR, 2 * kN, kN, a, 2 * kN, pivots);
  });
}

void complex_getrf_on_host(clgauss_context context) {
  on_host("clgauss_cgetrf_host", [&](float* a, std::int32_t* pivots, float* /*b*/) {
    return clgauss_cgetrf_host(context, CLGAUSS_COLUMN_MAJOR, kN / 2, kN, a, kN / 2, pivots);
  });
}

void tall_complex_getrf_on_host(clgauss_context context) {
  on_host("clgauss_cgetrf_host", [&](float* a, std::int32_t* pivots, float* /*b*/) {
    return clgauss_cgetrf_host(context, CLGAUSS_COLUMN_MAJOR, kN, kN / 2, a, kN, pivots);
  });
}

/// A function of a kN / 2-by-kN / 2 L U or L L^H of complex numbers, which is far from singular.
template <typename Call>
void by_complex_factors(const char* name, const Call& call) {
  on_host(name, [&](float* a, std::int32_t* /*pivots*/, float* b) {
    const auto add = [a](float number) {
      for (Index i = 0; i < kN / 2; ++i) a[2 * i * (kN / 2 + 1)] += number;
    };
    add(2000);
    const clgauss_status status = call(a, b);
    if (status != CLGAUSS_OK) add(-2000);
    return status;
  });
}

void complex_getrs_on_host(clgauss_context context) {
  std::vector<std::int32_t> rows(kN / 2);
  std::iota(rows.begin(), rows.end(), 1);
  by_complex_factors("clgauss_cgetrs_host", [&](const float* a, float* b) {
    return clgauss_cgetrs_host(context, CLGAUSS_COLUMN_MAJOR, CLGAUSS_CONJUGATE_TRANSPOSE, kN / 2,
                               2, a, kN / 2, rows.data(), b, kN / 2);
  });
}

void complex_potri_on_host(clgauss_context context) {
  by_complex_factors("clgauss_cpotri", [&](float* a, const float* /*b*/) {
    return clgauss_cpotri(context, CLGAUSS_COLUMN_MAJOR, CLGAUSS_UPPER, kN / 2, a, kN / 2);
  });
}

/// X lies on B.
void complex_solve_on_host(clgauss_context context) {
  on_host("clgauss_csolve", [&](float* a, std::int32_t* /*pivots*/, float* b) {
    return clgauss_csolve(context, CLGAUSS_COLUMN_MAJOR, kN / 2, 2, a, kN / 2, b, kN / 2, b, kN / 2,
                          nullptr, nullptr);
  });
}

/// Not a CHECK of the call, which would catch what leaves it.
void expect_ok(SolveStatus status) { CHECK(status == SolveStatus::ok); }

MatrixView on(const Context& context, const Matrix& matrix) {
  return to_device(context, kType, matrix, matrix.cols(), "a test's matrix");
}

std::vector<Function> functions_of(const Device& device, Context& context) {
  const Matrix square = random_matrix(kN, kN, 1), columns = random_matrix(kN, 3, 2);
  const MatrixView a = on(context, square), b = on(context, columns), c = on(context, square);
  const cl::Buffer rows = context.allocate(kN * sizeof(cl_int), "a test's rows");
  const BatchView batch{a.buffer, 0, 4, 16}, right{b.buffer, 0, 1, 4};
  const auto lu = std::make_shared<Lu>(lu_factor(context, kType, square));
  const auto small_lu = [=, &context](bool complex) {
    BatchedLuOptions options;
    options.complex = complex;
    BatchedLu small(context, kType, 4, options);
    small.prepare(1);
    small.factor_and_solve(batch, right, 1, 10, rows);
    small.solve(small.factor(batch, 10, rows, rows), right, 1);
    (void)small.kernel_name();
  };
  const auto small_systems = [=, &context](bool complex) {
    const Index parts = complex ? 2 : 1;
    const auto numbers = square.values().first(parts * 100);
    const BatchedSystem systems{{4, 5, parts * 5, Values(numbers.begin(), numbers.end())},
                                {4, 5, parts, Values(parts * 20, 1.0)},
                                false,
                                complex};
    BatchedOptions options;
    options.type = kType;
    expect_ok(solve_batched(context, systems, options).status);
  };
  const auto symmetric_systems = [=, &context] {
    BatchedOptions options;
    options.type = kType;
    options.lu.symmetric = true;
    const BatchedSystem systems{{2, 2, 2, {0, 2, 2, 0, 1, 3, 3, 1}}, {2, 2, 1, {2, 2, 4, 4}}};
    const BatchedSolution solution = solve_batched(context, systems, options);
    expect_ok(solution.status);
    CHECK(solution.inertias == std::vector<Inertia>(2, {1, 1, 0}));
  };
  clgauss_context in_c = nullptr;
  REQUIRE(clgauss_context_create_on_queue(context.queue()(), 0, &in_c) == CLGAUSS_OK);
  return {
      {"clgauss_sgesv", [in_c] { gesv_on_host(in_c); }},
      {"clgauss_sgetrf_host", [in_c] { getrf_on_host(in_c); }},
      {"clgauss_cgetrf_host", [in_c] { complex_getrf_on_host(in_c); }},
      {"clgauss_cgetrf_host, more rows", [in_c] { tall_complex_getrf_on_host(in_c); }},
      {"clgauss_cgetrs_host", [in_c] { complex_getrs_on_host(in_c); }},
      {"clgauss_cpotri", [in_c] { complex_potri_on_host(in_c); }},
      {"clgauss_csolve", [in_c] { complex_solve_on_host(in_c); }},
      {"open_device", [] { (void)open_device(); }},
      {"Context of a device",
       [&device] { const Context own(device, ContextOptions::from_environment()); }},
      {"Context of a queue", [&context] { const Context own(context.queue()); }},
      {"runs_long_loops",
       [&device] { (void)Context(device, ContextOptions::from_environment()).runs_long_loops(); }},
      {"allocate", [&context] { (void)context.allocate(64, "a test"); }},
      {"ProgramStore::kernel",
       [&device] {
         Context own(device, ContextOptions::from_environment());
         const cl::Buffer memory = own.allocate(64, "a test");
         Kernel kernel = own.programs().kernel("gauss.cl", "gauss_fwd_pre", real_defines(kType));
         kernel.set_arguments(memory, cl_ulong{kN}, memory);
       }},
      {"Launcher and gauss_solve",
       [&device] {
         ContextOptions options = ContextOptions::from_environment();
         options.profiling = true;
         Context own(device, options);
         Launcher with_times(own.profile(), own.queue(), {}, SplitMode::automatic);
         (void)gauss_solve(own, with_times, random_system(), {.type = kType});
         (void)with_times.records();
       }},
      {"solve", [&context] { (void)solve(context, random_system(), {.type = kType}); }},
      {"solve by gauss",
       [&context] {
         (void)solve(context, random_system(), {.method = Method::gauss, .type = kType});
       }},
      {"solve_in_place",
       [&context] {
         const System system = random_system();
         (void)solve_in_place(context, system, [&] { return system.a; }, {.type = kType});
       }},
      {"lu_factor", [=, &context] { (void)lu_factor(context, kType, a, kN); }},
      {"lu_factor of the host's", [=, &context] { (void)lu_factor(context, kType, square); }},
      {"lu_solve", [=] { lu->solve(b, 3); }},
      {"lu_solve of the host's", [=] { (void)lu->solve(columns); }},
      {"Lu",
       [=, &context] {
         Lu own(context, kType, kN);
         own.prepare(a, 3);
         own.factor_and_solve(a, b, 3);
         (void)own.failed_column();
         (void)own.pivots();
       }},
      {"Gemm",
       [=, &context] {
         Gemm product(context, kType);
         const GemmShape shape{kN, kN, kN};
         (void)product.kernel_name(shape, a, a, c);
         product.prepare_update(kN, kN, kN, a, a, c);
         product.multiply(shape, 1, a, a, 0, c);
         product.update(kN, kN, kN, a, a, c);
       }},
      {"gemm", [=, &context] { (void)gemm(context, kType, 1, square, false, square, true); }},
      {"BatchedLu", [=] { small_lu(false); }},
      {"BatchedLu of complex numbers", [=] { small_lu(true); }},
      {"solve_batched", [=] { small_systems(false); }},
      {"solve_batched of complex numbers", [=] { small_systems(true); }},
      {"solve_batched by L D L^T", [=] { symmetric_systems(); }},
      {"solve_vbatched",
       [&context] {
         std::vector<System> systems;
         for (const Index n : {5, 7, 8}) systems.push_back(random_system(n));
         VbatchedOptions options;
         options.type = kType;
         options.on_host = false;
         for (const Solution& solution : solve_vbatched(context, systems, options))
           expect_ok(solution.status);
       }},
      {"invert", [=, &context] { expect_ok(invert(context, square, {.type = kType}).status); }},
      {"invert_complex", [&context] {
         const ComplexMatrix a = random_complex(kN, kN, 1);
         expect_ok(invert_complex(context, a, {.type = kType}).status);
       }}};
}

}  // namespace

TEST_CASE("a failing OpenCL call leaves every public function as an error of clgauss") {
  setenv("OPENCL_LAYERS", fault_layer().c_str(), 1);  // before the process's first OpenCL call
  const Device device = open_device();
  Context context(device, ContextOptions::from_environment());
  const auto step = static_cast<long>(fault_step().value_or(test::thorough() ? 11 : 31));
  for (const Function& function : functions_of(device, context)) {
    CAPTURE(std::string(function.name));
    function.call();  // builds what is to be built
    bool failed = true;
    for (long k = 1; failed; k += step) {
      CAPTURE(k);
      clgauss_fail_call(k);
      try {
        function.call();
      } catch (const OpenClError& error) {
        CHECK(error.code() == CL_OUT_OF_RESOURCES);
      } catch (const cl::Error& error) {
        FAIL_CHECK(std::string(error.what()));
      }
      failed = clgauss_failed_call() != nullptr;
      clgauss_fail_call(0);
      if (k == 1) CHECK(failed);  // the layer is there
    }
  }
}

TEST_CASE("memory that the driver does not pin is replaced by plain memory, and nothing is lost") {
  setenv("OPENCL_LAYERS", fault_layer().c_str(), 1);
  const Device device = open_device();
  ContextOptions options = ContextOptions::from_environment();
  options.transfers = Transfers::pinned;
  const Values numbers(100, 1.5);
  int replaced = 0;
  bool failed = true;
  for (long k = 1; failed; ++k) {
    CAPTURE(k);
    const Context context(device, options);
    const cl::Buffer buffer = context.allocate(numbers.size() * sizeof(float), "a test's numbers");
    clgauss_fail_call(k);
    bool arrived = true;
    try {
      upload_values(context, buffer, kType, numbers);
    } catch (const OpenClError& error) {
      arrived = false;
      CHECK(error.code() == CL_OUT_OF_RESOURCES);
    } catch (const cl::Error& error) {  // as inside the library, where it is translated
      arrived = false;
      CHECK(error.err() == CL_OUT_OF_RESOURCES);
    }
    failed = clgauss_failed_call() != nullptr;
    clgauss_fail_call(0);
    if (arrived) CHECK(download(context.queue(), buffer, kType, numbers.size()) == numbers);
    replaced += context.transfers() == Transfers::pageable ? 1 : 0;
  }
  CHECK(replaced == 2);  // where no buffer is made, and where none is mapped
}

/// By columns, f32: uploads are counted once everything that the calls need is built and tested.
TEST_CASE("factors stay on the device: solves with them, and rcond, upload nothing of A") {
  setenv("OPENCL_LAYERS", fault_layer().c_str(), 1);
  const Device device = open_device();
  constexpr Index kLarge = 512;
  const unsigned long bytes_of_a = kLarge * kLarge * sizeof(float);
  std::vector<float> a(kLarge * kLarge), b(kLarge);
  for (Index i = 0; i < a.size(); ++i)
    a[i] = static_cast<float>((i * 37) % 101) - 50 + (i % (kLarge + 1) == 0 ? 30000.0F : 0.0F);
  for (const char* const transfers : {"mapped", "pinned", "pageable"}) {
    CAPTURE(transfers);
    setenv("CLGAUSS_TRANSFERS", transfers, 1);
    const Context own(device, ContextOptions::from_environment());
    clgauss_context context = nullptr;
    REQUIRE(clgauss_context_create_on_queue(own.queue()(), CLGAUSS_USE_ENVIRONMENT, &context) ==
            CLGAUSS_OK);
    for (const bool is_built : {false, true}) {
      clgauss_lu lu = nullptr;
      REQUIRE(clgauss_lu_create(context, CLGAUSS_F32, kLarge, &lu) == CLGAUSS_OK);
      (void)clgauss_uploaded_bytes();
      REQUIRE(clgauss_sgetrf(lu, CLGAUSS_COLUMN_MAJOR, a.data(), kLarge) == CLGAUSS_OK);
      CHECK(clgauss_uploaded_bytes() >= bytes_of_a);
      for (const int trans : {CLGAUSS_NO_TRANSPOSE, CLGAUSS_TRANSPOSE}) {
        b.assign(kLarge, 1);
        REQUIRE(clgauss_sgetrs(lu, CLGAUSS_COLUMN_MAJOR, trans, 1, b.data(), kLarge) == CLGAUSS_OK);
        const unsigned long uploaded = clgauss_uploaded_bytes();
        CHECK(uploaded >= kLarge * sizeof(float));
        if (is_built) CHECK(uploaded < bytes_of_a / 16);
      }
      double rcond = 0;
      REQUIRE(clgauss_lu_rcond(lu, 1e5, &rcond) == CLGAUSS_OK);
      if (is_built) CHECK(clgauss_uploaded_bytes() < bytes_of_a / 16);
      CHECK(clgauss_lu_destroy(lu) == CLGAUSS_OK);
    }
    CHECK(clgauss_context_destroy(context) == CLGAUSS_OK);
  }
  unsetenv("CLGAUSS_TRANSFERS");
}
