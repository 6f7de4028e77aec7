#include "tuner/layer/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <nlohmann/json.hpp>

namespace clgauss::layer {

namespace {

using nlohmann::json;

std::string key_of(const Question& question) {
  return fmt::format("layer decision 1\n{}\n{}\n{}\n{}\n{}\n{}", question.device, question.driver,
                     question.program, question.kernel, text(question.range),
                     question.may_split ? "may be split" : "in one piece");
}

std::string key_of_text(const std::string& binary) { return "layer text 1\n" + binary; }

/// Null where nothing usable is kept.
json fetch(const ProgramCache& files, const std::string& key) {
  const auto file = files.fetch(key);
  return file ? json::parse(file->binary, nullptr, false) : json();
}

void store(const ProgramCache& files, const std::string& key, const json& value) {
  const std::string written = value.dump(-1, ' ', false, json::error_handler_t::replace);
  files.store(key, {{}, {written.begin(), written.end()}});
}

}  // namespace

std::string fingerprint(std::string_view bytes) {
  // Each half mixes a word by itself before it joins the others, each in its own way: what would
  // cancel out in one of them does not in the other.
  const auto take = [](std::uint64_t& half, std::uint64_t word, std::uint64_t factor, int shift) {
    word *= factor;
    word ^= word >> shift;
    word *= factor;
    half = (half ^ word) * factor;
    half ^= half >> shift;
  };
  std::uint64_t one = bytes.size(), other = ~one;
  for (std::size_t at = 0; at < bytes.size(); at += sizeof one) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(sizeof word, bytes.size() - at));
    take(one, word, 0xc6a4a7935bd1e995U, 47);
    take(other, word, 0x9e3779b97f4a7c15U, 29);
  }
  return fmt::format("{:016x}{:016x}", one, other);
}

std::string fingerprint(const ProgramText& text) {
  std::string all = text.options + '\n';
  for (const std::string& source : text.sources) all += source;
  return fingerprint(all);
}

std::optional<Decision> Memory::decision(const Question& question) const try {
  const json kept = fetch(files_, key_of(question));
  if (!kept.is_object()) return std::nullopt;
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
  store(files_, key_of(question), kept);
}

std::optional<ProgramText> Memory::text_of(const std::string& binary) const try {
  const json kept = fetch(files_, key_of_text(binary));
  if (!kept.is_object()) return std::nullopt;
  return ProgramText{kept.at("sources").get<std::vector<std::string>>(),
                     kept.at("options").get<std::string>()};
} catch (const json::exception&) {
  return std::nullopt;
}

void Memory::keep_text(const std::string& binary, const ProgramText& text) const {
  store(files_, key_of_text(binary), {{"sources", text.sources}, {"options", text.options}});
}

}  // namespace clgauss::layer
