#pragma once
/// What every function of clgauss.h needs: it turns exceptions into a status and a message, and
/// checks arguments.

#include <clgauss.h>

#include <clgauss/error.hpp>
#include <clgauss/real_type.hpp>
#include <complex>
#include <exception>
#include <new>
#include <type_traits>
#include <vector>

#include "c/handles.hpp"
#include "opencl_error.hpp"

namespace clgauss::c {

/// The error of the function that is running. `message` is what clgauss_last_error() returns; a
/// long one is cut off.
void forget_error() noexcept;
clgauss_status failed(clgauss_status status, const char* message) noexcept;
/// The message of CLGAUSS_OVERFLOW.
inline constexpr const char* kOutOfRange =
    "A or B holds NaN or Inf, or numbers left the range of the type";

/// For factors or answers that do not match an A of this 1-norm and its B. The caller has written
/// nothing.
clgauss_status out_of_range_or_wrong(double norm1_of_a) noexcept;
/// The error for a zero pivot in `column`, counted from 0.
clgauss_status singular(Index column);

/// Writes the pivots as LAPACK counts them, from 1.
void write_pivots(const std::vector<Index>& pivots, int32_t* ipiv);

/// Runs body(), which returns a status or throws.
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

/// The real type of a real or complex number.
template <typename Number>
struct RealOf {
  using Type = Number;
};
template <typename Real>
struct RealOf<std::complex<Real>> {
  using Type = Real;
};

}  // namespace clgauss::c
