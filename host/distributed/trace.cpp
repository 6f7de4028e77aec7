#include <fmt/format.h>

#include <clgauss/distributed.hpp>
#include <clgauss/io.hpp>
#include <nlohmann/json.hpp>

namespace clgauss {

void write_trace(const Engine& engine, const std::string& path) {
  using Json = nlohmann::ordered_json;
  Json events = Json::array();
  for (std::size_t d = 0; d < engine.devices().size(); ++d)
    events.push_back({{"ph", "M"},
                      {"name", "thread_name"},
                      {"pid", engine.rank()},
                      {"tid", d},
                      {"args", {{"name", engine.devices()[d].name}}}});
  for (const StepRecord& step : engine.steps())
    events.push_back({{"name", step.name},
                      {"cat", step.name.substr(0, step.name.find(' '))},
                      {"ph", "X"},
                      {"pid", engine.rank()},
                      {"tid", step.device},
                      {"ts", step.begin_s * 1e6},
                      {"dur", (step.end_s - step.begin_s) * 1e6}});
  OutputFile file(engine.ranks() == 1 ? path : fmt::format("{}.rank{}", path, engine.rank()));
  file.write(Json{{"traceEvents", events}}.dump() + "\n");
  file.commit();
}

}  // namespace clgauss
