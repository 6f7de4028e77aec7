#pragma once
/// Makes objects that use kernels, and builds those kernels in parallel.

#include <clgauss/lab/program.hpp>
#include <type_traits>

namespace clgauss {

/// The pointer that `make` returns, called within ProgramStore::prepare(). If prepare() calls it
/// more than once, the first object is freed before the next is made, because both may hold
/// matrices.
template <typename Make>
[[nodiscard]] auto prepared(ProgramStore& programs, const Make& make) {
  std::invoke_result_t<Make> made;
  programs.prepare([&] {
    made.reset();
    made = make();
  });
  return made;
}

}  // namespace clgauss
