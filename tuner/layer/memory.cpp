#include "tuner/layer/memory.hpp"

#include <fmt/format.h>

#include <boost/uuid/name_generator.hpp>
#include <boost/uuid/uuid_io.hpp>
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
  const boost::uuids::name_generator_sha1 name_of(boost::uuids::ns::oid());
  return boost::uuids::to_string(name_of(bytes.data(), bytes.size()));
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
