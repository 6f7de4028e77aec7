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

/// What is kept of a question: one of these.
struct Kept {
  std::optional<Decision> decision;
  std::string reason;  ///< why there is nothing to decide; empty where that is not known
  /// How many trials were begun, in runs that ended before them, or 1 where the text was read and
  /// there is something to try.
  unsigned trials_begun = 0;
};

/// Decisions, and the texts of programs that others keep as binaries: the newest, `most` bytes in
/// all. A folder that is foreign, damaged or not writable is as good as none. A decision that is
/// recalled is a proposal: whether a size divides a range and a kernel may be split is asked anew
/// each time. Each call opens one file, and the calls that keep something list the folder besides.
class Memory {
 public:
  static constexpr std::uintmax_t kMostBytes = 64 << 20;

  explicit Memory(std::optional<std::filesystem::path> folder, std::uintmax_t most = kMostBytes)
      : files_(std::move(folder)), most_bytes_(most) {}

  [[nodiscard]] Kept kept(const Question& question) const;
  void keep(const Question& question, const Decision& decision) const;
  void keep_reason(const Question& question, const std::string& reason) const;
  void keep_trials_begun(const Question& question, unsigned trials) const;
  /// The fingerprint of the text that a binary was made from.
  [[nodiscard]] std::optional<std::string> text_name(const Binary& binary) const;
  void keep_text_name(const Binary& binary, const std::string& name) const;
  /// The text that has this fingerprint.
  [[nodiscard]] std::optional<ProgramText> text(const std::string& name) const;
  void keep_text(const ProgramText& text) const;

 private:
  void store(const std::string& key, const std::string& name, const std::string& content) const;

  ProgramCache files_;
  std::uintmax_t most_bytes_;
};

}  // namespace clgauss::layer
