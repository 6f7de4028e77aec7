#pragma once
/// What a parameter may be; the checks of specs are lists of such rules.

#include <clgauss/lab/parameters.hpp>
#include <span>
#include <string>

namespace clgauss {

/// `name` lies in least .. most and is a multiple of `step`.
struct ParameterRule {
  const char* name;
  int least, most;
  int step = 1;
};

/// Throws UsageError, which names `what` and the parameter, unless `parameters` are those of `rules`, each once and within its
/// rule. Values are never changed.
void check_parameters(const std::string& what, const Parameters& parameters,
                      std::span<const ParameterRule> rules);

/// Throws UsageError unless the value of `name` is a multiple of the value of `of`.
void check_multiple(const std::string& what, const Parameters& parameters, const char* name,
                    const char* of);

}  // namespace clgauss
