#include <fmt/format.h>

#include <clgauss/lab/launch.hpp>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"

namespace clgauss::cli {

namespace {

constexpr CommandHelp kHelp{
    "clgauss rule --total-cores N --compute-units N --multiple N --limit N [--json]",
    "Computes the LCM rule for the work-group size: the smallest common multiple of the preferred "
    "multiple and of\n"
    "the cores per compute unit that exceeds the total number of cores (raw), and the largest size "
    "that follows from\n"
    "it within the device's limit (clamped).",
    "  clgauss rule --total-cores 144 --compute-units 3 --multiple 32 --limit 1024       # GeForce "
    "GT 555M: 192\n"
    "  clgauss rule --total-cores 16896 --compute-units 132 --multiple 32 --limit 1024   # H200: "
    "raw 17024"};

}  // namespace

ExitCode run_rule(const Arguments& arguments) {
  po::options_description options("Options");
  const auto required_number = [] { return po::value<std::size_t>()->required()->value_name("N"); };
  // clang-format off
  options.add_options()
      ("total-cores", required_number(), "cores of the whole device")
      ("compute-units", required_number(), "CL_DEVICE_MAX_COMPUTE_UNITS")
      ("multiple", required_number(), "CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE")
      ("limit", required_number(), "CL_KERNEL_WORK_GROUP_SIZE")
      ("json", po::bool_switch(), "print JSON");
  // clang-format on
  const auto values = parse_options(arguments, options, kHelp);
  if (!values) return ExitCode::ok;
  const auto number = [&](const char* name) { return (*values)[name].as<std::size_t>(); };
  const LcmRule rule = lcm_rule(
      {number("total-cores"), number("compute-units"), number("multiple"), number("limit")});
  if ((*values)["json"].as<bool>()) {
    const nlohmann::ordered_json json{
        {"lcm", *rule.lcm}, {"raw", *rule.raw}, {"clamped", rule.clamped}, {"reason", rule.reason}};
    print(json.dump(2) + "\n");
  } else {
    print(fmt::format("raw      {}\nclamped  {}\nreason   {}\n", *rule.raw, rule.clamped,
                      rule.reason));
  }
  return ExitCode::ok;
}

}  // namespace clgauss::cli
