#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "support/paths.hpp"
#include "support/process.hpp"

using namespace clgauss;
namespace fs = std::filesystem;

namespace {

fs::path source_folder() { return test::data_folder().parent_path(); }

/// What each room may include, and the rooms in the order of the table "The rooms" in
/// tuner/README.md.
struct Rooms {
  std::vector<std::string> order;
  std::map<std::string, std::set<std::string>> may_include;
};

Rooms stated_rooms(const std::string& readme) {
  Rooms rooms;
  const std::regex line(R"(\| ([a-z]+) \|[^|]*\| ?([a-z, ]*)\|)"), word("[a-z]+");
  std::istringstream text(readme.substr(readme.find("\n## The rooms\n") + 1));
  for (std::string one; std::getline(text, one);) {
    std::smatch parts;
    if (!std::regex_match(one, parts, line) || parts[1] == "room") continue;
    const std::string name = parts[1], allowed = parts[2];
    rooms.order.push_back(name);
    rooms.may_include[name] = {std::sregex_token_iterator(allowed.begin(), allowed.end(), word),
                               std::sregex_token_iterator()};
  }
  return rooms;
}

struct Include {
  std::string file, path;
};

/// Every #include "..." of the C++ files beneath `folder`.
std::vector<Include> includes_of(const fs::path& folder) {
  const std::regex line("#include [<\"]([^>\"]+)[>\"]");
  std::vector<Include> includes;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp" && entry.path().extension() != ".hpp") continue;
    const std::string text = test::content_of(entry.path());
    for (std::sregex_iterator at(text.begin(), text.end(), line), end; at != end; ++at)
      includes.push_back({entry.path().string(), (*at)[1]});
  }
  return includes;
}

/// "tuner/rows/row.hpp" -> "rows"; empty for what is in no room.
std::string room_of(const std::string& path) {
  std::smatch parts;
  return std::regex_search(path, parts, std::regex("(^|/)tuner/([^/]+)/")) ? parts[2].str() : "";
}

/// Each include of a room in `tuner` that the table does not allow.
std::vector<std::string> arrows_back(const fs::path& tuner, const Rooms& rooms) {
  std::vector<std::string> found;
  for (const auto& [room, allowed] : rooms.may_include)
    for (const auto& [file, path] : includes_of(tuner / room)) {
      const std::string other = room_of(path);
      if (!other.empty() && other != room && !allowed.contains(other))
        found.push_back(file + " includes " + path);
    }
  return found;
}

/// Each include in `folder` that begins with one of `prefixes`.
std::vector<std::string> forbidden(const fs::path& folder, const std::set<std::string>& prefixes) {
  std::vector<std::string> found;
  for (const auto& [file, path] : includes_of(folder))
    if (std::ranges::any_of(prefixes, [&](const auto& prefix) { return path.starts_with(prefix); }))
      found.push_back(file + " includes " + path);
  return found;
}

void check_none(const std::vector<std::string>& found) {
  for (const std::string& one : found) FAIL_CHECK(one);
}

const std::set<std::string> kTests{"tests/", "support/", "doctest/"};

}  // namespace

TEST_CASE("rooms: the tuner's table names every room, and only rooms above each") {
  const fs::path tuner = source_folder() / "tuner";
  const Rooms rooms = stated_rooms(test::content_of(tuner / "README.md"));
  std::set<std::string> folders, above;
  for (const auto& entry : fs::directory_iterator(tuner))
    if (entry.is_directory()) folders.insert(entry.path().filename().string());
  CHECK(folders == std::set(rooms.order.begin(), rooms.order.end()));
  for (const std::string& room : rooms.order) {
    CAPTURE(room);
    CHECK(std::ranges::includes(above, rooms.may_include.at(room)));
    above.insert(room);
  }
}

TEST_CASE("rooms: nothing includes what stands above it") {
  const fs::path source = source_folder();
  const Rooms rooms = stated_rooms(test::content_of(source / "tuner" / "README.md"));
  check_none(arrows_back(source / "tuner", rooms));
  check_none(forbidden(source / "tuner", kTests));
  std::set<std::string> above_the_library = kTests;
  above_the_library.insert("tuner/");
  check_none(forbidden(source / "host", above_the_library));
  CHECK(includes_of(source / "host").size() > 100);
}

TEST_CASE("rooms: an arrow back is found") {
  const test::TemporaryFolder folder;
  const fs::path tuner = folder / "tuner";
  for (const char* room : {"measure", "rows"}) fs::create_directories(tuner / room);
  const Rooms rooms = stated_rooms(
      "\n## The rooms\n| room | what | may include |\n| measure | times | |\n"
      "| rows | keeps, `reads` | measure |\n");
  REQUIRE(rooms.order == std::vector<std::string>{"measure", "rows"});
  test::write_file(tuner / "rows" / "row.hpp",
                   "#include <vector>\n#include \"tuner/measure/outcome.hpp\"\n"
                   "#include \"tuner/rows/table.hpp\"\n#include \"clock.hpp\"\n");
  CHECK(arrows_back(tuner, rooms).empty());
  test::write_file(tuner / "measure" / "outcome.cpp", "#include \"tuner/rows/row.hpp\"\n");
  test::write_file(tuner / "rows" / "row.cpp", "#include \"../tuner/cli/commands.hpp\"\n");
  CHECK(arrows_back(tuner, rooms).size() == 2);
  CHECK(forbidden(tuner, kTests).empty());
  test::write_file(tuner / "rows" / "t4.cpp", "#include \"support/paths.hpp\"\n");
  CHECK(forbidden(tuner, kTests).size() == 1);
}

TEST_CASE("no name of a test has a semicolon, at which CMake cuts it in two that match no test") {
  for (const auto& entry : fs::recursive_directory_iterator(source_folder() / "tests")) {
    if (entry.path().extension() != ".cpp") continue;
    std::istringstream lines(test::content_of(entry.path()));
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("TEST_CASE(\"")) continue;
      CAPTURE(line);
      CHECK(line.substr(0, line.rfind('"')).find(';') == std::string::npos);
    }
  }
}
