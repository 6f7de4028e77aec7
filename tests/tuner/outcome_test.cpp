#include <doctest/doctest.h>

#include <CL/opencl.hpp>
#include <clgauss/error.hpp>

#include "statistics.hpp"
#include "tuner/measure/outcome.hpp"

namespace clgauss::tune {

TEST_CASE("each status has a name that reads back") {
  for (const Status status :
       {Status::ok, Status::constraint, Status::build_error, Status::device_limit,
        Status::launch_error, Status::wrong_result, Status::timeout})
    CHECK(parse_status(status_name(status)) == status);
  CHECK_FALSE(parse_status("OK").has_value());
  CHECK(t4_invalidity(Status::wrong_result) == "correctness");
}

TEST_CASE("what one configuration fails by becomes its status, the rest passes") {
  const auto status_of = [](auto error) {
    return guarded([&]() -> Outcome { throw error; }).status;
  };
  CHECK(status_of(BuildError("p", "-D X", "log")) == Status::build_error);
  CHECK(status_of(DeviceLimit("too large")) == Status::device_limit);
  CHECK(status_of(OutOfMemory("too much")) == Status::device_limit);
  CHECK(status_of(cl::Error(CL_INVALID_WORK_GROUP_SIZE, "clEnqueueNDRangeKernel")) ==
        Status::launch_error);
  CHECK_THROWS_AS(status_of(cl::Error(CL_DEVICE_NOT_AVAILABLE, "clFinish")), OpenClError);
  CHECK_THROWS_AS(status_of(UsageError("no")), UsageError);
}

TEST_CASE("statistics of samples whose values are known") {
  const Statistics s = statistics({4, 1, 3, 2, 10});
  CHECK(s.median == 3);
  CHECK(s.min == 1);
  CHECK(s.max == 10);
  CHECK(s.mad == 1);
  CHECK(s.mean == 4);
  CHECK(s.standard_error == doctest::Approx(1.5811388));  // sqrt(50 / 4 / 5)
  CHECK(statistics({7}).standard_error == 0);
  CHECK(quantile({1, 2, 3, 4}, 0.1) == doctest::Approx(1.3));
  CHECK(median({1, 2}) == 1.5);
  CHECK_THROWS_AS(static_cast<void>(median({})), UsageError);
}

}  // namespace clgauss::tune
