#include "tuner/kernel/t1.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <clgauss/error.hpp>
#include <nlohmann/json.hpp>

#include "file_content.hpp"

namespace clgauss::tune {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kMostValues = 100'000;
constexpr std::array<const char*, 3> kAxes{"X", "Y", "Z"};

/// What is asked for and not there.
[[noreturn]] void refuse(const std::string& what) { throw UsageError(what + " is not supported"); }

/// A number as text, or a text as it is: sizes may be either.
std::string text_of(const Json& json) {
  return json.is_string() ? json.get<std::string>() : json.dump();
}

Expression python(const Json& json) { return Expression(text_of(json), Dialect::python); }

Value value_of(double number) {
  if (number == static_cast<double>(static_cast<std::int64_t>(number)))
    return static_cast<std::int64_t>(number);
  return fmt::format("{}", number);
}

/// The part between `begin` and the last character, if `text` starts with the one and ends with the
/// other.
std::optional<std::string_view> inside(std::string_view text, std::string_view begin, char end) {
  if (!text.starts_with(begin) || !text.ends_with(end) || text.size() <= begin.size())
    return std::nullopt;
  return text.substr(begin.size(), text.size() - begin.size() - 1);
}

/// The values of a list as Python has it.
std::vector<Value> values_of(std::string_view text) {
  if (const auto of = inside(text, "list(", ')')) return values_of(*of);
  if (const auto of = inside(text, "range(", ')')) {
    std::vector<double> bounds;
    for (const std::string_view part : split_list(*of, ','))
      bounds.push_back(Expression(part, Dialect::python).value({}));
    if (bounds.size() > 3) refuse(fmt::format("'{}'", text));
    const double first = bounds.size() > 1 ? bounds[0] : 0,
                 end = bounds.size() > 1 ? bounds[1] : bounds[0],
                 step = bounds.size() > 2 ? bounds[2] : 1;
    if (step == 0 || (end - first) / step > static_cast<double>(kMostValues))
      refuse(fmt::format("'{}'", text));
    std::vector<Value> values;
    for (double value = first; step > 0 ? value < end : value > end; value += step)
      values.push_back(value_of(value));
    return values;
  }
  auto of = inside(text, "[", ']');
  if (!of) of = inside(text, "(", ')');
  if (!of) throw UsageError(fmt::format("'{}' is not a list of values", text));
  std::vector<Value> values;
  if (const std::size_t at = of->find(" for "); at != std::string_view::npos) {
    const std::size_t in = of->find(" in ", at);
    if (in == std::string_view::npos) refuse(fmt::format("'{}'", text));
    const Expression each(of->substr(0, at), Dialect::python);
    const std::string name(split_list(of->substr(at + 5, in - at - 5), ' ').front());
    for (const Value& one : values_of(split_list(of->substr(in + 4), '\n').front())) {
      const auto* number = std::get_if<std::int64_t>(&one);
      if (number == nullptr) refuse(fmt::format("'{}'", text));
      values.push_back(value_of(each.value({{name, static_cast<double>(*number)}})));
    }
    return values;
  }
  for (const std::string_view part : split_list(*of, ',')) {
    if (part.empty()) continue;  // behind the last comma
    if (const auto word = inside(part, part.substr(0, 1), part.front());
        word && (part.front() == '"' || part.front() == '\''))
      values.emplace_back(std::string(*word));
    else
      values.push_back(value_of(Expression(part, Dialect::python).value({})));
  }
  return values;
}

Parameter parameter_of(const Json& json) {
  Parameter parameter{json.at("Name"), values_of(json.at("Values").get<std::string>())};
  if (parameter.values.empty())
    throw UsageError(fmt::format("the parameter {} has no values", parameter.name));
  std::ranges::sort(parameter.values);
  parameter.values.erase(std::ranges::unique(parameter.values).begin(), parameter.values.end());
  return parameter;
}

/// What a buffer is filled with, or compared with.
KernelArgument::Fill fill_of(const Json& json, const fs::path& folder) {
  const std::string type = json.value("FillType", "Constant");
  if (type == "Constant") return json.value("FillValue", 0.0);
  if (type == "Random") return std::monostate{};
  if (type == "BinaryRaw") return folder / json.at("DataSource").get<std::string>();
  refuse(fmt::format("FillType {}", type));
}

KernelArgument argument_of(const Json& json, const fs::path& folder) {
  KernelArgument argument;
  argument.name = json.value("Name", "");
  const std::string memory = json.at("MemoryType"), type = json.at("Type");
  argument.type = type == "bool" ? parse_element_type("uchar") : parse_element_type(type);
  if (memory == "Scalar") {
    argument.kind = KernelArgument::Kind::scalar;
    argument.count = python(json.at("FillValue"));
    return argument;
  }
  if (memory != "Vector" && memory != "Local") refuse(fmt::format("MemoryType {}", memory));
  argument.count = python(json.at("Size"));
  if (memory == "Local") {
    argument.kind = KernelArgument::Kind::local;
    return argument;
  }
  argument.fill = fill_of(json, folder);
  if (json.contains("AccessType")) argument.output = json.at("AccessType") != "ReadOnly";
  return argument;
}

void read_reference(const Json& json, const fs::path& folder, Reference& reference) {
  for (const Json& one : json) {
    const KernelArgument::Fill fill = fill_of(one, folder);
    const auto* file = std::get_if<fs::path>(&fill);
    if (file == nullptr) refuse("a reference that is no file");
    Reference::Expected& expected = reference.expected.emplace_back();
    expected.argument = one.at("TargetName");
    expected.from = *file;
    if (one.contains("ValidationThreshold")) expected.tolerance = one.at("ValidationThreshold");
  }
}

/// The file as it is called, beside the T1 file or in the folder above.
fs::path kernel_file(const fs::path& name, const fs::path& folder) {
  for (const fs::path& place : {folder / name, folder / ".." / name})
    if (fs::exists(place)) return place;
  return name;
}

T1File file_of(const Json& json, const fs::path& folder) {
  const Json& kernel = json.at("KernelSpecification");
  const std::string language = kernel.at("Language");
  if (language != "OpenCL")
    throw UsageError(
        fmt::format("its kernel is written in {}; only OpenCL can be tuned", language));
  T1File file{};
  KernelTask& task = file.task;
  task.file = kernel_file(kernel.at("KernelFile").get<std::string>(), folder);
  task.name = kernel.at("KernelName");
  for (const Json& option : kernel.value("CompilerOptions", Json::array()))
    task.build_options += (task.build_options.empty() ? "" : " ") + option.get<std::string>();
  const std::string counted = kernel.value("GlobalSizeType", "OpenCL");
  if (counted != "OpenCL" && counted != "CUDA") refuse(fmt::format("GlobalSizeType {}", counted));
  task.global_in_groups = counted == "CUDA";
  const Json problem = kernel.value("ProblemSize", Json::array());
  for (std::size_t i = 0; i < problem.size(); ++i)
    task.sizes[fmt::format("ProblemSize[{}]", i)] = problem[i];
  const Json &global = kernel.at("GlobalSize"), &local = kernel.at("LocalSize");
  for (const char* axis : kAxes) {
    task.global.push_back(python(global.value(axis, Json(1))));
    task.local.push_back({python(local.value(axis, Json(1)))});
  }
  while (task.global.size() > 1 && task.global.back().text() == "1" &&
         task.local.back().front().text() == "1") {
    task.global.pop_back();
    task.local.pop_back();
  }
  for (const Json& argument : kernel.value("Arguments", Json::array()))
    task.arguments.push_back(argument_of(argument, folder));
  read_reference(kernel.value("ReferenceArguments", Json::array()), folder, task.reference);
  const Json& space = json.at("ConfigurationSpace");
  for (const Json& parameter : space.at("TuningParameters"))
    task.parameters.push_back(parameter_of(parameter));
  for (const Json& condition : space.value("Conditions", Json::array()))
    task.constraints.push_back(python(condition.at("Expression")));
  for (const Json& budget : json.value("Budget", Json::array())) {
    const std::string type = budget.at("Type");
    const double value = budget.at("BudgetValue");
    if (!(value > 0)) throw UsageError(fmt::format("a budget of {}", value));
    if (type == "ConfigurationCount") file.evaluations = static_cast<std::size_t>(value);
    if (type == "TuningDuration") file.budget_s = value;
  }
  return file;
}

}  // namespace

T1File read_t1(const std::string& path) {
  try {
    return file_of(Json::parse(file_content(path)), fs::path(path).parent_path());
  } catch (const Json::exception& error) {
    throw FormatError(path, 0, 0, fmt::format("not a T1 problem: {}", error.what()));
  } catch (const UsageError& error) {
    throw FormatError(path, 0, 0, error.what());
  }
}

}  // namespace clgauss::tune
