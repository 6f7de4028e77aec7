#pragma once
/// What is made of kernels, with these built side by side.

#include <clgauss/lab/program.hpp>
#include <type_traits>

namespace clgauss {

/// What `make` returns, a pointer, by ProgramStore::prepare(). Where that makes it more than once,
/// the first is gone before the next comes: both may hold matrices.
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
