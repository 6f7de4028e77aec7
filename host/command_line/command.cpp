#include "command_line/command.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <filesystem>
#include <typeinfo>

#include "io/archive.hpp"
#include "io/ascii.hpp"
#include "session/environment.hpp"

namespace clgauss::cli {

namespace {

/// For an option whose value is optional, Boost accepts the value only after '='. This turns
/// `--json FILE` into `--json=FILE`.
Arguments with_values_joined(const Arguments& arguments, const std::vector<OptionView>& options) {
  const auto may_go_without = [&](const std::string& argument) {
    return std::ranges::any_of(options, [&](const OptionView& option) {
      return option.optional_value && argument == "--" + option.name;
    });
  };
  Arguments joined;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--") {
      joined.insert(joined.end(), arguments.begin() + static_cast<std::ptrdiff_t>(i),
                    arguments.end());
      break;
    }
    joined.push_back(arguments[i]);
    if (!may_go_without(arguments[i]) || i + 1 == arguments.size()) continue;
    const std::string& next = arguments[i + 1];
    if (next == "-" || !next.starts_with('-')) joined.back() += "=" + arguments[++i];
  }
  return joined;
}

/// Boost reads -1 as an unsigned number without an error: it gives 2^64 - 1 (or 2^32 - 1).
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

[[noreturn]] void refuse_option(const std::string& typed, const std::vector<OptionView>& options) {
  std::vector<std::string> known;
  for (const OptionView& option : options)
    if (option.positional == 0) known.push_back("--" + option.name);
  throw UsageError(fmt::format("there is no option {}{}", typed, did_you_mean(typed, known)));
}

/// The option's name without its dashes.
std::string bare(const std::string& name) {
  return name.substr(std::min(name.find_first_not_of('-'), name.size()));
}

const OptionView* find_option(const std::vector<OptionView>& options, const std::string& name) {
  const auto found = std::ranges::find_if(options, [&](const OptionView& option) {
    return option.name == bare(name) || option.short_name == bare(name);
  });
  return found == options.end() ? nullptr : &*found;
}

[[noreturn]] void refuse_syntax(const po::invalid_command_line_syntax& error,
                                const std::vector<OptionView>& options) {
  const std::string name = error.get_option_name();
  const OptionView* const option = find_option(options, name);
  if (option == nullptr) throw UsageError(error.what());
  if (option->value.empty()) throw UsageError(fmt::format("--{} takes no value", option->name));
  throw UsageError(fmt::format("--{} needs {}", option->name, option->value));
}

/// Throws for a value in `parsed` that is not a number, for the option that `error` names.
[[noreturn]] void refuse_value(const po::validation_error& error, const po::parsed_options& parsed,
                               const po::options_description& options) {
  const std::string name = bare(error.get_option_name());
  for (const po::option& given : parsed.options) {
    if (given.string_key != name || given.value.empty()) continue;
    const auto* const typed =
        dynamic_cast<const po::typed_value_base*>(options.find(name, false).semantic().get());
    const bool real = typed != nullptr && typed->value_type() == typeid(double);
    throw UsageError(fmt::format("--{} '{}' is not a {}", name, given.value.back(),
                                 real ? "number" : "whole number (or too large)"));
  }
  throw UsageError(error.what());
}

/// The last positional argument.
std::string last_positional(const Arguments& arguments, const po::options_description& all) {
  namespace style = po::command_line_style;
  const po::parsed_options parsed = po::command_line_parser(arguments)
                                        .options(all)
                                        .style(style::unix_style & ~style::allow_guessing)
                                        .run();
  std::string last;
  for (const po::option& given : parsed.options)
    if (given.position_key >= 0) last = given.value.back();
  return last;
}

po::parsed_options parse(const Arguments& arguments, const po::options_description& all,
                         const CommandTable& table) {
  po::positional_options_description positions;
  std::vector<std::string> called;
  for (const std::string& name : table.positionals()) {
    positions.add(name.c_str(), 1);
    called.push_back(table.called(name));
  }
  namespace style = po::command_line_style;
  const std::vector<OptionView> options = table.options();
  try {
    return po::command_line_parser(with_values_joined(arguments, options))
        .options(all)
        .positional(positions)
        .style(style::unix_style & ~style::allow_guessing)
        .run();
  } catch (const po::unknown_option& error) {
    refuse_option(error.get_option_name(), options);
  } catch (const po::invalid_command_line_syntax& error) {
    refuse_syntax(error, options);
  } catch (const po::too_many_positional_options_error&) {
    if (called.empty())
      throw UsageError("there are arguments that belong to no option; --help lists the options");
    const std::string extra =
        table.extra == nullptr ? "" : last_positional(with_values_joined(arguments, options), all);
    throw UsageError(fmt::format(
        "there are more arguments than {}; --help lists the options{}", fmt::join(called, " and "),
        extra.empty() ? "" : fmt::format(" (did you mean --{} {}?)", table.extra, extra)));
  }
}

}  // namespace

