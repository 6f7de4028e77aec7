#include "io/child.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <clgauss/error.hpp>
#include <cmath>
#include <csignal>
#include <cstring>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>

#include "io/descriptor.hpp"
#include "io/memory.hpp"
#include "io/memory_file.hpp"
#include "io/progress.hpp"
#include "operating_system.hpp"
#include "parallel.hpp"

namespace clgauss::io {

namespace {

/// A child's messages: a kind, a length and as many bytes.
enum class Kind : std::uint64_t { array, numbers, unreadable, out_of_memory, end };
struct Head {
  Kind kind;
  std::uint64_t bytes;
};

class Sender {
 public:
  explicit Sender(int pipe) : pipe_(pipe) {}

  void send(Kind kind, std::string_view bytes) const {
    const Head head{kind, bytes.size()};
    put({reinterpret_cast<const char*>(&head), sizeof head});
    put(bytes);
  }

 private:
  void put(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t done = ::write(pipe_, bytes.data(), bytes.size());
      if (done < 0 && errno != EINTR) ::_exit(1);  // the parent has gone
      bytes.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(done, 0)));
    }
  }

  int pipe_;
};

/// Packs rows, cols and whether it is complex, then the name, a zero byte and the obstacle.
std::string packed(const ArrayInfo& array) {
  const std::array<Index, 3> shape = {array.rows, array.cols, array.complex ? Index{1} : Index{0}};
  return std::string(reinterpret_cast<const char*>(shape.data()), sizeof shape) + array.name +
         '\0' + array.obstacle;
}

ArrayInfo unpacked_info(const std::string& text) {
  std::array<Index, 3> shape{};
  std::memcpy(shape.data(), text.data(), sizeof shape);
  const std::size_t zero = text.find('\0', sizeof shape);
  return {text.substr(sizeof shape, zero - sizeof shape), shape[0], shape[1], text.substr(zero + 1),
          shape[2] != 0};
}

void limit(decltype(RLIMIT_CORE) what, rlim_t most) {
  rlimit now{};
  ::getrlimit(what, &now);
  now.rlim_cur = std::min(now.rlim_cur, most);
  ::setrlimit(what, &now);
}

/// Limits a child: additional memory up to half of the machine's, `cpu_seconds` of processor time,
/// no messages on stderr, no core dump. The child ends with its parent.
void confine(pid_t parent, rlim_t cpu_seconds) {
  operating_system::end_with_parent();
  if (::getppid() != parent) ::_exit(1);
  for (const int signal : {SIGINT, SIGTERM, SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGALRM, SIGXCPU})
    std::signal(signal, SIG_DFL);
  ::alarm(0);
  const int null = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (null >= 0) ::dup2(null, STDERR_FILENO);
  limit(RLIMIT_CORE, 0);
  limit(RLIMIT_CPU, cpu_seconds);
#ifndef __SANITIZE_ADDRESS__  // its shadow memory needs all the address space
  if (const auto taken = operating_system::address_space_bytes())
    limit(RLIMIT_AS, *taken + most_unsized_bytes());
#endif
}

