#include "io/memory.hpp"

#include <doctest/doctest.h>

#include <fstream>
#include <string>

#include "support/paths.hpp"

using clgauss::Index;
using clgauss::io::control_group_limit;
using clgauss::test::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// Writes `content` to `path` below a folder that stands for the machine's root.
void put(const TemporaryFolder& root, const fs::path& path, const std::string& content) {
  fs::create_directories((root / path.string()).parent_path());
  std::ofstream(root / path.string()) << content;
}

}  // namespace

TEST_CASE("control groups of version 2: the lowest limit on the way up counts") {
  const TemporaryFolder root;
  CHECK_FALSE(control_group_limit(root.path()));
  put(root, "proc/self/cgroup", "0::/jobs/one\n");
  CHECK_FALSE(control_group_limit(root.path()));
  put(root, "sys/fs/cgroup/jobs/one/memory.max", "max\n");
  CHECK_FALSE(control_group_limit(root.path()));
  put(root, "sys/fs/cgroup/jobs/memory.max", "2000000000\n");
  CHECK(control_group_limit(root.path()) == Index{2'000'000'000});
  put(root, "sys/fs/cgroup/jobs/one/memory.max", "3000000000\n");
  CHECK(control_group_limit(root.path()) == Index{2'000'000'000});
  put(root, "sys/fs/cgroup/memory.max", "1000000000\n");
  CHECK(control_group_limit(root.path()) == Index{1'000'000'000});
}

TEST_CASE("control groups: in a container the path may be the host's, or the container's root") {
  for (const std::string path : {"/", "/docker/0123", "/../../elsewhere"}) {
    CAPTURE(path);
    const TemporaryFolder root;
    put(root, "proc/self/cgroup", "0::" + path + "\n");
    put(root, "sys/fs/cgroup/memory.max", "4096000\n");
    CHECK(control_group_limit(root.path()) == Index{4'096'000});
  }
}

TEST_CASE("control groups of version 1: the memory controller's, also beside version 2") {
  const TemporaryFolder root;
  put(root, "proc/self/cgroup", "9:name=systemd:/\n5:cpu,memory:/box\n4:cpuset:/other\n0::/\n");
  CHECK_FALSE(control_group_limit(root.path()));
  put(root, "sys/fs/cgroup/memory/box/memory.limit_in_bytes", "512000000\n");
  put(root, "sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  put(root, "sys/fs/cgroup/memory/other/memory.limit_in_bytes", "1\n");
  CHECK(control_group_limit(root.path()) == Index{512'000'000});
}
