#include <algorithm>
#include <boost/uuid/name_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <clgauss/error.hpp>
#include <clgauss/lab/lu_spec.hpp>
#include <clgauss/lab/program.hpp>
#include <clgauss/lab/tuned.hpp>
#include <cmath>
#include <map>
#include <string_view>

#include "embed/embedded.hpp"

namespace clgauss {

namespace {

/// Sizes that differ by more than this factor have other bottlenecks.
constexpr double kReach = 1.5;

/// The source files of a TunedEntry's `kernel`.
std::vector<std::string> files_of(const std::string& kernel) {
  for (const LuFamily family : {LuFamily::cpu, LuFamily::gpu}) {
    if (kernel != lu_family_name(family)) continue;
    std::vector<std::string> files;
    for (const KernelVariant* variant : variants_of(family))
      if (*variant->file != '\0') files.emplace_back(variant->file);
    return files;
  }
  return {kernel};
}

/// The source without comments, spaces and `#line` directives, none of which change the kernel.
std::string bare(std::string_view source) {
  std::string text;
  for (std::size_t at = 0; at < source.size();) {
    const std::string_view rest = source.substr(at);
    const auto skip_behind = [&](std::string_view end) {
      const std::size_t found = rest.find(end);
      at = found == std::string_view::npos ? source.size() : at + found + end.size();
    };
    if (rest.starts_with("//") || rest.starts_with("#line ")) {
      skip_behind("\n");
    } else if (rest.starts_with("/*")) {
      skip_behind("*/");
    } else if (rest.starts_with("\\\n")) {
      at += 2;
    } else {
      if (rest.front() != ' ' && rest.front() != '\n') text += rest.front();
      ++at;
    }
  }
  return text;
}

}  // namespace

std::string tuned_kernel_hash(const std::string& kernel,
                              const std::optional<std::filesystem::path>& folder) {
  std::string sources;
  for (const std::string& file : files_of(kernel)) sources += bare(kernel_source(file, folder));
  const boost::uuids::name_generator_sha1 name_of(boost::uuids::ns::oid());
  return boost::uuids::to_string(name_of(sources));
}

namespace {

/// Empty if the kernel no longer exists.
std::string hash_if_there(const std::string& kernel,
                          const std::optional<std::filesystem::path>& folder) {
  try {
    return tuned_kernel_hash(kernel, folder);
  } catch (const FileError&) {
    return {};
  }
}

}  // namespace

Tuning::Tuning(const DeviceProfile& device, const TunedStore& store,
               std::optional<std::filesystem::path> kernel_folder)
    : driver_(device.driver_version), kernel_folder_(std::move(kernel_folder)) {
  try {
    own_ = store.read(device).entries;
  } catch (const Error& error) {
    problem_ = error.what();
  }
  for (const auto& [path, text] : embedded_tuning()) {
    const TunedDevice tuned = parse_tuned(text, path);
    std::vector<TunedEntry>& list = tuned.is(device) ? own_ : others_;
    list.insert(list.end(), tuned.entries.begin(), tuned.entries.end());
  }
  std::map<std::string, std::string> hashes;
  for (const TunedEntry& entry : own_) {
    const auto [place, is_new] = hashes.try_emplace(entry.kernel);
    if (is_new) place->second = hash_if_there(entry.kernel, kernel_folder_);
    usable_.push_back(entry.driver == driver_ && entry.kernel_hash == place->second);
  }
}

bool Tuning::holds(const TunedEntry& entry) const {
  return entry.driver == driver_ &&
         entry.kernel_hash == hash_if_there(entry.kernel, kernel_folder_);
}

std::vector<const TunedEntry*> Tuning::entries(std::string_view what, RealType type) const {
  std::vector<const TunedEntry*> found;
  for (std::size_t i = 0; i < own_.size(); ++i)
    if (usable_[i] && own_[i].what == what && own_[i].type == type) found.push_back(&own_[i]);
  return found;
}

SplitMode tuned_split(const TunedEntry& entry) {
  const auto split = std::ranges::find(entry.parameters, "SPLIT", &Parameters::value_type::first);
  return split == entry.parameters.end() ? SplitMode::padded
                                         : static_cast<SplitMode>(split->second);
}

const TunedEntry* nearest_tuned(std::span<const TunedEntry* const> entries, Index n) {
  const TunedEntry* nearest = nullptr;
  double least = std::log(kReach);
  for (const TunedEntry* entry : entries) {
    if (entry->n == 0 || n == 0) continue;
    const double distance =
        std::abs(std::log(static_cast<double>(n) / static_cast<double>(entry->n)));
    if (nearest == nullptr ? !(distance <= least) : !(distance < least)) continue;
    nearest = entry;
    least = distance;
  }
  return nearest;
}

const TunedEntry* Tuning::find(std::string_view what, RealType type, Index n) const {
  return nearest_tuned(entries(what, type), n);
}

std::vector<TunedEntry> Tuning::seeds(std::string_view what, RealType type) const {
  std::vector<TunedEntry> found;
  for (const auto* list : {&own_, &others_})
    for (const TunedEntry& entry : *list)
      if (entry.what == what && entry.type == type) found.push_back(entry);
  return found;
}

}  // namespace clgauss
