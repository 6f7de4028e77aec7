// What a program that links clgauss relies on: who owns what, queues and events, threads.
#include <atomic>
#include <clgauss/batched.hpp>
#include <clgauss/error.hpp>
#include <clgauss/gemm.hpp>
#include <clgauss/lab/generate.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/residual.hpp>
#include <cmath>
#include <thread>

#include "support/devices.hpp"
#include "support/padded_matrix.hpp"

using namespace clgauss;
using clgauss::test::on_every_device;
using clgauss::test::PaddedMatrix;

namespace {

const RealType kType = RealType::f32;  // every device has it

double scaled_residual(const Matrix& a, const Matrix& b, const Matrix& x) {
  return compute_residual({a, b}, x, unit_roundoff(kType)).scaled;
}

/// Numbers that f32 holds.
Matrix integers(Index n, std::uint64_t seed) { return generate_matrix("integer", n, seed); }

}  // namespace

TEST_CASE("interface: factors outlive the call and the context that they came from, and move") {
  on_every_device([](const Device& device) {
    const Matrix a = integers(40, 1), b = row_sums(a);
    std::optional<Context> context(std::in_place, device, ContextOptions::from_environment());
    std::vector<Lu> kept;
    kept.push_back(lu_factor(*context, kType, a));
    context.reset();
    Lu factors = std::move(kept.front());
    CHECK(scaled_residual(a, b, factors.solve(b)) <= kScaledResidualBound);
    CHECK(factors.n() == 40);
    CHECK(factors.pivots().size() == 40);
    factors.factor(integers(40, 2));  // replaces the factors
    CHECK_FALSE(scaled_residual(a, b, factors.solve(b)) <= kScaledResidualBound);
  });
}

TEST_CASE("interface: operations start after the events that they are given, and give one") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const Matrix a = integers(60, 3), b = row_sums(a);
    const PaddedMatrix da(context, kType, a, 0, 0), db(context, kType, b, 0, 0);
    Lu lu(context, kType, 60);
    lu.prepare(da.view, 1);
    cl::UserEvent gate(context.context());
    cl::Event factored, solved;
    // Held up before it starts: the buffer must still hold A.
    lu.factor(da.view, {.wait_for = {gate}, .done = &factored});
    context.queue().flush();
    CHECK(factored.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() != CL_COMPLETE);
    gate.setStatus(CL_COMPLETE);
    const cl::CommandQueue other(context.context(), device.handle);
    lu.solve(db.view, 1, {.queue = &other, .done = &solved});  // another queue: after the first
    other.flush();
    solved.wait();
    CHECK(factored.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>() == CL_COMPLETE);
    CHECK(scaled_residual(a, b, db.read(context, kType)) <= kScaledResidualBound);
    CHECK_FALSE(lu.failed_column().has_value());
    const cl::CommandQueue unordered(context.context(), device.handle,
                                     cl::QueueProperties::OutOfOrder);
    CHECK_THROWS_AS(lu.solve(db.view, 1, {.queue = &unordered}), UsageError);
  });
}

TEST_CASE("interface: a product and a batch on the caller's queue") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    const cl::CommandQueue queue(context.context(), device.handle);
    const Matrix a = integers(20, 5);
    const PaddedMatrix da(context, kType, a, 0, 0), dc(context, kType, Matrix(20, 20), 0, 0);
    cl::Event done;
    Gemm(context, kType)
        .multiply({20, 20, 20}, 1, da.view, da.view, 0, dc.view, {.queue = &queue, .done = &done});
    queue.flush();
    done.wait();
    const Matrix expected = gemm(context, kType, 1, a, false, a, false);
    CHECK(std::ranges::equal(dc.read(context, kType).values(), expected.values()));

    const Matrix small = integers(4, 6), b = row_sums(small);
    const PaddedMatrix ds(context, kType, small, 0, 0), db(context, kType, b, 0, 0);
    const cl::Buffer info = context.allocate(sizeof(cl_int), "a test");
    BatchedLu batched(context, kType, 4);
    batched.factor_and_solve({ds.view.buffer, ds.view.offset, ds.view.ld, 16},
                             {db.view.buffer, db.view.offset, db.view.ld, 4}, 1, 1, info,
                             {.queue = &queue, .done = &done});
    queue.flush();
    done.wait();
    CHECK(scaled_residual(small, b, db.read(context, kType)) <= kScaledResidualBound);
  });
}

TEST_CASE("interface: an error has a code, and nothing was factored yet is one") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    Lu lu(context, kType, 3);
    for (const auto& ask : std::vector<std::function<void()>>{
             [&] { (void)lu.failed_column(); }, [&] { (void)lu.pivots(); },
             [&] { (void)lu.solve(Matrix(3, 1)); }}) {
      try {
        ask();
        FAIL("no error");
      } catch (const Error& error) {
        CHECK(error.error_code() == ErrorCode::usage);
      }
    }
    lu.factor(generate_matrix("singular", 3, 1));
    try {
      (void)lu.solve(Matrix(3, 1));
      FAIL("no error");
    } catch (const Error& error) {
      CHECK(error.error_code() == ErrorCode::singular);
    }
  });
}

TEST_CASE("interface: what a failed factorisation is solved with at once is NaN") {
  on_every_device([](const Device& device) {
    Context context(device, ContextOptions::from_environment());
    for (const Index n : {30, 200})
      for (const bool gpu : {false, true}) {
        LuOptions options;  // those for GPUs solve a small system in one launch
        if (gpu) options.spec = default_lu_spec(device.profile, kType, n, LuFamily::gpu);
        const Matrix a = generate_matrix("singular", n, 1);
        const PaddedMatrix da(context, kType, a, 0, 0), db(context, kType, row_sums(a), 0, 0);
        Lu lu(context, kType, n, options);
        lu.factor_and_solve(da.view, db.view, 1);
        CHECK(lu.failed_column().has_value());
        const Matrix x = db.read(context, kType);
        CHECK(std::ranges::all_of(x.values(), [](double value) { return std::isnan(value); }));
      }
  });
}

TEST_CASE("interface: two threads with a context each") {
  on_every_device([](const Device& device) {
    std::atomic<int> right = 0;
    const auto work = [&](std::uint64_t seed) {
      Context context(device, ContextOptions::from_environment());
      for (int i = 0; i < 3; ++i) {
        const Matrix a = integers(50, seed + static_cast<std::uint64_t>(i)), b = row_sums(a);
        if (scaled_residual(a, b, lu_factor(context, kType, a).solve(b)) <= kScaledResidualBound)
          ++right;
      }
    };
    std::jthread first(work, 1), second(work, 100);
    first.join();
    second.join();
    CHECK(right == 6);
  });
}
