/// This file and user_folder.cpp are the only places where libclgauss reads the environment. They
/// read it only on request. (libclgauss_distributed also reads what MPI's launchers and StarPU
/// set.)
#include <fmt/format.h>

#include <clgauss/context.hpp>
#include <clgauss/error.hpp>
#include <cstdlib>
#include <string>
#include <string_view>

#include "session/environment.hpp"
#include "session/user_folder.hpp"

namespace clgauss {

namespace {

std::string_view setting(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr ? value : "";
}

/// Parses the value of CLGAUSS_TRANSFERS.
std::optional<Transfers> transfers_from(std::string_view text) {
  if (text.empty()) return std::nullopt;
  for (const auto transfers : {Transfers::mapped, Transfers::pinned, Transfers::pageable})
    if (text == transfers_name(transfers)) return transfers;
  throw UsageError(fmt::format("CLGAUSS_TRANSFERS: '{}' is not mapped, pinned or pageable", text));
}

/// Parses the value of CLGAUSS_KERNELS: whether vendor-specific kernels are used.
bool vendor_kernels_from(std::string_view text) {
  if (text.empty() || text == "all") return true;
  if (text == "portable") return false;
  throw UsageError(fmt::format("CLGAUSS_KERNELS: '{}' is not all or portable", text));
}

/// Parses the value of CLGAUSS_F64_RATIO.
std::optional<unsigned> ratio_from(std::string_view text) {
  if (text.empty()) return std::nullopt;
  for (const unsigned ratio : {1U, 2U, 4U, 8U, 16U, 32U, 64U})
    if (text == std::to_string(ratio)) return ratio;
  throw UsageError(fmt::format("CLGAUSS_F64_RATIO: '{}' is not 1, 2, 4, 8, 16, 32 or 64", text));
}

}  // namespace

std::optional<std::filesystem::path> user_tuned_folder() {
  const auto data = xdg_folder("XDG_DATA_HOME", ".local/share");
  return data ? std::optional(*data / "clgauss" / "tuned") : std::nullopt;
}

std::string device_of_environment() { return std::string(setting("CLGAUSS_DEVICE")); }

ContextOptions ContextOptions::from_environment() {
  ContextOptions options;
  if (const auto folder = setting("CLGAUSS_KERNEL_DIR"); !folder.empty())
    options.kernel_folder = folder;
  if (const auto cache = xdg_folder("XDG_CACHE_HOME", ".cache");
      cache && setting("CLGAUSS_CACHE") != "off")
    options.cache_folder = *cache / "clgauss";
  options.tuned = setting("CLGAUSS_TUNED") != "off";
  options.tuned_folder = user_tuned_folder();
  const std::string_view builds = setting("CLGAUSS_BUILDS");
  options.concurrent_builds = builds != "serial";
  options.build_processes = builds != "threads";
  options.driver_caches = setting("POCL_KERNEL_CACHE") != "0";
  if (const auto folder = setting("POCL_CACHE_DIR"); !folder.empty())
    options.driver_cache_folder = folder;
  else if (const auto cache = xdg_folder("XDG_CACHE_HOME", ".cache"))
    options.driver_cache_folder = *cache / "pocl";
  options.vendor_kernels = vendor_kernels_from(setting("CLGAUSS_KERNELS"));
  options.transfers = transfers_from(setting("CLGAUSS_TRANSFERS"));
  options.pretended_ratio = ratio_from(setting("CLGAUSS_F64_RATIO"));
  options.kernel_faults = parse_kernel_faults(setting("CLGAUSS_KERNEL_FAULTS"));
  return options;
}

}  // namespace clgauss
