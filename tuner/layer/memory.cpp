#include "tuner/layer/memory.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#define XXH_INLINE_ALL  // the layer needs no library that a program may have another version of
#include <xxhash.h>

namespace clgauss::layer {

namespace {

using nlohmann::json;

/// The number changes with the format, and where more texts are understood: reasons are kept.
std::string key_of(const Question& question) {
  return fmt::format("layer decision 2\n{}\n{}\n{}\n{}\n{}\n{}", question.device, question.driver,
                     question.program, question.kernel, text(question.range),
                     question.may_split ? "may be split" : "in one piece");
}

std::string key_of(const Binary& binary) {
  return fmt::format("layer binary 3\n{}\n{}\n{}\n{}", binary.device, binary.driver, binary.macros,
                     binary.bytes);
}

std::string key_of_text(const std::string& name) { return "layer text 3\n" + name; }

std::string string_of(const std::vector<unsigned char>& bytes) {
  return {bytes.begin(), bytes.end()};
}

}  // namespace

std::string fingerprint(std::string_view bytes) {
  const XXH128_hash_t sum = XXH3_128bits(bytes.data(), bytes.size());
  return fmt::format("{:016x}{:016x} of {}", sum.high64, sum.low64, bytes.size());
}

std::string fingerprint(const ProgramText& text) {
  return fingerprint(fmt::format("{}\n{}{}", text.options.size(), text.options, text.source));
}

Kept Memory::kept(const Question& question) const try {
  const auto file = files_.fetch(key_of(question));
  if (!file) return {};
  const json read = json::parse(file->binary);
  Kept kept{std::nullopt, read.value("reason", std::string()), read.value("trials begun", 0U)};
  if (read.contains("gain")) {
    kept.decision.emplace().gain = read.at("gain").get<double>();
    if (const json& group = read.at("group"); !group.is_null())
      kept.decision->way = Way{{question.range.dims, group.get<std::array<std::size_t, 3>>()},
                               read.at("split").get<bool>()};
  }
  return kept;
} catch (const json::exception&) {  // another version's
  return {};
}

void Memory::keep(const Question& question, const Decision& decision) const {
  json kept{{"gain", decision.gain}, {"group", nullptr}};
  if (decision.way) {
    kept["group"] = decision.way->group.size;
    kept["split"] = decision.way->split;
  }
  store(key_of(question), {}, kept.dump());
}

void Memory::keep_reason(const Question& question, const std::string& reason) const {
  store(key_of(question), {},
        json{{"reason", reason}}.dump(-1, ' ', false, json::error_handler_t::replace));
}

void Memory::keep_trials_begun(const Question& question, unsigned trials) const {
  store(key_of(question), {}, json{{"trials begun", trials}}.dump());
}

std::optional<std::string> Memory::text_name(const Binary& binary) const {
  const auto file = files_.fetch(key_of(binary));
  if (!file) return std::nullopt;
  return string_of(file->binary);
}

void Memory::keep_text_name(const Binary& binary, const std::string& name) const {
  store(key_of(binary), {}, name);
}

std::optional<ProgramText> Memory::text(const std::string& name) const {
  const auto file = files_.fetch(key_of_text(name));
  if (!file) return std::nullopt;
  return ProgramText{string_of(file->binary), file->kernel_names};
}

void Memory::keep_text(const ProgramText& text) const {
  store(key_of_text(fingerprint(text)), text.options, text.source);
}

void Memory::store(const std::string& key, const std::string& name,
                   const std::string& content) const {
  files_.store(key, {name, {content.begin(), content.end()}});
  files_.remove_oldest(most_bytes_);
}

}  // namespace clgauss::layer
