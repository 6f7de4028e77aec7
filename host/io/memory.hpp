#pragma once
/// Will it fit? Asked before anything large is allocated, so that a wrong header costs a message
/// and not the machine.

#include <clgauss/matrix.hpp>
#include <filesystem>
#include <optional>
#include <string>

namespace clgauss::io {

/// Bytes of main memory that this process can have: all of the machine, or what its control groups
/// (a container's) leave of it.
[[nodiscard]] Index physical_memory();

/// The lowest memory limit of the control groups, of version 1 or 2, that this process is in; empty
/// if there is none. `root` is the folder in which proc and sys lie.
[[nodiscard]] std::optional<Index> control_group_limit(const std::filesystem::path& root = "/");

/// rows * cols doubles in bytes; empty if the number itself does not fit an Index.
[[nodiscard]] std::optional<Index> dense_bytes(Index rows, Index cols);

[[nodiscard]] bool fits_memory(Index rows, Index cols);

/// Throws OutOfMemory, naming what is needed and what there is, if `copies` times rows-by-cols
/// doubles do not fit. `what` begins the message, as "A.npy" does.
void require_memory(const std::string& what, Index rows, Index cols, Index copies = 1);

/// The most bytes of text that are parsed as JSON, which may take some thirty times as much memory
/// as its text.
[[nodiscard]] Index most_json_bytes();

/// Gives the whole pages between `begin` and the end back to the operating system; their content is
/// lost. A hint: where it is refused, they go with the memory that they are part of. Large memory
/// by all cores.
void discard_pages(void* begin, std::size_t bytes) noexcept;
/// What a core discards at once: less is as well left to whoever frees it, and may be taken again
/// without new pages.
inline constexpr std::size_t kBytesToDiscard = std::size_t{64} << 20U;

/// "8.59 GB".
[[nodiscard]] std::string readable_bytes(Index bytes);

/// "3.2 GB were in use at most, this machine or container has 25 GB", for an allocation that failed
/// elsewhere.
[[nodiscard]] std::string memory_in_use();

}  // namespace clgauss::io
