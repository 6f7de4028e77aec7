#pragma once
/// What is made when it is first needed, and shared.

#include <functional>
#include <memory>

namespace clgauss::tune {

/// Copies share one value. A failure to make it is thrown at each use.
template <typename T>
class Lazy {
 public:
  explicit Lazy(std::function<std::unique_ptr<T>()> make)
      : shared_(std::make_shared<Shared>(Shared{std::move(make), nullptr})) {}

  T& operator*() const {
    if (!shared_->value) shared_->value = shared_->make();
    return *shared_->value;
  }
  T* operator->() const { return &**this; }

 private:
  struct Shared {
    std::function<std::unique_ptr<T>()> make;
    std::unique_ptr<T> value;
  };
  std::shared_ptr<Shared> shared_;
};

}  // namespace clgauss::tune
