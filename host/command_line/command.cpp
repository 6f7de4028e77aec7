#include "command_line/command.hpp"

#include <fmt/format.h>

#include <sstream>
#include <typeinfo>

#include "session/environment.hpp"

namespace clgauss::cli {

namespace {

/// Reading -1 as an unsigned number gives 2^64 - 1 (or 2^32 - 1) and no error.
void refuse_negative_counts(const po::parsed_options& parsed,
                            const po::options_description& options) {
  for (const po::option& given : parsed.options) {
    const auto* const known = options.find_nothrow(given.string_key, false);
    const auto* const typed =
        known != nullptr ? dynamic_cast<const po::typed_value_base*>(known->semantic().get())
                         : nullptr;
    if (typed == nullptr) continue;
    const std::type_info& type = typed->value_type();
    if (type != typeid(unsigned) && type != typeid(unsigned long) &&
        type != typeid(unsigned long long))
      continue;
    for (const std::string& value : given.value)
      if (value.starts_with('-'))
        throw UsageError(fmt::format("--{} {} is below zero", given.string_key, value));
  }
}

}  // namespace

po::variables_map store_options(const Arguments& arguments, const po::options_description& options,
                                const char* positional) {
  po::positional_options_description positions;
  if (positional != nullptr) positions.add(positional, 1);
  namespace style = po::command_line_style;
  const auto parsed = po::command_line_parser(arguments)
                          .options(options)
                          .positional(positions)
                          .style(style::unix_style & ~style::allow_guessing)
                          .run();
  refuse_negative_counts(parsed, options);
  po::variables_map values;
  po::store(parsed, values);
  return values;
}

std::optional<po::variables_map> parse_options(const Arguments& arguments,
                                               po::options_description options,
                                               const CommandHelp& help, const char* positional) {
  options.add_options()("help,h", "show this help");
  po::variables_map values = store_options(arguments, options, positional);
  if (values.count("help") > 0) {
    std::ostringstream listing;
    listing << options;
    print(fmt::format("Usage: {}\n\n{}\n\n{}\nExamples:\n{}\n", help.usage, help.about,
                      listing.str(), help.examples));
    return std::nullopt;
  }
  po::notify(values);
  return values;
}

void add_context_options(po::options_description& options) {
  // clang-format off
  options.add_options()
      ("cores-per-cu", po::value<unsigned>()->value_name("N"),
       "cores of a compute unit, for the LCM rule")
      ("kernel-dir", po::value<std::string>()->value_name("DIR"),
       "read the .cl files from here instead of the embedded ones (also CLGAUSS_KERNEL_DIR)");
  // clang-format on
}

ContextOptions context_options(const po::variables_map& values) {
  ContextOptions options = ContextOptions::from_environment();
  options.cores_per_compute_unit = option<unsigned>(values, "cores-per-cu");
  if (options.cores_per_compute_unit == 0U) throw UsageError("--cores-per-cu must be at least 1");
  if (const auto folder = option<std::string>(values, "kernel-dir"))
    options.kernel_folder = *folder;
  return options;
}

Device open_named_device(const std::string& spec) {
  const std::string named = spec.empty() ? device_of_environment() : spec;
  return open_device(named.empty() ? "auto" : named);
}

FileFormat output_format(const po::variables_map& values, const char* name,
                         const std::string& path) {
  const auto word = option<std::string>(values, name);
  const auto format = word ? parse_file_format(*word) : format_of_extension(path);
  if (!format)
    throw UsageError(fmt::format("--{} '{}' is not one of: {}", name, *word, file_format_names()));
  if (!is_available(*format))
    throw UsageError(
        fmt::format("this build of clgauss does without {} files: their library was not there",
                    file_format_name(*format)));
  return *format;
}

}  // namespace clgauss::cli