po::variables_map store_options(const Arguments& arguments, const CommandTable& table) {
  const po::options_description all = table.all();
  const po::parsed_options parsed = parse(arguments, all, table);
  refuse_negative_counts(parsed, all);
  po::variables_map values;
  try {
    po::store(parsed, values);
  } catch (const po::multiple_occurrences& error) {
    throw UsageError(fmt::format("{} is given twice", table.called(bare(error.get_option_name()))));
  } catch (const po::validation_error& error) {
    refuse_value(error, parsed, all);
  }
  return values;
}

void become_program(const std::string& file, Arguments arguments) {
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  for (const int ignored : {SIGPIPE, SIGXFSZ})
    std::signal(ignored, SIG_DFL);  // see prepare_streams()
  ::execvp(file.c_str(), pointers.data());
}

void require_options(const po::variables_map& values, const CommandTable& table) {
  const std::vector<OptionView> options = table.options();
  for (const OptionView& option : options) {
    if (!option.required || values.count(option.name) > 0) continue;
    if (option.positional == 0)
      throw UsageError(fmt::format("--{} {} is missing", option.name, option.value));
    for (const OptionView& taker : options)
      if (taker.optional_value && values.count(taker.name) > 0 &&
          values[taker.name].as<std::string>() != "-")
        throw UsageError(fmt::format("{0} is missing ('{1}' is the {2} of --{3}; give {0} first)",
                                     option.value, values[taker.name].as<std::string>(),
                                     taker.value, taker.name));
    throw UsageError(option.value + " is missing");
  }
}

namespace {

/// How the user gave `option`, a name or name=value: for example "--pivot none". Empty if it was
/// not given.
std::string given_as(const po::variables_map& values, std::string_view option) {
  const std::size_t sign = std::min(option.find('='), option.size());
  const std::string name(option.substr(0, sign));
  if (values.count(name) == 0 || values[name].defaulted()) return {};
  if (sign == option.size()) return "--" + name;
  const std::string_view value = option.substr(sign + 1);
  return values[name].as<std::string>() == value ? fmt::format("--{} {}", name, value) : "";
}

}  // namespace

void refuse_meaningless(const po::variables_map& values, const CommandTable& table,
                        const Mode& mode) {
  for (const Scope& scope : table.scopes) {
    if ((scope.modes & mode.bits) != 0) continue;
    for (const std::string_view option : scope.options)
      if (const std::string given = given_as(values, option); !given.empty())
        throw UsageError(fmt::format("{} belongs to {}{}", given, scope.belongs_to,
                                     mode.with.empty() ? "" : "; it means nothing " + mode.with));
  }
}

void refuse_overwriting(const po::variables_map& values, const CommandTable& table) {
  using Kind = ValueHint::Kind;
  std::vector<NamedFile> read, written;
  for (const OptionView& option : table.options()) {
    const bool is_file = option.hint.kind == Kind::file || option.hint.kind == Kind::words_or_file;
    if (!is_file || values.count(option.name) == 0) continue;
    const auto& path = values[option.name].as<std::string>();
    if (path.empty() || std::ranges::find(option.hint.words, path) != option.hint.words.end())
      continue;
    if (option.hint.written)
      written.push_back({"--" + option.name, path});
    else
      read.push_back({table.called(option.name), io::place_of(path).file});
  }
  keep_files_apart(read, written);
}

void refuse_word(std::string_view option, std::string_view text,
                 const std::vector<std::string>& known) {
  throw UsageError(fmt::format("{} '{}' is not one of: {}{}", option, text, fmt::join(known, ", "),
                               did_you_mean(text, known)));
}

const WordTable<std::optional<RealType>>& type_words() {
  static const WordTable<std::optional<RealType>> words{
      {"auto", std::nullopt}, {"f32", RealType::f32}, {"f64", RealType::f64}};
  return words;
}

namespace {

const WordTable<bool>& kernels_words() {
  static const WordTable<bool> words{{"all", true}, {"portable", false}};
  return words;
}

}  // namespace

OptionRows add_device_option(CommandTable& table) {
  return table.group("Device")(
      "device,d", words("SPEC", {"auto", "gpu", "cpu", "accel"})->default_value(""),
      "auto, gpu, cpu, accel, 1:0 (platform and device) or nvidia:h200 (parts of their names); "
      "else CLGAUSS_DEVICE, else auto");
}

OptionRows add_kernels_option(OptionRows group, const char* more) {
  static const std::string about =
      "all, or portable: only those of plain OpenCL, as a GPU of any vendor takes; else "
      "CLGAUSS_KERNELS";
  return group("kernels", words("WHICH", kernels_words())->implicit_value("all"),
               (more + about).c_str());
}

void take_kernels_option(const po::variables_map& values, ContextOptions& options) {
  if (const auto which = option<std::string>(values, "kernels"))
    options.vendor_kernels = parse_word("kernels", *which, kernels_words());
}

