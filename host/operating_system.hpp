#pragma once
/// What only one operating system can do. All that is Linux's own stands in operating_system.cpp,
/// with what any other POSIX system does instead; the rest of clgauss is POSIX.

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace clgauss::operating_system {

/// Whether the process may run on the cores 0 .. count - 1, however many they are, and on no other;
/// false where that is not known.
[[nodiscard]] bool has_first_cores();

/// A new open file without a place on a disk (elsewhere: without a name there), closed on exec();
/// -1, and errno, where there is none.
[[nodiscard]] int open_memory_file();

/// A name under which this process, and children that it forks, can open an open file once more.
[[nodiscard]] std::string name_of_open_file(int descriptor);

/// Both ends of a pipe, which are closed on exec(); false, and errno.
[[nodiscard]] bool open_pipe(std::array<int, 2>& ends);

/// The file of the program that runs; empty where that is not known.
[[nodiscard]] std::filesystem::path program_file();

/// Of the calling thread; empty where threads have no names.
[[nodiscard]] std::string thread_name();

/// Kills this process when its parent ends; elsewhere it lives on until its pipe breaks.
void end_with_parent();

/// Bytes of the address space that this process takes; empty where that is not known.
[[nodiscard]] std::optional<std::uint64_t> address_space_bytes();

/// For how long the machine's cores were busy since it was started, in seconds, with whatever
/// program; empty where that is not known.
[[nodiscard]] std::optional<double> busy_core_seconds();

/// The processor's name, empty where that is not known; the mean clock of its cores now, and its
/// temperature, 0 where they are not.
[[nodiscard]] std::string processor_name();
[[nodiscard]] double processor_mhz();
[[nodiscard]] double processor_celsius();

/// The most bytes of main memory that this process has had.
[[nodiscard]] std::uint64_t most_resident_bytes();

}  // namespace clgauss::operating_system
