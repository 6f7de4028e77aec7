#pragma once
/// What the community's JSON schema of T4 results (TuningSchema, T4/results-schema.json) asks of a
/// file.

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

namespace clgauss::test {

/// What in `file` is not as the schema has it, a line each; empty if nothing is.
inline std::string t4_faults(const nlohmann::json& file) {
  using Type = nlohmann::json::value_t;
  std::string faults;
  const auto require = [&](bool holds, const std::string& what) {
    if (!holds) faults += what + '\n';
  };
  const auto is = [](const nlohmann::json& json, Type type) {
    return type == Type::number_float ? json.is_number() : json.type() == type;
  };
  /// Of the members that are there, the type.
  const auto typed = [&](const nlohmann::json& object, const char* name, Type type) {
    if (object.is_object() && object.contains(name))
      require(is(object.at(name), type), std::string(name) + ": " + object.at(name).dump());
  };
  require(file.is_object(), "no object");
  typed(file, "schema_version", Type::string);
  if (file.contains("schema_version") && file["schema_version"].is_string())
    require(
        std::regex_match(file["schema_version"].get<std::string>(), std::regex("\\d+.\\d+.\\d+")),
        "schema_version: " + file["schema_version"].dump());
  typed(file, "results", Type::array);
  for (const nlohmann::json& result : file.value("results", nlohmann::json::array())) {
    for (const char* name : {"configuration", "times", "invalidity", "correctness"})
      require(result.contains(name), std::string("a result without ") + name);
    typed(result, "timestamp", Type::string);
    typed(result, "configuration", Type::object);
    typed(result, "objectives", Type::array);
    typed(result, "times", Type::object);
    const nlohmann::json times = result.value("times", nlohmann::json::object());
    typed(times, "runtimes", Type::array);
    for (const char* name : {"compilation_time", "framework", "search_algorithm", "validation"})
      typed(times, name, Type::number_float);
    static constexpr std::array<const char*, 6> kWords{"timeout",     "compile",     "runtime",
                                                       "correctness", "constraints", "correct"};
    const nlohmann::json word = result.value("invalidity", nlohmann::json());
    require(std::ranges::any_of(kWords, [&](const char* known) { return word == known; }),
            "invalidity: " + word.dump());
    typed(result, "correctness", Type::number_float);
    typed(result, "measurements", Type::array);
    for (const nlohmann::json& one : result.value("measurements", nlohmann::json::array())) {
      require(one.is_object(), "a measurement that is no object");
      typed(one, "name", Type::string);
      typed(one, "unit", Type::string);
      if (one.contains("value"))
        require(one["value"].is_number() || one["value"].is_string() || one["value"].is_array(),
                "value: " + one["value"].dump());
    }
  }
  return faults;
}

}  // namespace clgauss::test
