#pragma once
/// Whether a kernel's work-items can tell with which local size they were launched, or that their
/// launch was cut in two.

#include <string>
#include <utility>
#include <vector>

namespace clgauss::layer {

/// What a kernel's text lets it see of its launch.
struct KernelText {
  bool size_is_hidden = false;   ///< no work-item can tell another local size: it may be replaced
  bool split_is_hidden = false;  ///< nor that its launch was cut in two along a dimension
  /// Why not, in words with the name found and its line; empty where both are hidden.
  std::string reason;
};

/// Judges `kernel` of the program `sources` as clBuildProgram would read it with `options` on a
/// device with these predefined macros (name, value).
///
/// `sources` are the strings of clCreateProgramWithSource, each cut to its length; they are joined
/// as they are. `options` are those of clBuildProgram. A text that includes files is not followed:
/// they may have changed since the build, and some drivers keep compiled programs by the text
/// alone. `device_macros` are __OPENCL_VERSION__, __OPENCL_C_VERSION__, the device's extensions and
/// what else is known; a reserved name, an extension or a word of OpenCL C that the text tests and
/// that is not among them is taken both ways (at most 16 ways in all), one whose value is asked is
/// not followed. Lines are counted in the joined text; #line changes nothing.
///
/// Hidden means: all that the kernel can reach, after preprocessing, calls only functions of the
/// text and OpenCL's functions of their arguments, get_global_id and get_work_dim; uses no local
/// memory, no attribute that names a size, and cannot wait for another work-item; for a split
/// besides, asks for no size or offset of the range and uses no atomics. All else, every unknown
/// function among it, is "cannot tell". The parts of a split must get their place by the global
/// offset of their launch.
///
/// It is taken for granted that the program is free of data races and other undefined behaviour,
/// that the driver adds no options and no text of its own beyond predefined macros, that a macro
/// which it predefines has a reserved name, that of an extension or of OpenCL C, and that the
/// compiler makes the same arithmetic of it for every size.
///
/// Never throws: what goes wrong is "cannot tell" with the reason. Safe from several threads. About
/// 10 ms for a program of 2,000 lines, times the ways in which its macros can be taken.
[[nodiscard]] KernelText kernel_text(
    const std::vector<std::string>& sources, const std::string& options, const std::string& kernel,
    const std::vector<std::pair<std::string, std::string>>& device_macros);

}  // namespace clgauss::layer
