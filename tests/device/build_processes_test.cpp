/// Programs built by processes of their own, on whatever platform is there.
#include "program/build_processes.hpp"

#include <doctest/doctest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <clgauss/batched.hpp>
#include <clgauss/complex.hpp>
#include <clgauss/context.hpp>
#include <clgauss/inverse.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/least_squares.hpp>
#include <clgauss/solve.hpp>
#include <cstdlib>
#include <iterator>
#include <optional>
#include <string>
#include <thread>

#include "linalg/solve/attempts.hpp"
#include "linalg/solve/methods.hpp"
#include "support/devices.hpp"
#include "support/paths.hpp"
#include "support/process.hpp"
#include "support/thorough.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;

namespace {

constexpr const char* kGood = "kernel void k(global int* a) { a[0] = %; }";

std::vector<BuildJob> some_jobs() {
  std::vector<BuildJob> jobs;
  for (const char digit : {'1', '2', '3'}) {
    std::string source = kGood;
    std::ranges::replace(source, '%', digit);
    jobs.push_back({std::string("key ") + digit, source, "-cl-std=CL1.2"});
  }
  jobs.push_back({"key of what does not build", "no OpenCL C", ""});
  return jobs;
}

/// Builds some_jobs(), and counts those that this process is given.
struct Built {
  std::size_t own = 0, heard = 0;

