#include "cli/open_context.hpp"

#include <fmt/format.h>

#include <chrono>
#include <shared_mutex>

#include "command_line/command.hpp"
#include "command_line/streams.hpp"
#include "device/quirks.hpp"
#include "io/child.hpp"

namespace clgauss::cli {

namespace {

Context open_context(const std::string& spec, const ContextOptions& options,
                     const ProgressCallback& progress, bool quiet) {
  const std::shared_lock no_child(io::forking());
  Context context(open_named_device(spec), options);
  context.programs().announce_to([&progress](const std::string& what) { progress(what, 0); });
  if (const auto problem = context.programs().cache_problem(); !problem.empty() && !quiet)
    tell(fmt::format("note       {}\n", problem));
  return context;
}

}  // namespace

OpeningContext::OpeningContext(const std::string& spec, const ContextOptions& options,
                               const ProgressCallback& progress, bool quiet)
    : progress_(progress) {
  expect_two_queues();
  opening_ = std::async(std::launch::async,
                        [=, &progress] { return open_context(spec, options, progress, quiet); });
}

Context& OpeningContext::take() {
  if (opening_.valid()) context_ = opening_.get();
  return *context_;
}

UsedDevice OpeningContext::close() {
  UsedDevice used{context_->profile(), context_->transfers(), context_->trials().verdicts()};
  context_.reset();
  return used;
}

void OpeningContext::throw_if_failed() {
  using namespace std::chrono_literals;
  if (opening_.valid() && opening_.wait_for(0s) == std::future_status::ready) (void)take();
}

}  // namespace clgauss::cli
