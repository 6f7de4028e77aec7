#pragma once
/// Makes objects that use kernels, and builds those kernels in parallel.

#include <clgauss/lab/program.hpp>
#include <functional>
#include <type_traits>

namespace clgauss {

/// The pointer that `make` returns, called within ProgramStore::prepare(), which gets `later`, too.
/// If prepare() calls it more than once, the first object is freed before the next is made, because
/// both may hold matrices.
template <typename Make>
[[nodiscard]] auto prepared(ProgramStore& programs, const Make& make,
                            const std::function<void()>& later = {}) {
  std::invoke_result_t<Make> made;
  programs.prepare(
      [&] {
        made.reset();
        made = make();
      },
      later);
  return made;
}

}  // namespace clgauss
