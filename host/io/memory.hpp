#pragma once
/// Memory checks before anything large is allocated. A wrong header then leads to an error message
/// instead of exhausting the machine's memory.

#include <clgauss/matrix.hpp>
#include <filesystem>
#include <optional>
#include <string>

namespace clgauss::io {

/// Bytes of main memory available to this process: those of the machine, or the limit of its
/// control groups (a container's) if that is lower.
[[nodiscard]] Index physical_memory();

/// The lowest memory limit of this process's control groups, version 1 or 2; empty if there is
/// none. `root` is the folder that contains proc and sys.
[[nodiscard]] std::optional<Index> control_group_limit(const std::filesystem::path& root = "/");

/// The bytes of rows * cols doubles; empty if the result does not fit into an Index.
[[nodiscard]] std::optional<Index> dense_bytes(Index rows, Index cols);

[[nodiscard]] bool fits_memory(Index rows, Index cols);

/// Throws OutOfMemory if `copies` times rows-by-cols doubles do not fit. The message begins with
/// `what`, for example "A.npy", and gives the needed and the available memory.
void require_memory(const std::string& what, Index rows, Index cols, Index copies = 1);

/// The limit for text parsed as JSON. The parsed form may take about thirty times as much memory.
[[nodiscard]] Index most_json_bytes();

/// Returns the whole pages of the range to the operating system; their content is lost. This is
/// only an optimization: if it fails, the pages are freed with their memory block. Large ranges are
/// processed on all cores.
void discard_pages(void* begin, std::size_t bytes) noexcept;
/// The range that one core discards. A smaller block is better left to its deallocation, which may
/// let it be reused without new pages.
inline constexpr std::size_t kBytesToDiscard = std::size_t{64} << 20U;

/// "8.59 GB".
[[nodiscard]] std::string readable_bytes(Index bytes);

/// "3.2 GB were in use at most, this machine or container has 25 GB". For a failed allocation
/// elsewhere.
[[nodiscard]] std::string memory_in_use();

}  // namespace clgauss::io
