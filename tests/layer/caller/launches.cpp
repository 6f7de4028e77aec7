#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "cases.hpp"
#include "machine.hpp"

namespace caller {

namespace {

constexpr cl_ulong kLeastTime_ns = 50;  // less is no time: a driver gives 1 where it measures none

struct Case {
  const char* kernel;
  cl_uint n;
  Range range;
  std::size_t local = 0;  // NULL
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"axpy", kLong, {1, {0, 0, 0}, {kLong, 1, 1}}},
      {"axpy", kLong, {1, {1000, 0, 0}, {99003, 1, 1}}},  // with an offset
      {"blur", kWidth, {2, {0, 0, 0}, {kWidth, kHeight, 1}}},
      {"blur", kWidth, {2, {10, 2, 0}, {199, 97, 1}}},
      {"deep", 67, {3, {0, 0, 0}, {67, 13, 11}}},
      {"axpy", 100000, {1, {0, 0, 0}, {100000, 1, 1}}},  // divides well
      {"commented", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"local_size", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"group", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"pasted", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"local_id", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"global_size", 9973, {1, {5, 0, 0}, {9973, 1, 1}}},
      {"nested", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"nested", 10000, {1, {0, 0, 0}, {10000, 1, 1}}},
      {"nested_told", 10000, {1, {0, 0, 0}, {10000, 1, 1}}},
      {"counted", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"scratch", 9973, {1, {0, 0, 0}, {9973, 1, 1}}},
      {"required", 9975, {1, {0, 0, 0}, {9975, 1, 1}}, 7},
      {"axpy", 100000, {1, {0, 0, 0}, {100000, 1, 1}}, 32}};
  return all;
}

void launch_kernels(cl_device_id device, cl_command_queue_properties properties) {
  for (const Case& one : cases()) {
    const Machine on(device, properties);
    const cl_kernel kernel = on.kernel(one.kernel, one.n);
    std::vector<std::uint64_t> answers;
    for (int i = 0; i < kLaunches; ++i) {
      require(launch(on, kernel, one.range, one.local > 0 ? &one.local : nullptr), one.kernel);
      if (i % 8 == 0) answers.push_back(on.answer());
    }
    answers.push_back(on.answer());
    std::printf("%s %zu: %016llx\n", one.kernel, one.range.size[0],
                static_cast<unsigned long long>(
                    hash_of(answers.data(), answers.size() * sizeof answers[0])));
    clReleaseKernel(kernel);
  }
}

template <typename Value>
Value event_info(cl_event event, cl_event_info what) {
  Value value{};
  require(clGetEventInfo(event, what, sizeof value, &value, nullptr), "clGetEventInfo");
  return value;
}

std::atomic<int> called_back = 0;

/// Each launch has an event, waits for the one before, and tells what can be asked of it.
void launch_with_events(cl_device_id device, cl_command_queue_properties properties) {
  const Machine on(device, properties);
  const bool profiles = (properties & CL_QUEUE_PROFILING_ENABLE) != 0;
  cl_command_queue_properties told = 0;
  require(clGetCommandQueueInfo(on.queue, CL_QUEUE_PROPERTIES, sizeof told, &told, nullptr),
          "clGetCommandQueueInfo");
  std::printf("queue: %llu\n", static_cast<unsigned long long>(told));
  const cl_kernel kernel = on.kernel("axpy", kLong);
  const Range range{1, {0, 0, 0}, {kLong, 1, 1}};
  called_back = 0;
  std::map<std::string, int> seen;
  std::vector<cl_event> waits;
  for (int i = 0; i < kLaunches; ++i) {
    cl_event event = nullptr;
    require(launch(on, kernel, range, nullptr, &event, waits), "launch");
    clSetEventCallback(
        event, CL_COMPLETE, [](cl_event, cl_int, void*) { ++called_back; }, nullptr);
    require(clWaitForEvents(1, &event), "clWaitForEvents");
    cl_ulong start = 0, end = 0;
    const cl_int code =
        clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, nullptr);
    clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr);
    char line[200];
    std::snprintf(line, sizeof line, "event: type %x status %d queue %d code %d times %d",
                  event_info<cl_command_type>(event, CL_EVENT_COMMAND_TYPE),
                  event_info<cl_int>(event, CL_EVENT_COMMAND_EXECUTION_STATUS),
                  event_info<cl_command_queue>(event, CL_EVENT_COMMAND_QUEUE) == on.queue,
                  profiles ? code : 0, end > start + kLeastTime_ns);
    ++seen[line];
    for (const cl_event wait : waits) clReleaseEvent(wait);
    waits = {event};
  }
  require(clFinish(on.queue), "clFinish");
  std::this_thread::sleep_for(std::chrono::milliseconds(50));  // drivers hold it a little longer
  std::printf("references: %u\n", event_info<cl_uint>(waits[0], CL_EVENT_REFERENCE_COUNT));
  clReleaseEvent(waits[0]);
  for (int i = 0; i < 1000 && called_back < kLaunches; ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  for (const auto& [line, times] : seen) std::printf("%s: %d times\n", line.c_str(), times);
  std::printf("called back %d times, answer %016llx\n", called_back.load(),
              static_cast<unsigned long long>(on.answer()));
  clReleaseKernel(kernel);
}

}  // namespace

