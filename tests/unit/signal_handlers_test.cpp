#include "device/signal_handlers.hpp"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

#include "io/mapping.hpp"
#include "support/paths.hpp"

namespace clgauss {

namespace {

void of_the_program(int /*signal*/) {}
void of_a_driver(int /*signal*/) {}

}  // namespace

TEST_CASE("signal handlers: what is replaced meanwhile comes back, masks and flags as well") {
  struct sigaction before {
  }, after{};
  before.sa_handler = of_the_program;
  before.sa_flags = SA_RESTART;
  sigaddset(&before.sa_mask, SIGUSR2);
  sigaction(SIGUSR1, &before, nullptr);
  {
    const KeptSignalHandlers kept;
    ::signal(SIGUSR1, of_a_driver);
  }
  ::sigaction(SIGUSR1, nullptr, &after);
  CHECK((after.sa_handler == of_the_program));  // which doctest cannot print
  CHECK((after.sa_flags & SA_RESTART) != 0);
  CHECK(sigismember(&after.sa_mask, SIGUSR2) == 1);
  ::signal(SIGUSR1, SIG_DFL);
}

TEST_CASE("signal handlers: a file that is mapped meanwhile, or before, survives being cut short") {
  const test::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "file";
  for (const bool before : {false, true}) {
    CAPTURE(before);
    std::ofstream(path) << std::string(1U << 20U, 'x');
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    REQUIRE(file >= 0);
    ::signal(SIGBUS, of_the_program);
    std::optional<io::Mapping> mapping;
    if (before) mapping.emplace(file, 1U << 20U);
    {
      const KeptSignalHandlers kept;
      if (!before) mapping.emplace(file, 1U << 20U);
      ::signal(SIGBUS, of_a_driver);
    }
    REQUIRE(mapping->mapped());
    std::filesystem::resize_file(path, 0);
    CHECK(mapping->bytes().back() == '\0');
    CHECK_FALSE(mapping->intact());
    mapping.reset();
    ::close(file);
    CHECK((::signal(SIGBUS, SIG_DFL) == of_the_program));
  }
}

}  // namespace clgauss