/// A process that runs `work` and sends the results. If it is still running at the end of the
/// scope, it is killed.
class Child {
 public:
  template <typename Work>
  Child(rlim_t cpu_seconds, Work work) {
    std::array<int, 2> ends{};
    if (!operating_system::open_pipe(ends)) fail("pipe");
    pipe_ = Descriptor(ends[0]);
    Descriptor writing(ends[1]);
    const pid_t parent = ::getpid();
    process_ = [] {
      const std::scoped_lock alone(forking());
#ifdef __SANITIZE_ADDRESS__  // its allocator does not survive a fork beside a thread's end
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
#endif
      return ::fork();
    }();
    if (process_ < 0) fail("fork");
    if (process_ > 0) return;
    confine(parent, cpu_seconds);
    run(Sender(writing.number()), work);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() {
    ::kill(process_, SIGKILL);
    while (::waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  /// Reads `count` bytes; false if the child ended before that. `wait` is called ten times a
  /// second.
  template <typename Wait>
  [[nodiscard]] bool receive(void* place, std::size_t count, const Wait& wait) {
    auto* at = static_cast<char*>(place);
    while (count > 0) {
      pollfd ready{pipe_.number(), POLLIN, 0};
      if (::poll(&ready, 1, 100) <= 0) {
        wait();
        continue;
      }
      const ssize_t got = ::read(pipe_.number(), at, count);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return false;
      at += got;
      count -= static_cast<std::size_t>(got);
    }
    return true;
  }

 private:
  template <typename Work>
  [[noreturn]] static void run(const Sender& sender, Work work) {
    try {
      work(sender);
      sender.send(Kind::end, {});
    } catch (const std::bad_alloc&) {
      sender.send(Kind::out_of_memory, {});
    } catch (const std::exception& error) {
      sender.send(Kind::unreadable, error.what());
    }
    ::_exit(0);  // skips the parent's exit handlers
  }

  [[noreturn]] static void fail(const char* call) {
    throw OutOfMemory(fmt::format("{}: {}", call, std::generic_category().message(errno)));
  }

  Descriptor pipe_;
  pid_t process_ = -1;
};

/// Libraries read a file only by name. Unpacked input, or input from a pipe, is therefore copied to
/// a file in memory.
class NamedInput {
 public:
  explicit NamedInput(const Input& input) : input_(input) {}

  [[nodiscard]] ForeignFile file() {
    return {input_.bytes(), !input_.mapped(), [this] { return path(); }};
  }

 private:
  [[nodiscard]] std::string path() {
    if (input_.mapped()) return input_.name();
    copy_.emplace().write(input_.bytes());
    return copy_->path();
  }

  const Input& input_;
  std::optional<MemoryFile> copy_;
};

class ChildArchive : public Archive {
 public:
  ChildArchive(const ForeignFormat& format, const Input& input, const ReadOptions& options)
      : format_(format), input_(input), options_(options) {}

  [[nodiscard]] std::vector<ArrayInfo> arrays() override;
  [[nodiscard]] Content read(const ArrayInfo& array) override;

 private:
  /// A generous limit in seconds of processor time, for the file and `bytes` of numbers.
  [[nodiscard]] rlim_t patience(Index bytes) const {
    return 2 + (input_.bytes().size() + bytes) / 5'000'000;
  }
  void receive(Child& child, void* place, std::size_t count, const std::string& name,
               double fraction) const;
  [[nodiscard]] std::string text(Child& child, const Head& head, const std::string& name) const;
  void refuse_nonfinite(const Content& content, const std::string& name) const;
  [[noreturn]] void fail(Child& child, const Head& head, const std::string& name) const;

  const ForeignFormat& format_;
  const Input& input_;
  const ReadOptions& options_;
};

void ChildArchive::receive(Child& child, void* place, std::size_t count, const std::string& name,
                           double fraction) const {
  const bool whole = child.receive(place, count, [&] {
    if (options_.progress) options_.progress("reading " + name, fraction);
  });
  if (!whole)
    throw FormatError(
        name, 0, 0,
        fmt::format("the file is cut off or damaged: {} failed on it", format_.library));
}

std::string ChildArchive::text(Child& child, const Head& head, const std::string& name) const {
  std::string bytes(std::min<std::uint64_t>(head.bytes, 1U << 20U), '\0');
  receive(child, bytes.data(), bytes.size(), name, 0);
  return bytes;
}

void ChildArchive::fail(Child& child, const Head& head, const std::string& name) const {
  if (head.kind == Kind::unreadable) throw FormatError(name, 0, 0, text(child, head, name));
  if (head.kind == Kind::out_of_memory)
    throw OutOfMemory(
        fmt::format("{}: does not fit this machine's memory, or the file is damaged", name));
  throw FormatError(name, 0, 0, "the file is damaged: it holds less than it says");
}

std::vector<ArrayInfo> ChildArchive::arrays() {
  Child child(patience(0), [&](const Sender& sender) {
    for (const ArrayInfo& array : format_.list(NamedInput(input_).file()))
      sender.send(Kind::array, packed(array));
  });
  std::vector<ArrayInfo> found;
  while (true) {
    Head head{};
    receive(child, &head, sizeof head, input_.name(), 0);
    if (head.kind == Kind::end) return found;
    if (head.kind != Kind::array || head.bytes <= 3 * sizeof(Index))
      fail(child, head, input_.name());
    found.push_back(unpacked_info(text(child, head, input_.name())));
  }
}

Content ChildArchive::read(const ArrayInfo& array) {
  const std::string name = name_of(input_, array.name);
  /// One copy here and one in the library, of each number or of each part of a complex number.
  const Index copies = array.complex ? 4 : 2;
  require_memory(name, array.rows, array.cols, copies);
  const Index bytes = copies / 2 * *dense_bytes(array.rows, array.cols);
  Child child(patience(bytes), [&](const Sender& sender) {
    format_.read(NamedInput(input_).file(), array,
                 [&](std::string_view numbers) { sender.send(Kind::numbers, numbers); });
  });
  Content content{.rows = array.rows, .cols = array.cols, .values = {}, .complex = array.complex};
  Progress progress(options_.progress, name, bytes);
  Index done = 0;
  while (true) {
    Head head{};
    const double fraction = bytes == 0 ? 0 : static_cast<double>(done) / static_cast<double>(bytes);
    receive(child, &head, sizeof head, name, fraction);
    if (head.kind == Kind::end && done == bytes) break;
    if (head.kind != Kind::numbers || head.bytes > bytes - done) fail(child, head, name);
    if (done == 0) content.values.resize(bytes / sizeof(double));
    receive(child, reinterpret_cast<char*>(content.values.data()) + done, head.bytes, name,
            fraction);
    done += head.bytes;
    progress.at(done);
  }
  if (!options_.allow_nonfinite) refuse_nonfinite(content, name);
  progress.finish();
  return content;
}

void ChildArchive::refuse_nonfinite(const Content& content, const std::string& name) const {
  const Index i = find_nonfinite(content.values);
  if (i == content.values.size()) return;
  const Index parts = content.complex ? 2 : 1, width = parts * content.cols;
  throw FormatError(name, 0, 0,
                    fmt::format("row {}, column {} holds {} (--allow-nonfinite accepts it)",
                                i / width + 1, i % width / parts + 1, content.values[i]));
}

}  // namespace

std::shared_mutex& forking() {
  static std::shared_mutex mutex;
  return mutex;
}

std::unique_ptr<Archive> open_in_child(const ForeignFormat& format, const Input& input,
                                       const ReadOptions& options) {
  return std::make_unique<ChildArchive>(format, input, options);
}

}  // namespace clgauss::io
