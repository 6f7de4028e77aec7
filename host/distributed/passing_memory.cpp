#include "distributed/passing_memory.hpp"

#include <starpu.h>

#include <cerrno>
#include <cstddef>
#include <map>
#include <mutex>
#include <new>

namespace clgauss {

namespace {

constexpr std::size_t kLeastKept = std::size_t{1} << 20U;
constexpr std::size_t kMostKept = 6;  // pieces; about as many blocks are in transfer at once
constexpr std::align_val_t kAlignment{4096};

std::mutex one_at_a_time;
std::multimap<std::size_t, void*> kept;  // by size

int allocate(unsigned, void** to, std::size_t bytes, int) {
  {
    const std::scoped_lock lock(one_at_a_time);
    if (const auto found = kept.find(bytes); found != kept.end()) {
      *to = found->second;
      kept.erase(found);
      return 0;
    }
  }
  *to = ::operator new(bytes, kAlignment, std::nothrow);
  return *to == nullptr ? -ENOMEM : 0;
}

int release(unsigned, void* memory, std::size_t bytes, int) {
  {
    const std::scoped_lock lock(one_at_a_time);
    if (bytes >= kLeastKept && kept.size() < kMostKept) {
      kept.emplace(bytes, memory);
      return 0;
    }
  }
  ::operator delete(memory, kAlignment);
  return 0;
}

}  // namespace

void keep_passing_memory() { starpu_malloc_set_hooks(allocate, release); }

void free_passing_memory() {
  const std::scoped_lock lock(one_at_a_time);
  for (const auto& [bytes, memory] : kept) ::operator delete(memory, kAlignment);
  kept.clear();
}

}  // namespace clgauss
