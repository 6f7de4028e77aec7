#pragma once
/// What the layer keeps on disk from one run to the next.

#include <clgauss/lab/program_cache.hpp>
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
  std::vector<std::string> sources;
  std::string options;

  [[nodiscard]] bool is_known() const { return !sources.empty(); }
};

/// The name of a text, or of any bytes: 128 bits that differ for others but by chance. No guard
/// against who wants them equal. Some GB/s: programs may come as binaries of megabytes.
[[nodiscard]] std::string fingerprint(std::string_view bytes);
[[nodiscard]] std::string fingerprint(const ProgramText& text);

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

/// Decisions, and the texts of programs that others keep as binaries. A folder that is foreign,
/// damaged or not writable is as good as none. What is recalled is a proposal: whether a size
/// divides a range and a kernel may be split is asked anew each time.
class Memory {
 public:
  explicit Memory(std::optional<std::filesystem::path> folder) : files_(std::move(folder)) {}

  [[nodiscard]] std::optional<Decision> decision(const Question& question) const;
  void keep(const Question& question, const Decision& decision) const;
  /// The text of the program of which `binary` is the fingerprint.
  [[nodiscard]] std::optional<ProgramText> text_of(const std::string& binary) const;
  void keep_text(const std::string& binary, const ProgramText& text) const;

 private:
  ProgramCache files_;
};

}  // namespace clgauss::layer