void run_kernels(cl_device_id device) { launch_kernels(device, 0); }
void run_profiled(cl_device_id device) { launch_kernels(device, CL_QUEUE_PROFILING_ENABLE); }

void run_events(cl_device_id device) {
  launch_with_events(device, 0);
  launch_with_events(device, CL_QUEUE_PROFILING_ENABLE);
}

void run_unordered(cl_device_id device) {
  cl_command_queue_properties can = 0;
  clGetDeviceInfo(device, CL_DEVICE_QUEUE_PROPERTIES, sizeof can, &can, nullptr);
  if ((can & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
    launch_with_events(device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

void run_user_events(cl_device_id device) {
  const Machine on(device);
  const cl_kernel kernel = on.kernel("axpy", kLong);
  const Range range{1, {0, 0, 0}, {kLong, 1, 1}};
  for (int i = 0; i < kLaunches; ++i) {
    const cl_event gate = clCreateUserEvent(on.context, nullptr);
    cl_event done = nullptr;
    require(launch(on, kernel, range, nullptr, &done, {gate}), "launch");
    require(clSetUserEventStatus(gate, CL_COMPLETE), "clSetUserEventStatus");
    require(clWaitForEvents(1, &done), "clWaitForEvents");
    clReleaseEvent(gate);
    clReleaseEvent(done);
  }
  std::printf("user events: %016llx\n", static_cast<unsigned long long>(on.answer()));
  clReleaseKernel(kernel);
}

void run_errors(cl_device_id device) {
  const Machine on(device);
  const cl_kernel kernel = on.kernel("axpy", kLong);
  const Range range{1, {0, 0, 0}, {kLong, 1, 1}};
  const std::size_t local = 64, huge = 1u << 20;
  const cl_kernel unset = clCreateKernel(on.program, "blur", nullptr);
  const auto say = [](const char* what, cl_int code) { std::printf("%s: %d\n", what, code); };
  for (int i = 0; i < kLaunches; ++i) require(launch(on, kernel, range), "launch");
  say("no queue", clEnqueueNDRangeKernel(nullptr, kernel, 1, nullptr, range.size.data(), nullptr, 0,
                                         nullptr, nullptr));
  for (const cl_uint dims : {0u, 4u})
    say("dimensions", clEnqueueNDRangeKernel(on.queue, kernel, dims, nullptr, range.size.data(),
                                             nullptr, 0, nullptr, nullptr));
  say("does not divide", launch(on, kernel, range, &local));
  say("too large", launch(on, kernel, {1, {0, 0, 0}, {huge, 1, 1}}, &huge));
  const cl_event no_event = nullptr;
  say("wait list", clEnqueueNDRangeKernel(on.queue, kernel, 1, nullptr, range.size.data(), nullptr,
                                          0, &no_event, nullptr));
  say("arguments not set", launch(on, unset, {2, {0, 0, 0}, {kWidth, kHeight, 1}}));
  say("finish", clFinish(on.queue));
  std::printf("answer %016llx\n", static_cast<unsigned long long>(on.answer()));
  clReleaseKernel(kernel);
  clReleaseKernel(unset);
}

void run_threads(cl_device_id device) {
  std::array<std::uint64_t, 4> answers{};
  std::vector<std::thread> threads;
  for (std::uint64_t& answer : answers)
    threads.emplace_back([&answer, device] {
      const Machine on(device);
      const cl_kernel kernel = on.kernel("axpy", kLong), other = on.kernel("blur", kWidth);
      for (int i = 0; i < kLaunches; ++i) {
        Machine::set(kernel, i % 2 == 0 ? on.y : on.x, i % 2 == 0 ? on.x : on.y, kLong);
        require(launch(on, kernel, {1, {0, 0, 0}, {kLong, 1, 1}}), "launch");
        require(launch(on, other, {2, {0, 0, 0}, {kWidth, kHeight, 1}}), "launch");
      }
      answer = on.answer();
      clReleaseKernel(kernel);
      clReleaseKernel(other);
    });
  for (std::thread& thread : threads) thread.join();
  for (const std::uint64_t answer : answers)
    std::printf("thread: %016llx\n", static_cast<unsigned long long>(answer));
}

}  // namespace caller
