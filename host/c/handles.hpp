#pragma once
/// The handles of clgauss.h: numbers that stand for objects, so that one that was destroyed is told
/// and never followed.

#include <clgauss.h>

#include <atomic>
#include <clgauss/context.hpp>
#include <clgauss/lu.hpp>
#include <clgauss/matrix.hpp>
#include <memory>

namespace clgauss::c {

/// Behind a clgauss_context.
struct ContextObject {
  Context context;
  /// Host memory for `count` numbers of a call, or more: what is kept for the next one, for new
  /// memory costs more than what is done with it; or `own`, where that would be above 2 GiB.
  Values& space(Index count, Values& own);

  Values kept = {};
  std::atomic_flag busy = ATOMIC_FLAG_INIT;
};

/// Behind a clgauss_lu.
struct LuObject {
  std::shared_ptr<ContextObject> owner;
  Lu lu;
  bool transposed = false;  // the factors are those of A^T
};

/// A call at work on a context, which must not find another one there.
class Use {
 public:
  /// Throws UsageError if there is one.
  explicit Use(std::shared_ptr<ContextObject> object);
  Use(const Use&) = delete;
  Use& operator=(const Use&) = delete;
  ~Use() { object_->busy.clear(); }

  [[nodiscard]] Context& context() const { return object_->context; }
  [[nodiscard]] ContextObject& object() const { return *object_; }

 private:
  std::shared_ptr<ContextObject> object_;
};

/// What guarded() answers with CLGAUSS_INVALID_HANDLE.
class InvalidHandle : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

[[nodiscard]] clgauss_context add_handle(std::shared_ptr<ContextObject> object);
[[nodiscard]] clgauss_lu add_handle(std::shared_ptr<LuObject> object);

/// The object behind a handle, which stays as long as the caller keeps it. Throws InvalidHandle.
[[nodiscard]] std::shared_ptr<ContextObject> object_of(clgauss_context handle);
[[nodiscard]] std::shared_ptr<LuObject> object_of(clgauss_lu handle);

/// Takes the object out of the table. Throws InvalidHandle.
std::shared_ptr<ContextObject> remove_handle(clgauss_context handle);
std::shared_ptr<LuObject> remove_handle(clgauss_lu handle);

}  // namespace clgauss::c
