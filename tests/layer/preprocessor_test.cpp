#include "tuner/layer/preprocessor.hpp"

#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "support/paths.hpp"
#include "support/process.hpp"

namespace clgauss::layer {

namespace {

/// Writes random macros and text that uses them, in C99.
class RandomText {
 public:
  explicit RandomText(unsigned seed) : random_(seed) {}

  std::string section() {
    std::string text;
    for (const char* name : kNames) text += "#undef " + std::string(name) + "\n";
    for (int i = up_to(6); i >= 0; --i) text += definition();
    if (chance(50)) {
      text += "#if " + condition(0) + "\nyes " + words(0, {}) + "\n#elif " + condition(0) +
              "\nmaybe\n#else\nno " + words(0, {}) + "\n#endif\n";
    }
    return text + words(0, {}) + "\n" + words(0, {}) + "\n";
  }

 private:
  using Parameters = std::vector<std::string>;
  static constexpr std::array<const char*, 9> kNames{"a", "b", "c", "f", "g", "h", "k", "x", "y"};

  int up_to(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  bool chance(int percent) { return up_to(100) < percent; }
  std::string name() { return kNames[static_cast<std::size_t>(up_to(kNames.size()))]; }

  std::string word(int depth, const Parameters& parameters) {
    if (!parameters.empty() && chance(35)) {
      return parameters[static_cast<std::size_t>(up_to(static_cast<int>(parameters.size())))];
    }
    const int kind = up_to(100);
    if (kind < 60) return name();
    if (kind < 70) return std::to_string(up_to(10));
    if (kind < 90 && depth < 3) {
      std::string call = name() + "(";
      for (int i = up_to(3); i > 0; --i) call += words(depth + 1, parameters) + (i > 1 ? ", " : "");
      return call + ")";
    }
    static constexpr std::array<const char*, 9> others{"+", "-", "*", "1", "(",
                                                       ")", ",", "2", "+="};
    return others[static_cast<std::size_t>(up_to(chance(8) ? 9 : 4))];
  }

  std::string words(int depth, const Parameters& parameters) {
    std::string text;
    for (int i = up_to(4) + (depth > 0 ? 0 : 1); i > 0; --i) text += word(depth, parameters) + " ";
    return text;
  }

  std::string definition() {
    std::string text = "#undef " + name() + "\n#define " + name();
    Parameters parameters;
    const bool is_function = chance(60);
    if (is_function) {
      for (const char* parameter : {"p", "q", "x"}) {
        if (chance(40)) parameters.emplace_back(parameter);
      }
      std::string list;
      for (const auto& parameter : parameters) list += (list.empty() ? "" : ", ") + parameter;
      if (chance(15)) {
        list += list.empty() ? "..." : ", ...";
        parameters.emplace_back("__VA_ARGS__");
      }
      text += "(" + list + ")";
    }
    for (int i = up_to(5); i > 0; --i) {
      const bool quoted = is_function && !parameters.empty() && chance(8);
      text += quoted ? " #" + parameters[0] : " " + word(1, parameters);
      if (i > 1 && chance(20)) text += " ##";
    }
    return text + "\n";
  }

  std::string condition(int depth) {
    if (depth > 2 || chance(30)) {
      static constexpr std::array<const char*, 4> signs{"", "!", "-", "~"};
      static constexpr std::array<const char*, 4> values{"3u", "0x1F", "5", "017"};
      const std::string value =
          chance(30) ? "defined " + name()
                     : (chance(50) ? name() : values[static_cast<std::size_t>(up_to(4))]);
      return signs[static_cast<std::size_t>(up_to(4))] + value;
    }
    static constexpr std::array<const char*, 18> operators{
        "+",  "-",  "*",  "/",  "%", "<<", ">>", "<",  ">",
        "<=", ">=", "==", "!=", "&", "|",  "^",  "&&", "||"};
    if (chance(10)) {
      return "(" + condition(depth + 1) + " ? " + condition(depth + 1) + " : " +
             condition(depth + 1) + ")";
    }
    const bool bracket = chance(60);
    return (bracket ? "(" : "") + condition(depth + 1) + " " +
           operators[static_cast<std::size_t>(up_to(operators.size()))] + " " +
           condition(depth + 1) + (bracket ? ")" : "");
  }

  std::mt19937 random_;
};

/// Spellings one a line; strings, whose text no name can come from, as "".
std::string listed(const std::vector<Token>& tokens) {
  std::string text;
  for (const Token& token : tokens) {
    text += (token.kind == Token::Kind::text ? "\"\"" : token.spelling) + "\n";
  }
  return text;
}

std::optional<std::string> preprocessed(const std::string& text) {
  try {
    return listed(preprocess(text, {}, {}));
  } catch (const Unfollowable&) {
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("preprocessor: it agrees with the compiler's own") {
  const test::TemporaryFolder folder;
  RandomText random(20131117);
  std::string all;
  std::vector<std::string> sections, ours;
  for (int i = 0; i < 3000; ++i) {
    const std::string section = random.section();
    const auto followed = preprocessed(section);
    if (!followed) continue;
    ours.push_back(*followed);
    sections.push_back(section);
    all += section + "@section@\n";
  }
  CHECK(ours.size() > 1000);  // the others were given up
  test::write_file(folder / "all.c", all);
  const auto compiler = test::run(CLGAUSS_CC, folder, "-E -P -std=c99 all.c");
  REQUIRE_MESSAGE(compiler.exit_code == 0, compiler.err);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const std::size_t end = compiler.out.find("@section@", begin);
    REQUIRE(end != std::string::npos);
    CAPTURE(sections[i]);
    CHECK(ours[i] == listed(tokens_of(compiler.out.substr(begin, end - begin))));
    begin = end + 9;
  }
}

TEST_CASE("preprocessor: the examples of C99 6.10.3.5") {
  const std::string macros =
      "#define x 3\n#define f(a) f(x * (a))\n#undef x\n#define x 2\n#define g f\n#define z z[0]\n"
      "#define h g(~\n#define m(a) a(w)\n#define w 0,1\n#define t(a) a\n#define p() int\n"
      "#define q(x) x\n#define r(x,y) x ## y\n#define str(x) # x\n";
  const auto same = [&](const std::string& text, const std::string& expected) {
    CHECK(preprocessed(macros + text) == listed(tokens_of(expected)));
  };
  same("f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);",
       "f(2 * (y+1)) + f(2 * (f(2 * (z[0])))) % f(2 * (0)) + t(1);");
  same("g(x+(3,4)-w) | h 5) & m\n(f)^m(m);",
       "f(2 * (2+(3,4)-0,1)) | f(2 * (~ 5)) & f(2 * (0,1))^m(0,1);");
  same("p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };", "int i[] = { 1, 23, 4, 5, };");
  same("char c[2][6] = { str(hello), str() };", "char c[2][6] = { \"hello\", \"\" };");
  CHECK(preprocessed("#define hash_hash # ## #\n#define t(x,y,z) x ## y ## z\n"
                     "int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), "
                     "t(,,) };") ==
        listed(tokens_of("int j[] = { 123, 45, 67, 89, 10, 11, 12, };")));
  // The standard leaves open whether the inner f is replaced.
  CHECK_FALSE(preprocessed("#define f(a) a*g\n#define g(a) f(a)\nf(2)(9)"));
}

}  // namespace clgauss::layer
