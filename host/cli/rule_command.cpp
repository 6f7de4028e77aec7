#include <fmt/format.h>

#include <clgauss/lab/launch.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"

namespace clgauss::cli {

namespace {

constexpr std::string_view kRuleUsage =
    "--total-cores N --compute-units N --multiple N --limit N [options]";
constexpr std::string_view kRuleAbout =
    "Computes the LCM rule for the work-group size: the smallest common multiple of the preferred "
    "multiple and of the cores per compute unit that exceeds the total number of cores (raw), and "
    "the largest size that follows from it within the device's limit (clamped).";
constexpr std::string_view kRuleExamples =
    "clgauss rule --total-cores 144 --compute-units 3 --multiple 32 --limit 1024       # GeForce "
    "GT 555M: 192\n"
    "clgauss rule --total-cores 16896 --compute-units 132 --multiple 32 --limit 1024   # H200: "
    "raw 17024";

}  // namespace

CommandTable rule_table() {
  const auto number = [] { return po::value<std::size_t>()->required()->value_name("N"); };
  CommandTable table{kRuleUsage, kRuleAbout, kRuleExamples, {}};
  // clang-format off
  table.group("Device")
      ("total-cores", number(), "cores of the whole device")
      ("compute-units", number(), "CL_DEVICE_MAX_COMPUTE_UNITS")
      ("multiple", number(), "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE")
      ("limit", number(), "CL_KERNEL_WORK_GROUP_SIZE");
  // clang-format on
  add_json_option(table.group("Output"));
  return table;
}

ExitCode run_rule(const Given& given) {
  const auto number = [&](const char* name) { return given.values[name].as<std::size_t>(); };
  const LcmRule rule = lcm_rule(
      {number("total-cores"), number("compute-units"), number("multiple"), number("limit")});
  const nlohmann::ordered_json json{
      {"lcm", *rule.lcm}, {"raw", *rule.raw}, {"clamped", rule.clamped}, {"reason", rule.reason}};
  JsonOutput(given.values)
      .print(fmt::format("raw      {}\nclamped  {}\nreason   {}\n", *rule.raw, rule.clamped,
                         rule.reason),
             json);
  return ExitCode::ok;
}

}  // namespace clgauss::cli
