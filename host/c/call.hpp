#pragma once
/// What every function of clgauss.h does: exceptions become statuses and a message, arguments are
/// checked.

#include <clgauss.h>

#include <clgauss/error.hpp>
#include <clgauss/real_type.hpp>
#include <exception>
#include <new>
#include <type_traits>
#include <vector>

#include "c/handles.hpp"
#include "opencl_error.hpp"

namespace clgauss::c {

/// Of the function that is running; `message` is what clgauss_last_error() says, cut off where it
/// is long.
void forget_error() noexcept;
clgauss_status failed(clgauss_status status, const char* message) noexcept;
/// Of CLGAUSS_OVERFLOW.
inline constexpr const char* kOutOfRange =
    "A or B holds NaN or Inf, or numbers left the range of the type";

/// Of factors or answers that are not those of A and B, which has this norm: nothing was written.
clgauss_status out_of_range_or_wrong(double norm1_of_a) noexcept;
/// Of a pivot of zero in `column`, counted from 0.
clgauss_status singular(Index column);

/// As LAPACK counts them.
void write_pivots(const std::vector<Index>& pivots, int32_t* ipiv);

/// body(), which returns a status or throws.
template <typename Body>
clgauss_status guarded(const Body& body) noexcept {
  forget_error();
  try {
    return translate_opencl_errors(body);
  } catch (const Error& error) {
    return failed(static_cast<clgauss_status>(error.error_code()), error.what());
  } catch (const InvalidHandle& error) {
    return failed(CLGAUSS_INVALID_HANDLE, error.what());
  } catch (const std::bad_alloc&) {
    return failed(CLGAUSS_OUT_OF_MEMORY, "the host has no memory left");
  } catch (const std::exception& error) {
    return failed(CLGAUSS_INTERNAL, error.what());
  }
}

template <typename T>
T* not_null(T* pointer, const char* name) {
  if (pointer == nullptr) throw UsageError(std::string(name) + " is NULL");
  return pointer;
}

template <typename Real>
inline constexpr RealType kRealType =
    std::is_same_v<std::remove_const_t<Real>, float> ? RealType::f32 : RealType::f64;

}  // namespace clgauss::c
