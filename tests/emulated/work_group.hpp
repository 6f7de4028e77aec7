#pragma once
/// The text of a kernel with inline PTX as C++, a thread a work-item: so what it computes, and
/// whether its sub-groups wait for each other in the right order, is tested where there is no
/// NVIDIA device. ptx/ptx.clh beside this says what its functions do; of the text itself the build
/// changes two things (tests/CMakeLists.txt): local memory is the work-group's, and its barrier is
/// sync(). To be included before the kernel, whose keywords it defines.

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <bit>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

namespace clgauss::test::emulated {

inline constexpr unsigned kSubGroup = 32;

class WorkGroup {
 public:
  /// One of `count`.
  WorkGroup(unsigned number, unsigned count, unsigned work_items)
      : number_(number), count_(count), barrier_(work_items) {
    for (unsigned i = 0; i < work_items; i += kSubGroup)
      sub_groups_.push_back(std::make_unique<SubGroup>());
  }

  /// Runs body() as every work-item of `count` work-groups, all at the same time; `row`: their
  /// number in the second dimension.
  template <typename Body>
  static void run(unsigned count, unsigned work_items, const Body& body, unsigned row = 0) {
    std::vector<std::unique_ptr<WorkGroup>> groups;
    for (unsigned number = 0; number < count; ++number)
      groups.push_back(std::make_unique<WorkGroup>(number, count, work_items));
    std::vector<std::jthread> threads;
    for (const auto& group : groups)
      for (unsigned id = 0; id < work_items; ++id)
        threads.emplace_back([its = group.get(), &body, id, row] {
          here = {its, id, 0, row};
          body();
        });
  }

  static unsigned id() { return here.id; }
  static unsigned number() { return here.group->number_; }
  static unsigned row() { return here.row; }
  static unsigned count() { return here.group->count_; }
  static void sync() { here.group->barrier_.arrive_and_wait(); }
  /// Of the first `count` work-items; the same count always.
  static void sync_first(unsigned count) {
    WorkGroup& group = *here.group;
    std::call_once(group.first_made_,
                   [&] { group.first_ = std::make_unique<std::barrier<>>(count); });
    group.first_->arrive_and_wait();
  }
  static void sync_sub_group() { here.group->sub_group().barrier.arrive_and_wait(); }

  /// The values of all work-items of the sub-group.
  static const std::array<std::uint32_t, kSubGroup>& shared(std::uint32_t value) {
    SubGroup& sub_group = here.group->sub_group();
    auto& values = sub_group.values[here.turn++ % 2];  // the last ones may still be read
    values[here.id % kSubGroup] = value;
    sub_group.barrier.arrive_and_wait();
    return values;
  }

  /// Local memory; one a kernel.
  template <typename T>
  static T& memory() {
    std::call_once(here.group->made_, [] { here.group->memory_ = std::make_shared<T>(); });
    return *std::static_pointer_cast<T>(here.group->memory_);
  }

 private:
  struct SubGroup {
    std::barrier<> barrier{kSubGroup};
    std::array<std::array<std::uint32_t, kSubGroup>, 2> values;
  };
  struct Place {
    WorkGroup* group;
    unsigned id, turn, row;
  };

  SubGroup& sub_group() { return *sub_groups_[here.id / kSubGroup]; }

  static inline thread_local Place here{};

  unsigned number_, count_;
  std::barrier<> barrier_;
  std::vector<std::unique_ptr<SubGroup>> sub_groups_;
  std::once_flag made_, first_made_;
  std::unique_ptr<std::barrier<>> first_;
  std::shared_ptr<void> memory_;
};

}  // namespace clgauss::test::emulated

// OpenCL C's.
using uint = std::uint32_t;
using ulong = std::uint64_t;
using ushort = std::uint16_t;
struct ulong2 {
  ulong x, y;
};
template <typename Real>
struct Pair {
  Real x, y;
  Pair() = default;
  Pair(Real both) : x(both), y(both) {}
  Pair(Real first, Real second) : x(first), y(second) {}
  Pair operator-() const { return {-x, -y}; }
  friend Pair operator+(Pair a, Pair b) { return {a.x + b.x, a.y + b.y}; }
  friend Pair operator*(Pair a, Pair b) { return {a.x * b.x, a.y * b.y}; }
};
struct float4 {
  float x, y, z, w;
};
using float2 = Pair<float>;
using double2 = Pair<double>;
#define NUMBER_OF(re, im) (NUMBER{re, im})
using std::fabs, std::fma, std::isfinite, std::isnan, std::max, std::min;
inline ulong as_ulong(double v) { return std::bit_cast<ulong>(v); }
inline double as_double(ulong v) { return std::bit_cast<double>(v); }
inline ulong as_ulong(float2 v) { return std::bit_cast<ulong>(v); }
inline float2 as_float2(ulong v) { return std::bit_cast<float2>(v); }
inline uint as_uint(float v) { return std::bit_cast<uint>(v); }
inline float as_float(uint v) { return std::bit_cast<float>(v); }
inline uint clz(uint v) { return static_cast<uint>(std::countl_zero(v)); }
inline uint get_local_id(uint) { return clgauss::test::emulated::WorkGroup::id(); }
inline uint get_group_id(uint dimension) {
  using clgauss::test::emulated::WorkGroup;
  return dimension == 0 ? WorkGroup::number() : WorkGroup::row();
}
inline uint get_num_groups(uint) { return clgauss::test::emulated::WorkGroup::count(); }
#define barrier(fence) clgauss::test::emulated::WorkGroup::sync()
inline void atomic_min(volatile int* p, int v) {
  std::atomic_ref<int> at(*const_cast<int*>(p));
  for (int old = at; v < old && !at.compare_exchange_weak(old, v);) continue;
}
#define kernel
#define global
#define local
#define restrict
#define __attribute__(x)
