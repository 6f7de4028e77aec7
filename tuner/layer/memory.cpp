#include "tuner/layer/memory.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#define XXH_INLINE_ALL  // the layer needs no library that a program may have another version of
#include <xxhash.h>

namespace clgauss::layer {

namespace {

using nlohmann::json;

std::string key_of(const Question& question) {
  return fmt::format("layer decision 2\n{}\n{}\n{}\n{}\n{}\n{}", question.device, question.driver,
                     question.program, question.kernel, text(question.range),
                     question.may_split ? "may be split" : "in one piece");
}

std::string key_of(const Binary& binary) {
  return fmt::format("layer text 2\n{}\n{}\n{}\n{}", binary.device, binary.driver, binary.macros,
                     binary.bytes);
}

/// Null where nothing usable is kept.
json fetch(const ProgramCache& files, const std::string& key) {
  const auto file = files.fetch(key);
  return file ? json::parse(file->binary, nullptr, false) : json();
}

}  // namespace

std::string fingerprint(std::string_view bytes) {
  const XXH128_hash_t sum = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x} of {}", sum.high64, sum.low64, bytes.size());
}

std::string fingerprint(const ProgramText& text) {
  return fingerprint(fmt::format("{}\n{}{}", text.options.size(), text.options, text.source));
}

std::optional<Decision> Memory::decision(const Question& question) const try {
  const json kept = fetch(files_, key_of(question));
  if (!kept.contains("gain")) return std::nullopt;
  Decision decision{std::nullopt, kept.at("gain").get<double>()};
  if (const json& group = kept.at("group"); !group.is_null())
    decision.way = Way{{question.range.dims, group.get<std::array<std::size_t, 3>>()},
                       kept.at("split").get<bool>()};
  return decision;
} catch (const json::exception&) {  // another version's
  return std::nullopt;
}

void Memory::keep(const Question& question, const Decision& decision) const {
  json kept{{"gain", decision.gain}, {"group", nullptr}};
  if (decision.way) {
    kept["group"] = decision.way->group.size;
    kept["split"] = decision.way->split;
  }
  store(key_of(question), {}, kept.dump());
}

unsigned Memory::trials_begun(const Question& question) const try {
  const json kept = fetch(files_, key_of(question));
  return kept.is_object() ? kept.value("trials begun", 0U) : 0;
} catch (const json::exception&) {
  return 0;
}

void Memory::keep_trials_begun(const Question& question, unsigned trials) const {
  store(key_of(question), {}, json{{"trials begun", trials}}.dump());
}

std::optional<ProgramText> Memory::text_of(const Binary& binary) const {
  const auto file = files_.fetch(key_of(binary));
  if (!file) return std::nullopt;
  return ProgramText{{file->binary.begin(), file->binary.end()}, file->kernel_names};
}

void Memory::keep_text(const Binary& binary, const ProgramText& text) const {
  store(key_of(binary), text.options, text.source);
}

void Memory::store(const std::string& key, const std::string& name,
                   const std::string& content) const {
  files_.store(key, {name, {content.begin(), content.end()}});
  files_.remove_oldest(most_bytes_);
}

}  // namespace clgauss::layer
