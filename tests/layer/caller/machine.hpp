#pragma once
/// What the cases of the caller share: a device with all that it needs, its kernels and launches.

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace caller {

inline constexpr cl_uint kWidth = 211, kHeight = 101;  // primes
inline constexpr std::size_t kLong = 100003;
inline constexpr int kLaunches = 70;

using Binary = std::vector<unsigned char>;

/// Ends the program where a call has failed.
void require(cl_int code, const char* what);

/// FNV-1a.
[[nodiscard]] std::uint64_t hash_of(const void* data, std::size_t bytes);

/// One device with a context, its own unless one is given, a queue, two arrays of floats and a
/// program of kernels.
struct Machine {
  explicit Machine(cl_device_id id, cl_command_queue_properties properties = 0,
                   cl_context given = nullptr);
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine();

  [[nodiscard]] cl_mem buffer(std::vector<float>& numbers) const;
  /// From the text, or from a binary.
  void build(const Binary& binary);
  [[nodiscard]] cl_kernel kernel(const char* name, cl_uint n) const;
  static void set(cl_kernel kernel, cl_mem y, cl_mem x, cl_uint n);
  [[nodiscard]] std::uint64_t answer() const;

  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_program program = nullptr;
  cl_mem x, y;
};

struct Range {
  cl_uint dims;
  std::array<std::size_t, 3> offset, size;
};

cl_int launch(const Machine& on, cl_kernel kernel, const Range& range,
              const std::size_t* local = nullptr, cl_event* event = nullptr,
              const std::vector<cl_event>& waits = {});

}  // namespace caller
