#pragma once
/// Functions that depend on the operating system. operating_system.cpp holds all Linux-specific
/// code and the alternative for other POSIX systems; the rest of clgauss is POSIX.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace clgauss::operating_system {

/// Whether the process may run on exactly the cores 0 .. count - 1, for some count. False where the
/// affinity is unknown.
[[nodiscard]] bool has_first_cores();

/// Opens a new file in memory (on other systems than Linux: an unlinked file on disk), closed on
/// exec(). Returns -1 and sets errno on failure.
[[nodiscard]] int open_memory_file();

/// Locks the byte `at` of an open file until the last copy of the descriptor is closed. Returns
/// false if another open file description has it, in any process. Other systems than Linux have no
/// such lock: the result is true.
[[nodiscard]] bool lock_byte(int descriptor, std::uint32_t at);

/// A path by which this process, and children that it forks, can reopen an open file.
[[nodiscard]] std::string name_of_open_file(int descriptor);

/// Opens a pipe whose two ends are closed on exec(). Returns false and sets errno on failure.
[[nodiscard]] bool open_pipe(std::array<int, 2>& ends);

/// The path of the running program; empty where it is unknown.
[[nodiscard]] std::filesystem::path program_file();

/// The folder of the program or shared library that contains this code; empty where it is unknown,
/// and for a program with more rights than its user.
[[nodiscard]] std::filesystem::path own_folder();

/// The name of the calling thread; empty where threads have no names.
[[nodiscard]] std::string thread_name();

/// Has this process killed when its parent ends; outlive_parent() revokes it. On systems other than
/// Linux it runs on until its pipe breaks.
void end_with_parent();
void outlive_parent();

/// Bytes of address space that this process uses; empty where that is unknown.
[[nodiscard]] std::optional<std::uint64_t> address_space_bytes();

/// Total busy time of the machine's cores since boot, in seconds, over all programs; empty where
/// that is unknown.
[[nodiscard]] std::optional<double> busy_core_seconds();

/// The processor's name (empty if unknown), the current mean clock of its cores and its temperature
/// (0 if unknown).
[[nodiscard]] std::string processor_name();
[[nodiscard]] double processor_mhz();
[[nodiscard]] double processor_celsius();

/// The largest resident set of this process so far, in bytes.
[[nodiscard]] std::uint64_t most_resident_bytes();

}  // namespace clgauss::operating_system
