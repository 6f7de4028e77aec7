#pragma once
/// What the layer keeps on disk from one run to the next.

#include <clgauss/lab/program_cache.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tuner/layer/shape.hpp"
#include "tuner/layer/trial.hpp"

namespace clgauss::layer {

/// What a program was built from; no text where that is not known.
struct ProgramText {
  std::string source, options;

  [[nodiscard]] bool is_known() const { return !source.empty(); }
};

/// The name of any bytes: how many there are, and 128 bits that differ for others but by chance. No
/// guard against who wants them equal. Some GB/s: programs may come as binaries of megabytes.
[[nodiscard]] std::string fingerprint(std::string_view bytes);
[[nodiscard]] std::string fingerprint(const ProgramText& text);

/// A program's binary, and all besides that tells what the compiler made of its text.
struct Binary {
  std::string device, driver;
  std::string macros;  // predefined, fingerprint
  std::string bytes;   // fingerprint
};

/// A launch that is left to the driver, with all that a decision depends on.
struct Question {
  std::string device, driver;
  std::string program;  // fingerprint
  std::string kernel;
  Shape range;
  bool may_split = false;
};

/// Empty `way`: the driver's own size stays.
struct Decision {
  std::optional<Way> way;
  double gain = 1;
};

/// Decisions, and the texts of programs that others keep as binaries: the newest, `most` bytes in
/// all. A folder that is foreign, damaged or not writable is as good as none. A decision that is
/// recalled is a proposal: whether a size divides a range and a kernel may be split is asked anew
/// each time.
class Memory {
 public:
  static constexpr std::uintmax_t kMostBytes = 64 << 20;

  explicit Memory(std::optional<std::filesystem::path> folder, std::uintmax_t most = kMostBytes)
      : files_(std::move(folder)), most_bytes_(most) {}

  [[nodiscard]] std::optional<Decision> decision(const Question& question) const;
  void keep(const Question& question, const Decision& decision) const;
  /// How many trials of a question that has no decision were begun, in runs that ended before them.
  [[nodiscard]] unsigned trials_begun(const Question& question) const;
  void keep_trials_begun(const Question& question, unsigned trials) const;
  /// The text that a binary was made from.
  [[nodiscard]] std::optional<ProgramText> text_of(const Binary& binary) const;
  void keep_text(const Binary& binary, const ProgramText& text) const;

 private:
  void store(const std::string& key, const std::string& name, const std::string& content) const;

  ProgramCache files_;
  std::uintmax_t most_bytes_;
};

}  // namespace clgauss::layer
