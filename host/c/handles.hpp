#pragma once
/// The handles of clgauss.h are numbers that stand for objects. A destroyed handle is therefore
/// recognised and never dereferenced.

#include <clgauss.h>

#include <atomic>
#include <clgauss/context.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/matrix.hpp>
#include <memory>

namespace clgauss::c {

/// The object of a clgauss_context.
struct ContextObject {
  Context context;
  /// Host memory for at least `count` numbers. It is kept for the next call, because allocating new
  /// memory takes longer than the work done in it. Above 2 GiB the memory is `own` and is not kept.
  Values& space(Index count, Values& own);

  Values kept = {};
  std::atomic_flag busy = ATOMIC_FLAG_INIT;
};

/// The object of a clgauss_lu.
struct LuObject {
  std::shared_ptr<ContextObject> owner;
  Lu lu;
  bool transposed = false;  // the factors are those of A^T
};

/// Marks a context as used by one call; a second call at the same time is an error.
class Use {
 public:
  /// Throws UsageError if another call is using the context.
  explicit Use(std::shared_ptr<ContextObject> object);
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() { object_->busy.clear(); }

  [[nodiscard]] Context& context() const { return object_->context; }
  [[nodiscard]] ContextObject& object() const { return *object_; }

 private:
  std::shared_ptr<ContextObject> object_;
};

/// guarded() turns this exception into CLGAUSS_INVALID_HANDLE.
class InvalidHandle : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[nodiscard]] clgauss_context add_handle(std::shared_ptr<ContextObject> object);
[[nodiscard]] clgauss_lu add_handle(std::shared_ptr<LuObject> object);

/// The object of a handle. It lives as long as the caller holds the pointer. Throws InvalidHandle.
[[nodiscard]] std::shared_ptr<ContextObject> object_of(clgauss_context handle);
[[nodiscard]] std::shared_ptr<LuObject> object_of(clgauss_lu handle);

/// Removes the object from the table. Throws InvalidHandle.
std::shared_ptr<ContextObject> remove_handle(clgauss_context handle);
std::shared_ptr<LuObject> remove_handle(clgauss_lu handle);

}  // namespace clgauss::c