void add_kernel_options(CommandTable& table, const char* about_kernels) {
  add_kernels_option(add_device_option(table), about_kernels)(
      "kernel-dir", folder("DIR"),
      "read the .cl files from here instead of the embedded ones; else CLGAUSS_KERNEL_DIR");
}

void add_cores_option(OptionRows group) {
  group("cores-per-cu", po::value<unsigned>()->value_name("N"),
        "cores of a compute unit, for the LCM rule");
}

void add_context_options(CommandTable& table, const char* about_kernels) {
  add_kernel_options(table, about_kernels);
  add_cores_option(table.group("Device"));
}

ContextOptions context_options(const po::variables_map& values) {
  ContextOptions options = ContextOptions::from_environment();
  options.cores_per_compute_unit = option<unsigned>(values, "cores-per-cu");
  if (options.cores_per_compute_unit == 0U) throw UsageError("--cores-per-cu must be at least 1");
  take_kernels_option(values, options);
  if (const auto folder = option<std::string>(values, "kernel-dir"))
    options.kernel_folder = *folder;
  return options;
}

Device open_named_device(const std::string& spec) {
  const std::string named = spec.empty() ? device_of_environment() : spec;
  return open_device(named.empty() ? "auto" : named);
}

void add_json_option(OptionRows group, const char* about) {
  group("json", optional_file("FILE"), about);
}

JsonOutput::JsonOutput(const po::variables_map& values) {
  if (const auto path = option<std::string>(values, "json")) file_.emplace(*path);
}

void JsonOutput::write(const nlohmann::ordered_json& json) {
  if (!file_) return;
  file_->write(json.dump(2) + "\n");
  file_->commit();
}

void JsonOutput::print(std::string_view text, const nlohmann::ordered_json& json) {
  write(json);
  if (!has_stdout()) cli::print(text);
}

void keep_report_apart(const std::optional<std::string>& json_path, const std::string& output_path,
                       bool text) {
  if (json_path != "-") return;
  if (text)
    throw UsageError(
        "--compare writes its table to standard output: name a file for the report, --json FILE");
  if (output_path == "-")
    throw UsageError(
        "--json writes its report to standard output: name a file for x with -o, or --json FILE");
}

po::value_semantic* digits_value() { return po::value<int>()->value_name("N"); }

WriteOptions write_options(const po::variables_map& values, FileFormat format) {
  WriteOptions options;
  options.digits = option<int>(values, "digits");
  if (!options.digits) return options;
  using enum FileFormat;
  if (format == npy || format == npz || format == mat || format == hdf5)
    throw UsageError(fmt::format("--digits is for text formats; .{} holds all digits",
                                 file_format_name(format)));
  if (*options.digits < 1 || *options.digits > 17)
    throw UsageError(fmt::format("--digits {} is not one of 1 to 17", *options.digits));
  return options;
}

namespace {

/// Throws before there is anything to be written.
FileFormat available(FileFormat format, const std::string& path) {
  const std::string obstacle = io::unavailable_text(format);
  if (!obstacle.empty()) throw FileError(path, obstacle);
  return format;
}

}  // namespace

namespace {

/// File name extensions, including none, that are accepted for text.
constexpr std::array<std::string_view, 5> kTextEndings{"", ".txt", ".text", ".dat", ".out"};

/// Refuses to write text to a file whose extension belongs to another format. Devices and pipes
/// have no format, so any name is accepted.
void refuse_unknown_ending(const char* option, const std::filesystem::path& path) {
  std::error_code unknown;  // an error means that the file is not there yet
  const auto status = std::filesystem::status(path, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) return;
  const bool packed = io::lowercase(path.extension().string()) == ".gz";
  const std::string ending =
      io::lowercase((packed ? path.stem() : path.filename()).extension().string());
  if (format_of_extension(path) != FileFormat::text ||
      std::ranges::find(kTextEndings, ending) != kTextEndings.end())
    return;
  throw UsageError(
      fmt::format("--output {}: no format has the ending {}; name a file that ends in .txt, .dat, "
                  ".csv, .tsv, .mtx, .npy, .npz, .mat or .h5, or choose one with --{}",
                  path.string(), ending, option));
}

}  // namespace

TextValue* format_words() { return words("F", file_format_names()); }

std::string format_help(std::string_view what, std::string_view else_by) {
  return fmt::format("{}: {}; else by {}", what, fmt::join(file_format_names(), ", "), else_by);
}

FileFormat output_format(const po::variables_map& values, const char* name,
                         const std::string& path) {
  const auto word = option<std::string>(values, name);
  if (!word) {
    refuse_unknown_ending(name, path);
    return available(format_of_extension(path), path);
  }
  if (const auto format = parse_file_format(*word)) return available(*format, path);
  refuse_word(fmt::format("--{}", name), *word, file_format_names());
}

}  // namespace clgauss::cli
