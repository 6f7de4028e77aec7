#include "cli/open_context.hpp"

#include <fmt/format.h>

#include "command_line/command.hpp"
#include "command_line/streams.hpp"

namespace clgauss::cli {

std::unique_ptr<Context> open_context(const std::string& spec, const ContextOptions& options,
                                      const ProgressCallback& progress, bool quiet) {
  auto context = std::make_unique<Context>(open_named_device(spec), options);
  context->programs().announce_to([&progress](const std::string& what) { progress(what, 0); });
  if (const auto problem = context->programs().cache_problem(); !problem.empty() && !quiet)
    tell(fmt::format("note       {}\n", problem));
  return context;
}

}  // namespace clgauss::cli
