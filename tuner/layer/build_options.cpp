#include "build_options.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <sstream>

#include "tokens.hpp"

namespace clgauss::layer {

namespace {

// Options that leave the text as it is but for the macros below; "*" ends a family. Older versions
// of the language and C++ are not among them, nor -Wp, which hands options on.
constexpr std::array<std::string_view, 26> kSilent{"-w",
                                                   "-Werror",
                                                   "-Wall",
                                                   "-Wno-*",
                                                   "-g",
                                                   "-O*",
                                                   "-save-temps*",
                                                   "-cl-opt-disable",
                                                   "-cl-opt-enable",
                                                   "-cl-strict-aliasing",
                                                   "-cl-mad-enable",
                                                   "-cl-no-signed-zeros",
                                                   "-cl-unsafe-math-optimizations",
                                                   "-cl-finite-math-only",
                                                   "-cl-fast-relaxed-math",
                                                   "-cl-denorms-are-zero",
                                                   "-cl-single-precision-constant",
                                                   "-cl-fp32-correctly-rounded-divide-sqrt",
                                                   "-cl-uniform-work-group-size",
                                                   "-cl-no-subgroup-ifp",
                                                   "-cl-kernel-arg-info",
                                                   "-cl-std=CL1.2",
                                                   "-cl-std=CL2.0",
                                                   "-cl-std=CL3.0",
                                                   "-cl-nv-*",
                                                   "-cl-intel-*"};

bool is_silent(std::string_view option) {
  return std::any_of(kSilent.begin(), kSilent.end(), [&](std::string_view known) {
    if (known.back() != '*') return option == known;
    known.remove_suffix(1);
    return option.substr(0, known.size()) == known;
  });
}

void define(BuildOptions& result, const std::string& definition) {
  const std::size_t equals = definition.find('=');
  const std::string name = definition.substr(0, equals);
  const std::string value = equals == std::string::npos ? "1" : definition.substr(equals + 1);
  for (const auto& [known, known_value] : result.macros) {
    if (known == name && known_value != value) {
      throw Unfollowable{"option -D defines " + name + " twice"};
    }
  }
  result.macros.emplace_back(name, value);
}

}  // namespace

BuildOptions parse_build_options(const std::string& options) {
  if (options.find_first_of("\"'\\#") != std::string::npos) {
    throw Unfollowable{"build options with quotes, escapes or #"};
  }
  std::istringstream stream(options);
  const std::vector<std::string> words{std::istream_iterator<std::string>(stream), {}};
  BuildOptions result;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const std::string letter = word.substr(0, 2);
    if (letter == "-D" || letter == "-I") {
      if (word.size() == 2 && i + 1 == words.size()) {
        throw Unfollowable{"build option " + word + " without a value"};
      }
      const std::string value = word.size() > 2 ? word.substr(2) : words[++i];
      if (letter == "-D") define(result, value);
    } else if (!is_silent(word)) {
      throw Unfollowable{"build option " + word};
    } else if (word.substr(0, 10) == "-cl-std=CL") {
      std::string version = word.substr(10) + "0";  // CL1.2 makes __OPENCL_C_VERSION__ 120
      version.erase(std::remove(version.begin(), version.end(), '.'), version.end());
      define(result, "__OPENCL_C_VERSION__=" + version);
    } else if (word == "-cl-fast-relaxed-math") {
      define(result, "__FAST_RELAXED_MATH__=1");
    }
  }
  return result;
}

}  // namespace clgauss::layer
