#pragma once
/// How the commands that solve open their device.

#include <clgauss/context.hpp>
#include <clgauss/io.hpp>
#include <memory>
#include <string>

namespace clgauss::cli {

/// The device that `spec` names, opened. What is built later is told to `progress`, which must live as long; that built
/// kernels cannot be kept is said on stderr, unless `quiet`.
[[nodiscard]] std::unique_ptr<Context> open_context(const std::string& spec,
                                                    const ContextOptions& options,
                                                    const ProgressCallback& progress, bool quiet);

}  // namespace clgauss::cli
