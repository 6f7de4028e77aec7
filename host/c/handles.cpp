#include "c/handles.hpp"

#include <fmt/format.h>

#include <clgauss/error.hpp>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace clgauss::c {

namespace {

/// A new handle number. Numbers are never reused, not even across the kinds of handles.
std::uintptr_t next_number() {
  static std::atomic<std::uintptr_t> last = 0;
  return ++last;
}

/// The live handles of one kind.
template <typename Handle, typename Object>
class Table {
 public:
  explicit Table(const char* kind) : kind_(kind) {}

  Handle add(std::shared_ptr<Object> object) {
    const std::lock_guard lock(mutex_);
    const std::uintptr_t number = next_number();
    objects_.emplace(number, std::move(object));
    return reinterpret_cast<Handle>(number);
  }

  std::shared_ptr<Object> find(Handle handle) {
    const std::lock_guard lock(mutex_);
    return position(handle)->second;
  }

  std::shared_ptr<Object> remove(Handle handle) {
    const std::lock_guard lock(mutex_);
    return std::move(objects_.extract(position(handle)).mapped());
  }

 private:
  auto position(Handle handle) {
    const auto found = objects_.find(reinterpret_cast<std::uintptr_t>(handle));
    if (found != objects_.end()) return found;
    throw InvalidHandle(std::string("the ") + kind_ +
                        (handle == nullptr ? " is NULL" : " was never created, or was destroyed"));
  }

  const char* kind_;
  std::mutex mutex_;
  std::unordered_map<std::uintptr_t, std::shared_ptr<Object>> objects_;
};

// Never destroyed: by the time static objects are destroyed, OpenCL drivers may already be
// unloaded.
auto& contexts() {
  static auto& table = *new Table<clgauss_context, ContextObject>("context");
  return table;
}

auto& factorisations() {
  static auto& table = *new Table<clgauss_lu, LuObject>("factorisation");
  return table;
}

}  // namespace

Values& ContextObject::space(Index count, Values& own) {
  constexpr Index kMostKept = Index{1} << 28U;  // 2 GiB
  const bool is_kept = count <= kMostKept;
  if (is_kept && kept.size() >= count) return kept;
  kept = {};  // frees the old memory before allocating more
  Values& values = is_kept ? kept : own;
  values = Values(count);
  return values;
}

Use::Use(std::shared_ptr<ContextObject> object) : object_(std::move(object)) {
  if (object_->busy.test_and_set())
    throw UsageError(
        "the context is at work for another call; give every thread a context of its own, or lock, "
        "and do not call clgauss from a progress function");
}

clgauss_context add_handle(std::shared_ptr<ContextObject> object) {
  return contexts().add(std::move(object));
}
clgauss_lu add_handle(std::shared_ptr<LuObject> object) {
  return factorisations().add(std::move(object));
}

std::shared_ptr<ContextObject> object_of(clgauss_context handle) { return contexts().find(handle); }
std::shared_ptr<LuObject> object_of(clgauss_lu handle) { return factorisations().find(handle); }

std::shared_ptr<ContextObject> remove_handle(clgauss_context handle) {
  return contexts().remove(handle);
}
std::shared_ptr<LuObject> remove_handle(clgauss_lu handle) {
  return factorisations().remove(handle);
}

}  // namespace clgauss::c
