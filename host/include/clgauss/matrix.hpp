#pragma once
/// Host matrices and linear systems, always in f64: the content of files, and the basis of
/// residuals.

#include <clgauss/export.hpp>
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace CLGAUSS_EXPORT clgauss {

/// Sizes and indices on the host. They have 64 bits because 46341 squared exceeds 2^31; for the
/// same reason kernels compute row * ld in `ulong`.
using Index = std::size_t;

/// Host memory. Throws OutOfMemory with the size, which std::bad_alloc does not state.
[[nodiscard]] void* allocate_host_memory(std::size_t count, std::size_t element_bytes);
/// Frees it. Large memory is freed on all cores, because one core needs a tenth of a second for 2
/// GB.
void free_host_memory(void* memory, std::size_t bytes) noexcept;

/// Leaves new elements uninitialised, so that several threads can fill them without one thread
/// setting them to zero first. Throws OutOfMemory.
///
/// With memory of the caller's, which must outlive the vector, it uses that memory and the numbers
/// in it: Values(count, UninitializedAllocator(memory)) borrows them. Such a vector must not grow,
/// nor be passed to solve_in_place(), which frees A; a copy of the vector owns its elements.
template <typename T>
class UninitializedAllocator {
 public:
  using value_type = T;
  using propagate_on_container_move_assignment = std::true_type;
  using propagate_on_container_swap = std::true_type;

  UninitializedAllocator() = default;
  explicit UninitializedAllocator(T* borrowed) : borrowed_(borrowed) {}
  template <typename U>
  explicit UninitializedAllocator(const UninitializedAllocator<U>&) {}

  T* allocate(std::size_t count) {
    if (borrowed_ != nullptr) return borrowed_;
    return static_cast<T*>(allocate_host_memory(count, sizeof(T)));
  }
  void deallocate(T* memory, std::size_t count) noexcept {
    if (memory != borrowed_) free_host_memory(memory, count * sizeof(T));
  }
  template <typename U>
  void construct(U* place) {
    ::new (static_cast<void*>(place)) U;
  }
  template <typename U, typename... Arguments>
  void construct(U* place, Arguments&&... arguments) {
    ::new (static_cast<void*>(place)) U(std::forward<Arguments>(arguments)...);
  }
  [[nodiscard]] UninitializedAllocator select_on_container_copy_construction() const { return {}; }
  bool operator==(const UninitializedAllocator&) const = default;

 private:
  T* borrowed_ = nullptr;
};

/// The numbers of a matrix. Values(count) is not initialised, Values(count, 0.0) is.
using Values = std::vector<double, UninitializedAllocator<double>>;

/// Dense row-major matrix of doubles, leading dimension = cols().
class Matrix {
 public:
  Matrix() = default;
  /// All zeros. Throws OutOfMemory before allocating if the matrix exceeds this machine's memory.
  Matrix(Index rows, Index cols);
  Matrix(Index rows, Index cols, Values values);

  [[nodiscard]] Index rows() const noexcept { return rows_; }
  [[nodiscard]] Index cols() const noexcept { return cols_; }
  [[nodiscard]] bool empty() const noexcept { return values_.empty(); }

  double& operator()(Index row, Index col) noexcept { return values_[row * cols_ + col]; }
  double operator()(Index row, Index col) const noexcept { return values_[row * cols_ + col]; }
  [[nodiscard]] std::span<double> row(Index i) noexcept {
    return std::span(values_).subspan(i * cols_, cols_);
  }
  [[nodiscard]] std::span<const double> row(Index i) const noexcept {
    return std::span(values_).subspan(i * cols_, cols_);
  }
  [[nodiscard]] std::span<const double> values() const noexcept { return values_; }
  [[nodiscard]] std::span<double> values() noexcept { return values_; }

 private:
  Index rows_ = 0;
  Index cols_ = 0;
  Values values_;
};

/// A x = b: `a` is n-by-n, `b` is n-by-nrhs.
struct System {
  Matrix a;
  Matrix b;
};

/// Right-hand sides with a known answer: A times a column of ones, so that x is all ones.
[[nodiscard]] Matrix row_sums(const Matrix& a);

}  // namespace clgauss

/// The library has this constructor, compiled with optimisation. Without it a compiler counts to
/// `count` although it has nothing to do for each element: 0.36 ms for a matrix of n = 1000.
extern template std::vector<double, clgauss::UninitializedAllocator<double>>::vector(
    std::size_t, const clgauss::UninitializedAllocator<double>&);
