#pragma once
/// The drivers behind the layer, and how they are asked.

#include <CL/cl_icd.h>

#include <string>
#include <type_traits>
#include <utility>

namespace clgauss::layer {

/// What stands behind the layer: another one, or the loader's way to the drivers.
using Drivers = cl_icd_dispatch;

/// The value that `ask(size, value, size_of_value)` gives; `otherwise` if it fails.
template <typename Value, typename Ask>
Value value_of(const Ask& ask, Value otherwise) {
  Value value{};
  return ask(sizeof value, &value, nullptr) == CL_SUCCESS ? value : otherwise;
}

/// Text, without the zero at its end; empty if it cannot be had.
template <typename Ask>
std::string text_of(const Ask& ask) {
  std::size_t size = 0;
  if (ask(0, nullptr, &size) != CL_SUCCESS || size == 0) return {};
  std::string text(size, '\0');
  if (ask(size, text.data(), nullptr) != CL_SUCCESS) return {};
  text.resize(text.find_last_not_of('\0') + 1);
  return text;
}

/// clGet..Info of some objects, of which size, value and size of the value are still to be given.
template <typename Call, typename... Objects>
auto asking(Call call, Objects... objects) {
  return [=](std::size_t size, void* value, std::size_t* size_of_value) {
    return call(objects..., size, value, size_of_value);
  };
}

}  // namespace clgauss::layer