  Built(const Device& device, const std::filesystem::path& program,
        const std::filesystem::path& cache, std::size_t processes) {
    build_by_processes(
        {program, device_text(device.handle), cache, processes, [&](const BuildJob&) { ++own; }},
        {some_jobs()}, [&](std::size_t done) { heard = std::max(heard, done); });
  }
};

/// An environment variable, until the end of the scope.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Variable() {
    if (before_)
      setenv(name_, before_->c_str(), 1);
    else
      unsetenv(name_);
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// Whether `question` is answered with yes within half a minute.
bool comes_true(const std::function<bool()>& question) {
  for (int i = 0; i < 600; ++i) {
    if (question()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return false;
}

std::size_t kept(const std::filesystem::path& cache) {
  const ProgramCache programs(cache);
  return static_cast<std::size_t>(std::ranges::count_if(
      some_jobs(), [&](const BuildJob& job) { return programs.fetch(job.key).has_value(); }));
}

}  // namespace

TEST_CASE("builders: each job is done by one process, and one that fails is left") {
  REQUIRE_FALSE(builder_program().empty());
  on_every_device([](const Device& device) {
    const test::TemporaryFolder cache;
    const Built built(device, builder_program(), cache.path(), 2);
    CHECK(built.own >= 1);  // this process does not wait for others to begin
    CHECK(built.own + kept(cache.path()) <= 4);
    CHECK(built.own + kept(cache.path()) >= 3);
  });
}

TEST_CASE("builders: a job in which the compiler ends the helper is remembered, and left") {
  on_every_device([](const Device& device) {
    const test::TemporaryFolder cache;
    const ProgramCache programs(cache.path());
    std::vector<BuildJob> jobs = some_jobs();
    jobs.insert(jobs.begin(), {"key of what ends the compiler", jobs[0].source, "-DENDS=1"});
    const std::string& ends = jobs[0].key;
    const auto build = [&](const std::string& text, int signal) {
      const Variable layers("OPENCL_LAYERS", test::layers_over_faults()),
          options("CLGAUSS_FAULT_ABORT", text), how("CLGAUSS_FAULT_SIGNAL", std::to_string(signal));
      build_by_processes({.program = builder_program(),
                          .device = device_text(device.handle),
                          .cache = cache.path(),
                          .processes = 1},
                         {jobs}, [](std::size_t) {});
    };
    build("-DENDS=", SIGKILL);  // as the system does where memory is short
    CHECK(kept(cache.path()) == 3);
    CHECK_FALSE(is_tried(programs, ends));
    build("-DENDS=", SIGABRT);
    const std::string fault = "Aborted: compiler.cc:1: an assertion of a test failed";
    CHECK(compiler_fault(programs, ends) == fault);
    CHECK(is_tried(programs, jobs.back().key));
    CHECK_FALSE(compiler_fault(programs, jobs.back().key).has_value());
    build("no such option", SIGABRT);  // what is known is not tried again
    CHECK(compiler_fault(programs, ends) == fault);
  });
}

TEST_CASE("builders: what is built ahead is built by helpers, after the call has returned") {
  on_every_device([](const Device& device) {
    const test::TemporaryFolder cache;
    std::vector<BuildJob> jobs = some_jobs();
    const std::vector<BuildJob> needed(jobs.begin(), jobs.begin() + 1);
    const std::vector<BuildJob> ahead(jobs.begin() + 1, jobs.end());
    const ProgramCache programs(cache.path());
    std::size_t most = 0;
    build_by_processes({builder_program(), device_text(device.handle), cache.path(), 2,
                        [](const BuildJob& job) { CHECK(job.key == "key 1"); }},
                       {needed, ahead, programs.try_turn("ahead")},
                       [&](std::size_t done) { most = std::max(most, done); });
    CHECK(most <= 1);
    const auto is_kept = [&](const char* key) { return programs.fetch(key).has_value(); };
    const bool turn_is_free = programs.try_turn("ahead") != nullptr;  // asked before is_kept()
    CHECK((!turn_is_free || (is_kept("key 2") && is_kept("key 3"))));
    CHECK(comes_true([&] { return is_kept("key 2") && is_kept("key 3"); }));
    CHECK(comes_true([&] { return programs.try_turn("ahead") != nullptr; }));
  });
}

TEST_CASE("builders: a program that another process builds is waited for") {
  const test::TemporaryFolder folder;
  const ProgramCache cache(folder.path());
  const std::string key = "some key";
  auto other = cache.try_turn(key);
  int heard = 0;
  const auto turn = await_turn(cache, key, end_of_waiting(), [&] {
    if (++heard == 3) other.reset();
  });
  CHECK(turn != nullptr);
  CHECK(heard == 3);
  CHECK(await_turn(cache, key, {}, [&] { ++heard; }) == nullptr);
  CHECK(heard == 3);
  struct Stop {};
  CHECK_THROWS_AS((void)await_turn(cache, key, end_of_waiting(), [] { throw Stop{}; }), Stop);
}

TEST_CASE("builders: without a helper this process builds all") {
  const Device device = open_device();
  const test::TemporaryFolder cache;
  for (const char* program : {"/nonexistent/clgauss-builder", "/bin/false"})
    CHECK(Built(device, program, cache.path(), 3).own == 4);
}

TEST_CASE("builders: what the listener throws leaves at once") {
  struct Stop {};
  const Device device = open_device();
  const test::TemporaryFolder cache;
  CHECK_THROWS_AS(build_by_processes({builder_program(), device_text(device.handle), cache.path(),
                                      2, [](const BuildJob&) {}},
                                     {some_jobs()}, [](std::size_t) { throw Stop{}; }),
                  Stop);
}

TEST_CASE("builders: started by hand, the helper says what it is for") {
  const test::TemporaryFolder folder;
  const auto result = test::run(builder_program(), folder, "3</dev/null");
  CHECK(result.exit_code == 2);
  CHECK(result.err.find("part of clgauss") != std::string::npos);
}

TEST_CASE("a rehearsal of every method names what a solve by each then builds") {
  constexpr Index n = 300;
  const System system{generate_matrix("spd", n, 1), Matrix(n, 1, Values(n, 1.0))};
  on_every_device([&](const Device& device) {
    if (!device.profile.fp64) return;
    const test::TemporaryFolder cache;
    ContextOptions options;
    options.cache_folder = cache.path();
    options.driver_caches = false;
    Context context(device, options);
    if (test::is_slow(context)) return;
    const auto named =
        context.programs().rehearse([&] { prepare_every_method(context, size_of(system)); });
    CHECK(named.size() > 5);
    CHECK(context.programs().build_seconds() < 1);
    context.programs().build_all(named);
    context.programs().announce_to([](const std::string& what) { FAIL_CHECK(what); });
    for (const SolveOptions& factorization : factorizations_on(device.profile)) {
      CAPTURE(std::string(method_name(factorization.method)));
      CHECK(solve(context, system, factorization).status == SolveStatus::ok);
    }
    constexpr Index larger = 2500;
    const System large{generate_matrix("spd", larger, 1), Matrix(larger, 1, Values(larger, 1.0))};
    SolveOptions by_lu;
    by_lu.method = Method::lu;
    by_lu.trust = true;
    CHECK(solve(context, large, by_lu).status == SolveStatus::ok);
  });
}

// Where a kernel does not work, the next one is built when that is found out: on devices that take
// the first of each.
TEST_CASE("what is solved builds what its preparation named, and nothing alone") {
  constexpr Index n = 300;
  const System system{generate_matrix("spd", n, 1), Matrix(n, 1, Values(n, 1.0))};
  const auto by = [&](Method method, Accuracy accuracy = Accuracy::double_precision) {
    return [&system, method, accuracy](Context& context) {
      SolveOptions options;
      options.method = method;
      options.accuracy = accuracy;
      options.trust = true;
      CHECK(solve(context, system, options).status == SolveStatus::ok);
    };
  };
  const std::pair<const char*, std::function<void(Context&)>> works[] = {
      {"lu", by(Method::lu)},
      {"cholesky", by(Method::cholesky)},
      {"mixed", by(Method::mixed)},
      {"accuracy max", by(Method::lu, Accuracy::maximum)},
      {"complex",
       [&](Context& context) {
         const ComplexSystem complex{ComplexMatrix::of_real(system.a),
                                     ComplexMatrix::of_real(system.b)};
         CHECK(solve_complex(context, complex).status == SolveStatus::ok);
       }},
      {"least squares",
       [&](Context& context) {
         CHECK(least_squares(context, system.a, system.b).status == LeastSquaresStatus::ok);
       }},
      {"inverse",
       [&](Context& context) { CHECK(invert(context, system.a).status == SolveStatus::ok); }},
      {"batched",
       [&](Context& context) {
         constexpr Index count = 3, of_each = 20;
         const Matrix a = generate_matrix("spd", of_each, 1);
         BatchedSystem systems{{count, of_each, of_each, {}},
                               {count, of_each, 1, Values(count * of_each, 1.0)}};
         for (Index s = 0; s < count; ++s)
           std::ranges::copy(a.values(), std::back_inserter(systems.a.values));
         CHECK(solve_batched(context, systems).status == SolveStatus::ok);
       }},
  };
  on_every_device([&](const Device& device) {
    if (!device.profile.fp64) return;
    for (const auto& [name, work] : works) {
      CAPTURE(std::string(name));
      const test::TemporaryFolder cache;
      ContextOptions options;
      options.cache_folder = cache.path();
      Context context(device, options);
      if (test::is_slow(context) && std::string_view(name) != "lu") continue;
      work(context);
      for (const ProgramRequest& program : context.programs().built_alone()) {
        std::string macros;
        for (const auto& [macro, value] : program.defines) macros += " -D" + macro + "=" + value;
        CAPTURE(macros);
        CHECK(program.file == "loop_probe.cl");  // it decides which kernels are named
      }
    }
  });
}
